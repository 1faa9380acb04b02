"""An empty index: in an SQLite file, and in a PostgreSQL that the tests start for themselves."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from bakeoff.history import open_index
from bakeoff.history.index import Index
from bakeoff.history.place import sqlite_url

UNPRIVILEGED = "nobody"
"""PostgreSQL doesn't run as root."""


@pytest.fixture(scope="session")
def postgresql(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a database server on a socket in a folder of its own."""
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    if not programs:
        pytest.skip("PostgreSQL is not installed: apt-get install postgresql")
    # A socket's path has at most 107 bytes, and its folder is somebody else's.
    folder = Path(f"/tmp/bakeoff-pg-{os.getpid()}")
    folder.mkdir()
    as_root = os.geteuid() == 0
    if as_root:
        shutil.chown(folder, UNPRIVILEGED)
    prefix = ["runuser", "-u", UNPRIVILEGED, "--"] if as_root else []

    def run(program: str, *words: str) -> None:
        subprocess.run(
            [*prefix, str(programs[-1] / program), *words],
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


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a database that has no tables of ours."""
    if request.param == "sqlite":
        return sqlite_url(tmp_path / "a folder" / "history.sqlite")
    from sqlalchemy import create_engine, text

    server: str = request.getfixturevalue("postgresql")
    engine = create_engine(server.replace("postgresql:", "postgresql+psycopg:"))
    with engine.begin() as connection:
        connection.execute(text("DROP SCHEMA public CASCADE"))
        connection.execute(text("CREATE SCHEMA public"))
    engine.dispose()
    return server


@pytest.fixture
def index(url: str) -> Iterator[Index]:
    """An index without a run."""
    opened = open_index(url)
    yield opened
    opened.close()
