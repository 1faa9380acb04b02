"""Links to the engine, named as the programs that it stands in for."""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from bakeoff.load.engine import engine_path
from bakeoff.model.errors import BadUsage

ENGINE = "volley"
"""The file name of an engine, wherever it is."""


def link(folder: Path, names: Sequence[str]) -> list[Path]:
    """Make links to the engine in `folder`, which is created if necessary; returns them.

    Existing links to an engine are replaced. Raises `BadUsage` if anything else has one of the
    names, before it changes anything, or if it can't write.
    """
    engine = engine_path().absolute()
    links = [folder.absolute() / name for name in names]
    for each in links:
        if os.path.lexists(each) and not _leads_to_an_engine(each):
            raise BadUsage(f"{each} is not a link to the engine; move it, or name another folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for each in links:
            each.unlink(missing_ok=True)
            each.symlink_to(engine)
    except OSError as error:
        raise BadUsage(f"{folder}: can't make links there: {error.strerror}") from error
    return links


def shadowed(links: Sequence[Path]) -> dict[str, str | None]:
    """Those of `links` that the shell doesn't find by name, with what it finds instead."""
    others = {each: shutil.which(each.name) for each in links}
    return {
        each.name: other
        for each, other in others.items()
        if other is None or not each.samefile(other)
    }


def original(program: str) -> Path | None:
    """The first on PATH that is called `program` and is not a link to an engine."""
    for folder in os.get_exec_path():
        path = shutil.which(program, path=folder)
        if path is not None and not _leads_to_an_engine(Path(path)):
            return Path(path)
    return None


def _leads_to_an_engine(path: Path) -> bool:
    return path.is_symlink() and path.readlink().name == ENGINE
