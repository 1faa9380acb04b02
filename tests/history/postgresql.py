"""A PostgreSQL that is started for a test or a benchmark, and ends with it."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import DEVNULL

from tests.afterwards import afterwards

UNPRIVILEGED = "nobody"
"""PostgreSQL doesn't run as root."""
READY_ASK_S = 0.05
REMOVE = """while kill -0 "$(head -n 1 "$1/data/postmaster.pid")"; do sleep 0.1; done
until rm -r "$1"; do sleep 0.1; done"""
"""The server removes the file when it ends."""


def programs() -> list[Path]:
    """Folders with PostgreSQL's programs, the newest last."""
    return sorted(Path("/usr/lib/postgresql").glob("*/bin"))


@contextmanager
def a_server() -> Iterator[str]:
    """The URL of a database server on a socket in a folder of its own."""
    program_folder = programs()[-1]
    # A socket's path has at most 107 bytes, and its folder is somebody else's.
    folder = Path(f"/tmp/bakeoff-pg-{os.getpid()}")
    # It ends with us, whatever ends us.
    prefix = ["setpriv", "--pdeathsig", "QUIT"]

    def words(program: str, *more: str) -> list[str]:
        return [*prefix, str(program_folder / program), *more]

    with afterwards(REMOVE, folder):
        folder.mkdir()
        if os.geteuid() == 0:
            shutil.chown(folder, UNPRIVILEGED)
            prefix += ["--reuid", UNPRIVILEGED, "--clear-groups"]
        data = str(folder / "data")
        make = words("initdb", "-D", data, "-A", "trust", "-U", "bakeoff", "--no-sync")
        subprocess.run(make, check=True, cwd=folder, stdout=DEVNULL, stderr=DEVNULL)
        run = words("postgres", "-D", data, "-k", str(folder), "-c", "listen_addresses=", "-F")
        with subprocess.Popen(run, cwd=folder, stdout=DEVNULL, stderr=DEVNULL) as server:
            try:
                ready = words("pg_isready", "--host", str(folder), "--timeout", "0")
                while subprocess.run(ready, check=False, stdout=DEVNULL).returncode:
                    assert server.poll() is None, "PostgreSQL ended when it was to begin"
                    time.sleep(READY_ASK_S)
                yield f"postgresql://bakeoff@/postgres?host={folder}"
            finally:
                server.send_signal(signal.SIGQUIT)
