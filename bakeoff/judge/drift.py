"""A server whose throughput changes while it is measured."""

from collections.abc import Sequence
from math import exp, log
from statistics import fmean, median

from bakeoff.judge.history import History
from bakeoff.model.samples import Block, Slice

CHANGE_MIN = log(1.1)
SURE = 5.0
THIRD_MIN = 5
# Of a median of n: 1.253 sd/√n; and sd is 1.4826 median absolute deviations (normal).
MEDIAN_ERROR = 1.253 * 1.4826


def drift(name: str, seen: History) -> str:
    """The sentence on the boot in which it changed most; empty where it didn't.

    The last third of a boot's short slices against its first third: by 10 % at least, and five
    standard errors, in its own throughput and in that relative to the others of each block. The
    weather changes the first alone, another contender's change the second alone.
    """
    found = [change for boot in seen.boots if (change := _changed(_blocks(name, boot, seen)))]
    if not found:
        return ""
    most = max(found, key=abs)
    if most < 0:
        return (
            f"it became slower while it was measured: its last slices had {exp(most):.0%} of the "
            "throughput of its first ones"
        )
    return (
        f"it became faster while it was measured: its last slices had {exp(most):.2f} times the "
        "throughput of its first ones, so it was not warm yet"
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
    window_ns = piece.event.end_ns - piece.event.start_ns
    if not piece.event.requests or window_ns <= 0:
        return None
    return log(piece.event.requests / window_ns)


def _changed(values: Sequence[tuple[float, float]]) -> float | None:
    """ln of how the relative throughput changed; None: it can't be told to have."""
    third = len(values) // 3
    if third < THIRD_MIN:
        return None
    own, relative = (_step([value[which] for value in values], third) for which in (0, 1))
    same = own is not None and relative is not None and own * relative > 0
    return own if same else None


def _step(values: Sequence[float], third: int) -> float | None:
    first, last = values[:third], values[-third:]
    step = median(last) - median(first)
    error = MEDIAN_ERROR * (_spread(first) ** 2 + _spread(last) ** 2) ** 0.5 / third**0.5
    return step if abs(step) > max(CHANGE_MIN, SURE * error) else None


def _spread(values: Sequence[float]) -> float:
    middle = median(values)
    return median(abs(value - middle) for value in values)
