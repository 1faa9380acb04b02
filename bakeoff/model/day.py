"""A day in the life of servers: plan.json, and day.json with a line for each phase."""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt

from bakeoff.model.base import Contract, IfAny
from bakeoff.model.finding import Finding
from bakeoff.model.machine import Cluster, Machine
from bakeoff.model.pairs import Line
from bakeoff.model.plan import Expected, Plan, Skipped
from bakeoff.model.receipt import Expectation

Phase = Literal[
    "start",
    "first",
    "rest",
    "peak",
    "load_10",
    "load_70",
    "load_100",
    "load_150",
    "load_300",
    "equal",
    "recovery",
    "storm",
    "slow",
    "after",
]
"""In the order of a day."""

LOADS: Mapping[Phase, float] = {
    "load_10": 0.1,
    "load_70": 0.7,
    "load_100": 1.0,
    "load_150": 1.5,
    "load_300": 3.0,
}
"""Phases in an open loop, and their shares of each contender's own peak."""

Figure = Literal[
    "time_ms",
    "cpu_ms_per_s",
    "memory_mib",
    "requests_per_s",
    "p50_us",
    "p99_us",
    "first_byte_us",
    "answered",
    "kept",
    "cpu_us_per_request",
    "energy_uj_per_request",
    "slowdown",
    "growth",
]
"""`answered`: the share of due requests that were answered rightly. `kept`: right answers per
second over the contender's own peak. `slowdown`: the median latency beside slow clients over that
without them. `growth`: memory after all phases over memory at rest. Energy is that of the
processors. `first_byte_us`: the median time to an answer's first byte, if any came in several
pieces."""

MORE_IS_BETTER: tuple[Figure, ...] = ("requests_per_s", "answered", "kept")

MAIN: Mapping[Phase, tuple[Figure, ...]] = {
    "start": ("time_ms",),
    "first": ("time_ms",),
    "rest": ("cpu_ms_per_s", "memory_mib"),
    "peak": ("requests_per_s",),
    "load_10": ("p50_us",),
    "load_70": ("p50_us",),
    "load_100": ("kept",),
    "load_150": ("kept",),
    "load_300": ("kept",),
    "equal": ("cpu_us_per_request",),
    "recovery": ("time_ms",),
    "storm": ("time_ms",),
    "slow": ("slowdown",),
    "after": ("memory_mib",),
}
"""The figures that represent each phase on the page; the others are in the detail."""


class DayPlan(Contract):
    """plan.json of a day: `rounds` times all phases, with new processes in each round.

    `race` has the contenders and the settings of all phases. `duration_s` bounds the whole day, and
    `expected` says when it ends, whatever the servers do. Windows of load last `window_ms`, or less
    if `rounds_min` would not fit. A round has `starts` cold starts of each contender; `crowd` is
    the number of connections beyond capacity, `storm` that of new ones at once, and `slow_clients`
    that of clients that send a head byte by byte.
    """

    schema_: Literal["bakeoff.day-plan/1"] = Field("bakeoff.day-plan/1", alias="schema")
    run: str
    race: Plan
    duration_s: PositiveFloat
    expected: Expected | None = None
    rounds: PositiveInt
    rounds_min: PositiveInt
    window_ms: PositiveInt
    starts: PositiveInt
    crowd: PositiveInt
    storm: PositiveInt
    slow_clients: PositiveInt

    @property
    def cluster(self) -> Cluster | None:
        return self.race.cluster


class DayLine(Line):
    """One figure of one phase, of all contenders; it is made of rounds, or of starts.

    `main`: it represents its phase on the page.
    """

    phase: Phase
    figure: Figure
    main: bool


class DayEntry(Contract):
    """One contender. `beyond` says how it behaves at 150 and 300 % of its peak, one finding each.

    `errors` are those of each phase, by kind, over all rounds. `held` has what its answers had to
    contain, by request, if the right ones were not given and they vary.
    """

    name: str
    title: str
    version: str
    rounds: NonNegativeInt
    beyond: tuple[Finding, ...] = ()
    warnings: tuple[Finding, ...] = ()
    errors: dict[Phase, dict[str, PositiveInt]] = {}
    held: IfAny[dict[str, Expectation]] = {}


class Day(Contract):
    """The whole result. If it is not `complete`, it was ended before its time."""

    schema_: Literal["bakeoff.day/2"] = Field("bakeoff.day/2", alias="schema")
    plan: DayPlan
    complete: bool
    rounds: NonNegativeInt
    lasted_s: NonNegativeFloat
    entries: Annotated[tuple[DayEntry, ...], Field(min_length=1)]
    lines: tuple[DayLine, ...]
    warnings: tuple[Finding, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    machine: Machine

    def line(self, phase: Phase, figure: Figure) -> DayLine | None:
        """One figure of one phase; None: no contender has it."""
        return next(
            (line_ for line_ in self.lines if (line_.phase, line_.figure) == (phase, figure)), None
        )
