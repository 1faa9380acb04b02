"""A run as rows of the index's tables, and how lists and times are written in them."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.dialects import postgresql, sqlite

from bakeoff.history.tables import CLAIMS, FIGURES, PAIRS, RUNS
from bakeoff.model.history import IndexedRace, IndexedRun
from bakeoff.model.pairs import Pair

SEPARATOR = "\x1f"


def write(connection: Connection, runs: Sequence[IndexedRun]) -> None:
    """Write runs, in a statement for each table; an existing one is replaced."""
    if not runs:
        return
    by_id = {run.id: run for run in runs}
    connection.execute(RUNS.delete().where(RUNS.c.id.in_(by_id)))
    rows: dict[Any, list[dict[str, object]]] = {RUNS: [], FIGURES: [], PAIRS: [], CLAIMS: []}
    for run in by_id.values():
        rows[RUNS].append(_run_row(run))
        rows[FIGURES] += _figure_rows(run)
        rows[PAIRS] += _pair_rows(run)
        rows[CLAIMS] += [
            {
                "run": run.id,
                "article": claim.article,
                "number": claim.number,
                "began_at": text_of(run.began_at),
                "document": claim.to_json(),
            }
            for claim in run.claims
        ]
    # Two processes may add the same run at the same moment: the second finds it there.
    dialect = postgresql if connection.dialect.name == "postgresql" else sqlite
    for table, values in rows.items():
        if values:
            connection.execute(dialect.insert(table).on_conflict_do_nothing(), values)


_OF_RUN = (
    "id", "name", "path", "kind", "headline", "valid", "complete", "machine_class", "bakeoff",
    "method",
)  # fmt: skip


def _run_row(run: IndexedRun) -> dict[str, object]:
    contenders = dict.fromkeys(figure.contender for race in run.races for figure in race.figures)
    titles = dict.fromkeys(figure.title for race in run.races for figure in race.figures)
    workloads = dict.fromkeys(race.workload for race in run.races)
    machine = run.machine
    words = (
        run.name, run.kind, run.headline, machine.cpu_model, machine.kernel,
        *contenders, *titles, *workloads, *run.command_line,
        *(claim.article for claim in run.claims),
    )  # fmt: skip
    return {
        **{name: getattr(run, name) for name in _OF_RUN},
        **{name: getattr(machine, name) for name in ("cpu_model", "cpus", "kernel")},
        "began_at": text_of(run.began_at),
        "contenders": listed(contenders),
        "workloads": listed(workloads),
        "words": "\n".join(words).lower(),
        "document": run.to_json(),
    }


def _figure_rows(run: IndexedRun) -> list[dict[str, object]]:
    kept = (
        "name", "contender", "title", "language", "series", "protocol", "valid", "version",
        "source", "requests_per_s", "latency_p50_us", "latency_p99_us", "cpu_us_per_request",
        "memory_mib",
    )  # fmt: skip
    return [
        {
            **_of_race(run, race),
            "reference": race.reference,
            "unit": race.unit,
            **{name: getattr(figure, name) for name in kept},
        }
        for race in run.races
        for figure in race.figures
    ]


def _pair_rows(run: IndexedRun) -> list[dict[str, object]]:
    return [
        {
            **_of_race(run, race),
            "a": pair.a,
            "b": pair.b,
            "protocol": protocol_of(race, pair),
            "document": pair.to_json(),
        }
        for race in run.races
        for pair in race.pairs
    ]


def _of_race(run: IndexedRun, race: IndexedRace) -> dict[str, object]:
    return {
        "run": run.id,
        "part": race.part,
        "began_at": text_of(run.began_at),
        "workload": race.workload,
        "load": race.load,
        "machine_class": run.machine_class,
    }


def protocol_of(race: IndexedRace, pair: Pair) -> str:
    """The protocol of both of a pair; empty: a pair of two protocols is in the matrix of
    neither."""
    spoken = {figure.protocol for figure in race.figures if figure.name in (pair.a, pair.b)}
    return spoken.pop() if len(spoken) == 1 else ""


def listed(values: Iterable[str]) -> str:
    """Names in one column, each between two separators: `has` finds a whole one."""
    return SEPARATOR + SEPARATOR.join(values) + SEPARATOR


def unlisted(text: str) -> tuple[str, ...]:
    return tuple(filter(None, text.split(SEPARATOR)))


def has(column: Any, value: str) -> Any:
    return column.contains(f"{SEPARATOR}{value}{SEPARATOR}", autoescape=True)


def text_of(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def time_of(text: str) -> datetime:
    return datetime.fromisoformat(text)
