"""How a figure is written: its digits, its unit, its scale. No other part of the report rounds.

Every function takes base units and returns text. A missing or infinite value is `MISSING`.
"""

import math

from bakeoff.model.ratio import Difference, Interval, Ratio

MISSING = "–"
REFERENCE = "1×"
"""The ratio of a reference to itself, which is not measured."""
DAY_S = 86_400


def significant(value: float, digits: int) -> str:
    """`value` in plain decimals with `digits` significant ones; whole parts are never rounded
    away."""
    exponent = int(f"{value:.{digits - 1}e}".partition("e")[2]) if value else 0
    return f"{value:,.{max(0, digits - 1 - exponent)}f}"


def interval(ratio: float, low: float, high: float) -> tuple[str, str, str]:
    """A ratio and its interval with as many decimals as the interval's width warrants.

    It has at least 3 and at most 4 significant digits, except where that would round a bound to 1
    that isn't 1: the interval must show on which side of 1 it is. Just above 1 there are as many
    decimals as just below, so a near tie looks alike from both sides.
    """
    if not all(map(math.isfinite, (ratio, low, high))) or ratio <= 0:
        return MISSING, MISSING, MISSING
    least = max(0, 2 - math.floor(math.log10(ratio)))
    half_width = (high - low) / 2
    warranted = math.ceil(-math.log10(half_width)) if half_width > 0 else least
    if half_width < 0.1 and 1 <= ratio < 1.1:
        warranted = max(3, warranted)
    decimals = min(max(warranted, least), least + 1)
    while decimals < 6 and any(_hides_its_side(bound, decimals) for bound in (low, high)):
        decimals += 1
    return tuple(f"{value:,.{decimals}f}" for value in (ratio, low, high))  # type: ignore[return-value]


def _hides_its_side(bound: float, decimals: int) -> bool:
    return bound != 1 and round(bound, decimals) == 1


def ratio_of(of: Ratio | None) -> str:
    return ratio_times(of.ratio, of.low, of.high) if of else MISSING


def ratio_times(ratio: float | None, low: float | None, high: float | None) -> str:
    """`1.72× (1.70 to 1.74)`.

    `≥ 3.41×` and `≤ 0.29×` are intervals with one end: of a contender, or over a contender, that
    did at least what was measured. `can't tell` is an interval without ends.
    """
    if ratio is None or not math.isfinite(ratio):
        return MISSING
    if low is None and high is None:
        return "can't tell"
    if low is None or high is None:
        sign, end = ("≤", high) if low is None else ("≥", low)
        return f"{sign} {_end(end or 0.0, ratio)}×"
    middle, lower, upper = interval(ratio, low, high)
    return MISSING if middle == MISSING else f"{middle}× ({lower} to {upper})"


def parts(of: Interval) -> tuple[str, str, str]:
    return interval(of.ratio, of.low, of.high)


def _end(end: float, ratio: float) -> str:
    """The one end of an interval, with as many decimals as if the other were as far away."""
    low, high = sorted((end, ratio * ratio / end if end else ratio))
    _, lower, upper = interval(ratio, low, high)
    return lower if end <= ratio else upper


def expected(of: Interval | None) -> str:
    """The range in which a ratio is expected: `1.05 to 1.24`."""
    if of is None:
        return MISSING
    _, low, high = parts(of)
    return f"{low} to {high}"


def least_rate(per_s: float | None, *, at_least: bool) -> str:
    """A rate, with a sign before it if it is a lower bound."""
    return f"≥ {rate(per_s)}" if at_least and per_s else rate(per_s)


def rate(per_s: float | None) -> str:
    """Requests per second without their unit, which is in the head of the column."""
    if per_s is None or not math.isfinite(per_s):
        return MISSING
    return significant(per_s, 3) if per_s < 1000 else f"{per_s:,.0f}"


def time_to_wait(seconds_s: float) -> str:
    """A time that is not known to the second: `25 s`, `2 min 20 s`, `35 min`."""
    step_s = 5 if seconds_s < 100 else 10 if seconds_s < 600 else 60
    minutes, seconds = divmod(max(step_s, step_s * round(seconds_s / step_s)), 60)
    parts = (f"{minutes} min" if minutes else "", f"{seconds} s" if seconds else "")
    return " ".join(part for part in parts if part)


def about(seconds_s: float) -> str:
    """`about 40 s`, or `more than a day`: no measurement takes longer."""
    return "more than a day" if seconds_s > DAY_S else f"about {time_to_wait(seconds_s)}"


def duration(us: float | None) -> str:
    """A time given in µs, in the fitting unit: µs, ms or s."""
    if us is None or not math.isfinite(us):
        return MISSING
    rounded = abs(float(f"{us:.2e}"))
    for unit, scale in (("s", 1e6), ("ms", 1e3)):
        if rounded >= scale:
            return f"{significant(us / scale, 3)} {unit}"
    return f"{significant(us, 3)} µs" if us else "0 µs"


def later(of: Difference | None) -> str:
    """`+53.1 µs (48.0 to 58.2)`: all in the unit that fits the largest of them, with as many
    decimals as that has."""
    if of is None:
        return MISSING
    largest = max(abs(of.more), abs(of.low), abs(of.high))
    size, unit = duration(largest).split(" ")
    scale = {"s": 1e6, "ms": 1e3}.get(unit, 1.0)
    decimals = len(size.partition(".")[2])
    more, low, high = (each / scale for each in (of.more, of.low, of.high))
    return f"{more:+.{decimals}f} {unit} ({low:.{decimals}f} to {high:.{decimals}f})"


def mib(value: float | None, unit: str = "MiB") -> str:
    return (
        MISSING if value is None or not math.isfinite(value) else f"{significant(value, 3)} {unit}"
    )


def percent(share: float | None) -> str:
    """A share of 1 as a percentage: 2 significant digits below 10 %, 3 above."""
    if share is None or not math.isfinite(share):
        return MISSING
    value = share * 100
    return f"{significant(value, 2 if abs(value) < 10 else 3)} %" if value else "0 %"


def doubt(low: float, high: float) -> float:
    """How far two copies of one program may be from equal, as a share: the farther end of the
    interval of their ratio. A smaller difference between two programs is doubtful."""
    return max(abs(low - 1), abs(high - 1))


def margin(share: float) -> str:
    return f"±{share * 100:g} %"


def count(number: int) -> str:
    return f"{number:,}"


def plural(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def octets(number: int) -> str:
    return f"{number:,} B"


def rank(best_and_worst: tuple[int, int] | None) -> str:
    """`1` or `1–2`: the places that an entry may have."""
    if best_and_worst is None:
        return MISSING
    best, worst = best_and_worst
    return str(best) if best == worst else f"{best}–{worst}"


def times(ratio: float | None) -> str:
    if ratio is None or not math.isfinite(ratio):
        return MISSING
    return f"{significant(ratio, 3)}×"


def given(number: float) -> str:
    return f"{number:,g}"


def yes_or_no(value: bool | None) -> str:
    return {True: "yes", False: "no", None: MISSING}[value]
