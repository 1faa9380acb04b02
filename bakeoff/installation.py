"""Where the parts of bakeoff are: in `bakeoff/data` of a wheel, or in the clone around it."""

import os
from pathlib import Path

from bakeoff import __version__

DATA = Path(__file__).resolve().parent / "data"
"""What a wheel brings beside the modules; a clone has none of it. Never written to."""


def shipped(name: str) -> Path:
    """Where `name` is that comes with bakeoff, such as `catalogue`."""
    return (DATA if DATA.is_dir() else DATA.parents[1]) / name


def user_cache() -> Path:
    """What we may write for ourselves, and can make again: `$XDG_CACHE_HOME/bakeoff`."""
    # By its specification, a path that is not absolute counts as none.
    named = Path(os.environ.get("XDG_CACHE_HOME", ""))
    parent = named if named.is_absolute() else Path("~/.cache").expanduser()
    return parent / "bakeoff"


def cache_folder() -> Path:
    """The part of `user_cache` that is this version's."""
    return user_cache() / __version__
