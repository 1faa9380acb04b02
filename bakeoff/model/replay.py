"""replay.json: an article measured again, and which of its claims hold: bakeoff.replay/4."""

from typing import Literal

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt

from bakeoff.model.article import Article, Tool
from bakeoff.model.base import Contract
from bakeoff.model.finding import Finding
from bakeoff.model.load import Loader
from bakeoff.model.machine import Machine
from bakeoff.model.plan import Cores, Plan
from bakeoff.model.protocol import Protocol
from bakeoff.model.ratio import Interval, Ratio

Driver = Literal["engine", "ab", "wrk", "wrk2", "webbench", "oha", "hey", "both"]
"""Sources of the load: our engine, a real program, or the engine and the article's own in turn."""


class PlannedComparison(Contract):
    """A comparison of an article as it can be measured here.

    `plan` is None if no row can take part; `skipped` has the rows that can't, with the reason.
    `changes` has a sentence for each difference from the article.
    """

    name: str
    plan: Plan | None
    cores: Cores
    workers: dict[str, PositiveInt]
    skipped: dict[str, str]
    changes: tuple[str, ...]


class ReplayPlan(Contract):
    """plan.json of a replay. `comparisons` are in the article's order."""

    schema_: Literal["bakeoff.replay-plan/2"] = Field("bakeoff.replay-plan/2", alias="schema")
    run: str
    command_line: tuple[str, ...]
    article: Article
    scale: PositiveFloat
    driver: Driver
    faithful: bool
    protocol: Protocol = "h1"
    seed: NonNegativeInt
    comparisons: tuple[PlannedComparison, ...] = ()


class RowResult(Contract):
    """One row: published, measured, and the ratio of the two (requests per second).

    `at_least` says why it did at least what was measured; `reasons` why its figures are invalid.
    """

    name: str
    contender: str
    label: str
    note: str
    workers: PositiveInt
    skipped: str = ""
    published: NonNegativeFloat | None
    requests_per_s: NonNegativeFloat | None = None
    ratio: NonNegativeFloat | None = None
    n: NonNegativeInt = 0
    memory_mib: NonNegativeFloat | None = None
    p50_us: NonNegativeFloat | None = None
    p99_us: NonNegativeFloat | None = None
    server_cpu_us_per_request: NonNegativeFloat | None = None
    reasons: tuple[Finding, ...] = ()
    at_least: tuple[Finding, ...] = ()
    warnings: tuple[Finding, ...] = ()


class Agreement(Contract):
    """Our engine's requests per second of a row, over those of the tool."""

    row: str
    tool: Tool
    engine_over_tool: Interval


class InARow(Contract):
    """The article's own procedure: runs of one row one after another, and their mean."""

    row: str
    loader: Loader
    requests_per_s: tuple[NonNegativeFloat, ...]
    mean: NonNegativeFloat


class ComparisonResult(Contract):
    """One comparison, measured. `changes` has its differences from the article's, with reasons.

    `run` is the folder with its samples and its own verdict, in the replay's folder; empty if
    nothing could be measured. `skipped` says why a whole comparison is missing.
    """

    name: str
    title: str
    load: str
    loader: Loader
    cores: Cores
    run: str = ""
    skipped: str = ""
    changes: tuple[str, ...] = ()
    warnings: tuple[Finding, ...] = ()
    rows: tuple[RowResult, ...] = ()
    agreement: tuple[Agreement, ...] = ()
    in_a_row: tuple[InARow, ...] = ()


class ClaimResult(Contract):
    """A claim, decided. `published` and the interval are ratios `of` / `over`.

    `why` says why it can't be decided; None: the finding rests on `measured`, which may have only
    one end.
    """

    text: str
    comparison: str
    metric: str
    of: str
    over: str
    above: PositiveFloat | None
    below: PositiveFloat | None
    published: NonNegativeFloat | None
    finding: Literal["holds", "does not hold", "can't tell"]
    measured: Ratio | None
    why: Finding | None
    unequal: str


class Replay(Contract):
    """The whole result of one replay. If it is not `complete`, it was cut off, and can go on."""

    schema_: Literal["bakeoff.replay/4"] = Field("bakeoff.replay/4", alias="schema")
    run: str
    command_line: tuple[str, ...]
    article: Article
    scale: PositiveFloat
    driver: Driver
    complete: bool
    comparisons: tuple[ComparisonResult, ...]
    claims: tuple[ClaimResult, ...]
    machine: Machine
