"""verdict.json: which is faster, by how much, how sure, at what cost. Schema bakeoff.verdict/1."""

from typing import Annotated, Literal

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt

from bakeoff.model.audit import Work
from bakeoff.model.base import Contract
from bakeoff.model.gate import GateResult
from bakeoff.model.machine import Machine
from bakeoff.model.plan import Arrivals, Connection, Cores, RankedBy, Skipped
from bakeoff.model.samples import Course


class Interval(Contract):
    """A ratio with its 95 % interval, from `n` paired blocks over `boots` boots."""

    ratio: float
    low: float
    high: float
    n: PositiveInt
    boots: PositiveInt


class Latency(Contract):
    """µs. None: that quantile falls among requests that were never answered, or nobody said it."""

    mean: float
    p50: float | None
    p75: float | None
    p90: float | None
    p99: float | None
    p99_9: float | None
    max: float | None
    stdev: float | None = None


class PerRequest(Contract):
    """CPU µs per request. `server` covers the whole process tree; None: it can't be seen."""

    server: NonNegativeFloat | None
    server_user: NonNegativeFloat | None
    server_system: NonNegativeFloat | None
    client: NonNegativeFloat


class MemoryUse(Contract):
    """Sum of Pss over the process tree, MiB, the mean over boots."""

    idle: NonNegativeFloat | None
    loaded: NonNegativeFloat | None


class ResponseBytes(Contract):
    """What one answer weighs on the wire."""

    head: NonNegativeInt
    body: NonNegativeInt


class Errors(Contract):
    """Errors by where they happened, over all boots."""

    connect: NonNegativeInt = 0
    read: NonNegativeInt = 0
    write: NonNegativeInt = 0
    timeout: NonNegativeInt = 0
    status: NonNegativeInt = 0
    mismatch: NonNegativeInt = 0

    @property
    def total(self) -> int:
        """All of them."""
        return self.connect + self.read + self.write + self.timeout + self.status + self.mismatch


class BootRatio(Contract):
    """One boot's own ratio to the reference: the spread between boots is a result of its own."""

    boot: NonNegativeInt
    ratio: float
    n: PositiveInt


class WarmUp(Contract):
    """How one boot's warm-up went: its course, how long it was, and the throughput at its end."""

    boot: NonNegativeInt
    course: Course
    lasted_s: NonNegativeFloat
    requests_per_s: NonNegativeFloat | None = None


class OpenLoop(Contract):
    """What an entry was offered in an open loop, and how it came through.

    `answered` is the share of the offered requests that were answered. `service_us` runs from a
    request's sending, `send_lag_us` from when it was due to its sending; `latency_us` is their sum.
    """

    rate: PositiveFloat
    answered: NonNegativeFloat
    service_us: Latency | None
    send_lag_us: Latency | None


class Precision(Contract):
    """The precision that was asked for, as ±share of a ratio, and what became of it.

    `reached` is the widest half-width, as a share, of the intervals between neighbours in the
    standings; None: there was no pair. `more_s` is the measured time that would probably have been
    needed on top; None: the precision was met, or can't be foretold.
    """

    asked: PositiveFloat
    reached: NonNegativeFloat | None
    met: bool
    more_s: NonNegativeFloat | None


class VerdictEntry(Contract):
    """One row of the standings.

    `ratio` says how many times better than the reference it is: its throughput over the
    reference's, or, where the race is ranked by p99, the reference's p99 over its own; `low` and
    `high` are its simultaneous 95 % interval;
    `rank` the best and worst place it may have; entries that share a letter can't be told apart.
    An entry that is not `valid` has its `reasons`, no ratio, no rank and no letters. `n` counts
    paired blocks. `leak_share` is the share of its server cores that it used out of its turn.
    `all_blocks` is the ratio with those blocks too that were left out because the host took the
    cores away. `latency_us` is that of the `latency_n` requests begun in long slices, where there
    were any. `percentiles_us` pairs a share of requests p, 0 ≤ p < 1, with its latency in µs, p
    rising, as far as ten requests were slower. `work` is what it does beside answering right.
    `boot_sd` is the standard deviation of ln ratio between the boots, where there were two.
    `solo` is the ratio with one contender up at a time, where the race was confirmed so, and
    `solo_agrees` whether it differs from `ratio` by no more than chance.
    """

    name: str
    title: str
    valid: bool
    reasons: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    ratio: float | None
    low: float | None
    high: float | None
    long_slices: Interval | None = None
    all_blocks: Interval | None = None
    n: NonNegativeInt
    boots: tuple[BootRatio, ...] = ()
    rank: tuple[PositiveInt, PositiveInt] | None
    letters: str
    requests_per_s: NonNegativeFloat
    latency_us: Latency | None
    latency_n: NonNegativeInt
    percentiles_us: tuple[tuple[float, float], ...] = ()
    cpu_us_per_request: PerRequest
    memory_mib: MemoryUse
    bytes_per_response: ResponseBytes
    requests: NonNegativeInt
    measured_s: NonNegativeFloat
    errors: Errors
    error_kinds: dict[str, PositiveInt] = {}
    connects: NonNegativeInt = 0
    slice_ms: PositiveInt | None
    long_slice_ms: PositiveInt | None
    limited_by: Literal["server", "client", "both", "rate", "unknown"]
    server_busy: NonNegativeFloat | None
    client_busy: NonNegativeFloat
    leak_share: NonNegativeFloat | None
    workers: PositiveInt
    time_to_ready_ms: NonNegativeFloat | None
    version: str
    command: tuple[str, ...] = ()
    cpu_source: str = ""
    work: Work | None = None
    warm_up: tuple[WarmUp, ...] = ()
    boot_sd: NonNegativeFloat | None = None
    solo: Interval | None = None
    solo_agrees: bool | None = None
    open_loop: OpenLoop | None = None


class Pair(Contract):
    """Two entries compared: `a` over `b`, simultaneous 95 % interval.

    `finding` is `faster`, `slower` (a against b) or `can't tell`; `equivalent` says that a TOST at
    5 % puts the two within the margin. `minimum_detectable_effect` is what could have been seen.
    """

    a: str
    b: str
    ratio: float
    low: float
    high: float
    n: PositiveInt
    finding: Literal["faster", "slower", "can't tell"]
    equivalent: bool
    minimum_detectable_effect: NonNegativeFloat

    def turned(self) -> "Pair":
        """The same comparison, seen from the other side."""
        opposite = {"faster": "slower", "slower": "faster"}
        return self.model_copy(
            update={
                "a": self.b,
                "b": self.a,
                "ratio": 1 / self.ratio,
                "low": 1 / self.high,
                "high": 1 / self.low,
                "finding": opposite.get(self.finding, self.finding),
            }
        )


class NoiseFloor(Interval):
    """The twin's ratio to the reference: two copies of one program."""

    name: str


class Verdict(Contract):
    """The whole answer of one race. `fairness` says where its entries' work is unequal."""

    schema_: Literal["bakeoff.verdict/1"] = Field("bakeoff.verdict/1", alias="schema")
    run: str
    workload: str
    mode: Literal["closed", "open"]
    ranked_by: RankedBy = "requests_per_s"
    rate: PositiveFloat | None = None
    load: PositiveFloat | None = None
    arrivals: Arrivals = "uniform"
    pipeline: PositiveInt = 1
    connection: Connection
    connections: PositiveInt
    precision: Precision | None = None
    solo: bool
    reference: str
    valid: bool
    complete: bool
    warnings: tuple[str, ...] = ()
    fairness: tuple[str, ...] = ()
    noise_floor: NoiseFloor | None
    equivalence_margin: float
    entries: tuple[VerdictEntry, ...]
    pairs: tuple[Pair, ...] = ()
    gates: tuple[GateResult, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    minimum_detectable_effect: Annotated[float, Field(ge=0)] | None
    boots: NonNegativeInt
    blocks: NonNegativeInt
    disturbed_blocks: NonNegativeInt
    measured_s: NonNegativeFloat
    steal_share: NonNegativeFloat | None
    cores: Cores
    seed: NonNegativeInt
    machine: Machine

    def pair(self, a: str, b: str) -> Pair | None:
        """`a` over `b`, turned round where `pairs` has `b` over `a`; None: there is neither."""
        for pair in self.pairs:
            if (pair.a, pair.b) == (a, b):
                return pair
            if (pair.a, pair.b) == (b, a):
                return pair.turned()
        return None

    def entry(self, name: str) -> VerdictEntry | None:
        """The row of `name`; None: there is none."""
        return next((entry for entry in self.entries if entry.name == name), None)

    def trouble(self, name: str) -> str:
        """Why `name` has no figures that count; empty: it has."""
        entry = self.entry(name)
        if entry is not None:
            return "" if entry.valid else f"{name} is not valid: {'; '.join(entry.reasons)}"
        skipped = {one.name: one.reason for one in self.skipped}
        return f"{name} did not take part: {skipped.get(name, 'it was not measured')}"
