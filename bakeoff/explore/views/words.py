"""The words that all pages use."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from bakeoff.explore.address import Address
from bakeoff.explore.page import NotThere, Page
from bakeoff.history.index import Index
from bakeoff.report.glossary import GLOSSARY


@dataclass(frozen=True, kw_only=True)
class WordsPage(Page):
    """The glossary."""

    template: ClassVar[str] = "words.html"
    is_shared: ClassVar[bool] = False

    words: Mapping[str, str]


def words(_: Index, address: Address) -> WordsPage:
    if len(address.parts) > 1:
        raise NotThere("no page has this address")
    return WordsPage(address=address, title="Words", words=GLOSSARY)
