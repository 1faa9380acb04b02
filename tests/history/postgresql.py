"""A PostgreSQL that is started for a test or a benchmark, and ends with it."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

UNPRIVILEGED = "nobody"
"""PostgreSQL doesn't run as root."""


def programs() -> list[Path]:
    """Folders with PostgreSQL's programs, the newest last."""
    return sorted(Path("/usr/lib/postgresql").glob("*/bin"))


@contextmanager
def a_server() -> Iterator[str]:
    """The URL of a database server on a socket in a folder of its own."""
    program_folder = programs()[-1]
    # A socket's path has at most 107 bytes, and its folder is somebody else's.
    folder = Path(f"/tmp/bakeoff-pg-{os.getpid()}")
    folder.mkdir()
    as_root = os.geteuid() == 0
    if as_root:
        shutil.chown(folder, UNPRIVILEGED)
    prefix = ["runuser", "-u", UNPRIVILEGED, "--"] if as_root else []

    def run(program: str, *words: str) -> None:
        subprocess.run(
            [*prefix, str(program_folder / program), *words],
            check=True,
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    data = str(folder / "data")
    try:
        run("initdb", "-D", data, "-A", "trust", "-U", "bakeoff", "--no-sync")
        alone = f"-k {folder} -c listen_addresses='' -c fsync=off"
        run("pg_ctl", "-D", data, "-o", alone, "-l", str(folder / "log"), "-w", "start")
        try:
            yield f"postgresql://bakeoff@/postgres?host={folder}"
        finally:
            run("pg_ctl", "-D", data, "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder)
