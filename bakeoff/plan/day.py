"""From contenders and options to the plan of a day in the life of servers."""

from collections.abc import Sequence
from math import ceil
from typing import Annotated

import bakeoff.plan.options as shared
from bakeoff.model.day import DayPlan
from bakeoff.model.errors import BadUsage
from bakeoff.model.plan import Arrivals, Expected
from bakeoff.model.samples import DayEnd
from bakeoff.plan.entries import check_no_rooms, check_nothing_held, slug
from bakeoff.plan.environment import Environment
from bakeoff.plan.outlook import ENDING_S
from bakeoff.plan.race import RaceDraft
from bakeoff.plan.race_options import RaceOptions
from bakeoff.plan.request_options import RequestOptions
from bakeoff.plan.values import Count, OneProtocol, Seconds

DURATION_PER_ENTRY_S = 120.0
ROUNDS_MIN = 5
"""With fewer rounds nothing is judged."""
ROUNDS_MAX = 20
"""From this number on longer windows are worth more than more rounds."""
WINDOW_MS = 800
"""The usual length: at 12,500 requests/s it holds a hundred requests beyond the p99."""
WINDOW_MS_MIN = 100
WINDOW_MS_MAX = 5000
SHORTER = 0.5
"""The share of the usual length: the data of shorter windows in a sixth round or later weighs too
much."""
WINDOWS = 12
"""Windows of one contender in one round, with ramps and queues as windows."""
FIXED_S = 3.5
"""Starts, connects and drains of one contender in one round."""
ROUND_S = 3.0
"""Rests and stops of a round, however many contenders there are."""
STARTS = 2
OVERTIME = 1.1
"""Times the requested time: a tenth more is better than a round less."""
CROWD = 16
"""Times the usual connections: the load beyond capacity comes from additional clients."""


class DayOptions(RequestOptions):
    """The options of a day."""

    connections: Annotated[
        Count | None,
        shared.CONNECTIONS.but(
            help="Open this many connections up to capacity, and 16 times as many beyond it."
        ),
    ] = None
    protocol: Annotated[OneProtocol | None, shared.PROTOCOL] = None
    streams: Annotated[Count, shared.STREAMS] = 1
    arrivals: Annotated[Arrivals, shared.ARRIVALS] = "poisson"
    storm: Annotated[
        Count,
        shared.Flag(
            shared.LOAD, "Open this many connections at once in the storm.", "1000", "NUMBER"
        ),
    ] = 1000
    slow_clients: Annotated[
        Count,
        shared.Flag(
            shared.LOAD,
            "Add this many clients that send a head byte by byte during the load. Over HTTP/3 "
            "there are none.",
            "200",
            "NUMBER",
        ),
    ] = 200
    time_limit: Annotated[
        Seconds | None,
        shared.Flag(
            shared.TIME,
            "Limit the time of the whole run, starts and waits included. A shorter run has fewer "
            "rounds and shorter windows.",
            "2 minutes per contender",
            "TIME",
            also=shared.FORMER_DURATION,
        ),
    ] = None
    workers: Annotated[Count | None, shared.WORKERS] = None
    cpus: Annotated[str | None, shared.CPUS] = None
    ready_timeout: Annotated[Seconds | None, shared.READY_TIMEOUT] = None
    keep_going: Annotated[bool, shared.KEEP_GOING] = False
    cluster: Annotated[str | None, shared.CLUSTER_ADDRESS] = None


def plan_day(operands: Sequence[str], options: DayOptions, environment: Environment) -> DayPlan:
    draft = RaceDraft.of(operands, RaceOptions.among(dict(options), twin=False), environment)
    for contender in draft.contenders:
        if contender.attached:
            raise BadUsage(
                f"{contender.name}: a day begins with a cold start, and bakeoff can't start what "
                "runs at a URL: give its command or its folder"
            )
    check_nothing_held(draft.workload, "a day has loads of a fixed rate")
    check_no_rooms(draft.workload, "a day overloads servers and brings storms of new connections")
    plan = draft.single()
    count = len(plan.entries)
    duration_s = options.time_limit or DURATION_PER_ENTRY_S * count
    rounds, window_ms = _rounds(duration_s, count)
    run = f"{environment.time}-day-{slug(plan.entries)}"
    return DayPlan(
        run=run,
        race=plan.model_copy(update={"run": run, "duration_s": duration_s}),
        duration_s=duration_s,
        expected=Expected(about_s=duration_s, at_most_s=OVERTIME * duration_s + ENDING_S),
        rounds=rounds,
        rounds_min=ROUNDS_MIN,
        window_ms=window_ms,
        starts=STARTS,
        crowd=CROWD * plan.connections,
        storm=options.storm,
        slow_clients=options.slow_clients,
    )


def next_window_ms(plan: DayPlan, ends: Sequence[DayEnd]) -> int | None:
    """The length of the next round's windows, by the time that earlier rounds took; None: the time
    is up, or all rounds are over.

    Windows become shorter until five rounds fit, since fewer can't be judged; further rounds need
    windows of at least half the length. If even the shortest windows leave no time for five rounds,
    there are as many as fit.
    """
    done, spent_s = len(ends), sum(end.lasted_s for end in ends)
    if done >= plan.rounds:
        return None
    if not ends:
        return plan.window_ms
    count, last = len(plan.race.entries), ends[-1]
    windows_s = WINDOWS * count / 1000
    others_s = max(0.0, last.lasted_s - windows_s * (last.window_ms or plan.window_ms))
    left_s = plan.duration_s - spent_s
    fit = int(left_s / (others_s + windows_s * plan.window_ms))
    rounds = max(1, plan.rounds_min - done, min(plan.rounds - done, fit))
    window_ms = int((left_s / rounds - others_s) / windows_s)
    window_ms = min(max(WINDOW_MS_MIN, window_ms), plan.window_ms)
    if done >= plan.rounds_min and window_ms < SHORTER * plan.window_ms:
        return None
    takes_s = others_s + windows_s * window_ms
    return window_ms if spent_s + takes_s <= OVERTIME * plan.duration_s else None


def _rounds(duration_s: float, contenders: int) -> tuple[int, int]:
    """How many rounds fit, and the length of their windows, ms. Raises `BadUsage`."""

    def round_s(window_ms: float) -> float:
        return ROUND_S + contenders * (FIXED_S + WINDOWS * window_ms / 1000)

    least_s = ROUNDS_MIN * round_s(WINDOW_MS_MIN)
    if duration_s < least_s:
        raise BadUsage(
            f"--time-limit: {duration_s:g} s is too short for the {ROUNDS_MIN} rounds that a "
            f"result needs; with {contenders} contender{'s' * (contenders > 1)} it takes "
            f"{ceil(least_s)} s or more"
        )
    rounds = min(max(ROUNDS_MIN, int(duration_s / round_s(WINDOW_MS))), ROUNDS_MAX)
    left_s = (duration_s / rounds - ROUND_S) / contenders - FIXED_S
    window_ms = int(1000 * left_s / WINDOWS)
    return rounds, min(max(WINDOW_MS_MIN, window_ms), WINDOW_MS_MAX)
