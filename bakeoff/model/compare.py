"""Two runs compared: the changes between them. Schema bakeoff.compare/3."""

from typing import Literal

from pydantic import Field, NonNegativeFloat

from bakeoff.model.base import Contract
from bakeoff.model.finding import Finding
from bakeoff.model.gate import GateResult
from bakeoff.model.plan import RankedBy
from bakeoff.model.ratio import Ratio


class RunFacts(Contract):
    """The identity of a run."""

    run: str
    taken_at: str
    cpu_model: str
    kernel: str
    bakeoff: str
    engine: str


class RunFigures(Contract):
    """One run's figures of one contender, with its `ratio` to the comparison's reference; None: the
    run doesn't have it."""

    version: str
    requests_per_s: NonNegativeFloat
    ratio: Ratio | None = None
    server_cpu_us_per_request: NonNegativeFloat | None
    memory_mib: NonNegativeFloat | None
    p99_us: NonNegativeFloat | None


class RunChange(Contract):
    """One contender of both runs. `ratio` is that of its two ratios, the later over the earlier.

    Its interval is simultaneous over all contenders, and its `n` the smaller of the two. Without a
    finding, `reason` says why.
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

    `reference` is None if the runs have fewer than two contenders in common: then no `changes` has
    a finding. `unlike` has the differences between the machines, if they were allowed.
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
