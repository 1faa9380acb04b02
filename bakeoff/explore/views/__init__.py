"""The views: the index and an address → a page. None of them knows of HTTP, or of a static site."""

from collections.abc import Callable, Mapping

from bakeoff.explore.address import Address
from bakeoff.explore.page import NotThere, Page
from bakeoff.explore.views.article import article
from bakeoff.explore.views.contender import contender
from bakeoff.explore.views.matrix import matrix
from bakeoff.explore.views.run import run
from bakeoff.explore.views.shelf import shelf
from bakeoff.explore.views.two import two
from bakeoff.explore.views.words import words
from bakeoff.history.index import Index

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
