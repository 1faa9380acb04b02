"""A measured ratio: its interval, what it varies by, and itself in each boot and draw."""

from math import inf
from typing import Literal

from pydantic import NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt

from bakeoff.model.base import Contract

Told = Literal["faster", "slower", "within", "can't tell"]
"""On which side of 1 a whole interval is, more being better, or `within` the margin about it."""


class Ratio(Contract):
    """A measured ratio with its 95 % interval, from `n` paired blocks over `boots` boots.

    `low` or `high` is None where the interval has no end on that side: a contender that was limited
    by the load generator did at least what was measured. With neither, the ratio says nothing.
    `draws` counts sets of connections, and `processes` those of the contender that had fewer; None
    in results of earlier versions.
    """

    ratio: float
    low: float | None
    high: float | None
    n: PositiveInt
    boots: PositiveInt
    draws: PositiveInt | None = None
    processes: PositiveInt | None = None


class Interval(Ratio):
    """A ratio whose interval has both ends."""

    low: float
    high: float

    def excludes(self, ratio: float) -> bool:
        """Whether a ratio lies outside of the interval."""
        return not self.low <= ratio <= self.high


class ByState(Contract):
    """How a ratio by server CPU follows the machine's state, which is the time of the fixed work
    beside the slices.

    `slope` is that of ln ratio on ln time, over the draws: of -0.5 the ratio is 0.5 % lower where
    the work takes 1 % longer. `quiet` is the ratio where the work takes `work_us`, as in the
    quietest quarter of the draws. Both have 95 % intervals, simultaneous over the race's pairs.
    """

    slope: float
    slope_low: float
    slope_high: float
    work_us: PositiveFloat
    quiet: PositiveFloat
    quiet_low: PositiveFloat
    quiet_high: PositiveFloat
    draws: PositiveInt


def ends(low: float | None, high: float | None) -> tuple[float, float]:
    """Both ends of a ratio's interval as numbers: 0 and infinity where it has none."""
    return 0.0 if low is None else low, inf if high is None else high


def told(low: float | None, high: float | None, margin: float = 0.0) -> Told:
    """On which side of 1, by more than the margin, the whole interval is; or within the margin."""
    least, most = ends(low, high)
    apart = 1 + margin
    if least > apart:
        return "faster"
    if most < 1 / apart:
        return "slower"
    return "within" if 1 / apart < least and most < apart else "can't tell"


class Spread(Contract):
    """How much a ratio of two contenders varies on each level: standard deviations of ln ratio.

    Of equals, each one's own is 1/√2 of it. `block_sd` is from block to block within a draw (of the
    trimmed mean: √n times its standard error), `connections_sd` from draw to draw of one process,
    `process_sd` from process to process, `boot_sd` from boot to boot. Each is what the level adds
    to those below; 0: no more than those explain. None: the level was not drawn twice within the
    one above. Where each draw has a new process, `connections_sd` is None and `process_sd` is that
    of both.
    """

    block_sd: NonNegativeFloat | None
    connections_sd: NonNegativeFloat | None
    process_sd: NonNegativeFloat | None
    boot_sd: NonNegativeFloat | None
    blocks: PositiveInt
    draws: PositiveInt
    processes: PositiveInt
    boots: PositiveInt


class BootRatio(Contract):
    """One boot's own ratio to the reference: the spread between boots is a result of its own."""

    boot: NonNegativeInt
    ratio: float
    n: PositiveInt


class DrawRatio(Contract):
    """One draw's own ratio to the reference.

    `draw` and `process` are numbered within the boot. `process` is that of the one of the two that
    had fewer: two draws of one number were answered by one process.
    """

    boot: NonNegativeInt
    draw: NonNegativeInt
    process: NonNegativeInt
    ratio: float
    n: PositiveInt
