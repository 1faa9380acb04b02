"""The index of runs: what was measured, when and where. It can be made again at any time."""

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, Engine, select

from bakeoff.history import earlier, lines, pairs, runs
from bakeoff.history.database import connect, reached
from bakeoff.history.rows import write
from bakeoff.history.tables import METADATA, RUNS
from bakeoff.model.earlier import Earlier
from bakeoff.model.history import (
    Choices,
    ClaimPoint,
    ContenderLine,
    IndexedFigure,
    IndexedRun,
    Matrix,
    MatrixKey,
    RunLine,
    RunPage,
    Series,
    SeriesKey,
)

BATCH = 500
"""Runs that are written at a time: some thousand rows, in one statement per table."""


class Index:
    """An open index. Every method raises `HistoryAway` where the database refuses."""

    def __init__(self, url: str, *, renew: bool = False) -> None:
        self.url = url
        self._engine: Engine = connect(url, renew=renew)

    def close(self) -> None:
        self._engine.dispose()

    # Writing.

    def add(self, *runs: IndexedRun) -> None:
        with self._writing() as connection:
            write(connection, runs)

    def rebuild(self, runs: Iterable[IndexedRun]) -> int:
        """Replace all that is there by `runs`, or leave it as it is; how many there are now."""
        count = 0
        with self._writing() as connection:
            for table in reversed(METADATA.sorted_tables):
                connection.execute(table.delete())
            batch: list[IndexedRun] = []
            for run in runs:
                batch.append(run)
                count += 1
                if len(batch) == BATCH:
                    write(connection, batch)
                    batch = []
            write(connection, batch)
        return count

    # Runs.

    def runs(
        self,
        *,
        contender: str = "",
        workload: str = "",
        machine: str = "",
        kind: str = "",
        text: str = "",
        before: str | None = None,
        limit: int = 50,
        steady: bool = False,
    ) -> RunPage:
        """Runs that fit all of what is given, the newest first; `machine` is a class of machine.

        Each word of `text` must be in its name, headline, contenders, workloads, machine or
        command line. `before` is an earlier page's. `steady`: pages are counted from the oldest
        run, so that a new run changes the first one alone; that has up to twice `limit`.
        """
        with self._reading() as connection:
            return runs.page(
                connection,
                contender=contender,
                workload=workload,
                machine=machine,
                kind=kind,
                text=text,
                before=before,
                limit=limit,
                steady=steady,
            )

    def runs_of_line(
        self, of: IndexedFigure, kind: str, *, before: IndexedRun | None = None, limit: int
    ) -> tuple[RunLine, ...]:
        """The newest runs of a kind that are on a figure's line over time, and call its contender
        as it does; of those before `before`, if given."""
        with self._reading() as connection:
            return runs.of_line(connection, of, kind, before, limit)

    def choices(self) -> Choices:
        with self._reading() as connection:
            return runs.choices(connection)

    def run(self, run: str) -> IndexedRun | None:
        with self._reading() as connection:
            found = connection.execute(select(RUNS.c.document).where(RUNS.c.id == run)).scalar()
        return IndexedRun.from_json(found, f"run {run}") if found else None

    def paths(self) -> dict[str, str]:
        with self._reading() as connection:
            return {row.id: row.path for row in connection.execute(select(RUNS.c.id, RUNS.c.path))}

    # Contenders over time.

    def contenders(self) -> tuple[ContenderLine, ...]:
        with self._reading() as connection:
            return lines.contenders(connection)

    def series_of(self, contender: str) -> tuple[SeriesKey, ...]:
        with self._reading() as connection:
            return lines.keys(connection, contender=contender)

    def series(self, key: SeriesKey, reference: str = "") -> Series:
        """One line over time, against `reference`, an entry's name.

        Without a reference: the one that most of its races have.
        """
        with self._reading() as connection:
            return lines.line(connection, key, reference)

    # Pairs.

    def matrices(self) -> tuple[MatrixKey, ...]:
        with self._reading() as connection:
            return pairs.keys(connection)

    def matrix(self, workload: str, protocol: str, load: str, machine_class: str) -> Matrix | None:
        with self._reading() as connection:
            return pairs.matrix(connection, workload, protocol, load, machine_class)

    def earlier(self, run: IndexedRun, without: Collection[str]) -> Earlier:
        with self._reading() as connection:
            return earlier.of(connection, run, without)

    # Articles.

    def articles(self) -> tuple[str, ...]:
        with self._reading() as connection:
            return lines.articles(connection)

    def claims(self, article: str) -> tuple[ClaimPoint, ...]:
        with self._reading() as connection:
            return lines.claims(connection, article)

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        with reached(self._engine.url), self._engine.begin() as connection:
            yield connection

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        with reached(self._engine.url), self._engine.connect() as connection:
            yield connection
