"""Several load tools and our engine against one URL: bakeoff.crosscheck/3."""

from typing import Literal

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt

from bakeoff.model.base import Contract
from bakeoff.model.finding import Finding
from bakeoff.model.load import Loader, LoadResult
from bakeoff.model.machine import Machine
from bakeoff.model.plan import Connection, Skipped
from bakeoff.model.protocol import Protocol, Tls
from bakeoff.model.ratio import Ratio
from bakeoff.model.readings import Received

Figure = Literal["requests_per_s", "p50", "p90", "p99"]
Outcome = Literal["agrees", "differs", "can't tell"]
FIGURES: tuple[Figure, ...] = ("requests_per_s", "p50", "p90", "p99")


class CrosscheckPlan(Contract):
    """plan.json of a crosscheck: `rounds` runs of `duration_s` by each of `loaders`, on `cpus`.

    `address` is that of the URL's host, `host` the Host header. `rate` is in requests per second;
    None: a closed loop. `tls` names the right certificate, which is checked before the first run.
    `loaders` that are missing or can't make this load are left out with a reason; they include
    `engine`, with which all are compared.
    """

    schema_: Literal["bakeoff.crosscheck-plan/1"] = Field(
        "bakeoff.crosscheck-plan/1", alias="schema"
    )
    run: str
    command_line: tuple[str, ...]
    url: str
    address: str
    host: str
    path: str
    loaders: tuple[Loader, ...]
    connections: PositiveInt
    connection: Connection
    protocol: Protocol = "h1"
    streams: PositiveInt = 1
    tls: Tls | None = None
    rate: PositiveInt | None
    duration_s: PositiveInt
    rounds: PositiveInt
    cpus: tuple[NonNegativeInt, ...]
    seed: NonNegativeInt


class CrosscheckRun(Contract):
    """One run. Without a `result` it has a `failure`, in words. `took_s`, `busy` and `received` are
    those of its record."""

    loader: Loader
    round: NonNegativeInt
    result: LoadResult | None
    failure: str = ""
    took_s: PositiveFloat | None = None
    busy: NonNegativeFloat | None = None
    received: Received | None = None

    def value(self, figure: Figure) -> float | None:
        """One figure, latencies in µs; None where the tool does not print it."""
        if self.result is None:
            return None
        if figure == "requests_per_s":
            return self.result.requests_per_s or None
        latency: float | None = getattr(self.result.latency_us, figure, None)
        return latency


class Loading(Contract):
    """A tool that took part: its `command`, how many runs finished, and the medians of its figures.

    Latencies are in µs; a figure that the tool does not print is missing. A tool whose `http` is
    not the engine's 1.1 does unequal work. `failures` say why runs have no result, each reason
    once; `errors` are those of all its runs, of the kinds that it distinguishes. `busy` is the
    median share of its cores' time that it worked: the CPU time that it used, of the engine without
    polling. `packets_per_answer` is the median of the packets that the machine received meanwhile,
    on loopback those of both sides, and `dropped` the datagrams of all its runs for which no socket
    had room; None: not known.
    """

    loader: Loader
    command: tuple[str, ...]
    http: Literal["1.0", "1.1"]
    n: NonNegativeInt
    figures: dict[Figure, NonNegativeFloat]
    failures: tuple[str, ...]
    errors: dict[str, PositiveInt]
    busy: NonNegativeFloat | None = None
    packets_per_answer: NonNegativeFloat | None = None
    dropped: NonNegativeInt | None = None


class Compared(Contract):
    """The ratio `of` / `over` in one figure, from `n` rounds.

    The intervals hold for all comparisons of a crosscheck at once, and include the tools' rounding.
    If a tool rounds to nothing, an end is missing, and the ratio is the other end. It `differs` if
    the interval excludes 1 and `agrees` if all of it is within 10 % of 1; else it can't be decided.
    `why` explains the finding, or why there is none.
    """

    figure: Figure
    of: Loader
    over: Loader
    ratio: Ratio | None = None
    finding: Outcome
    why: Finding | None = None


class Crosscheck(Contract):
    """The whole result. If it is not `complete`, it was ended before its time."""

    schema_: Literal["bakeoff.crosscheck/3"] = Field("bakeoff.crosscheck/3", alias="schema")
    plan: CrosscheckPlan
    complete: bool
    loadings: tuple[Loading, ...]
    skipped: tuple[Skipped, ...]
    compared: tuple[Compared, ...]
    runs: tuple[CrosscheckRun, ...]
    machine: Machine
