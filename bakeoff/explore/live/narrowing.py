"""How intervals narrow: each contender's by now, over what it was when it was judged first."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log

from bakeoff.explore.live.state import Bar, LiveState
from bakeoff.report import figures

WIDTH = 1000
"""Of a bar's picture, which is stretched to its column."""
AROUND = log(1.05)
"""The least that is shown on either side of 1: of contenders that are all alike, too."""
BEYOND = 4.0
"""Before much is measured an interval may reach from 0 to 1,000: as many times the span of all the
ratios are shown, and what is beyond is cut off."""


@dataclass(frozen=True)
class BarRow:
    """One contender. `low` to `high` is its interval and `was_low` to `was_high` the first one, as
    places from 0 to `WIDTH`; `at` is its ratio. `label` says the figures."""

    name: str
    text: str
    label: str
    at: float
    low: float
    high: float
    was_low: float
    was_high: float


@dataclass(frozen=True)
class Narrowing:
    """A row per contender; `one` is where the reference's ratio is."""

    rows: tuple[BarRow, ...]
    one: float


def narrowing(first: LiveState, now: LiveState) -> Narrowing | None:
    """The picture of `now`, over that of `first`; None where there are no two to compare."""
    if len(now.bars) < 2:
        return None
    left, right = _span(now.bars)

    def place(ratio: float | None, otherwise: float) -> float:
        if not ratio:
            return otherwise
        return round(min(max((log(ratio) - left) / (right - left), 0), 1) * WIDTH, 1)

    was = {bar.name: bar for bar in first.bars}
    rows = []
    for bar in now.bars:
        before = was.get(bar.name, bar)
        text = figures.ratio_of(bar)
        rows.append(
            BarRow(
                name=bar.name,
                text=text,
                label=f"{bar.name}: {text}, n = {figures.count(bar.n)}",
                at=place(bar.ratio, 0),
                low=place(bar.low, 0),
                high=place(bar.high, WIDTH),
                was_low=place(before.low, 0),
                was_high=place(before.high, WIDTH),
            )
        )
    return Narrowing(tuple(rows), place(1.0, 0))


def _span(bars: Sequence[Bar]) -> tuple[float, float]:
    """From where to where ratios are shown, as logarithms."""
    ratios = [log(bar.ratio) for bar in bars if bar.ratio]
    least, most = min(0.0, *ratios), max(0.0, *ratios)
    room = BEYOND * max(most - least, AROUND)
    ends = [log(end) for bar in bars for end in (bar.low, bar.high) if end]
    low = max(min(ends, default=least), least - room)
    high = min(max(ends, default=most), most + room)
    return min(low, -AROUND), max(high, AROUND)
