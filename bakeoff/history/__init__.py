"""The history: an index of runs, from which lists, lines over time and the matrix are read."""

import os
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from bakeoff.model.errors import BakeoffError

if TYPE_CHECKING:
    from bakeoff.history.index import Index

HISTORY = "BAKEOFF_HISTORY"
"""The environment variable with the index's URL; set, but empty: runs are not added to any."""


class HistoryAway(BakeoffError):
    """The index can't be reached or written: nothing is lost, since runs are folders."""


def default_url() -> str | None:
    """The URL that the environment gives, or the user's own index; None: switched off."""
    given = os.environ.get(HISTORY)
    if given is not None:
        return given or None
    return sqlite_url(user_data() / "history.sqlite")


def user_data() -> Path:
    """What is the user's and stays: `$XDG_DATA_HOME/bakeoff`."""
    named = Path(os.environ.get("XDG_DATA_HOME", ""))
    parent = named if named.is_absolute() else Path("~/.local/share").expanduser()
    return parent / "bakeoff"


def sqlite_url(path: Path) -> str:
    """The URL of an SQLite file, whatever signs its path has."""
    return f"sqlite:///{quote(str(path))}"


def open_index(url: str, *, renew: bool = False) -> "Index":
    """The index at a database's URL, made where there is none.

    `renew`: a damaged file of SQLite is moved aside, to `.damaged`, and an empty index is opened.
    Raises `HistoryAway`, `BadUsage` for a URL that isn't one or an index of a newer bakeoff, and
    `MissingPiece` without the driver.
    """
    # Here, not above: SQLAlchemy takes longer to import than a race to be planned.
    from bakeoff.history.index import Index

    return Index(url, renew=renew)
