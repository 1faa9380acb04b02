"""Whether an entry was steady: its throughput over time, and whether it stood still."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, exp, log
from statistics import median

from bakeoff.judge.history import History, Place, Rates
from bakeoff.judge.latency import merge_encoded
from bakeoff.model.engine import SliceEvent
from bakeoff.model.finding import Finding
from bakeoff.model.plan import Plan

CHANGE_MIN = log(1.1)
STANDARD_ERRORS_MIN = 6.0
SIDE_MIN = 10
SPLITS = 20
# The standard error of a median of n is 1.253 sd/√n; sd is 1.4826 median absolute deviations
# (normal).
MEDIAN_ERROR = 1.253 * 1.4826

MOST_MIN = 3
"""Most contenders changed if at least this many did, where there are as many."""
AS_MUCH = 0.5
"""A contender that changed by at least this part of another's change, the same way, changed with
it."""


@dataclass(frozen=True)
class Change:
    """The blocks before and after a moment, and by how much ln throughput changed then."""

    before: Sequence[Place]
    after: Sequence[Place]
    size: float

    @property
    def after_share(self) -> float:
        return len(self.before) / (len(self.before) + len(self.after))


def drift(name: str, history: History) -> Iterator[Finding]:
    """Its throughput changed while it was measured; the largest change of all boots.

    The short slices of a boot after some moment are compared with those before it. Its own
    throughput changed by at least 10 %, and so did its throughput relative to the others of each
    block, also by six standard errors. The weather changes only the first, another contender's
    change only the second.

    Where most contenders changed at that moment, the same way and at least half as much, the
    machine was the cause, which affects some more than others.
    """
    found = []
    for boot in history.boots:
        rates = history.ln_rates[boot]
        change = _change(name, _lives(name, boot, rates.get(name, {}), history), rates)
        if change:
            found.append((change, boot, _changed_with(name, change, rates)))
    alone = [change for change, _, together in found if not together]
    if alone:
        change = max(alone, key=lambda each: abs(each.size))
        code = "slower_while_measured" if change.size < 0 else "faster_while_measured"
        yield Finding.of(code, after_share=change.after_share, after_ratio=exp(change.size))
    elif found:
        change, boot, together = max(found, key=lambda each: abs(each[0].size))
        yield Finding.of(
            "machine_changed",
            boot=boot,
            after_share=change.after_share,
            after_ratio=exp(median(together.values())),
            names=list(together),
        )


def _lives(name: str, boot: int, places: Iterable[Place], history: History) -> list[list[Place]]:
    """Its blocks, by the process that answered in them."""
    lives: dict[int, list[Place]] = {}
    for place in places:
        lives.setdefault(history.process(name, boot, place[0]), []).append(place)
    return list(lives.values())


def _change(name: str, lives: Sequence[Sequence[Place]], rates: Rates) -> Change | None:
    """The change at the one moment of twenty at which its relative throughputs differ most surely;
    None: it didn't change.

    A new process does not continue the last one. So blocks are in the order of their processes'
    ages, and each process is compared with itself. Blocks of a single process are in their order in
    time.
    """
    aged: list[tuple[float, Place, float, float]] = []
    for life in lives:
        rate = [rates[name][place] for place in life]
        over_others = [each - _others(name, at, rates) for each, at in zip(rate, life, strict=True)]
        levels = median(rate), median(over_others)
        aged += [
            (age / len(life), place, rate[age] - levels[0], over_others[age] - levels[1])
            for age, place in enumerate(life)
        ]
    aged.sort()
    places = [place for _, place, _, _ in aged]
    own = [rate for _, _, rate, _ in aged]
    relative = [rate for _, _, _, rate in aged]
    steps = [
        (at, *_step(relative, at))
        for part in range(1, SPLITS)
        if min(at := len(aged) * part // SPLITS, len(aged) - at) >= SIDE_MIN
    ]
    if not steps:
        return None
    at, size, errors = max(steps, key=lambda step: step[2])
    change = median(own[at:]) - median(own[:at])
    if errors <= STANDARD_ERRORS_MIN or min(abs(size), abs(change)) <= CHANGE_MIN:
        return None
    return Change(places[:at], places[at:], change) if change * size > 0 else None


def _others(name: str, place: Place, rates: Rates) -> float:
    """ln throughput of the others in a block, their median; 0 where there are none."""
    others = [own[place] for other, own in rates.items() if other != name and place in own]
    return median(others) if others else 0.0


def _step(values: Sequence[float], at: int) -> tuple[float, float]:
    """By how much the median changes at `at`, and how many of its standard errors that is.

    The spread is taken around both medians together: few blocks on one side have no useful one.
    """
    before, after = values[:at], values[at:]
    middles = median(before), median(after)
    step = middles[1] - middles[0]
    off = [abs(value - middles[0]) for value in before] + [abs(v - middles[1]) for v in after]
    error = MEDIAN_ERROR * median(off) * (1 / len(before) + 1 / len(after)) ** 0.5
    return step, abs(step) / max(error, 1e-9)


def _changed_with(name: str, change: Change, rates: Rates) -> dict[str, float]:
    """Contenders that changed then too, by how much in ln; empty: they are less than most of
    all."""
    sizes = {name: change.size}
    for other, own in rates.items():
        sides = [[own[p] for p in side if p in own] for side in (change.before, change.after)]
        if other != name and all(sides):
            sizes[other] = median(sides[1]) - median(sides[0])
    together = {name: size for name, size in sizes.items() if size / change.size >= AS_MUCH}
    return together if len(together) >= most_of(len(sizes)) else {}


def most_of(contenders: int) -> int:
    """How many are most: half of them and at least three, or both of two."""
    return max(ceil(contenders / 2), min(MOST_MIN, contenders), 2)


STALL_US = 50_000
APART = 10
TIMES_MIN = 3
MORE_THAN_OTHERS = 3


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
        return self.times / self.slices if self.slices else 0.0

    @property
    def length_us(self) -> float | None:
        return median(self.lengths_us) if self.lengths_us else None


def stood_still(plan: Plan, name: str, history: History) -> Iterator[Finding]:
    """All of its connections waited together, and then went on.

    A stop of the machine stops all servers now and then, so an entry is only reported if it stands
    still three times as often as the median of the others. Otherwise, if most contenders stood
    still as it did, the machine was the cause. With a connection per request, a full listen queue
    looks the same, and has a signature of its own.
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
    """Whether slices passed without an answer: at least three, and three times as often as for the
    median of the others. A host may take the cores for as long as a slice of 20 ms."""

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
    at least 50 ms. A slice shows only a part of the wait if all its answers came after its end."""
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
    """How many answers took `least_us` or longer, and their median."""
    merged = merge_encoded([latency])
    below = int(merged.values_us.searchsorted(least_us))
    before = int(merged.cumulated[below - 1]) if below else 0
    count = merged.answered - before
    if not count:
        return 0, 0.0
    middle = merged.cumulated.searchsorted(before + (count + 1) // 2)
    return count, float(merged.values_us[middle])
