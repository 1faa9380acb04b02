"""How much two runs of one server differ, level by level: bakeoff.draws/1."""

from typing import Annotated, Literal

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt

from bakeoff.model.base import Contract, IfAny
from bakeoff.model.machine import Machine
from bakeoff.model.plan import Plan, Skipped

Level = Literal["block", "connections", "process", "boot"]


class DrawsPlan(Contract):
    """plan.json of a measurement of draws: each contender has one of the `plans`.

    The entries of a plan are processes of one program (of a URL, which can't be started again:
    connections to one server). Each has `sets` sets of connections, all open at once. `duration_s`
    of a plan is the measured time over all its processes, sets and boots.
    """

    schema_: Literal["bakeoff.draws-plan/1"] = Field("bakeoff.draws-plan/1", alias="schema")
    run: str
    command_line: tuple[str, ...]
    plans: Annotated[tuple[Plan, ...], Field(min_length=1)]
    skipped: tuple[Skipped, ...] = ()
    sets: PositiveInt
    seed: NonNegativeInt

    def contender(self, entry: str) -> str:
        """The contender whose process an entry is: the first entry of its plan."""
        names = {each.name: plan.reference for plan in self.plans for each in plan.entries}
        return names[entry]


class LevelSpread(Contract):
    """How far apart the draws of one level are: the sd of ln throughput, with its 95 % interval.

    `n` counts the draws of this level, `degrees` the degrees of freedom of their spread. The spread
    of blocks is that of neighbouring short slices, so it does not include the machine's drift;
    boots are compared with nothing, so theirs does.
    """

    level: Level
    sd: NonNegativeFloat
    low: NonNegativeFloat
    high: NonNegativeFloat
    n: PositiveInt
    degrees: PositiveInt


class Spreads(Contract):
    """How far apart the draws of each level are."""

    spreads: tuple[LevelSpread, ...] = ()

    def spread(self, level: Level) -> LevelSpread | None:
        return next((spread for spread in self.spreads if spread.level == level), None)


class RequestDraws(Spreads):
    """One request of a mix, over all processes.

    `spreads` are those of its ln latency, as the geometric mean of a slice; empty if too few slices
    had it.
    """

    name: str
    share: Annotated[float, Field(gt=0, le=1)]
    requests_per_s: NonNegativeFloat
    p50_us: NonNegativeFloat | None
    p99_us: NonNegativeFloat | None


class ContenderDraws(Spreads):
    """One contender's spreads, the smallest level first, and their consequences for measuring it.

    `spreads` is empty if too few `rounds` were measured; a round is a slice of `slice_ms` for each
    set of connections of each process. `one_draw_error` is the sd of ln throughput over runs of
    20 s that each draw once (one process, one set of connections), `twenty_draws_error` the same if
    20 s are twenty draws of a second; the machine's drift adds to both. `generator_busy` is the
    median over slices. `by_request` has each request of a mix.
    """

    name: str
    title: str
    processes: PositiveInt
    sets: PositiveInt
    boots: PositiveInt
    rounds: NonNegativeInt
    slice_ms: PositiveInt
    requests_per_s: NonNegativeFloat
    generator_busy: NonNegativeFloat
    one_draw_error: PositiveFloat | None = None
    twenty_draws_error: PositiveFloat | None = None
    by_request: IfAny[tuple[RequestDraws, ...]] = ()


class Draws(Contract):
    """The whole result. If it is not `complete`, it was ended before its time."""

    schema_: Literal["bakeoff.draws/1"] = Field("bakeoff.draws/1", alias="schema")
    plan: DrawsPlan
    complete: bool
    contenders: tuple[ContenderDraws, ...]
    skipped: tuple[Skipped, ...]
    machine: Machine
