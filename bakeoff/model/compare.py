"""Two runs compared: what changed between them. Schema bakeoff.compare/3."""

from typing import Literal

from pydantic import Field, NonNegativeFloat

from bakeoff.model.base import Contract
from bakeoff.model.finding import Finding
from bakeoff.model.gate import GateResult
from bakeoff.model.plan import RankedBy
from bakeoff.model.ratio import Ratio


class RunFacts(Contract):
    """Which run it was."""

    run: str
    taken_at: str
    cpu_model: str
    kernel: str
    bakeoff: str
    engine: str


class RunFigures(Contract):
    """What one run says of one contender, with its `ratio` to the comparison's reference; None:
    it doesn't say."""

    version: str
    requests_per_s: NonNegativeFloat
    ratio: Ratio | None = None
    server_cpu_us_per_request: NonNegativeFloat | None
    memory_mib: NonNegativeFloat | None
    p99_us: NonNegativeFloat | None


class RunChange(Contract):
    """One contender of both runs. `ratio` is that of its two ratios, the later over the earlier.

    Its interval is simultaneous over all contenders, and its `n` the smaller of the two. Where
    there is no finding, `reason` says why.
    """

    name: str
    before: RunFigures
    after: RunFigures
    ratio: Ratio | None = None
    finding: Literal["faster", "slower", "can't tell"] | None = None
    minimum_detectable_effect: NonNegativeFloat | None = None
    reason: Finding | None = None


class RunsComparison(Contract):
    """The whole answer: each contender of both runs against the reference of both.

    `reference` is None where the runs share no two contenders: then no `changes` has a finding.
    `unlike` names in what the machines differ, where that was allowed.
    """

    schema_: Literal["bakeoff.compare/3"] = Field("bakeoff.compare/3", alias="schema")
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
