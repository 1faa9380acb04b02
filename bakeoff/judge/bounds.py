"""Entries that were limited by the load generator: each did at least what was measured.

Such a figure is censored, not wrong. A generator that takes time of its own never makes a server
answer more: in a closed queueing network throughput can only rise where a station gets faster, and
in an open one a request that is sent late is never answered sooner. So the ratio of a bounded entry
over another has a lower end and no upper one, and that of another over it an upper end and no lower
one. Between two of them nothing is known.

What follows from a ratio (a finding, ranks, letters, gates, claims) follows from the ends that it
has. Only here is an end taken away.
"""

from collections.abc import Collection
from math import log, log1p

from bakeoff.judge.compare import MARGIN, Comparison
from bakeoff.model.pairs import Pair
from bakeoff.model.ratio import ByState, Interval, Ratio


def ratio(interval: Interval, a: str, b: str, at_least: Collection[str]) -> Ratio:
    """The ratio a over b with the ends that it has; `at_least` names the bounded entries."""
    absent = {end: None for end, limited in (("low", b), ("high", a)) if limited in at_least}
    return Ratio(**interval.model_dump() | absent)


def mean_ratio(
    typical: Comparison | None,
    by_mean: Comparison | None,
    a: str,
    b: str,
    at_least: Collection[str],
) -> Interval | None:
    """The ratio of mean speeds a over b, which are those of short slices; None where one entry is
    bounded, or long slices count."""
    if not typical or not by_mean or typical.slice_length_matters or {a, b} & {*at_least}:
        return None
    return by_mean.interval(a)


def pair(
    comparison: Comparison,
    a: str,
    b: str,
    at_least: Collection[str],
    by_cpu: Comparison | None = None,
    by_mean: Comparison | None = None,
    by_state: ByState | None = None,
    *,
    within: float | None = None,
    measured_s: float = 0.0,
) -> Pair:
    """a over b as the verdict lists it; `by_cpu` compares the requests per CPU second, `by_state`
    is how that follows the machine, and `by_mean` compares mean speeds.

    With a margin `within` a difference up to that makes none faster. The margin is even on the log
    scale, so that which of the two is named first does not matter. `measured_s`: of the race.
    """
    whole = a not in at_least and b not in at_least
    bounded = ratio(comparison.interval(a), a, b, at_least)
    cpu = by_cpu and by_cpu.interval(a)
    alike = 1 + (within or MARGIN)
    listed = Pair(
        a=a,
        b=b,
        ratio=bounded,
        finding=bounded.told(within or 0.0),
        equivalent=bounded.told(alike - 1) == "within",
        minimum_detectable_effect=comparison.width.detectable if whole else None,
        cpu_ratio=cpu,
        cpu_finding=cpu and cpu.told(within or 0.0),
        mean_ratio=mean_ratio(comparison, by_mean, a, b, at_least),
        by_state=by_state,
    )
    if listed.decided or not whole:
        return listed
    off = abs(comparison.log_ratio(a))
    times = comparison.times(max(off - log1p(within or 0.0), log(alike) - off))
    more_s = None if times is None else max(0.0, measured_s * (times - 1))
    return listed.model_copy(update={"more_s": more_s})
