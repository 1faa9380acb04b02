"""An index's database: SQLite by default, PostgreSQL by URL; brought to our schema when opened."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection, Engine, create_engine, event, inspect, select, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError

from bakeoff.history.place import HISTORY, HistoryAway
from bakeoff.history.tables import METADATA, SCHEMA, VERSION
from bakeoff.model.errors import BadUsage, MissingPiece

BUSY_S = 20.0
"""How long a writer waits for another: a rebuild of 10,000 runs writes for some seconds."""
_MIGRATING = 0x62616B65
"""PostgreSQL's advisory lock while a schema is made or changed: one process at a time."""
_AGAIN = "`bakeoff history rebuild DIR` makes it again from the runs' folders"


def connect(url: str, *, renew: bool = False) -> Engine:
    """An engine on an index of our schema. Raises `HistoryAway`, `BadUsage`, `MissingPiece`.

    `renew`: a damaged file of SQLite is moved aside.
    """
    engine = _engine(url)
    try:
        with reached(engine.url):
            _bring_up_to_date(engine)
            if renew and engine.dialect.name == "sqlite":
                _look_through(engine)
    except Damaged:
        engine.dispose()
        file = Path(engine.url.database or "")
        if not renew:
            raise
        file.replace(f"{file}.damaged")
        for beside in ("-wal", "-shm"):
            Path(f"{file}{beside}").unlink(missing_ok=True)
        return connect(url)
    return engine


class Damaged(HistoryAway):
    """The file of an index that SQLite, or this bakeoff, can't read."""


@contextmanager
def reached(url: URL) -> Iterator[None]:
    """Raise `HistoryAway` in words where the database refuses."""
    try:
        yield
    except SQLAlchemyError as error:
        reason = str(getattr(error, "orig", None) or error).strip().splitlines()[0]
        said = f"the history {url.render_as_string()}: {reason}"
        if any(words in reason for words in ("not a database", "malformed")):
            raise Damaged(f"{said}; {_AGAIN}") from None
        raise HistoryAway(said) from None
    except OSError as error:
        raise HistoryAway(f"the history {url.render_as_string()}: {error.strerror}") from None


def _engine(url: str) -> Engine:
    try:
        parsed = make_url(url)
    except ArgumentError:
        raise BadUsage(
            f"{HISTORY}: `{url}` is not the URL of a database; it takes postgresql://HOST/NAME or "
            "sqlite:////PATH"
        ) from None
    if parsed.drivername in ("postgresql", "postgres"):
        parsed = parsed.set(drivername="postgresql+psycopg")
    elif parsed.get_backend_name() != "sqlite":
        raise BadUsage(f"{HISTORY}: {parsed.drivername} is not supported; use postgresql or sqlite")
    try:
        engine = create_engine(parsed, connect_args=_arguments(parsed))
    except (ImportError, NoSuchModuleError):
        raise MissingPiece(
            "a history in PostgreSQL needs psycopg: pip install 'bakeoff[postgres]'"
        ) from None
    if parsed.get_backend_name() == "sqlite":
        event.listen(engine, "connect", _set_up_sqlite)
    return engine


def _arguments(url: URL) -> dict[str, object]:
    if url.get_backend_name() == "sqlite":
        if url.database and url.database != ":memory:":
            try:
                Path(url.database).parent.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise HistoryAway(
                    f"the history {url.database}: its folder can't be made: {error.strerror}; set "
                    "BAKEOFF_HISTORY to another database, or to nothing"
                ) from None
        return {"timeout": BUSY_S}
    return {"connect_timeout": 5}


def _set_up_sqlite(connection: object, _record: object) -> None:
    # Readers don't wait for a writer, and a kill within a transaction leaves none of it.
    cursor = connection.cursor()  # type: ignore[attr-defined]
    cursor.execute("PRAGMA journal_mode=WAL")
    cursor.execute("PRAGMA synchronous=NORMAL")
    cursor.execute("PRAGMA foreign_keys=ON")
    cursor.close()


def _bring_up_to_date(engine: Engine) -> None:
    with engine.connect() as connection:
        at = _schema(connection)
    if at == SCHEMA:
        return
    if at is not None and at < SCHEMA:
        raise Damaged(
            f"the history {engine.url.render_as_string()}: was written before bakeoff's first "
            f"release; {_AGAIN}"
        )
    if at is not None and at > SCHEMA:
        raise BadUsage(
            f"the history {engine.url.render_as_string()}: was written by a newer bakeoff (its "
            f"schema is {at}, this one knows {SCHEMA}): upgrade bakeoff"
        )
    with _alone(engine), engine.begin() as connection:
        if _schema(connection) is None:
            METADATA.create_all(connection)
            # Last: without it, the next process completes what a kill left.
            VERSION.create(connection, checkfirst=True)
            connection.execute(VERSION.insert().values(version_num=SCHEMA))


def _look_through(engine: Engine) -> None:
    """Raise `Damaged` if a page of the file is: its first pages may be whole, so that it opens."""
    with engine.connect() as connection:
        found = connection.execute(text("PRAGMA quick_check(1)")).scalar()
    if found != "ok":
        raise Damaged(f"the history {engine.url.render_as_string()}: {found}")


def _schema(connection: Connection) -> str | None:
    if not inspect(connection).has_table(VERSION.name):
        return None
    found: str | None = connection.execute(select(VERSION.c.version_num)).scalar()
    return found


@contextmanager
def _alone(engine: Engine) -> Iterator[None]:
    """One process at a time makes or changes the schema; the next finds it done."""
    if engine.url.get_backend_name() == "sqlite":
        from filelock import FileLock

        database = engine.url.database or ":memory:"
        if database == ":memory:":
            yield
        else:
            with FileLock(f"{database}.lock"):
                yield
        return
    with engine.connect() as connection:
        connection.execute(text("SELECT pg_advisory_lock(:key)"), {"key": _MIGRATING})
        try:
            yield
        finally:
            connection.execute(text("SELECT pg_advisory_unlock(:key)"), {"key": _MIGRATING})
