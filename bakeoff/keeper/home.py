"""The folders of the user's own files, by the XDG base directory specification."""

import os
from pathlib import Path


def user_folder(variable: str, otherwise: str) -> Path:
    """`$variable/bakeoff`, or `~/otherwise/bakeoff`. Raises RuntimeError where there is no home."""
    # By the specification, a path that is not absolute is ignored.
    named = Path(os.environ.get(variable, ""))
    return (named if named.is_absolute() else Path.home() / otherwise) / "bakeoff"
