"""Whether and how a warm-up reached a steady state, and whether processes were warm in their draws.

After Barrett et al., "Virtual machine warmup blows hot and cold", OOPSLA 2017: the change points
are found, stretches that differ by too little to matter are taken as one, and the last one decides
the class.

The cost is the squared distance from a stretch's mean in units of the noise (Gaussian noise of
known size). The penalty of a change point is Schwarz' criterion: ln n for each number that it adds,
which are a mean per column and the place (Yao, Statistics & Probability Letters 6, 1988). The noise
is estimated by the distance of slices from the middle of their two neighbours (Gasser, Sroka and
Jennen-Steinmetz, Biometrika 73, 1986; the median of that, for heavy tails), so a change, a drift or
the slope of a compiler at work does not count as noise.

Before a draw each process is loaded until a request costs as much as in its contender's steady
state, which the machine's weather blurs by some percent. All draws together show this to a percent
or less (`warmths`): a program that still compiles or refills caches is faster after the first third
of its draws. The machine's effect on all entries of a block cancels, since each value is relative
to the median of the others.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import exp, sqrt
from statistics import median

import numpy as np

from bakeoff.judge.compare import CONFIDENCE
from bakeoff.judge.history import History, judged_kind
from bakeoff.judge.paired import Paired, ln_thrift, ln_throughput, pair_up
from bakeoff.judge.quantiles import t_quantile
from bakeoff.judge.spread import Floats, trimmed_mean
from bakeoff.model.cut import WARM_UP_S_MIN, WARM_UP_SLICE_MS, WARM_UP_SLICES_PER_S, Course, Warmup
from bakeoff.model.entry import WarmUp
from bakeoff.model.finding import Finding
from bakeoff.model.ratio import Interval

TOLERANCE = 0.03
"""Stretches that differ by less than this, in ln, are taken as one."""

WEATHER = 0.1
"""The same for throughput if CPU per request is known: on a shared machine the throughput of all
drifts by this much within seconds, while the cost of an answer stays the same."""

LAST_SLICES = 6
"""The end is not steady if the last stretch has fewer slices than this (1.5 s)."""

STAIR_SLICES = 12
"""The last stretch also is as long as the one before it, up to this many slices (3 s): a slope
looks like stairs of equal length, and each of them like a steady state."""

NOISE_MAX = 0.1
"""The noise of a slice, in ln, that explains a trend: compiling during the slices looks like
noise."""

PENALTY = 2.0
"""In units of Schwarz' criterion: a dozen slices give the noise itself only to a third."""

_BEST_SLICES = 4
_OUTLYING = 3.0

LEAST = 2
"""A stretch between change points has at least this many slices."""


@dataclass(frozen=True)
class Settled:
    """How a warm-up went, and the slice with which its last stretch begins.

    `noise` is the standard deviation of a single slice, of ln CPU per request if that is known,
    else of ln throughput; infinite with too few slices.
    """

    course: Course
    start: int
    noise: float = float("inf")

    @property
    def steady(self) -> bool:
        return self.course != "unsteady"


def settled(
    requests_per_s: Sequence[float],
    cpu_us_per_request: Sequence[float | None] = (),
    least: int = LAST_SLICES,
) -> Settled:
    """The course of a warm-up from its slices; both sequences have one number per slice.

    The CPU's are left out unless all are there. The last stretch must have `least` slices, an
    answer in each, and no trend within. Differences are in ln; one that is smaller than the noise
    of a single slice does not count, up to 10 %.
    """
    if len(requests_per_s) < max(3, least):
        return Settled("unsteady", 0)
    speed = _speed(requests_per_s, cpu_us_per_request)
    noise = _noise(speed)
    tolerance = np.clip(noise, TOLERANCE, WEATHER)
    if speed.shape[1] > 1:
        tolerance[0] = WEATHER
    penalty = PENALTY * (speed.shape[1] + 1) * float(np.log(len(speed)))
    earlier = stretches(_tamed(speed / noise), penalty)
    start, _ = earlier.pop()
    while earlier and _level(speed, earlier[-1], (start, len(speed)), tolerance):
        start, _ = earlier.pop()
    last = (start, len(speed))
    lasting = [each for each in earlier if each[1] - each[0] >= _BEST_SLICES]
    slower = any(_slower(speed, last, stretch, tolerance) for stretch in lasting)
    course: Course = "slowdown" if slower else "warm-up" if earlier else "flat"
    stair = min(STAIR_SLICES, earlier[-1][1] - earlier[-1][0]) if earlier else 0
    silent = min(requests_per_s[start:]) <= 0
    short = len(speed) - start < max(least, stair)
    if silent or short or _trend(speed[start:], noise, tolerance):
        course = "unsteady"
    return Settled(course, start, float(noise[-1]))


def _speed(requests_per_s: Sequence[float], cpu_us: Sequence[float | None]) -> Floats:
    """ln throughput and, where it is known throughout, −ln CPU per request; (slices, 1 or 2).

    A slice without an answer counts as if it had a single one.
    """
    columns = [np.maximum(1000 / WARM_UP_SLICE_MS, np.asarray(requests_per_s, float))]
    seen = [each for each in cpu_us if each]
    if len(seen) == len(requests_per_s):
        columns.append(1 / np.asarray(seen, float))
    speed: Floats = np.log(np.stack(columns, axis=1))
    return speed


def _noise(speed: Floats) -> Floats:
    """The standard deviation of each column without its changes; never so small as to matter.

    Its own standard error, about 1/√n of it, is added: the median of few values is too small half
    of the time, and then noise looks like change.
    """
    off = np.abs(speed[1:-1] - (speed[:-2] + speed[2:]) / 2)
    spread = np.median(off, axis=0) / (0.6745 * np.sqrt(1.5)) * (1 + 1 / np.sqrt(len(off)))
    noise: Floats = np.maximum(spread, TOLERANCE / 6)
    return noise


def _tamed(values: Floats) -> Floats:
    """Single slices that lie far off (a collector ran) are moved to 3 noises from the median of the
    five around: squares would make each a stretch of its own."""
    padded = np.pad(values, ((2, 2), (0, 0)), mode="edge")
    around = np.median(np.lib.stride_tricks.sliding_window_view(padded, 5, axis=0), axis=-1)
    tamed: Floats = np.clip(values, around - _OUTLYING, around + _OUTLYING)
    return tamed


def _difference(speed: Floats, one: tuple[int, int], other: tuple[int, int]) -> Floats:
    """By how much `one` is above `other`, in ln, per column."""
    above: Floats = np.median(speed[slice(*one)], axis=0) - np.median(speed[slice(*other)], axis=0)
    return above


def _level(speed: Floats, one: tuple[int, int], other: tuple[int, int], tolerance: Floats) -> bool:
    return bool(np.all(np.abs(_difference(speed, one, other)) <= tolerance))


def _slower(speed: Floats, one: tuple[int, int], other: tuple[int, int], tolerance: Floats) -> bool:
    """Whether `one` answered fewer requests than `other`, by more than weather explains."""
    difference = _difference(speed, one, other)
    return bool(difference[0] < -TOLERANCE and np.any(difference < -tolerance))


def _trend(stretch: Floats, noise: Floats, tolerance: Floats) -> bool:
    """Whether the halves differ by an amount that matters, and by over three standard errors."""
    half = len(stretch) // 2
    gap = np.abs(np.median(stretch[-half:], axis=0) - np.median(stretch[:half], axis=0))
    # The standard error of a median is 1.25 times that of a mean.
    error = 1.25 * np.minimum(noise, NOISE_MAX) * np.sqrt(2 / half)
    return bool(np.any(gap > np.maximum(tolerance, 3 * error)))


def stretches(values: Floats, penalty: float) -> list[tuple[int, int]]:
    """(first row, first row after it) of each stretch of `values`, (rows, columns), in order.

    Optimal partitioning (Jackson et al., IEEE Signal Processing Letters 12, 2005), whose result
    PELT finds sooner in long series; a warm-up's are short. ruptures has PELT, and takes two
    seconds of CPU to import, in the warm-up of each race; the tests hold this against it.

    They minimise the sum of squared distances from each stretch's mean, plus `penalty` for each
    stretch. There must be at least `LEAST` rows; O(rows²).
    """
    n = len(values)
    centred = values - values.mean(axis=0)
    sums = np.vstack([np.zeros(values.shape[1]), centred.cumsum(axis=0)])
    squares = np.concatenate([[0.0], (centred**2).sum(axis=1).cumsum()])
    cheapest, cut = np.full(n + 1, np.inf), np.zeros(n + 1, int)
    cheapest[0] = 0.0
    for end in range(LEAST, n + 1):
        begins = np.arange(end - LEAST + 1)
        between = ((sums[end] - sums[begins]) ** 2).sum(axis=1) / (end - begins)
        total = cheapest[begins] + squares[end] - squares[begins] - between + penalty
        cut[end] = int(total.argmin())
        cheapest[end] = total[cut[end]]
    cuts, end = [], n
    while end:
        cuts.append((int(cut[end]), end))
        end = int(cut[end])
    return cuts[::-1]


def warm_ups(name: str, history: History) -> tuple[WarmUp, ...]:
    """The entry's warm-up in each boot whose record says how it went."""
    return tuple(
        WarmUp(
            boot=warmup.boot,
            course=warmup.courses[name],
            lasted_s=_lasted_s(name, warmup),
            requests_per_s=warmup.level(name),
        )
        for warmup in history.warmups
        if name in warmup.courses
    )


def _lasted_s(name: str, warmup: Warmup) -> float:
    return len(warmup.requests_per_s.get(name, ())) * WARM_UP_SLICE_MS / 1000


def warm_up(name: str, history: History) -> Iterator[Finding]:
    """It was not steady when its warm-up ended, or it got slower during it."""
    yield from (unsteady := list(unsteady_warm_up(name, history)))
    slower = [] if unsteady else _slowdowns(name, history)
    for boot, peak, now in slower[:1]:
        yield Finding.of(
            "slower_in_warm_up",
            n=len(slower),
            boots=len(history.warmups),
            boot=boot,
            peak_per_s=peak,
            now_per_s=now,
        )


def unsteady_warm_up(name: str, history: History) -> Iterator[Finding]:
    """It reached no steady state although its warm-up was long enough."""
    unsteady = sum(
        not warmup.steady.get(name, True)
        and (name not in warmup.courses or _lasted_s(name, warmup) >= WARM_UP_S_MIN)
        for warmup in history.warmups
    )
    if unsteady:
        yield Finding.of("unsteady_warm_up", n=unsteady, boots=len(history.warmups))


def _slowdowns(name: str, history: History) -> list[tuple[int, float, float]]:
    """(boot, requests/s at best, requests/s at the end) where it got slower and stayed slow.

    The best is that of any second. If the median of the boot's blocks is nearer to it than to the
    end, a neighbour on the machine was the cause, not the server.
    """
    slowdowns = []
    for warmup in history.warmups:
        if warmup.courses.get(name) == "slowdown":
            best, end = _best_second(name, warmup), warmup.level(name) or 0.0
            events = history.events(name, warmup.boot)
            rates = [event.requests_per_s for event in events if event.window_ns]
            if median(rates or [0.0]) < sqrt(best * end):
                slowdowns.append((warmup.boot, best, end))
    return slowdowns


def _best_second(name: str, warmup: Warmup) -> float:
    rates = warmup.requests_per_s[name][: warmup.steady_from[name]]
    second = WARM_UP_SLICES_PER_S
    return max(median(rates[at : at + second]) for at in range(max(1, len(rates) - second + 1)))


def short_warm_up(history: History) -> Iterator[Finding]:
    """The longest warm-up of the first boot was shorter than `WARM_UP_S_MIN`.

    A short warm-up in a later boot may only mean that all was warm already.
    """
    for warmup in history.warmups[:1]:
        longest_s = max((_lasted_s(name, warmup) for name in warmup.courses), default=None)
        if longest_s is not None and longest_s < WARM_UP_S_MIN:
            yield Finding.of("warm_up_short", longest_s=longest_s)


DRAWS_MIN = 5
BLOCKS_MIN = 6
"""In blocks of a draw, whose first third is then two blocks."""
COLD_MIN = 1.01


@dataclass(frozen=True)
class Warmth:
    """How many times as fast an entry is after the first third of its draws as in it: `own`, and
    `beside` the others, with an interval."""

    own: float
    beside: Interval


def warmths(history: History, names: Sequence[str]) -> Mapping[str, Warmth]:
    """By entry; by requests per second of server CPU if that is seen for all, else by throughput.
    The 95 % intervals hold at once over the entries. An entry is left out if it has too few draws,
    or if there is no other to compare it with."""
    if judged_kind(history.blocks) == "long":
        return {}
    blocks = [block for block in history.blocks if block.kind == "short"]
    table = pair_up(blocks, history.draws, names, ln_thrift)
    if not np.isfinite(table.ln_y).any(axis=0).all():
        table = pair_up(blocks, history.draws, names, ln_throughput)
    found = {name: _gains(table, name) for name in table.names}
    told = {name: each for name, each in found.items() if len(each) >= DRAWS_MIN}
    level = (1 + CONFIDENCE ** (1 / max(1, len(told)))) / 2
    return {
        name: Warmth(exp(float(each[:, 0].mean())), _interval(each[:, 1], level, history))
        for name, each in told.items()
    }


def cold_draws(warmth: Warmth | None) -> Iterator[Finding]:
    """Its draws began cold, by more than chance and by more than 1 %. An entry that is only faster
    beside one that slows down within its draws does not count."""
    if warmth and warmth.beside.low > 1 and min(warmth.own, warmth.beside.ratio) > COLD_MIN:
        yield Finding.of("cold_draws", **warmth.beside.model_dump(include={"ratio", "low", "high"}))


def _gains(table: Paired, name: str) -> Floats:
    """By how much ln speed rose after the first third of each draw with enough blocks: its own, and
    relative to the others', shape (draws, 2)."""
    column = table.names.index(name)
    others = np.delete(table.ln_y, column, axis=1)
    there = np.isfinite(table.ln_y[:, column]) & np.isfinite(others).any(axis=1)
    own = table.ln_y[there, column]
    speeds = np.stack((own, own - np.nanmedian(others[there], axis=1)), axis=1)
    draws = np.stack((table.boot[there], table.draw[there]), axis=1)
    gains = []
    for draw in np.unique(draws, axis=0):
        of_draw = speeds[(draws == draw).all(axis=1)]
        first = len(of_draw) // 3
        if len(of_draw) >= BLOCKS_MIN:
            gains.append(
                [trimmed_mean(each[first:]) - trimmed_mean(each[:first]) for each in of_draw.T]
            )
    return np.array(gains)


def _interval(gains: Floats, level: float, history: History) -> Interval:
    """Student's interval, with one value for each draw."""
    centre = float(gains.mean())
    width = t_quantile(len(gains) - 1, level) * float(gains.std(ddof=1)) / sqrt(len(gains))
    return Interval(
        ratio=exp(centre),
        low=exp(centre - width),
        high=exp(centre + width),
        n=len(gains),
        boots=len(history.boots),
        draws=len(gains),
    )
