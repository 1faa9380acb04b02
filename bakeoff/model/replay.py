"""replay.json: an article measured again, and what became of its claims: bakeoff.replay/1."""

from typing import Literal

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt

from bakeoff.model.article import Article, Tool
from bakeoff.model.base import Contract
from bakeoff.model.load import Loader, LoadResult
from bakeoff.model.machine import Machine
from bakeoff.model.plan import Cores
from bakeoff.model.verdict import Interval

Driver = Literal["engine", "ab", "wrk", "wrk2", "webbench", "oha", "hey", "both"]
"""Who makes the load: our engine, a real program, or the engine and the article's own in turn."""


class ReplayPlan(Contract):
    """What a replay was asked for: written before anything starts, so that it can go on."""

    schema_: Literal["bakeoff.replay-plan/1"] = Field("bakeoff.replay-plan/1", alias="schema")
    run: str
    command_line: tuple[str, ...]
    article: Article
    scale: PositiveFloat
    driver: Driver
    faithful: bool
    seed: NonNegativeInt


class ToolRun(Contract):
    """One run of a load tool (or of `volley load`) against one row, as part of a round.

    `kind` is `round` where rows were taken in turn, `faithful` where one row's runs came in a row
    as the article had them. Without `result` there is a `failure`, in words. `output` is what the
    program printed.
    """

    row: str
    round: NonNegativeInt
    kind: Literal["round", "faithful"]
    loader: Loader
    command: tuple[str, ...]
    output: str
    result: LoadResult | None = None
    failure: str = ""


class RowResult(Contract):
    """One row: published, measured, and the ratio of the two (requests per second)."""

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
    warnings: tuple[str, ...] = ()


class Agreement(Contract):
    """How many requests per second our engine makes of a row, over what the tool makes of it."""

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
    """One comparison, measured. `changes` say in what it differs from the article's, and why.

    `run` is the folder with its samples and its own verdict, in the replay's folder; empty where
    nobody could be measured. `skipped` says why a whole comparison is missing.
    """

    name: str
    title: str
    load: str
    loader: Loader
    cores: Cores
    run: str = ""
    skipped: str = ""
    changes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    rows: tuple[RowResult, ...] = ()
    agreement: tuple[Agreement, ...] = ()
    in_a_row: tuple[InARow, ...] = ()


class ClaimResult(Contract):
    """A claim and what is left of it. `published` and the interval are ratios `of` / `over`.

    `why` says in words what the finding rests on, or why nobody can tell.
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
    measured: Interval | None
    why: str
    unequal: str


class Replay(Contract):
    """The whole result of one replay. Not `complete`: it was cut off, and can go on."""

    schema_: Literal["bakeoff.replay/1"] = Field("bakeoff.replay/1", alias="schema")
    run: str
    command_line: tuple[str, ...]
    article: Article
    scale: PositiveFloat
    driver: Driver
    complete: bool
    comparisons: tuple[ComparisonResult, ...]
    claims: tuple[ClaimResult, ...]
    machine: Machine
