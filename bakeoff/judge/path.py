"""The effects of a path on a race: its figures, and where it was the limit or delayed packets."""

from collections.abc import Iterator, Sequence

from bakeoff.model.finding import Finding
from bakeoff.model.plan import PathFigures, Plan
from bakeoff.model.readings import PathSeen
from bakeoff.model.samples import BootEnd

FULL = 0.8
"""The share of a core. A path without delay at its capacity takes 86 % where the generator has the
rest of the core, and nearly all of a core of its own."""
LATE_SHARE, LATE_US = 0.1, 1_000
"""Packets may be late by this share of the delay each way, or by a millisecond."""


def path_figures(plan: Plan, ends: Sequence[BootEnd]) -> PathFigures | None:
    """Over all boots; None: there was no path, or no boot of it ended."""
    seen = PathSeen.together([end.path for end in ends if end.path])
    if plan.path is None or seen is None:
        return None
    return PathFigures(
        delay_ms=plan.path.delay_ms,
        loss=plan.path.loss,
        cpus=plan.path_cpus,
        busy=seen.cpu_ns / max(1, seen.lasted_ns),
        packets=seen.forwarded + seen.lost + seen.overrun,
        lost=seen.lost,
        overrun=seen.overrun,
        late_p50_us=seen.late_p50_us,
        late_p99_us=seen.late_p99_us,
    )


def path_findings(path: PathFigures | None) -> Iterator[Finding]:
    if path is None:
        return
    if path.busy >= FULL or path.overrun:
        yield Finding.of("path_full", busy=path.busy, overrun=path.overrun or None)
    if path.late_p99_us > max(LATE_US, LATE_SHARE * path.delay_ms / 2 * 1e3):
        yield Finding.of("path_late", late_us=path.late_p99_us)
