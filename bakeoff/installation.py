"""The places of bakeoff's parts: in `bakeoff/data` of a wheel, or in the clone around it."""

import platform
import shutil
import subprocess
import sysconfig
from functools import cache
from pathlib import Path

from bakeoff import __version__
from bakeoff.keeper.home import user_folder
from bakeoff.model.errors import MissingPiece

DATA = Path(__file__).resolve().parent / "data"
"""The parts of a wheel beside the modules; a clone doesn't have it. Never written to."""


def shipped(name: str) -> Path:
    """The place of a part that comes with bakeoff, such as `catalogue`."""
    return (DATA if DATA.is_dir() else DATA.parents[1]) / name


def user_cache() -> Path:
    """A folder for files that bakeoff writes, and can make again: `$XDG_CACHE_HOME/bakeoff`."""
    return user_folder("XDG_CACHE_HOME", ".cache")


def cache_folder() -> Path:
    """This version's part of `user_cache`."""
    return user_cache() / __version__


@cache
def engine_path() -> Path:
    """The engine of this package, or of its environment's scripts, or the first on PATH.

    Raises `MissingPiece` where there is none, or the first has another version or can't run here.
    """
    own = (DATA / "volley", Path(sysconfig.get_path("scripts"), "volley"))
    path = next((each for each in own if each.is_file()), None) or shutil.which("volley")
    if path is None:
        raise MissingPiece(f"the load engine `volley` is not here; {_FIX}")
    argv = [str(path), "--version"]
    try:
        ended = subprocess.run(argv, capture_output=True, text=True, check=False, errors="replace")
    except OSError as error:
        raise MissingPiece(_cannot_run(path, error.strerror)) from None
    if ended.returncode:
        raise MissingPiece(_cannot_run(path, ended.stderr.strip() or f"status {ended.returncode}"))
    version = ended.stdout.strip()
    if version != f"volley {__version__}":
        raise MissingPiece(
            f"the load engine {path} is {version or 'nameless'}, not the volley {__version__} that "
            f"belongs to this bakeoff; {_FIX}"
        )
    return Path(path)


_FIX = "install bakeoff from its wheel, or run `make setup` in its clone"


def _cannot_run(path: Path | str, why: str | None) -> str:
    here = (
        f"{platform.system()} {platform.machine()}, {' '.join(platform.libc_ver()) or 'no glibc'}"
    )
    return (
        f"the load engine {path} does not run on this machine ({here.strip()}): {why}; "
        "a wheel's needs Linux with glibc 2.17 or later and the processor that its name ends with"
    )


def engine_version() -> str:
    """The output of `volley --version`. Raises `MissingPiece`."""
    engine_path()
    return f"volley {__version__}"
