"""Other races in the setting of a race: the evidence for a prediction of the next one."""

from collections.abc import Collection

from sqlalchemy import Connection, and_, select

from bakeoff.history.rows import protocol_of, time_of
from bakeoff.history.tables import FIGURES, PAIRS, RUNS
from bakeoff.model.history import Earlier, EarlierRatio, IndexedRun, short_hash
from bakeoff.model.pairs import Pair

LATEST = 2000
"""How many of a setting's newest comparisons are read: of a race of thirty contenders, four
races."""


def of(connection: Connection, run: IndexedRun, without: Collection[str]) -> Earlier:
    """The ratios that other runs have in the setting of a run's only race.

    The setting is that of a line over time: workload, load, protocol and class of machine.
    """
    (race,) = run.races
    surroundings = (run.machine.kernel, run.bakeoff, run.method)
    builds = {
        figure.name: _build(
            figure.contender,
            figure.protocol,
            figure.version,
            figure.source,
            figure.series,
            *surroundings,
        )
        for figure in race.figures
    }
    a, b = FIGURES.alias(), FIGURES.alias()
    parts = ("contender", "protocol", "version", "source", "series")
    asked = (
        select(
            PAIRS.c.run,
            PAIRS.c.document,
            PAIRS.c.began_at,
            *(side.c[name] for side in (a, b) for name in parts),
            *(RUNS.c[name] for name in ("kernel", "bakeoff", "method")),
        )
        .select_from(PAIRS.join(RUNS, RUNS.c.id == PAIRS.c.run))
        .join(a, and_(a.c.run == PAIRS.c.run, a.c.part == PAIRS.c.part, a.c.name == PAIRS.c.a))
        .join(b, and_(b.c.run == PAIRS.c.run, b.c.part == PAIRS.c.part, b.c.name == PAIRS.c.b))
        .where(
            PAIRS.c.workload == race.workload,
            PAIRS.c.protocol.in_({protocol_of(race, pair) for pair in race.pairs}),
            PAIRS.c.load == race.load,
            PAIRS.c.machine_class == run.machine_class,
            PAIRS.c.run.not_in(without),
        )
        .order_by(PAIRS.c.began_at.desc(), PAIRS.c.run, PAIRS.c.part, PAIRS.c.a, PAIRS.c.b)
        .limit(LATEST)
    )
    found = (
        (row[0], Pair.from_json(row[1], row[0]), time_of(row[2]), row[3:8], row[8:13], row[13:])
        for row in connection.execute(asked)
    )
    return Earlier(
        builds=builds,
        began_at=run.began_at,
        ratios=tuple(
            EarlierRatio(
                run=id_,
                a=_build(*of_a, *around),
                b=_build(*of_b, *around),
                ratio=pair.ratio.ratio,
                error=pair.error,
                core_trip_ns=pair.core_trip_ns,
                fixed_work_us=pair.fixed_work_us,
                began_at=began_at,
            )
            for id_, pair, began_at, of_a, of_b, around in found
            if pair.error
        ),
    )


def _build(
    contender: str, protocol: str, version: str, source: str, series: str, *surroundings: str
) -> str:
    """One id for all builds of the same server, as far as the kept data shows.

    Known sources are the same wherever they were checked out; for others the line has the folder.
    """
    return short_hash(contender, protocol, version, source or series, *surroundings)
