"""The state of the machine: how fast the servers' core was, and what that adds to an interval.

Other machines' work slows servers unequally: in the caches, for minutes, and on a core that shares
its execution units with theirs. A race can't see all of it, and the next one has another share. So
the interval of unlike servers has a part that no further draw narrows. It is in proportion to ln
ratio, and larger where the times of the fixed work show that the core was restless
(docs/EVIDENCE.md, "The speed of the core").
"""

from collections.abc import Iterator, Mapping, Sequence
from math import exp, hypot, log, sqrt
from statistics import NormalDist, median

import numpy as np

from bakeoff.judge.history import judged_kind
from bakeoff.model.samples import Block, Slice

STATE_SD = 0.01
"""The standard deviation of ln ratio between races, beyond what one race can show of it, of two
servers one of which is e times as fast; in proportion for smaller ratios. Other machines' work in
the caches slows servers unequally, for minutes."""
STEADY_SD = 0.08
"""On a machine left alone the slices' ln times of the fixed work have a smaller spread."""
RESTLESS = 0.5
"""What a restless core adds to `STATE_SD`, over its spread beyond that of a steady one."""
AT_WORK = 0.8
"""The server's CPU time over the slice's, from which on it kept its core at work."""
TENTH = 0.1
"""The share of the slices on either side that the spread of a core's speed leaves out."""
SLICES_MIN = 30
"""With fewer slices a core's spread is not known."""

States = Mapping[tuple[int, int], float]
"""Boot and draw → ln of the fixed work's time in µs, the median of its slices."""


def states(blocks: Sequence[Block]) -> States:
    """The states of all draws in which the fixed work was timed and servers were at work."""
    times: dict[tuple[int, int], list[float]] = {}
    for draw, ln_us in _timed(blocks):
        times.setdefault(draw, []).append(ln_us)
    return {draw: median(of) for draw, of in times.items()}


def work_us(given: States) -> float | None:
    """The time of the fixed work in most draws; None: no draw has it."""
    return exp(median(given.values())) if given else None


def speeds(blocks: Sequence[Block]) -> tuple[float, float] | None:
    """ln of the fixed work's time in µs which a tenth of the slices had at most, and which a tenth
    had at least; None: too few slices have it."""
    times = [ln_us for _, ln_us in _timed(blocks)]
    if len(times) < SLICES_MIN:
        return None
    quick, slow = np.quantile(times, (TENTH, 1 - TENTH))
    return float(quick), float(slow)


def state_sd(blocks: Sequence[Block]) -> float:
    """`STATE_SD`, and as much more as the core was restless."""
    quick, slow = speeds(blocks) or (0.0, 0.0)
    sd = (slow - quick) / 2 / NormalDist().inv_cdf(1 - TENTH)
    return hypot(STATE_SD, RESTLESS * sqrt(max(0.0, sd**2 - STEADY_SD**2)))


def _timed(blocks: Sequence[Block]) -> Iterator[tuple[tuple[int, int], float]]:
    """Of each slice whose server was at work, boot and draw, and ln of the fixed work's time in µs:
    a core that rests is slow at first, whatever the machine does."""
    kind = judged_kind(blocks) if blocks else "short"
    for block in blocks:
        for each in block.slices if block.kind == kind else ():
            if each.event.fixed_work_ns and _at_work(each):
                yield (block.boot, block.draw), log(each.event.fixed_work_ns / 1000)


def _at_work(of: Slice) -> bool:
    """Also where its CPU time can't be seen."""
    return of.server_cpu is None or of.server_cpu.total_ns >= AT_WORK * of.event.window_ns
