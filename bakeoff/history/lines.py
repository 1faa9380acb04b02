"""Figures over time: contenders, with the lines of each, and claims of articles."""

from collections import Counter
from typing import Any

from sqlalchemy import Connection, and_, func, or_, select

from bakeoff.history.rows import time_of
from bakeoff.history.tables import CLAIMS, FIGURES, PAIRS, RUNS
from bakeoff.model import history as model
from bakeoff.model.pairs import Pair


def contenders(connection: Connection) -> tuple[model.ContenderLine, ...]:
    asked = select(
        FIGURES.c.contender,
        func.max(FIGURES.c.title).label("title"),
        func.max(FIGURES.c.language).label("language"),
        func.count().label("races"),
        func.max(FIGURES.c.began_at).label("last_at"),
    )
    rows = connection.execute(
        asked.group_by(FIGURES.c.contender).order_by(FIGURES.c.contender)
    ).mappings()
    return tuple(model.ContenderLine(**{**row, "last_at": time_of(row["last_at"])}) for row in rows)


def keys(connection: Connection, *, contender: str) -> tuple[model.SeriesKey, ...]:
    parts = ("series", "contender", "workload", "protocol", "load", "unit", "machine_class")
    key = [FIGURES.c[name] for name in parts]
    asked = select(
        *key,
        RUNS.c.cpu_model,
        RUNS.c.cpus,
        func.count().label("points"),
        func.max(FIGURES.c.began_at).label("last_at"),
        func.max(FIGURES.c.run).label("only_run"),
        func.max(FIGURES.c.part).label("only_part"),
    ).select_from(FIGURES.join(RUNS, RUNS.c.id == FIGURES.c.run))
    rows = connection.execute(
        asked.where(FIGURES.c.contender == contender).group_by(*key, RUNS.c.cpu_model, RUNS.c.cpus)
    ).mappings()
    beside = _beside(connection, contender)
    found = (
        model.SeriesKey(
            **{
                **row,
                "last_at": time_of(row["last_at"]),
                **({} if row["points"] == 1 else {"only_run": "", "only_part": ""}),
            },
            references=tuple(_most_frequent(beside.get(row["series"], Counter()))),
        )
        for row in rows
    )
    return tuple(sorted(found, key=lambda key: (-key.points, key.series)))


def _beside(connection: Connection, contender: str) -> dict[str, Counter[str]]:
    """The entries in the races of each line of a contender, and in how many races each was."""
    other = FIGURES.alias()
    asked = select(FIGURES.c.series, other.c.name, func.count().label("races")).select_from(
        FIGURES.join(
            other,
            and_(
                other.c.run == FIGURES.c.run,
                other.c.part == FIGURES.c.part,
                other.c.name != FIGURES.c.name,
            ),
        )
    )
    counts: dict[str, Counter[str]] = {}
    for found in connection.execute(
        asked.where(FIGURES.c.contender == contender).group_by(FIGURES.c.series, other.c.name)
    ):
        counts.setdefault(found.series, Counter())[found.name] = found.races
    return counts


def line(connection: Connection, key: model.SeriesKey, reference: str) -> model.Series:
    """The line of that key against `reference`, an entry's name.

    Without a reference, it is the one that most of its races have.
    """
    against = reference or next(iter(key.references), "")
    other = FIGURES.alias()
    joined = (
        FIGURES.join(RUNS, RUNS.c.id == FIGURES.c.run)
        .outerjoin(
            other,
            and_(
                other.c.run == FIGURES.c.run,
                other.c.part == FIGURES.c.part,
                other.c.name == against,
            ),
        )
        .outerjoin(
            PAIRS,
            and_(
                PAIRS.c.run == FIGURES.c.run,
                PAIRS.c.part == FIGURES.c.part,
                or_(
                    and_(PAIRS.c.a == FIGURES.c.name, PAIRS.c.b == against),
                    and_(PAIRS.c.b == FIGURES.c.name, PAIRS.c.a == against),
                ),
            ),
        )
    )
    asked = select(
        *(FIGURES.c[name] for name in _OF_FIGURE),
        *(RUNS.c[name] for name in _OF_RUN),
        RUNS.c.name.label("run_name"),
        func.coalesce(other.c.version, "").label("reference_version"),
        func.coalesce(other.c.source, "").label("reference_source"),
        FIGURES.c.name,
        PAIRS.c.document,
    )
    rows = connection.execute(
        asked.select_from(joined)
        .where(FIGURES.c.series == key.series)
        .order_by(FIGURES.c.began_at, FIGURES.c.run, FIGURES.c.part, FIGURES.c.name)
    )
    names = tuple(rows.keys())
    points = tuple(_point(dict(zip(names, row, strict=True))) for row in rows)
    return model.Series(key=key, reference=against, points=points)


_OF_FIGURE = (
    "run", "part", "began_at", "valid", "requests_per_s", "latency_p50_us", "latency_p99_us",
    "cpu_us_per_request", "memory_mib", "version", "source",
)  # fmt: skip
_OF_RUN = ("kernel", "cpu_model", "bakeoff", "method")


def _point(known: dict[str, Any]) -> model.Point:
    """A row of a line; if the pair is the other way round, its ratio is inverted."""
    name, document = known.pop("name"), known.pop("document")
    pair = document and Pair.from_json(document, known["run"])
    if pair and pair.a != name:
        pair = pair.turned()
    began_at = time_of(known.pop("began_at"))
    return model.Point(**known, began_at=began_at, ratio=pair and pair.ratio)


def _most_frequent(counts: Counter[str]) -> list[str]:
    return sorted(counts, key=lambda name: (-counts[name], name))


def articles(connection: Connection) -> tuple[str, ...]:
    asked = select(CLAIMS.c.article).distinct().order_by(CLAIMS.c.article)
    return tuple(connection.execute(asked).scalars())


def claims(connection: Connection, article: str) -> tuple[model.ClaimPoint, ...]:
    asked = (
        select(CLAIMS.c.run, CLAIMS.c.began_at, CLAIMS.c.document, RUNS.c.name, RUNS.c.cpu_model)
        .select_from(CLAIMS.join(RUNS, RUNS.c.id == CLAIMS.c.run))
        .where(CLAIMS.c.article == article)
        .order_by(CLAIMS.c.began_at, CLAIMS.c.run, CLAIMS.c.number)
    )
    return tuple(
        model.ClaimPoint(
            run=row.run,
            run_name=row.name,
            began_at=time_of(row.began_at),
            cpu_model=row.cpu_model,
            claim=model.IndexedClaim.from_json(row.document, row.run),
        )
        for row in connection.execute(asked)
    )
