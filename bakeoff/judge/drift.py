"""Whether an entry's throughput changed while it was measured, and whether the machine's did."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil, exp, log
from statistics import median

from bakeoff.judge.history import History, Place, Rates
from bakeoff.model.finding import Finding

CHANGE_MIN = log(1.1)
STANDARD_ERRORS_MIN = 6.0
SIDE_MIN = 10
SPLITS = 20
# Of a median of n: 1.253 sd/√n; and sd is 1.4826 median absolute deviations (normal).
MEDIAN_ERROR = 1.253 * 1.4826

MOST_MIN = 3
"""How many must have changed to be most of the contenders, where there are as many."""
AS_MUCH = 0.5
"""Who changed by this part of another's change at least, and the same way, changed with it."""


@dataclass(frozen=True)
class Change:
    """The blocks before and after a moment, and by how much ln throughput changed then."""

    before: Sequence[Place]
    after: Sequence[Place]
    size: float

    @property
    def after_share(self) -> float:
        """The share of the blocks after which it changed."""
        return len(self.before) / (len(self.before) + len(self.after))


def drift(name: str, history: History) -> Iterator[Finding]:
    """Its throughput changed while it was measured; of several boots the largest change.

    The short slices of a boot after some moment against those before it: by 10 % at least in its
    own throughput, and by that and six standard errors in its throughput relative to the others of
    each block. The weather changes the first alone, another contender's change the second alone.

    Where most contenders changed at that moment, the same way and half as much at least, it was the
    machine, which some feel more than others.
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
    """Its blocks, by the process that answered them."""
    lives: dict[int, list[Place]] = {}
    for place in places:
        lives.setdefault(history.process(name, boot, place[0]), []).append(place)
    return list(lives.values())


def _change(name: str, lives: Sequence[Sequence[Place]], rates: Rates) -> Change | None:
    """The change at the one moment of twenty at which its relative throughputs differ most surely;
    None: it didn't change.

    A process that began anew has nothing of how the last one ended. So blocks are in the order of
    their processes' ages, and each process is compared with itself; of one process they are in the
    order in which they came.
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

    The spread is taken around both medians together: few blocks on one side have none of use.
    """
    before, after = values[:at], values[at:]
    middles = median(before), median(after)
    step = middles[1] - middles[0]
    off = [abs(value - middles[0]) for value in before] + [abs(v - middles[1]) for v in after]
    error = MEDIAN_ERROR * median(off) * (1 / len(before) + 1 / len(after)) ** 0.5
    return step, abs(step) / max(error, 1e-9)


def _changed_with(name: str, change: Change, rates: Rates) -> dict[str, float]:
    """Those that changed then too, by how much in ln; empty where they aren't most of all."""
    sizes = {name: change.size}
    for other, own in rates.items():
        sides = [[own[p] for p in side if p in own] for side in (change.before, change.after)]
        if other != name and all(sides):
            sizes[other] = median(sides[1]) - median(sides[0])
    together = {name: size for name, size in sizes.items() if size / change.size >= AS_MUCH}
    return together if len(together) >= most_of(len(sizes)) else {}


def most_of(contenders: int) -> int:
    """How many are most: half of them and three at least, or both of two."""
    return max(ceil(contenders / 2), min(MOST_MIN, contenders), 2)
