"""The place of the user's history, and the error where it can't be reached."""

import os
from pathlib import Path
from urllib.parse import quote

from bakeoff.keeper.home import user_folder
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
    return user_folder("XDG_DATA_HOME", ".local/share")


def sqlite_url(path: Path) -> str:
    return f"sqlite:///{quote(str(path))}"
