"""What each contender is offered in an open loop, from its warm-up."""

from collections.abc import Mapping

from bakeoff.model.plan import Plan
from bakeoff.model.samples import SliceLengths, Warmup
from bakeoff.plan import open_lengths

LEAST_RATE = 1.0
"""For one that answered nothing: it is judged on that it does not answer this either."""


def offered(plan: Plan, warmup: Warmup, given: Mapping[str, SliceLengths]) -> Warmup:
    """The warm-up with everyone's rate; a closed loop's as it is.

    Slice lengths follow from the rates, but for those `given` by an earlier boot. A twin is offered
    what its original is.
    """
    if plan.mode == "closed":
        return warmup
    own = {name: _rate(plan, warmup, name) for name in warmup.requests_per_s}
    rates = {name: own.get(plan.entry(name).twin_of or name, rate) for name, rate in own.items()}
    return warmup.model_copy(
        update={
            "rates": rates,
            "lengths": {
                name: given.get(name) or open_lengths(rate, warmup.mean_latency_us[name])
                for name, rate in rates.items()
            },
        }
    )


def _rate(plan: Plan, warmup: Warmup, name: str) -> float:
    """Requests per second: the plan's, or its share of what the entry's warm-up ended with."""
    if plan.rate:
        return plan.rate
    assert plan.load
    return max(LEAST_RATE, plan.load * (warmup.level(name) or 0.0))
