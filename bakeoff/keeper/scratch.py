"""Scratch folders that are removed with the process that made them, or after a kill by the next
sweep."""

import contextlib
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from . import ledger


@contextlib.contextmanager
def scratch_folder(name: str) -> Iterator[Path]:
    """A new folder for as long as the context, among the machine's temporary ones.

    It is called bakeoff-NAME-…, and recorded before it is made. Raises OSError.
    """
    folder = Path(tempfile.gettempdir()).resolve() / f"bakeoff-{name}-{secrets.token_hex(6)}"
    with ledger.entered(folders=[str(folder)]):
        folder.mkdir(mode=0o700)
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)
