"""Ratios with their intervals in a line of characters, one below the other on one axis."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from bakeoff.model.ratio import Ratio

LEFT, LINE, POINT, RIGHT, OPEN_LEFT, OPEN_RIGHT, ONE = "├─●┤◄►│"


@dataclass(frozen=True)
class Axis:
    """A logarithmic axis, `width` characters wide, from `low` to `high`, which are over 0."""

    low: float
    high: float
    width: int

    @classmethod
    def of(cls, ratios: Sequence[Ratio], width: int) -> "Axis":
        ends = [end for of in ratios for end in (of.ratio, of.low, of.high) if end]
        return cls(min([0.98, *ends]), max([1.02, *ends]), width)

    @property
    def head(self) -> str:
        left, right = f"{self.low:.2g}×", f"{self.high:.2g}×"
        return f"{left}{right:>{self.width - len(left)}}"

    def bar(self, of: Ratio | None) -> str:
        """The ratio and its interval, with a mark where the ratio is 1, whether or not it has one.

        An end that is open is an arrow.
        """
        cells = [" "] * self.width
        cells[self._place(1)] = ONE
        if of:
            low, high = (None if end is None else self._place(end) for end in (of.low, of.high))
            first, last = low or 0, self.width - 1 if high is None else high
            cells[first : last + 1] = LINE * (last + 1 - first)
            cells[first] = OPEN_LEFT if low is None else LEFT
            cells[last] = OPEN_RIGHT if high is None else RIGHT
            cells[self._place(of.ratio)] = POINT
        return "".join(cells)

    def _place(self, ratio: float) -> int:
        share = math.log(ratio / self.low) / math.log(self.high / self.low)
        return min(max(round(share * (self.width - 1)), 0), self.width - 1)
