"""An empty index: in an SQLite file, and in a PostgreSQL that the tests start for themselves."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from bakeoff.history import open_index
from bakeoff.history.index import Index
from bakeoff.history.place import sqlite_url
from tests.history.postgresql import a_server, programs
from tests.runs.conftest import Measure, measure

__all__ = ["Measure", "measure"]


@pytest.fixture(scope="session")
def postgresql() -> Iterator[str]:
    """The URL of a database server of the tests' own."""
    if not programs():
        pytest.skip("PostgreSQL is not installed: apt-get install postgresql")
    with a_server() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
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
    opened = open_index(url)
    yield opened
    opened.close()
