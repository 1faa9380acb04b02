"""articles/<name>.toml: a published test, with its setting, its figures and its claims."""

from datetime import date
from statistics import mean
from typing import Annotated, Literal, Self

from pydantic import (
    Field,
    NonNegativeFloat,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    model_validator,
)

from bakeoff.model.base import Contract
from bakeoff.model.plan import Connection, HttpVersion

Name = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]*$")]
Tool = Literal["ab", "wrk", "webbench"]
Metric = Literal[
    "requests_per_s",
    "bytes_per_s",
    "latency_p50",
    "latency_p99",
    "latency_stdev",
    "latency_p99_over_p50",
    "memory",
    "cpu",
]
"""The metrics in which two rows are compared. Latencies are times, memory is bytes: a ratio has no
unit.

`cpu` is the article's use of its whole machine, load tool included, which we can't measure.
"""


class Setting(Contract):
    """The origin of the figures. `cores` are physical, `threads` those that the system saw.

    None: the article gives neither them nor the processor.
    """

    cpu: str
    cores: PositiveInt | None = None
    threads: PositiveInt | None = None
    memory: str = ""
    system: str = ""
    versions: dict[str, str] = {}


class Shape(Contract):
    """One load: the command as printed, and its effect. Either `requests` or `duration_s`.

    `threads` are the tool's. `repeats`: how often the article ran it on each server.
    """

    tool: Tool
    command: str
    connections: PositiveInt
    connection: Connection
    http: HttpVersion
    requests: PositiveInt | None = None
    duration_s: PositiveFloat | None = None
    threads: PositiveInt = 1
    repeats: PositiveInt = 1

    @model_validator(mode="after")
    def _ends(self) -> Self:
        if (self.requests is None) == (self.duration_s is None):
            raise ValueError("takes either `requests` or `duration_s`")
        return self


class Spread(Contract):
    """A distribution as a tool printed it; percentiles as `p50`, `p99`…, `max` the longest."""

    mean: NonNegativeFloat | None = None
    stdev: NonNegativeFloat | None = None
    max: NonNegativeFloat | None = None
    within_stdev_percent: NonNegativeFloat | None = None
    percentiles: dict[Annotated[str, Field(pattern=r"^p\d+$")], NonNegativeFloat] = {}


class Published(Contract):
    """Every figure that the article prints for one row; a tuple has one value for each run.

    `transfer_kib_per_s`, `time_per_request_ms` and `total_bytes` are as the tool prints them.
    `body_bytes` is one answer's body. `memory_kib` has the resident set of each process.
    `idle_cpu_percent` is the range from the least to the most; `cpu` says in words what a picture
    of the article showed.
    """

    requests_per_s: tuple[PositiveFloat, ...] = ()
    pages_per_min: tuple[PositiveFloat, ...] = ()
    bytes_per_s: tuple[PositiveFloat, ...] = ()
    transfer_kib_per_s: PositiveFloat | None = None
    time_taken_s: PositiveFloat | None = None
    time_per_request_ms: PositiveFloat | None = None
    time_across_all_ms: PositiveFloat | None = None
    requests: PositiveInt | None = None
    failed: NonNegativeInt | None = None
    total_bytes: PositiveInt | None = None
    body_bytes: NonNegativeInt | None = None
    latency_ms: Spread = Spread()
    thread_requests_per_s: Spread = Spread()
    socket_errors: dict[Literal["connect", "read", "write", "timeout"], NonNegativeInt] = {}
    memory_kib: tuple[PositiveInt, ...] = ()
    idle_cpu_percent: tuple[NonNegativeFloat, NonNegativeFloat] | None = None
    cpu: str = ""

    def value(self, metric: Metric) -> float | None:
        """The figure on which a claim on `metric` rests; None: the article has none."""
        percentiles = self.latency_ms.percentiles
        match metric:
            case "requests_per_s":
                return self._throughput()
            case "bytes_per_s":
                return self._transfer()
            case "latency_p50":
                return percentiles.get("p50")
            case "latency_p99":
                return percentiles.get("p99")
            case "latency_stdev":
                return self.latency_ms.stdev
            case "latency_p99_over_p50":
                middle, high = percentiles.get("p50"), percentiles.get("p99")
                return high / middle if middle and high else None
            case "memory":
                return sum(self.memory_kib) * 1024 if self.memory_kib else None
            case "cpu":
                return 100 - mean(self.idle_cpu_percent) if self.idle_cpu_percent else None

    def _throughput(self) -> float | None:
        if self.requests_per_s:
            return mean(self.requests_per_s)
        return mean(self.pages_per_min) / 60 if self.pages_per_min else None

    def _transfer(self) -> float | None:
        if self.bytes_per_s:
            return mean(self.bytes_per_s)
        return self.transfer_kib_per_s * 1024 if self.transfer_kib_per_s else None


class Row(Contract):
    """One server under one load. `name` is unique in its comparison; `label` is the article's.

    `workers`: as many as in the article; None: as many as there are server cores.
    """

    name: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9._-]*$")]
    contender: str
    label: str
    workers: PositiveInt | None = None
    note: str = ""
    published: Published


class Comparison(Contract):
    """Rows that the article compares: one workload, one load, one share of the CPUs."""

    name: Name
    title: str
    workload: str
    load: str
    cpus: Literal["one", "all-but-one", "all"]
    rows: Annotated[tuple[Row, ...], Field(min_length=1)]


class Claim(Contract):
    """The article's statement on two rows, as a range for the ratio `of` / `over` in `metric`.

    It holds if the measured interval lies within `above` and `below`, doesn't if it lies outside,
    and is undecided otherwise. `undecidable` says why none of our measurements could decide it;
    `unequal`, how the compared work differed.
    """

    text: str
    comparison: str
    metric: Metric
    of: str
    over: str
    above: PositiveFloat | None = None
    below: PositiveFloat | None = None
    unequal: str = ""
    undecidable: str = ""

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if self.above is None and self.below is None:
            raise ValueError("takes `above` or `below`, the ratio that the claim is about")
        if self.above and self.below and self.above >= self.below:
            raise ValueError(f"has `above` {self.above:g}, not less than `below` {self.below:g}")
        return self


class Article(Contract):
    """A published test. `traps` are facts that its readers could not know."""

    name: Name
    title: str
    published: date | int
    language: str
    source: str = ""
    summary: str
    setting: Setting
    traps: tuple[str, ...] = ()
    loads: dict[Name, Shape]
    comparisons: Annotated[tuple[Comparison, ...], Field(min_length=1)]
    claims: Annotated[tuple[Claim, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _names_fit(self) -> Self:
        rows = {
            comparison.name: {row.name for row in comparison.rows}
            for comparison in self.comparisons
        }
        if len(rows) != len(self.comparisons):
            raise ValueError("has two comparisons with one name")
        for comparison in self.comparisons:
            if comparison.load not in self.loads:
                raise ValueError(
                    f"comparison {comparison.name}: there is no load called {comparison.load}"
                )
            if len(rows[comparison.name]) != len(comparison.rows):
                raise ValueError(f"comparison {comparison.name}: two of its rows have one name")
        for claim in self.claims:
            if claim.comparison not in rows:
                raise ValueError(f'claim "{claim.text}": there is no comparison {claim.comparison}')
            for name in (claim.of, claim.over):
                if name not in rows[claim.comparison]:
                    raise ValueError(f'claim "{claim.text}": the comparison has no row {name}')
        return self

    def comparison(self, name: str) -> Comparison:
        return {comparison.name: comparison for comparison in self.comparisons}[name]
