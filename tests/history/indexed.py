"""Runs for the index, made by hand: what they say is what a test wants to find."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from itertools import combinations

from bakeoff.model.history import (
    IndexedClaim,
    IndexedFigure,
    IndexedRace,
    IndexedRun,
    machine_class,
    short_hash,
)
from bakeoff.model.machine import Machine
from bakeoff.model.pairs import Pair
from bakeoff.model.workload import Unit
from bakeoff.simulate.race import MACHINE
from tests.ratios import interval

BEGAN_AT = datetime(2026, 1, 1, 12, 0, tzinfo=UTC)
DAY = timedelta(days=1)


def run(
    number: int,
    speeds: Mapping[str, float],
    *,
    workload: str = "hello",
    unit: Unit = "request",
    version: str = "1.0",
    machine: Machine = MACHINE,
    claims: tuple[IndexedClaim, ...] = (),
) -> IndexedRun:
    """The race of day `number`, whose contenders have these speeds; the first is the reference.

    Each pair's interval is ±1 %.
    """
    reference = next(iter(speeds))
    return IndexedRun(
        id=short_hash(number, workload, machine.cpu_model),
        name=f"race-{number}",
        path=f"/runs/race-{number}",
        kind="race",
        began_at=BEGAN_AT + number * DAY,
        headline=f"{reference} leads.",
        valid=True,
        complete=True,
        machine_class=machine_class(machine),
        machine=machine,
        bakeoff="0.2.0",
        method="bakeoff.verdict/4",
        command_line=("bakeoff", "race", *speeds),
        races=(
            IndexedRace(
                part="",
                measures="requests_per_s",
                workload=workload,
                load="closed, 64 connections",
                reference=reference,
                unit=unit,
                figures=tuple(
                    _figure(name, speed, speeds[reference], workload, version, machine)
                    for name, speed in speeds.items()
                ),
                pairs=tuple(_pair(a, b, speeds) for a, b in combinations(speeds, 2)),
            ),
        ),
        claims=claims,
    )


def _figure(
    name: str, speed: float, reference: float, workload: str, version: str, machine: Machine
) -> IndexedFigure:
    return IndexedFigure(
        name=name,
        contender=name,
        title=name.title(),
        language="C",
        version=version,
        source="",
        protocol="h1",
        series=short_hash(name, workload, machine_class(machine)),
        valid=True,
        requests_per_s=speed,
        latency_p50_us=100.0,
        latency_p99_us=900.0,
        cpu_us_per_request=5.0,
        memory_mib=10.0,
        ratio=interval(speed / reference),
        rank=(1, 1),
        letters="a",
    )


def _pair(a: str, b: str, speeds: Mapping[str, float]) -> Pair:
    ratio = speeds[a] / speeds[b]
    return Pair(
        a=a,
        b=b,
        ratio=interval(ratio),
        finding="faster" if ratio > 1.01 else "slower" if ratio < 1 / 1.01 else "can't tell",
        equivalent=False,
        minimum_detectable_effect=0.02,
    )
