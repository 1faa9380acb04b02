"""A server whose throughput changes while it is measured."""

from collections.abc import Sequence
from math import exp, log
from statistics import fmean, median

from bakeoff.judge.history import History
from bakeoff.model.samples import Block, Slice

CHANGE_MIN = log(1.1)
SURE = 6.0
SIDE_MIN = 5
SPLITS = 20
# Of a median of n: 1.253 sd/√n; and sd is 1.4826 median absolute deviations (normal).
MEDIAN_ERROR = 1.253 * 1.4826


def drift(name: str, seen: History) -> str:
    """The sentence on the boot in which it changed most; empty where it didn't.

    The short slices of a boot after some moment against those before it: by 10 % at least in its
    own throughput, and by that and six standard errors in its throughput relative to the others of
    each block. The weather changes the first alone, another contender's change the second alone.
    """
    found = [change for boot in seen.boots if (change := _change(_blocks(name, boot, seen)))]
    if not found:
        return ""
    at, size = max(found, key=lambda each: abs(each[1]))
    if size < 0:
        return (
            f"it got slower while it was measured: after {at:.0%} of the boot it had "
            f"{exp(size):.0%} of the throughput of before"
        )
    return (
        f"it got faster while it was measured: after {at:.0%} of the boot it had {exp(size):.2f} "
        "times the throughput of before, so it was not warm yet"
    )


def _blocks(name: str, boot: int, seen: History) -> list[tuple[float, float]]:
    """ln throughput in each short block of a boot, its own and over the others' mean."""
    found = []
    for block, piece in seen.slices(name):
        own = _log_rate(piece)
        if block.boot == boot and block.kind == "short" and own is not None:
            others = _others(name, block)
            found.append((own, own - fmean(others) if others else own))
    return found


def _others(name: str, block: Block) -> list[float]:
    given = (_log_rate(piece) for piece in block.slices if piece.entry != name)
    return [rate for rate in given if rate is not None]


def _log_rate(piece: Slice) -> float | None:
    return log(piece.event.requests_per_s) if piece.event.requests_per_s else None


def _change(values: Sequence[tuple[float, float]]) -> tuple[float, float] | None:
    """After which share of the blocks, and ln of how the throughput changed; None: it didn't.

    The moment is the one of twenty at which the relative throughputs differ most surely. Their
    spread is taken around both medians together, since few blocks on one side have none of use.
    """
    own, relative = ([value[which] for value in values] for which in (0, 1))
    found = [
        (at, *step)
        for part in range(1, SPLITS)
        if min(at := len(values) * part // SPLITS, len(values) - at) >= SIDE_MIN
        and (step := _step(relative, at))
    ]
    if not found:
        return None
    at, size, sureness = max(found, key=lambda each: each[2])
    change = median(own[at:]) - median(own[:at])
    if sureness <= SURE or abs(size) <= CHANGE_MIN or abs(change) <= CHANGE_MIN:
        return None
    return (at / len(values), change) if change * size > 0 else None


def _step(values: Sequence[float], at: int) -> tuple[float, float]:
    """By how much the median changes at `at`, and how many of its standard errors that is."""
    before, after = values[:at], values[at:]
    middles = median(before), median(after)
    step = middles[1] - middles[0]
    off = [abs(value - middles[0]) for value in before] + [abs(v - middles[1]) for v in after]
    error = MEDIAN_ERROR * median(off) * (1 / len(before) + 1 / len(after)) ** 0.5
    return step, abs(step) / max(error, 1e-9)
