"""The place of the user's history, and the error where it can't be reached."""

import os
from pathlib import Path
from urllib.parse import quote

from bakeoff.model.errors import BakeoffError

HISTORY = "BAKEOFF_HISTORY"
"""The environment variable with the index's URL; if it is set but empty, runs are not added to
any."""


class HistoryAway(BakeoffError):
    """The index can't be reached or written: nothing is lost, since runs are folders."""


def default_url() -> str | None:
    """The URL of the environment, or the user's own index; None: switched off."""
    given = os.environ.get(HISTORY)
    if given is not None:
        return given or None
    return sqlite_url(user_data() / "history.sqlite")


def user_data() -> Path:
    """The user's permanent data: `$XDG_DATA_HOME/bakeoff`."""
    named = Path(os.environ.get("XDG_DATA_HOME", ""))
    parent = named if named.is_absolute() else Path("~/.local/share").expanduser()
    return parent / "bakeoff"


def sqlite_url(path: Path) -> str:
    return f"sqlite:///{quote(str(path))}"
