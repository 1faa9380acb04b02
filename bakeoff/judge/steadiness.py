"""Whether an entry was steady: warm-up and stalls."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import sqrt
from statistics import median

from bakeoff.judge.drift import most_of
from bakeoff.judge.history import History
from bakeoff.judge.latency import merge_encoded
from bakeoff.model.cut import WARM_UP_S_MIN, WARM_UP_SLICE_MS, WARM_UP_SLICES_PER_S, Warmup
from bakeoff.model.engine import SliceEvent
from bakeoff.model.entry import WarmUp
from bakeoff.model.finding import Finding
from bakeoff.model.plan import Plan

STALL_US = 50_000
APART = 10
TIMES_MIN = 3
MORE_THAN_OTHERS = 3


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
    """How long the entry was loaded."""
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

    The best is that of any second. Where the boot's blocks, their median, are nearer to it than to
    the end, a neighbour on the machine was the cause, not the server.
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
    """The longest warm-up of the first boot was shorter than 3 s.

    A short warm-up in a later boot may only mean that there was nothing left to warm.
    """
    for warmup in history.warmups[:1]:
        longest_s = max((_lasted_s(name, warmup) for name in warmup.courses), default=None)
        if longest_s is not None and longest_s < WARM_UP_S_MIN:
            yield Finding.of("warm_up_short", longest_s=longest_s)


@dataclass(frozen=True)
class Stalls:
    """The slices in which an entry stood still.

    `lengths_us` has the waits that were seen from start to end.
    """

    times: int
    slices: int
    lengths_us: tuple[float, ...]

    @property
    def share(self) -> float:
        """Of its slices."""
        return self.times / self.slices if self.slices else 0.0

    @property
    def length_us(self) -> float | None:
        """The median wait; None: none was seen whole."""
        return median(self.lengths_us) if self.lengths_us else None


def stood_still(plan: Plan, name: str, history: History) -> Iterator[Finding]:
    """All of its connections waited together, and then went on.

    What stops the machine stops all servers now and then, so an entry is only reported if it
    stands still three times as often as the median of the others. Where it doesn't, and most
    contenders stood still as it did, it was the machine. With a connection per request, a full
    listen queue looks the same, and has a signature of its own.
    """
    if plan.connection == "close" or plan.mode == "open":
        return
    own = stalls(history.events(name), plan.connections)
    if own.times < TIMES_MIN:
        return
    seen = {
        entry.name: stalls(history.events(entry.name), plan.connections)
        for entry in plan.entries
        if history.slices(entry.name)
    }
    twins = {entry.name: entry.twin_of for entry in plan.entries}
    others = [each.share for other, each in seen.items() if other != name and twins[other] != name]
    if not others or own.share > MORE_THAN_OTHERS * median(others):
        yield Finding.of("stood_still", length_us=own.length_us, times=own.times, slices=own.slices)
        return
    together = [other for other, each in seen.items() if each.times >= TIMES_MIN]
    if len(together) >= most_of(len(seen)):
        yield Finding.of("machine_stood_still", length_us=own.length_us, names=together)


def fell_silent(plan: Plan, name: str, history: History) -> bool:
    """Whether slices passed without an answer: three at least, and three times as often as for the
    median of the others. A slice of 20 ms is no longer than what a host takes at a time."""

    def silent(events: Sequence[SliceEvent]) -> int:
        return sum(event.requests == 0 for event in events)

    own = history.events(name)
    if silent(own) < TIMES_MIN:
        return False
    others = [
        silent(events) / len(events)
        for entry in plan.entries
        if name not in (entry.name, entry.twin_of) and (events := history.events(entry.name))
    ]
    return not others or silent(own) / len(own) > MORE_THAN_OTHERS * median(others)


def stalls(events: Sequence[SliceEvent], connections: int) -> Stalls:
    """The slices in which at least half of the connections waited ten times as long as usual, and
    at least 50 ms. A slice whose every answer came after its end shows only a part of the wait."""
    usual_us = median([each.latency_mean_us for each in events if each.latency_count] or [0.0])
    least_us = max(STALL_US, APART * usual_us)
    lengths_us: list[float] = []
    silent = 0
    for event in events:
        if event.errors:
            continue
        if not event.requests and not event.latency_count:
            silent += event.drained_ns - event.start_ns >= least_us * 1e3
        elif event.latency_mean_us * event.latency_count >= connections / 2 * least_us:
            count, length_us = _slow(event.latency, least_us)
            if connections / 2 <= count:
                lengths_us.append(length_us)
    return Stalls(len(lengths_us) + silent, len(events), tuple(lengths_us))


@lru_cache(maxsize=1 << 14)
def _slow(latency: str, least_us: float) -> tuple[int, float]:
    """How many answers took `least_us` or longer, and the median of theirs."""
    merged = merge_encoded([latency])
    below = int(merged.values_us.searchsorted(least_us))
    before = int(merged.cumulated[below - 1]) if below else 0
    count = merged.answered - before
    if not count:
        return 0, 0.0
    middle = merged.cumulated.searchsorted(before + (count + 1) // 2)
    return count, float(merged.values_us[middle])
