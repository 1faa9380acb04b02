"""From what was asked to the plan of a search for capacities."""

import re
from collections.abc import Sequence
from dataclasses import replace

from bakeoff.model.capacity import Bound, CapacityPlan, Objective
from bakeoff.model.errors import BadUsage
from bakeoff.model.plan import Plan
from bakeoff.plan.catalogue import Catalogue
from bakeoff.plan.decide import Options, decide
from bakeoff.plan.ladder import ROUND, SEARCH, WINDOW_MS_MIN
from bakeoff.plan.words import Named

DURATION_PER_ENTRY_S = 30.0
LIMIT_MAX_US = 1e6
P_MAX = 0.9999
_SHAPE = "it takes p99=10ms, or several bounds as in p99=10ms,p99.9=50ms"
_QUANTILE = re.compile(r"p(\d{1,2}(?:\.\d+)?)")
_LIMIT = re.compile(r"(\d+(?:\.\d+)?|\.\d+)\s*(us|µs|ms|s)")
_US = {"us": 1.0, "µs": 1.0, "ms": 1e3, "s": 1e6}


def parse_slo(text: str) -> Objective:
    """`p99=10ms,p99.9=50ms` as an objective. Raises `BadUsage`."""
    bounds = [_bound(part.strip(), text) for part in text.split(",")]
    for one in bounds:
        if [other.p for other in bounds].count(one.p) > 1:
            raise BadUsage(f"--slo {text}: bounds {one.quantile} twice")
    return Objective(bounds=tuple(sorted(bounds, key=lambda one: one.p)))


def _bound(part: str, text: str) -> Bound:
    name, equals, limit = (each.strip() for each in part.partition("="))
    if not equals:
        raise BadUsage(f"--slo {text}: `{part}` is no bound; {_SHAPE}")
    quantile, time = _QUANTILE.fullmatch(name), _LIMIT.fullmatch(limit)
    if not quantile:
        raise BadUsage(f"--slo {text}: `{name}` is no quantile; it takes p50, p99, p99.9 and such")
    if not time:
        raise BadUsage(f"--slo {text}: `{limit}` is no time; it takes 500us, 10ms, 1s and such")
    p, limit_us = round(float(quantile[1]) / 100, 9), float(time[1]) * _US[time[2]]
    if not 0 < p <= P_MAX:
        raise BadUsage(f"--slo {text}: {name} can't be measured; p99.99 is the highest")
    if not 0 < limit_us <= LIMIT_MAX_US:
        raise BadUsage(f"--slo {text}: {limit} is out of range; a limit is above 0, 1 s at most")
    return Bound(p=p, limit_us=limit_us)


def decide_capacity(
    named: Sequence[Named],
    catalogue: Catalogue,
    options: Options,
    objectives: Sequence[Objective],
    *,
    stamp: str,
    command_line: Sequence[str],
) -> tuple[CapacityPlan, Plan]:
    """The plan of the search: a closed loop for the warm-up, an open one on the ladder.

    Raises `BadUsage`.
    """
    if len(set(objectives)) != len(objectives):
        raise BadUsage("--slo: is given twice with the same bounds")
    plan = decide(
        named,
        catalogue,
        replace(options, twin=False, solo=False),
        stamp=stamp,
        command_line=command_line,
    )
    duration_s = options.duration_s or DURATION_PER_ENTRY_S * len(plan.entries)
    check_budget(duration_s, _least_s(plan.boots, len(plan.entries)), plan.boots)
    run = f"{stamp}-capacity-{plan.run.removeprefix(f'{stamp}-')}"
    asked = CapacityPlan(
        run=run, objectives=tuple(objectives), duration_asked=options.duration_s is not None
    )
    return asked, plan.model_copy(update={"run": run, "duration_s": duration_s})


def check_budget(given_s: float, needed_s: float, boots: int) -> None:
    """Raises `BadUsage` where the measured time doesn't allow a round in each boot."""
    if given_s < needed_s:
        several = f" in each of {boots} boots" if boots > 1 else ""
        raise BadUsage(
            f"--duration: {given_s:.3g} s is too little for a search and one round over the "
            f"ladder{several}; that takes {needed_s:.0f} s at least: give more time, or fewer boots"
        )


def _least_s(boots: int, entries: int) -> float:
    """What search and rounds take with the shortest slices."""
    return entries * (SEARCH + boots * ROUND) * WINDOW_MS_MIN / 1000
