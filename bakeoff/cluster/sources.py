"""A contender's sources, packed for the machine that builds and runs it."""

import hashlib
import os
import tarfile
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

from bakeoff.build import has_runs, source_files
from bakeoff.model.contender import Contender
from bakeoff.model.errors import ContenderOut

BYTES_MAX = 256 << 20
"""A larger folder was hardly meant to be copied: a home folder in which a command was given."""
_NEVER = {".git", "__pycache__", ".pytest_cache"}


class Packed(NamedTuple):
    """A gzipped tar file; `key` is a hash of names, modes and bytes, and `inside` the place of the
    contender's folder in it."""

    key: str
    inside: str
    data: bytes


def pack(contender: Contender, folder: Path) -> Packed:
    """The contender in `folder` with the sources beside it that its build reads.

    The output of builds is left out, since the contender is built there. A contender without a
    build, such as a command, is packed whole. Raises `ContenderOut`.
    """
    folder = folder.resolve()
    beside = (
        [(folder / each).resolve() for each in contender.build.sources] if contender.build else []
    )
    root = Path(os.path.commonpath([folder, *beside]))
    if contender.build:
        files = sorted({each for top in (folder, *beside) for each in source_files(top)})
    else:
        files = sorted(_all(folder))
    total, key, buffer = 0, hashlib.sha256(), BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz", compresslevel=1) as tar:
        for path in files:
            try:
                total += path.lstat().st_size
                if total > BYTES_MAX:
                    raise ContenderOut(_too_large(folder))
                # A link within the packed files stays a link; for any other link the file is
                # packed.
                link = path.is_symlink() and not path.readlink().is_absolute()
                tar.dereference = not link
                name = str(path.relative_to(root))
                tar.add(path, name, recursive=False)
                content = str(path.readlink()).encode() if link else path.read_bytes()
                mode = path.stat().st_mode & 0o777 if not link else 0
            except OSError as error:
                raise ContenderOut(
                    f"{path}: can't be sent to the server node: {error.strerror}"
                ) from None
            key.update(f"{name}\0{mode}\0{len(content)}\0".encode() + content)
    return Packed(key.hexdigest()[:32], str(folder.relative_to(root)), buffer.getvalue())


def _all(top: Path) -> Iterator[Path]:
    for place, folders, files in os.walk(top):
        folders[:] = [
            each for each in folders if each not in _NEVER and not has_runs(Path(place, each))
        ]
        for each in (*files, *(name for name in folders if Path(place, name).is_symlink())):
            path = Path(place, each)
            if each not in _NEVER and (path.is_file() or path.is_symlink()):
                yield path


def _too_large(folder: Path) -> str:
    return (
        f"its folder {folder} has more than {BYTES_MAX >> 20} MiB, and all of it would be copied "
        "to the server node: put what it needs into a folder of its own, with a contender.toml or "
        "as the folder in which bakeoff is called"
    )
