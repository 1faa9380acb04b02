"""What a contender has written beside its answers."""

import contextlib
import os
from pathlib import Path

from bakeoff.model.audit import Written
from bakeoff.model.receipt import Handle


def read_written(handle: Handle) -> Written | None:
    """The sizes of its log and of all files in its scratch folder; None where it isn't ours."""
    if handle.log is None:
        return None
    return Written(
        log_bytes=_size(Path(handle.log)),
        scratch_bytes=_all_sizes(Path(handle.scratch)) if handle.scratch else 0,
    )


def _all_sizes(folder: Path) -> int:
    files = (Path(inside) / name for inside, _, names in os.walk(folder) for name in names)
    return sum(_size(file) for file in files)


def _size(file: Path) -> int:
    with contextlib.suppress(OSError):
        return file.lstat().st_size
    return 0
