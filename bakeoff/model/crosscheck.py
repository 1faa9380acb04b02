"""Several load tools and our engine against one URL: bakeoff.crosscheck/1."""

from typing import Literal

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt

from bakeoff.model.base import Contract
from bakeoff.model.load import Loader, LoadResult
from bakeoff.model.machine import Machine
from bakeoff.model.plan import Connection, Skipped

Figure = Literal["requests_per_s", "p50", "p90", "p99"]
Finding = Literal["agrees", "differs", "can't tell"]
FIGURES: tuple[Figure, ...] = ("requests_per_s", "p50", "p90", "p99")


class CrosscheckPlan(Contract):
    """What is asked: `rounds` runs of `duration_s` by each of `loaders`, on the cores `cpus`.

    `address` is where the URL's host is, `host` what the Host header says. `rate` is in requests
    per second; None: a closed loop. Of the `loaders`, those that are not here or can't do it are
    left out with a reason; `engine`, which all are held against, is among them.
    """

    command_line: tuple[str, ...]
    url: str
    address: str
    host: str
    path: str
    loaders: tuple[Loader, ...]
    connections: PositiveInt
    connection: Connection
    rate: PositiveInt | None
    duration_s: PositiveInt
    rounds: PositiveInt
    cpus: tuple[NonNegativeInt, ...]
    seed: NonNegativeInt


class CrosscheckRun(Contract):
    """One run. Without `result` there is a `failure`, in words."""

    loader: Loader
    round: NonNegativeInt
    result: LoadResult | None
    failure: str = ""

    def value(self, figure: Figure) -> float | None:
        """One figure, latencies in µs; None where the tool does not say it."""
        if self.result is None:
            return None
        if figure == "requests_per_s":
            return self.result.requests_per_s or None
        latency: float | None = getattr(self.result.latency_us, figure, None)
        return latency


class Loading(Contract):
    """Who took part: its `command`, how often it came to its end, and the medians of its figures.

    Latencies are in µs; a figure that the tool does not say is missing. A tool that speaks another
    `http` than the engine's 1.1 does unequal work. `failures` say why runs gave nothing, each
    reason once; `errors` are those of all its runs, of the kinds that it tells apart.
    """

    loader: Loader
    command: tuple[str, ...]
    http: Literal["1.0", "1.1"]
    n: NonNegativeInt
    figures: dict[Figure, NonNegativeFloat]
    failures: tuple[str, ...]
    errors: dict[str, PositiveInt]


class Compared(Contract):
    """The ratio `of` / `over` in one figure, from `n` rounds, with its 95 % interval.

    The intervals hold for all comparisons of a crosscheck at once, and have in them what the tools
    round away; where one rounds to nothing there is no `ratio`, or no `high`. It `differs` where
    the interval leaves out 1 and `agrees` where all of it is within 10 % of 1; else nobody can
    tell. `why` says what explains a finding, or why there is none.
    """

    figure: Figure
    of: Loader
    over: Loader
    ratio: PositiveFloat | None = None
    low: NonNegativeFloat | None = None
    high: PositiveFloat | None = None
    n: NonNegativeInt
    finding: Finding
    why: str = ""


class Crosscheck(Contract):
    """The whole result. Not `complete`: it was ended before its time."""

    schema_: Literal["bakeoff.crosscheck/1"] = Field("bakeoff.crosscheck/1", alias="schema")
    plan: CrosscheckPlan
    complete: bool
    loadings: tuple[Loading, ...]
    skipped: tuple[Skipped, ...]
    compared: tuple[Compared, ...]
    runs: tuple[CrosscheckRun, ...]
    machine: Machine
