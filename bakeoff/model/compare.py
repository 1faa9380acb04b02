"""Two runs compared: what changed between them. Schema bakeoff.compare/2."""

from typing import Annotated, Literal

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveFloat

from bakeoff.model.base import Contract, reads
from bakeoff.model.finding import Finding, Reason
from bakeoff.model.gate import GateResult
from bakeoff.model.plan import RankedBy


class RunFacts(Contract):
    """Which run it was."""

    run: str
    taken_at: str
    cpu_model: str
    kernel: str
    bakeoff: str
    engine: str


class RunFigures(Contract):
    """What one run says of one contender; None: it doesn't say.

    `ratio`, with its simultaneous 95 % interval, is to the comparison's reference.
    """

    version: str
    requests_per_s: NonNegativeFloat
    ratio: PositiveFloat | None = None
    low: NonNegativeFloat | None = None
    high: NonNegativeFloat | None = None
    n: NonNegativeInt = 0
    server_cpu_us_per_request: NonNegativeFloat | None
    memory_mib: NonNegativeFloat | None
    p99_us: NonNegativeFloat | None


class RunChange(Contract):
    """One contender of both runs. `ratio` is that of its two ratios, the later over the earlier.

    `low` and `high` are its 95 % interval, simultaneous over all contenders. Where there is no
    finding, `reason` says why. `low` or `high` alone is None where the interval has no end on that
    side, as in a `Pair`.
    """

    name: str
    before: RunFigures
    after: RunFigures
    ratio: PositiveFloat | None = None
    low: NonNegativeFloat | None = None
    high: NonNegativeFloat | None = None
    finding: Literal["faster", "slower", "can't tell"] | None = None
    minimum_detectable_effect: NonNegativeFloat | None = None
    reason: Reason = None


class RunsComparison(Contract):
    """The whole answer: each contender of both runs against the reference of both.

    `reference` is None where the runs share no two contenders: then no `changes` has a finding.
    `unlike` names in what the machines differ, where that was allowed.
    """

    schema_: Annotated[
        Literal["bakeoff.compare/2"], reads("bakeoff.compare/1", "bakeoff.compare/2")
    ] = Field("bakeoff.compare/2", alias="schema")
    before: RunFacts
    after: RunFacts
    workload: str
    ranked_by: RankedBy
    reference: str | None
    unlike: tuple[Finding, ...] = ()
    warnings: tuple[Finding, ...] = ()
    changes: tuple[RunChange, ...]
    only_before: tuple[str, ...] = ()
    only_after: tuple[str, ...] = ()
    gates: tuple[GateResult, ...] = ()
