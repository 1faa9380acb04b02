"""The state of the machine: how fast the servers' core was, and what that adds to an interval.

Other machines' work slows servers unequally: in the caches, for minutes, and on a core that shares
its execution units with theirs. A race can't see all of it, and the next one has another share. So
the interval of unlike servers has a part that no further draw narrows. It is in proportion to ln
ratio, and larger where the time of the fixed work shows that the core was restless
(docs/EVIDENCE.md, "The speed of the core").
"""

from collections.abc import Mapping, Sequence
from math import exp, hypot, log, sqrt
from statistics import median, stdev

import numpy as np

from bakeoff.judge.history import judged_kind
from bakeoff.model.samples import Block, Slice

STATE_SD = 0.01
"""The standard deviation of ln ratio between races, beyond what one race can show of it, of two
servers one of which is e times as fast; in proportion for smaller ratios. Other machines' work in
the caches slows servers unequally, for minutes."""
STEADY_SD = 0.03
"""On a machine left alone, the draws' ln times of the fixed work have at most this sd."""
RESTLESS = 0.65
"""`STATE_SD` where the core is restless, over that sd."""
AT_WORK = 0.8
"""The server's CPU time over the slice's, from which on it kept its core at work."""

States = Mapping[tuple[int, int], float]
"""Boot and draw → ln of the fixed work's time in µs, the median of its slices."""


def states(blocks: Sequence[Block]) -> States:
    """The states of all draws in which the fixed work was timed and servers were at work: a core
    that rests is slow at first, whatever the machine does."""
    kind = judged_kind(blocks) if blocks else "short"
    times: dict[tuple[int, int], list[int]] = {}
    for block in blocks:
        for each in block.slices if block.kind == kind else ():
            if each.event.fixed_work_ns and _at_work(each):
                times.setdefault((block.boot, block.draw), []).append(each.event.fixed_work_ns)
    return {draw: log(float(np.median(of)) / 1000) for draw, of in times.items()}


def _at_work(of: Slice) -> bool:
    """Also where its CPU time can't be seen."""
    return of.server_cpu is None or of.server_cpu.total_ns >= AT_WORK * of.event.window_ns


def work_us(given: States) -> float | None:
    """The time of the fixed work in most draws; None: no draw has it."""
    return exp(median(given.values())) if given else None


def state_sd(given: States) -> float:
    """`STATE_SD`, and as much more as the core was restless."""
    sd = stdev(given.values()) if len(given) > 1 else 0.0
    return hypot(STATE_SD, RESTLESS * sqrt(max(0.0, sd**2 - STEADY_SD**2)))
