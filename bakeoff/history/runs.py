"""The list of runs: page by page, and its filters."""

from sqlalchemy import ColumnElement, Connection, RowMapping, func, select, tuple_

from bakeoff.history.rows import has, text_of, time_of, unlisted
from bakeoff.history.tables import FIGURES, RUNS
from bakeoff.model.history import Choices, IndexedFigure, IndexedRun, MachineLine, RunLine, RunPage

_LINE = [column for column in RUNS.c if column.name not in ("document", "words")]
_NEWEST = (RUNS.c.began_at.desc(), RUNS.c.id.desc())
_LISTS = ("contenders", "workloads")


def page(
    connection: Connection,
    *,
    contender: str,
    workload: str,
    machine: str,
    kind: str,
    text: str,
    before: str | None,
    limit: int,
    steady: bool,
) -> RunPage:
    """Runs that fit all given values, the newest first; empty values don't count.

    `steady`: the first page also has the rest beyond whole pages.
    """
    fits = [
        *([has(RUNS.c.contenders, contender)] if contender else []),
        *([has(RUNS.c.workloads, workload)] if workload else []),
        *([RUNS.c.machine_class == machine] if machine else []),
        *([RUNS.c.kind == kind] if kind else []),
        *(RUNS.c.words.contains(word, autoescape=True) for word in text.lower().split()),
    ]
    further = []
    if before is not None:
        at, _, run = before.partition("~")
        further = [_is_before(at, run)]
    total = connection.execute(select(func.count()).select_from(RUNS).where(*fits)).scalar() or 0
    if steady and before is None and total > limit:
        limit += total % limit
    asked = select(*_LINE).where(*fits, *further).order_by(*_NEWEST).limit(limit + 1)
    found = list(connection.execute(asked).mappings())
    more = found[limit - 1] if len(found) > limit else None
    return RunPage(
        runs=tuple(map(_run_line, found[:limit])),
        before=f"{more['began_at']}~{more['id']}" if more else None,
        total=total,
    )


def of_line(
    connection: Connection, of: IndexedFigure, kind: str, before: IndexedRun | None, limit: int
) -> tuple[RunLine, ...]:
    """The newest runs of a kind that are on a figure's line over time, and have its name of the
    contender; those before `before`, if given."""
    own = select(FIGURES.c.run).where(
        FIGURES.c.run == RUNS.c.id, FIGURES.c.series == of.series, FIGURES.c.name == of.name
    )
    fits = [RUNS.c.kind == kind, own.exists()]
    if before:
        fits.append(_is_before(text_of(before.began_at), before.id))
    asked = select(*_LINE).where(*fits).order_by(*_NEWEST).limit(limit)
    return tuple(map(_run_line, connection.execute(asked).mappings()))


def choices(connection: Connection) -> Choices:
    machine = (RUNS.c.machine_class, RUNS.c.cpu_model, RUNS.c.cpus)
    found = {
        name: set(connection.execute(select(RUNS.c[name]).distinct()).scalars())
        for name in ("kind", *_LISTS)
    }
    lists = {
        name: tuple(sorted({value for text in found[name] for value in unlisted(text)}))
        for name in _LISTS
    }
    machines = connection.execute(select(*machine).distinct().order_by(*machine))
    by_class = {row.machine_class: MachineLine(**row._mapping) for row in machines}
    return Choices(**lists, kinds=tuple(sorted(found["kind"])), machines=tuple(by_class.values()))


def _is_before(at: str, run: str) -> ColumnElement[bool]:
    """In the order of `_NEWEST`: behind the run that began `at`, with that id."""
    # As one value, which the index finds.
    return tuple_(RUNS.c.began_at, RUNS.c.id) < (at, run)


def _run_line(row: RowMapping) -> RunLine:
    lists = {name: unlisted(row[name]) for name in _LISTS}
    kept = {name: row[name] for name in RunLine.model_fields if name not in (*_LISTS, "began_at")}
    return RunLine(**kept, **lists, began_at=time_of(row["began_at"]))
