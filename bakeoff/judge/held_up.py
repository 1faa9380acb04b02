"""Which of two contenders is held up by something other than its CPU time, and what its threads
wait for.

At its own peak a contender always has requests to work on. The one that serves fewer, on fewer
cores, waits for something while they gather: for a lock, for a timer, for cores that it has no
threads for. At one rate requests gather, too, so it wakes up less often for each of them. Less
scheduling is then an effect of that and not a cause, even if it is all that the two differ by.
"""

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from bakeoff.judge.quantiles import intervals
from bakeoff.judge.spread import Floats
from bakeoff.model.finding import Finding
from bakeoff.model.why import BLOCKED, Wait, WhyLine, WhyWait
from bakeoff.model.workload import Unit

LEAST_SHARE = 0.1
"""The least share of cores that it leaves idle, of what the other uses; and of the time of its
threads that a wait takes."""


class Peak(NamedTuple):
    """One contender's plain blocks at its own peak."""

    name: str
    per_s: Floats
    cores: Floats


class HeldUp(NamedTuple):
    """`sign` is 1 if the first of the two is held up, and -1 if the other is. `at_peak` are the
    lines of their peaks."""

    sign: int
    finding: Finding
    at_peak: Sequence[WhyLine]


def held_up(
    peaks: tuple[Peak, Peak],
    at_peak: Sequence[WhyLine],
    waits: Sequence[WhyWait],
    told: Collection[Wait],
    unit: Unit,
) -> HeldUp | None:
    """None: neither is held up, as far as can be told.

    `waits` are shares at the peaks. `told` has the waits that differ there or at one rate, where
    there are more blocks.
    """
    its, other = peaks
    interval = intervals(2)
    slower, idler = interval(its.per_s - other.per_s), interval(its.cores - other.cores)
    most = max(its.cores.mean(), other.cores.mean())
    if not (slower.is_told and idler.is_told and slower.more * idler.more > 0):
        return None
    if abs(idler.more) < LEAST_SHARE * most:
        return None
    sign = -1 if slower.more > 0 else 1
    own, faster = peaks[::sign]
    return HeldUp(
        sign,
        Finding.of(
            "held_up",
            *_waits(waits, told, sign),
            name=own.name,
            other=faster.name,
            unit=unit,
            peak_per_s=float(own.per_s.mean()),
            cores_used=float(own.cores.mean()),
            other_peak_per_s=float(faster.per_s.mean()),
            other_cores_used=float(faster.cores.mean()),
        ),
        at_peak,
    )


def _waits(waits: Sequence[WhyWait], told: Collection[Wait], sign: int) -> Iterator[Finding]:
    """What threads of the one that is held up wait for more than those of the other."""
    shares = {of.wait: (of.its, of.other)[::sign] for of in waits}
    for wait in BLOCKED:
        share, other = shares.get(wait, (0.0, 0.0))
        if wait in told and share - other >= LEAST_SHARE:
            yield Finding.of("in_wait", wait=wait, share=share, other_share=other)
