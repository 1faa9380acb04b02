"""Pairs of contenders: the choices of a matrix, and the newest comparison of each pair."""

from sqlalchemy import Connection, and_, func, select

from bakeoff.history.rows import time_of
from bakeoff.history.tables import PAIRS, RUNS
from bakeoff.model.history import Matrix, MatrixKey
from bakeoff.model.pairs import Pair


def keys(connection: Connection) -> tuple[MatrixKey, ...]:
    key = [PAIRS.c[name] for name in ("workload", "protocol", "load", "machine_class")]
    asked = select(
        *key,
        RUNS.c.cpu_model,
        RUNS.c.cpus,
        func.count().label("pairs"),
        func.max(PAIRS.c.began_at).label("last_at"),
    ).select_from(PAIRS.join(RUNS, RUNS.c.id == PAIRS.c.run))
    rows = connection.execute(
        asked.where(PAIRS.c.protocol != "")
        .group_by(*key, RUNS.c.cpu_model, RUNS.c.cpus)
        .order_by(func.count().desc(), *key)
    ).mappings()
    return tuple(MatrixKey(**{**row, "last_at": time_of(row["last_at"])}) for row in rows)


def matrix(
    connection: Connection, workload: str, protocol: str, load: str, machine_class: str
) -> Matrix | None:
    of = and_(
        PAIRS.c.workload == workload,
        PAIRS.c.protocol == protocol,
        PAIRS.c.load == load,
        PAIRS.c.machine_class == machine_class,
    )
    place = func.row_number().over(
        partition_by=(PAIRS.c.a, PAIRS.c.b),
        order_by=(PAIRS.c.began_at.desc(), PAIRS.c.run.desc(), PAIRS.c.part),
    )
    kept = ("run", "a", "b", "began_at", "document")
    placed = select(*(PAIRS.c[name] for name in kept), place.label("place"))
    newest = placed.where(of).subquery()
    rows = connection.execute(
        select(newest)
        .where(newest.c.place == 1)
        .order_by(newest.c.began_at.desc(), newest.c.run.desc(), newest.c.a, newest.c.b)
    )
    found = [(row.run, Pair.from_json(row.document, row.run)) for row in rows]
    if not found:
        return None
    by_pair: dict[frozenset[str], tuple[str, Pair]] = {}
    for run, pair in found:
        # A pair may have been compared both ways round; the newest comparison comes first.
        by_pair.setdefault(frozenset((pair.a, pair.b)), (run, pair))
    return Matrix(
        workload=workload,
        protocol=protocol,
        load=load,
        machine_class=machine_class,
        contenders=tuple(sorted({name for names in by_pair for name in names})),
        pairs=tuple(pair for _, pair in by_pair.values()),
        runs=tuple(run for run, _ in by_pair.values()),
    )
