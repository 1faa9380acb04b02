"""The history: an index of runs, from which lists, lines over time and the matrix are read."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bakeoff.history.index import Index


def open_index(url: str, *, renew: bool = False) -> "Index":
    """The index at a database's URL, created if it doesn't exist.

    `renew`: a damaged file of SQLite is moved aside, to `.damaged`, and an empty index is opened.
    Raises `HistoryAway`, `BadUsage` for a URL that isn't one or an index of a newer bakeoff, and
    `MissingPiece` without the driver.
    """
    # Imported here, not above: importing SQLAlchemy takes longer than planning a race.
    from bakeoff.history.index import Index

    return Index(url, renew=renew)
