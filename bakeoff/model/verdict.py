"""verdict.json: which is faster, by how much, how sure, at what cost. Schema bakeoff.verdict/3."""

from math import inf
from typing import Annotated, Literal, Self

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt

from bakeoff.model.audit import Work
from bakeoff.model.base import Contract, reads
from bakeoff.model.cut import Course
from bakeoff.model.finding import Finding
from bakeoff.model.gate import GateResult
from bakeoff.model.held import Held
from bakeoff.model.load import Latency as Latency
from bakeoff.model.machine import Machine
from bakeoff.model.pairs import pair_of
from bakeoff.model.plan import Arrivals, Connection, Cores, RankedBy, Skipped
from bakeoff.model.protocol import Protocol


class Ratio(Contract):
    """A measured ratio with its 95 % interval, from `n` paired blocks over `boots` boots.

    `low` or `high` is None where the interval has no end on that side: a contender that was limited
    by the load generator did at least what was measured. With neither, the ratio says nothing.
    `draws` counts sets of connections, and `processes` those of the contender that had fewer; None
    in results of earlier versions.
    """

    ratio: float
    low: float | None
    high: float | None
    n: PositiveInt
    boots: PositiveInt
    draws: PositiveInt | None = None
    processes: PositiveInt | None = None


class Spread(Contract):
    """How much a ratio of two contenders varies on each level: standard deviations of ln ratio.

    Of equals, each one's own is 1/√2 of it. `block_sd` is from block to block within a draw (of the
    trimmed mean: √n times its standard error), `connections_sd` from draw to draw of one process,
    `process_sd` from process to process, `boot_sd` from boot to boot. Each is what the level adds
    to those below; 0: no more than those explain. None: the level was not drawn twice within the
    one above. Where each draw has a new process, `connections_sd` is None and `process_sd` is that
    of both.
    """

    block_sd: NonNegativeFloat | None
    connections_sd: NonNegativeFloat | None
    process_sd: NonNegativeFloat | None
    boot_sd: NonNegativeFloat | None
    blocks: PositiveInt
    draws: PositiveInt
    processes: PositiveInt
    boots: PositiveInt


class Interval(Ratio):
    """A ratio whose interval has both ends."""

    low: float
    high: float


def ends(low: float | None, high: float | None) -> tuple[float, float]:
    """Both ends of a ratio's interval as numbers: 0 and infinity where it has none."""
    return 0.0 if low is None else low, inf if high is None else high


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
        return sum(count for _, count in self)


class Handshakes(Contract):
    """TLS handshakes while an entry was loaded, ramps and drains included.

    `mean_us` runs from a connection of TCP to one of TLS; `resumed` of them were short.
    """

    n: PositiveInt
    resumed: NonNegativeInt
    mean_us: NonNegativeFloat


class BootRatio(Contract):
    """One boot's own ratio to the reference: the spread between boots is a result of its own."""

    boot: NonNegativeInt
    ratio: float
    n: PositiveInt


class DrawRatio(Contract):
    """One draw's own ratio to the reference.

    `draw` and `process` are numbered within the boot. `process` is that of the one of the two that
    had fewer: two draws of one number were answered by one process.
    """

    boot: NonNegativeInt
    draw: NonNegativeInt
    process: NonNegativeInt
    ratio: float
    n: PositiveInt


class WarmUp(Contract):
    """One boot's warm-up: its course, its length, and the throughput at its end."""

    boot: NonNegativeInt
    course: Course
    lasted_s: NonNegativeFloat
    requests_per_s: NonNegativeFloat | None = None


class OpenLoop(Contract):
    """The load an entry was offered in an open loop, and how much of it was answered.

    `answered` is the share of the offered requests that were answered. `service_us` runs from a
    request's sending, `send_lag_us` from when it was due to its sending; `latency_us` is their sum.
    """

    rate: PositiveFloat
    answered: NonNegativeFloat
    service_us: Latency | None
    send_lag_us: Latency | None


class Precision(Contract):
    """The precision that was asked for, as ±share of a ratio, and whether it was reached.

    `reached` is the widest half-width, as a share, of the intervals between neighbours in the
    standings; None: there was no pair. `more_s` is the measured time that would probably have been
    needed on top; None: the precision was met, or it can't be estimated.
    """

    asked: PositiveFloat
    reached: NonNegativeFloat | None
    met: bool
    more_s: NonNegativeFloat | None


class VerdictEntry(Contract):
    """One row of the standings. It was asked over `protocol`.

    `ratio` says how many times better than the reference it is: its throughput over the
    reference's, or, where the race is ranked by p99, the reference's p99 over its own; `low` and
    `high` are its simultaneous 95 % interval;
    `rank` the best and worst place it may have; entries that share a letter can't be told apart.
    An entry that is not `valid` has its `reasons`, no ratio, no rank and no letters. `at_least`
    says why it did at least what was measured (the load generator was the limit): its ratio then
    has no `high`, and where the reference is such an entry, no `low`. `cpu_ratio` is how many times
    as many requests it answers per second of its own CPU time. `n` counts paired blocks.
    `leak_share` is the share of its server cores that it used out of its turn. `all_blocks` is the
    ratio with those blocks too that were left out because the host took the cores away.
    `latency_us` is that of the `latency_n` requests begun in long slices, where there were any.
    `percentiles_us` pairs a share of requests p, 0 ≤ p < 1, with its latency in µs, p rising, as
    far as ten requests were slower. `held` is what its answers had to have, by
    request, where nobody said which are right and they vary.
    `work` is what it does for an answer. `draws` has the ratio in
    each draw, and `spread` what it varies by; `processes` is how many of its processes were
    measured, None in results of earlier versions. `boot_sd` is the standard deviation of ln ratio
    between the boots, where there were two. `solo` is the ratio with one contender up at a time,
    where the race was confirmed so, and `solo_agrees` whether it differs from `ratio` by no more
    than chance.
    """

    name: str
    title: str
    protocol: Protocol = "h1"
    valid: bool
    reasons: tuple[Finding, ...] = ()
    at_least: tuple[Finding, ...] = ()
    warnings: tuple[Finding, ...] = ()
    ratio: float | None
    low: float | None
    high: float | None
    cpu_ratio: Interval | None = None
    long_slices: Ratio | None = None
    all_blocks: Ratio | None = None
    n: NonNegativeInt
    boots: tuple[BootRatio, ...] = ()
    draws: tuple[DrawRatio, ...] = ()
    processes: NonNegativeInt | None = None
    spread: Spread | None = None
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
    handshakes: Handshakes | None = None
    slice_ms: PositiveInt | None
    long_slice_ms: PositiveInt | None
    limited_by: Literal["server", "client", "both", "rate", "unknown"]
    server_busy: NonNegativeFloat | None
    client_busy: NonNegativeFloat
    client_core: NonNegativeInt | None = None
    leak_share: NonNegativeFloat | None
    workers: PositiveInt
    time_to_ready_ms: NonNegativeFloat | None
    version: str
    command: tuple[str, ...] = ()
    cpu_source: str = ""
    held: Annotated[dict[str, Held], Field(exclude_if=lambda given: not given)] = {}
    work: Work | None = None
    warm_up: tuple[WarmUp, ...] = ()
    boot_sd: NonNegativeFloat | None = None
    solo: Ratio | None = None
    solo_agrees: bool | None = None
    open_loop: OpenLoop | None = None


class Pair(Contract):
    """Two entries compared: `a` over `b`, simultaneous 95 % interval.

    `finding` is `faster`, `slower` (a against b) or `can't tell`; `equivalent` says that a TOST at
    5 % puts the two within the margin. `minimum_detectable_effect`: a difference of that size is
    found in four of five races like this one, and one of its interval's half-width in every second.
    Where the load generator was the limit of one or both, `low` or `high` is None, as in `Ratio`:
    such a pair is never equivalent, and no difference can be promised to be found. `cpu_ratio` is
    the ratio of requests per second of the server's CPU time, in intervals that are simultaneous
    among themselves; None: the CPU time of one can't be seen.
    `draws` and `processes`: see `Ratio`.
    """

    a: str
    b: str
    ratio: float
    low: float | None
    high: float | None
    n: PositiveInt
    draws: PositiveInt | None = None
    processes: PositiveInt | None = None
    finding: Literal["faster", "slower", "can't tell"]
    equivalent: bool
    minimum_detectable_effect: NonNegativeFloat | None
    cpu_ratio: Interval | None = None

    def turned(self) -> Self:
        """The same comparison, seen from the other side."""
        opposite = {"faster": "slower", "slower": "faster"}
        return self.model_copy(
            update={
                "a": self.b,
                "b": self.a,
                **_inverted(self),
                "finding": opposite.get(self.finding, self.finding),
                "cpu_ratio": self.cpu_ratio
                and self.cpu_ratio.model_copy(update=_inverted(self.cpu_ratio)),
            }
        )


def _inverted(of: Pair | Interval) -> dict[str, float | None]:
    """Ratio, low and high as they are with the two sides exchanged."""
    return {
        "ratio": 1 / of.ratio,
        "low": 1 / of.high if of.high else None,
        "high": 1 / of.low if of.low else None,
    }


class RequestEntry(Contract):
    """What one entry had of one request of a mix.

    `latency_us` is that of all connections together, at full load in a closed loop; `alone_us` the
    mean with one request under way at a time, where that was measured.
    """

    name: str
    requests: NonNegativeInt
    requests_per_s: NonNegativeFloat
    latency_us: Latency | None
    latency_n: NonNegativeInt
    alone_us: NonNegativeFloat | None = None
    error_kinds: dict[str, PositiveInt] = {}


class RequestPair(Contract):
    """Two entries compared by one request: b's latency over a's, more being better for a.

    Both are geometric means, which a few answers that the machine held up hardly change.

    The 95 % interval is simultaneous over all requests and pairs. `gap` is that ratio over the
    median of those of all requests, with an interval of the same kind: how much otherwise the two
    differ in this one.
    """

    a: str
    b: str
    ratio: PositiveFloat
    low: PositiveFloat
    high: PositiveFloat
    n: PositiveInt
    finding: Literal["faster", "slower", "can't tell"]
    gap: PositiveFloat
    gap_low: PositiveFloat
    gap_high: PositiveFloat

    @property
    def differs_from_most(self) -> bool:
        """Whether the two differ otherwise than in most requests, by more than chance."""
        return self.gap_low > 1 or self.gap_high < 1


class MixedRequest(Contract):
    """One request of a mix: the `share` of it, the status that is right, and what came of it.

    `singly`: pairs are compared with one request under way at a time; else under the race's load.
    """

    name: str
    share: Annotated[float, Field(gt=0, le=1)]
    expects: PositiveInt
    singly: bool
    entries: tuple[RequestEntry, ...]
    pairs: tuple[RequestPair, ...] = ()


class NoiseFloor(Interval):
    """The twin's ratio to the reference: two copies of one program."""

    name: str


class MachineRatio(Interval):
    """One contender on a `machine` over itself on another one, by their addresses."""

    contender: str
    machine: str
    over: str


class Upstream(Contract):
    """Whom the entries asked: after which time it answers, and on which processors. `busy` is the
    largest share of the time in which it was at work, over all entries; None: it can't be seen."""

    delay_ms: NonNegativeInt
    cpus: tuple[NonNegativeInt, ...]
    busy: NonNegativeFloat | None


class LoaderFigures(Contract):
    """What one of several load generators did, over all entries.

    `share` is that of all answers which it had. `ceiling_per_s` is what it would have sent at work
    all the time, at the same cost of a request: an extrapolation. `late_us` is by how much it began
    late at worst, `clock_error_us` how far off its clock may have been, the median. `stolen` is the
    share of its cores' time that its host took; None: it can't be known.
    """

    name: str
    connections: PositiveInt
    slices: PositiveInt
    requests_per_s: NonNegativeFloat
    share: NonNegativeFloat
    ceiling_per_s: NonNegativeFloat | None
    busy: NonNegativeFloat
    cpu_us_per_request: NonNegativeFloat | None
    p50_us: NonNegativeFloat | None
    p99_us: NonNegativeFloat | None
    misses: NonNegativeInt
    late_us: NonNegativeFloat
    clock_error_us: NonNegativeFloat
    stolen: NonNegativeFloat | None


class Verdict(Contract):
    """The result of one race. `fairness` says where its entries' work is unequal.

    `asks` is what was asked, in a few words. Of a mix, `requests` has each request by itself, and
    `by_request` those in which two entries differ otherwise than in most.

    `protocol` is that of all entries, or, where they differ in it, of the first. `loaders` are the
    load generators, where several loaded together.
    """

    schema_: Annotated[
        Literal["bakeoff.verdict/3"],
        reads("bakeoff.verdict/1", "bakeoff.verdict/3"),
        reads("bakeoff.verdict/2", "bakeoff.verdict/3"),
    ] = Field("bakeoff.verdict/3", alias="schema")
    run: str
    workload: str
    mode: Literal["closed", "open"]
    ranked_by: RankedBy = "requests_per_s"
    rate: PositiveFloat | None = None
    load: PositiveFloat | None = None
    arrivals: Arrivals = "uniform"
    pipeline: PositiveInt = 1
    protocol: Protocol = "h1"
    streams: PositiveInt = 1
    connection: Connection
    connections: PositiveInt
    precision: Precision | None = None
    solo: bool
    reference: str
    valid: bool
    complete: bool
    warnings: tuple[Finding, ...] = ()
    fairness: tuple[Finding, ...] = ()
    asks: str = ""
    requests: tuple[MixedRequest, ...] = ()
    by_request: tuple[Finding, ...] = ()
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
    upstream: Upstream | None = None
    machines: Annotated[tuple[MachineRatio, ...], Field(exclude_if=lambda given: not given)] = ()
    loaders: Annotated[tuple[LoaderFigures, ...], Field(exclude_if=lambda given: not given)] = ()
    seed: NonNegativeInt
    machine: Machine

    def pair(self, a: str, b: str) -> Pair | None:
        """`a` over `b`, turned round where `pairs` has `b` over `a`; None: there is neither."""
        return pair_of(self.pairs, a, b)

    def interval(self, a: str, b: str) -> Ratio | None:
        """The interval of `a` over `b`; None: too few blocks have both."""
        pair = self.pair(a, b)
        if pair is None:
            return None
        boots = max(1, self.boots)
        given = pair.model_dump(include={"ratio", "low", "high", "n", "draws", "processes"})
        return Ratio(**given, boots=boots)

    def entry(self, name: str) -> VerdictEntry | None:
        """The row of `name`; None: there is none."""
        return next((entry for entry in self.entries if entry.name == name), None)

    def trouble(self, name: str) -> Finding | None:
        """Why `name` has no valid figures; None: it has."""
        entry = self.entry(name)
        if entry is not None:
            return None if entry.valid else Finding.of("not_valid", *entry.reasons, name=name)
        skipped = {each.name: each.reason for each in self.skipped}
        return Finding.of("absent", name=name, reason=skipped.get(name, "it was not measured"))
