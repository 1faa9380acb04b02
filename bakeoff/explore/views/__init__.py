"""The views: from the index and an address to a page, without knowledge of HTTP or static sites."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from bakeoff.explore.address import Address
from bakeoff.explore.page import NotThere, Page
from bakeoff.explore.views.article import article
from bakeoff.explore.views.contender import contender
from bakeoff.explore.views.matrix import matrix
from bakeoff.explore.views.run import run
from bakeoff.explore.views.shelf import shelf
from bakeoff.explore.views.two import two
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


_VIEWS: Mapping[str, Callable[[Index, Address], Page]] = {
    "": shelf,
    "run": run,
    "two": two,
    "contender": contender,
    "matrix": matrix,
    "article": article,
    "words": words,
}


def view(index: Index, address: Address) -> Page:
    """The page at `address`. Raises `NotThere`, and `BakeoffError` where it can't be shown."""
    found = _VIEWS.get(address.parts[0] if address.parts else "")
    if found is None:
        raise NotThere("no page has this address")
    return found(index, address)
