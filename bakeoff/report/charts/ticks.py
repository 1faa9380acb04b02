"""Round figures for an axis."""

import math


def ratio_ticks(low: float, high: float, most: int) -> list[float]:
    """About `most` round figures between `low` and `high`; evenly apart where they are near."""
    if high / low < 4:
        step = round_step((high - low) / most)
        first = math.ceil(low / step)
        return [round(n * step, 6) for n in range(first, math.floor(high / step) + 1)]
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for digits in ((1, 2, 5), (1, 3), (1,)):
        ticks = [round(d * 10.0**power, 6) for power in decades for d in digits]
        inside = [tick for tick in ticks if low <= tick <= high]
        if len(inside) <= most:
            break
    return inside


def round_step(least: float) -> float:
    """The smallest of 1, 2 and 5 times a power of ten that is not below `least`."""
    power = 10.0 ** math.floor(math.log10(least))
    return next((m * power for m in (1, 2, 5) if m * power >= least), 10 * power)
