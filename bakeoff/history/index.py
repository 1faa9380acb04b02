"""The index of runs: what was measured, when and where. It can be rebuilt at any time."""

from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from typing import Concatenate, ParamSpec, TypeVar

from sqlalchemy import Connection, Engine, select

from bakeoff.history import earlier, lines, pairs, runs
from bakeoff.history.database import connect, reached
from bakeoff.history.rows import write
from bakeoff.history.tables import METADATA, RUNS
from bakeoff.model import history as model
from bakeoff.model.history import Earlier

P = ParamSpec("P")
T = TypeVar("T")
BATCH = 500
"""Runs that are written at a time: some thousand rows, in one statement for each table."""


class Index:
    """An open index. Every method raises `HistoryAway` where the database refuses."""

    def __init__(self, url: str, *, renew: bool = False) -> None:
        self.url = url
        self._engine: Engine = connect(url, renew=renew)

    def close(self) -> None:
        self._engine.dispose()

    # Writing.

    def add(self, *runs: model.IndexedRun) -> None:
        with self._writing() as connection:
            write(connection, runs)

    def rebuild(self, runs: Iterable[model.IndexedRun]) -> int:
        """Replace the whole content by `runs`, or leave it unchanged; returns how many there are
        now."""
        count = 0
        with self._writing() as connection:
            for table in reversed(METADATA.sorted_tables):
                connection.execute(table.delete())
            batch: list[model.IndexedRun] = []
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
    ) -> model.RunPage:
        """Runs that fit all given values, the newest first; `machine` is a class of machine.

        Each word of `text` must be in its name, headline, contenders, workloads, machine or command
        line. `before` is an earlier page's. `steady`: pages are counted from the oldest run, so
        that a new run changes only the first page, which has up to twice `limit`.
        """
        return self._read(
            runs.page,
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
        self,
        of: model.IndexedFigure,
        kind: str,
        *,
        before: model.IndexedRun | None = None,
        limit: int,
    ) -> tuple[model.RunLine, ...]:
        """The newest runs of a kind that are on a figure's line over time, and have its name of the
        contender; those before `before`, if given."""
        return self._read(runs.of_line, of, kind, before, limit)

    def choices(self) -> model.Choices:
        return self._read(runs.choices)

    def run(self, run: str) -> model.IndexedRun | None:
        with self._reading() as connection:
            found = connection.execute(select(RUNS.c.document).where(RUNS.c.id == run)).scalar()
        return model.IndexedRun.from_json(found, f"run {run}") if found else None

    def paths(self) -> dict[str, str]:
        with self._reading() as connection:
            return {row.id: row.path for row in connection.execute(select(RUNS.c.id, RUNS.c.path))}

    # Contenders over time.

    def contenders(self) -> tuple[model.ContenderLine, ...]:
        return self._read(lines.contenders)

    def series_of(self, contender: str) -> tuple[model.SeriesKey, ...]:
        return self._read(lines.keys, contender=contender)

    def series(self, key: model.SeriesKey, reference: str = "") -> model.Series:
        """One line over time, against `reference`, an entry's name.

        Without a reference, it is the one that most of its races have.
        """
        return self._read(lines.line, key, reference)

    # Pairs.

    def matrices(self) -> tuple[model.MatrixKey, ...]:
        return self._read(pairs.keys)

    def matrix(
        self, workload: str, protocol: str, load: str, machine_class: str
    ) -> model.Matrix | None:
        return self._read(pairs.matrix, workload, protocol, load, machine_class)

    def earlier(self, run: model.IndexedRun, without: Collection[str]) -> Earlier:
        return self._read(earlier.of, run, without)

    # Articles.

    def articles(self) -> tuple[str, ...]:
        return self._read(lines.articles)

    def claims(self, article: str) -> tuple[model.ClaimPoint, ...]:
        return self._read(lines.claims, article)

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        with reached(self._engine.url), self._engine.begin() as connection:
            yield connection

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        with reached(self._engine.url), self._engine.connect() as connection:
            yield connection

    def _read(
        self, of: Callable[Concatenate[Connection, P], T], *given: P.args, **named: P.kwargs
    ) -> T:
        with self._reading() as connection:
            return of(connection, *given, **named)
