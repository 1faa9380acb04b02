"""A measured ratio: its interval, its variation, and its value in each boot and draw."""

from math import inf
from typing import Literal, Self

from pydantic import ConfigDict, NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt

from bakeoff.model.base import Contract, IfGiven

Told = Literal["faster", "slower", "within", "can't tell"]
"""The side of 1 on which a whole interval is, more being better, or `within` the margin about
it."""


class Ratio(Contract):
    """A measured ratio of two, with its 95 % interval, from `n` measurements that both have.

    An end is missing if it is unbounded: `high` if the load generator was the limit of the first of
    the two, which did at least what was measured, and `low` if it was the limit of the second. With
    neither, the ratio says nothing. `boots`, `draws` (sets of connections) and `processes` (of the
    one of the two that had fewer) count the sources of the measurements; None where they are not
    counted.
    """

    # An `Interval` in a field of this type stays an `Interval`: it is equal after reading it from a
    # file.
    model_config = ConfigDict(revalidate_instances="subclass-instances")

    ratio: float
    low: float | None
    high: float | None
    n: PositiveInt
    boots: IfGiven[PositiveInt] = None
    draws: IfGiven[PositiveInt] = None
    processes: IfGiven[PositiveInt] = None

    @property
    def ends(self) -> tuple[float, float]:
        """Both ends as numbers: 0 and infinity for missing ones."""
        return 0.0 if self.low is None else self.low, inf if self.high is None else self.high

    def told(self, margin: float = 0.0) -> Told:
        """The side of 1 on which the whole interval is, by more than the margin, or that it is
        within it."""
        low, high = self.ends
        apart = 1 + margin
        if low > apart:
            return "faster"
        if high < 1 / apart:
            return "slower"
        return "within" if 1 / apart < low and high < apart else "can't tell"

    def excludes(self, ratio: float) -> bool:
        low, high = self.ends
        return not low <= ratio <= high

    def inverted(self) -> Self:
        """The second of the two over the first."""
        update = {
            "ratio": 1 / self.ratio,
            "low": 1 / self.high if self.high else None,
            "high": 1 / self.low if self.low else None,
        }
        return self.model_copy(update=update)


class Interval(Ratio):
    """A ratio whose interval has both ends."""

    low: float
    high: float


class Difference(Contract):
    """By how much a contender exceeds another: the mean over blocks, and its 95 % interval,
    simultaneous over its table (`why`: the lines of a pair; a race: its pairs)."""

    more: float
    low: float
    high: float

    @property
    def is_told(self) -> bool:
        """Whether the interval excludes 0."""
        return not self.low <= 0 <= self.high

    def inverted(self) -> Self:
        """By how much the other exceeds it."""
        update = {"more": -self.more, "low": -self.high, "high": -self.low}
        return self.model_copy(update=update)


class EventRatios(Contract):
    """Times of events of streams or of messages to rooms, the other's over its own, so that more is
    better.

    Those to the `first` event are geometric means; for the `gap` between events they are medians
    and p99s. `later_us` is by how many µs its own first event comes later, by the medians of paired
    slices. In rooms of WebSocket it is the time until the `last` listener has heard a message.
    Each is in a family of its own; None: one is not known, or its gaps are 0.
    """

    first: Interval | None = None
    later_us: IfGiven[Difference] = None
    gap: Interval | None = None
    gap_p99: Interval | None = None
    last: IfGiven[Interval] = None

    def inverted(self) -> "EventRatios":
        """The same, seen from the other side."""
        return EventRatios(**{key: value and value.inverted() for key, value in self})


class ByState(Contract):
    """How a ratio by server CPU follows the machine's state, which is the time of the fixed work
    before slices.

    `slope` is that of ln ratio on ln time, over the draws: at -0.5 the ratio is 0.5 % lower if the
    work takes 1 % longer. `quiet` is the ratio at a work of `work_us`, as in the quietest quarter
    of the draws, which its `n` counts. Both have 95 % intervals, simultaneous over the race's
    pairs.
    """

    slope: float
    slope_low: float
    slope_high: float
    work_us: PositiveFloat
    quiet: Interval

    def inverted(self) -> Self:
        """The same of the inverted ratio."""
        update = {
            "slope": -self.slope,
            "slope_low": -self.slope_high,
            "slope_high": -self.slope_low,
            "quiet": self.quiet.inverted(),
        }
        return self.model_copy(update=update)


class Spread(Contract):
    """How much a ratio of two contenders varies on each level: standard deviations of ln ratio.

    For equals, each one's own is 1/√2 of it. `block_sd` is from block to block within a draw (of
    the trimmed mean: √n times its standard error), `connections_sd` from draw to draw of one
    process, `process_sd` from process to process, `boot_sd` from boot to boot. Each is the addition
    of the level to those below; 0: no more than those explain. None: the level was not drawn twice
    within the one above. If each draw has a new process, `connections_sd` is None and `process_sd`
    is that of both.
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
    had fewer: two draws with the same number were answered by one process.
    """

    boot: NonNegativeInt
    draw: NonNegativeInt
    process: NonNegativeInt
    ratio: float
    n: PositiveInt
