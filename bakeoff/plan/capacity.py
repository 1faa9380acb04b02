"""From contenders and objectives to the plan of a search for capacities."""

import re
from collections.abc import Sequence
from typing import Annotated, cast

from pydantic import BeforeValidator

import bakeoff.plan.options as shared
from bakeoff.model.capacity import Bound, CapacityPlan, Objective, Timed
from bakeoff.model.errors import BadUsage
from bakeoff.model.plan import Arrivals
from bakeoff.plan.entries import check_nothing_held, slug
from bakeoff.plan.environment import Environment
from bakeoff.plan.ladder import ROUND, SEARCH, WINDOW_MS_MIN, costs_s
from bakeoff.plan.race import RaceDraft
from bakeoff.plan.race_options import RaceOptions
from bakeoff.plan.request_options import RequestOptions
from bakeoff.plan.values import Count, OnePath, OneProtocol, Seconds

DURATION_PER_ENTRY_S = 30.0
BOOTS = 3
"""The interval of a capacity is made of boots."""
LIMIT_MAX_US = 1e6
P_MAX = 0.9999
_FORM = "it takes p99=10ms, or several bounds as in p99=10ms,p99.9=50ms"
_QUANTILE = re.compile(r"(?:(first-byte|first-event|gap|last)-)?p(\d{1,2}(?:\.\d+)?)")
_LIMIT = re.compile(r"(\d+(?:\.\d+)?|\.\d+)\s*(us|µs|ms|s)")
_US = {"us": 1.0, "µs": 1.0, "ms": 1e3, "s": 1e6}


def parse_slo(text: str) -> Objective:
    """`p99=10ms,p99.9=50ms` as an objective. Raises `BadUsage`."""
    bounds = [_bound(part.strip(), text) for part in text.split(",")]
    for bound in bounds:
        if [other.quantile for other in bounds].count(bound.quantile) > 1:
            raise BadUsage(f"--slo {text}: has two bounds for {bound.quantile}")
    return Objective(bounds=tuple(sorted(bounds, key=lambda bound: bound.p)))


def _bound(part: str, text: str) -> Bound:
    name, equals, limit = (piece.strip() for piece in part.partition("="))
    if not equals:
        raise BadUsage(f"--slo {text}: `{part}` is not a bound; {_FORM}")
    quantile, time = _QUANTILE.fullmatch(name), _LIMIT.fullmatch(limit)
    if not quantile:
        raise BadUsage(
            f"--slo {text}: `{name}` is not a quantile; it takes p50, p99, p99.9, "
            "first-byte-p99, first-event-p99, gap-p99, last-p99 and such"
        )
    if not time:
        raise BadUsage(f"--slo {text}: `{limit}` is not a time; it takes 500us, 10ms, 1s and such")
    p, limit_us = round(float(quantile[2]) / 100, 9), float(time[1]) * _US[time[2]]
    if not 0 < p <= P_MAX:
        raise BadUsage(f"--slo {text}: {name} can't be measured; p99.99 is the highest")
    if not 0 < limit_us <= LIMIT_MAX_US:
        raise BadUsage(
            f"--slo {text}: {limit} is out of range; it takes a time above 0, 1 s at most"
        )
    return Bound(p=p, limit_us=limit_us, of=cast("Timed", quantile[1] or "latency"))


class CapacityOptions(RequestOptions):
    """The options of a search for capacities."""

    slo: Annotated[
        tuple[str, ...],
        BeforeValidator(lambda value: (value,) if isinstance(value, str) else value),
        shared.Flag(
            shared.VERDICT,
            "Set the objective: upper limits for quantiles of the latency, of the time to an "
            "answer's first byte (first-byte-p99=5ms), of a stream's events (first-event-p99, "
            "gap-p99), or of the time until a room's last listener has heard a message (last-p99). "
            "May be repeated: each has a capacity, and their geometric mean is shown.",
            metavar="p99=10ms[,p99.9=50ms]",
            repeated=True,
        ),
    ]
    connections: Annotated[Count | None, shared.CONNECTIONS] = None
    protocol: Annotated[OneProtocol | None, shared.PROTOCOL] = None
    streams: Annotated[Count, shared.STREAMS] = 1
    path: Annotated[OnePath, shared.PATH] = ()
    arrivals: Annotated[Arrivals, shared.ARRIVALS] = "poisson"
    ca: Annotated[str | None, shared.CA] = None
    insecure: Annotated[bool, shared.INSECURE] = False
    allow_hosts: Annotated[tuple[str, ...], shared.ALLOW_HOST] = ()
    duration: Annotated[Seconds | None, shared.DURATION.but(usual="30 s per contender")] = None
    boots: Annotated[
        Count | None, shared.BOOTS.but(help="Restart all servers this many times.", usual="3")
    ] = None
    instances: Annotated[Count | None, shared.INSTANCES] = None
    workers: Annotated[Count | None, shared.WORKERS] = None
    cpus: Annotated[str | None, shared.CPUS] = None
    ready_timeout: Annotated[Seconds | None, shared.READY_TIMEOUT] = None
    keep_going: Annotated[bool, shared.KEEP_GOING] = False
    cluster: Annotated[str | None, shared.CLUSTER_ADDRESS] = None


def plan_capacity(
    operands: Sequence[str], options: CapacityOptions, environment: Environment
) -> CapacityPlan:
    """The plan of the search: a closed loop for the warm-up, an open one on the ladder.

    Raises `BadUsage`.
    """
    objectives = tuple(parse_slo(text) for text in options.slo)
    if len(set(objectives)) != len(objectives):
        raise BadUsage("--slo: is given twice with the same bounds")
    race = RaceOptions.among(dict(options), boots=options.boots or BOOTS, twin=False)
    plan = RaceDraft.of(operands, race, environment).single()
    check_nothing_held(plan.workload, "a search climbs rates")
    for bound in (bound for objective in objectives for bound in objective.bounds):
        if bound.of_events and not plan.workload.events:
            raise BadUsage(
                f"--slo {bound.text}: the answers of {plan.workload.name} are not streams of "
                "events; a workload with `expect.events` has them, such as stream-forward"
            )
        if bound.of == "last" and not plan.workload.room:
            raise BadUsage(
                f"--slo {bound.text}: the messages of {plan.workload.name} go to no rooms; "
                "those of ws-fanout do, and those of a WebSocket with --room"
            )
    count = len(plan.entries)
    duration_s = options.duration or DURATION_PER_ENTRY_S * count
    # The time of search and rounds with the shortest slices.
    least_s = count * (SEARCH + plan.boots * ROUND) * WINDOW_MS_MIN / 1000
    least_s += plan.boots * costs_s(count)
    check_budget(duration_s, least_s, plan.boots)
    run = f"{environment.time}-capacity-{slug(plan.entries)}"
    return CapacityPlan(
        run=run,
        objectives=objectives,
        duration_asked=options.duration is not None,
        race=plan.model_copy(update={"run": run, "duration_s": duration_s}),
    )


def check_budget(given_s: float, needed_s: float, boots: int) -> None:
    if given_s < needed_s:
        several = f" in each of {boots} boots" if boots > 1 else ""
        raise BadUsage(
            f"--duration: {given_s:.3g} s is too short for a search and a round over all "
            f"rates{several}; it takes {needed_s:.0f} s or more, or fewer --boots"
        )
