"""How long a race must be: the shortest that finds an effect as often as asked."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from bakeoff.model.simulation import Rates
from bakeoff.simulate.race import Size

DURATIONS_S = (5.0, 10.0, 15.0, 20.0, 30.0, 45.0, 60.0, 90.0, 120.0, 180.0, 300.0)
BOOTS = (3, 5, 8, 12)
"""What the search may choose. Where programs differ from boot to boot, no duration helps."""


def search(
    size: Size, power: float, boots: Sequence[int], rates: Callable[[Size], Rates]
) -> tuple[tuple[Rates, ...], Rates | None]:
    """All that was tried, and of those with the `power` asked the one that lasts the shortest,
    warm-ups included; None: none has it.

    Power rises with the duration, so each number of boots is bisected. `size` gives effect and
    contenders. The rates are estimates: near the border chance decides between two neighbours.
    """
    tried: list[Rates] = []
    best: Rates | None = None
    for number in boots:
        fitting = [each for each in DURATIONS_S if _may_be_shorter(each, number, best)]
        low, high = 0, len(fitting)
        while low < high:
            middle = (low + high) // 2
            found = rates(replace(size, duration_s=fitting[middle], boots=number))
            tried.append(found)
            assert found.power
            if found.power.share < power:
                low = middle + 1
                continue
            high = middle
            if best is None or found.lasts_s < best.lasts_s:
                best = found
    return tuple(tried), best


def _may_be_shorter(duration_s: float, boots: int, best: Rates | None) -> bool:
    """Whether a race could last less than the best: more boots take more time besides."""
    if best is None:
        return True
    return duration_s < best.duration_s or (duration_s == best.duration_s and boots < best.boots)
