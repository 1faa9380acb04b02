"""The state of the machine: how fast the servers' core was, and what that adds to an interval.

Other machines' work slows servers unequally: in the caches, for minutes, and on a core that shares
its execution units with theirs. A race can't see all of it, and the next one has another share. So
the interval of unlike servers has a part that no further draw narrows. It is in proportion to ln
ratio, and larger where the times of the fixed work show that the core was restless
(docs/EVIDENCE.md, "The speed of the core").
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from math import exp, hypot, log, sqrt
from statistics import NormalDist, median

import numpy as np

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


@dataclass(frozen=True)
class Core:
    """How fast the servers' core was: ln of the fixed work's time in µs, by boot and draw, before
    each slice whose server was at work. A core that rests is slow at first, whatever the machine
    does."""

    times: Mapping[tuple[int, int], Sequence[float]]

    @classmethod
    def of(cls, blocks: Iterable[Block]) -> "Core":
        times: dict[tuple[int, int], list[float]] = {}
        for block in blocks:
            for each in block.slices:
                if each.event.fixed_work_ns and _at_work(each):
                    ln_us = log(each.event.fixed_work_ns / 1000)
                    times.setdefault((block.boot, block.draw), []).append(ln_us)
        return cls(times)

    @property
    def states(self) -> States:
        return {draw: median(of) for draw, of in self.times.items()}

    @cached_property
    def speeds(self) -> tuple[float, float] | None:
        """The times which a tenth of the slices had at most, and which a tenth had at least; None:
        they are too few."""
        times = [*chain.from_iterable(self.times.values())]
        if len(times) < SLICES_MIN:
            return None
        quick, slow = np.quantile(times, (TENTH, 1 - TENTH))
        return float(quick), float(slow)

    @property
    def state_sd(self) -> float:
        """`STATE_SD`, and as much more as the core was restless."""
        quick, slow = self.speeds or (0.0, 0.0)
        sd = (slow - quick) / 2 / NormalDist().inv_cdf(1 - TENTH)
        return hypot(STATE_SD, RESTLESS * sqrt(max(0.0, sd**2 - STEADY_SD**2)))


def work_us(given: States) -> float | None:
    """The time of the fixed work in most draws; None: no draw has it."""
    return exp(median(given.values())) if given else None


def _at_work(of: Slice) -> bool:
    """Also where its CPU time can't be seen."""
    return of.server_cpu is None or of.server_cpu.total_ns >= AT_WORK * of.event.window_ns
