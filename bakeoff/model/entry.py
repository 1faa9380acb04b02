"""One row of a race's standings: a contender's figures, and their evidence."""

from typing import Literal

from pydantic import NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt

from bakeoff.model.audit import Work
from bakeoff.model.base import Contract, IfAny, IfGiven
from bakeoff.model.cut import Course
from bakeoff.model.datagrams import Datagrams
from bakeoff.model.engine import Fault
from bakeoff.model.finding import Finding
from bakeoff.model.load import Latency
from bakeoff.model.protocol import Protocol
from bakeoff.model.ratio import BootRatio, DrawRatio, EventRatios, Interval, Ratio, Spread
from bakeoff.model.receipt import Expectation


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
    """The size of one answer on the wire."""

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
        return sum(count for _, count in self)


class Handshakes(Contract):
    """TLS handshakes while an entry was loaded, ramps and drains included.

    `mean_us` runs from a connection of TCP to one of TLS; `resumed` of them were short.
    """

    n: PositiveInt
    resumed: NonNegativeInt
    mean_us: NonNegativeFloat


class WarmUp(Contract):
    """One boot's warm-up: its course, its length, and the throughput at its end."""

    boot: NonNegativeInt
    course: Course
    lasted_s: NonNegativeFloat
    requests_per_s: NonNegativeFloat | None = None


class OpenLoop(Contract):
    """The load that an entry was offered in an open loop, and how much of it was answered.

    `answered` is the share of the offered requests that were answered. `service_us` counts from a
    request's sending, `send_lag_us` from when it was due to its sending; `latency_us` is their sum.
    """

    rate: PositiveFloat
    answered: NonNegativeFloat
    service_us: Latency | None
    send_lag_us: Latency | None


class Streams(Contract):
    """The events of an entry's streams of server-sent events.

    `first_us` is the time to the first event of a stream, `gap_us` that from one event to the next,
    0 if they came at once; gaps of 1 s or longer are `stalls`. Times and stalls are those of long
    slices, if there were any. `open` streams went on at the end of a slice and were abandoned.
    `cpu_us_per_event` is the server's.
    """

    count: NonNegativeInt
    per_s: NonNegativeFloat
    first_us: Latency | None
    gap_us: Latency | None
    stalls: NonNegativeInt
    faults: dict[Fault, PositiveInt]
    open: NonNegativeInt
    cpu_us_per_event: NonNegativeFloat | None


class Rooms(Contract):
    """An entry's messages to rooms of WebSocket: `last_us` is the time until the last listener of
    long slices, if there were any, had heard one. `reach` is the share of listeners that heard a
    message in time and unchanged."""

    messages: NonNegativeInt
    per_s: NonNegativeFloat
    last_us: Latency | None
    reach: NonNegativeFloat | None


class HeldStreams(Contract):
    """The `streams` of events that an entry had to hold open beside its requests, of which `open`
    were, on average at a slice's end.

    `count` events came, `per_s`; `pace` is their share of those that were due by the workload's
    gap. `gap_us` and `stalls` are as in `Streams`, of gaps of which both events came in one long
    slice, if there were any. `ended` streams ended rightly and were opened anew; `errors` has those
    that broke or could not be opened.
    """

    streams: PositiveInt
    open: NonNegativeFloat
    ended: NonNegativeInt
    count: NonNegativeInt
    per_s: NonNegativeFloat
    pace: NonNegativeFloat | None
    gap_us: Latency | None
    stalls: NonNegativeInt
    faults: dict[Fault, PositiveInt]
    errors: dict[str, PositiveInt]


class VerdictEntry(Contract):
    """One row of the standings. Its requests went over `protocol`.

    `ratio` says how many times better than the reference it is, from paired blocks: its throughput
    over the reference's or, if the race is ranked by p99, the reference's p99 over its own; the
    intervals are simultaneous. The ratio of the reference itself is 1. `rank` has the best and
    worst place that it may have; entries that share a letter can't be told apart, and by server CPU
    per request those that share one of `cpu_letters`, in a family of its own. An entry that is not
    `valid` has its `reasons`, no ratio, no rank and no letters. `at_least` says why it did at least
    what was measured (the load generator was the limit): its ratio then lacks an end. `cpu_ratio`
    is how many times as many requests it answers per second of its own CPU time; `mean_ratio`,
    `first_byte_ratio` and `event_ratios` are `Pair`'s; it has `streams` if streams of events were
    requested, `rooms` if messages were sent to rooms, and `held_streams` if streams were held
    beside the requests. `warmth` is how many times as fast it was
    after the first third of its draws as in it, relative to the others, in a family of its own: 1
    if all began warm. `leak_share` is the share of its server cores that it used outside of its
    turns. `all_blocks` is the ratio including the blocks that were left out because the host took
    the cores away. `latency_us` is that of the `latency_n` requests begun in long slices, if there
    were any; `first_byte_us` is the time to the first byte of the body, None if that was its end,
    too. `percentiles_us` pairs a share of requests p, 0 ≤ p < 1, with its latency in µs, p rising,
    as long as ten requests were slower. `held` has what its answers had to contain, by request, if
    the right ones were not given and they vary. `work` is its work for an answer. `draws` has the
    ratio in each draw, and `spread` its variation; `processes` is how many of its processes were
    measured, None in results of earlier versions. `boot_sd` is the standard deviation of ln ratio
    between the boots, if there were two. `solo` is the ratio with one contender running at a time,
    if the race was confirmed so, and `solo_agrees` says whether it differs from `ratio` by no more
    than chance. `until_end` is the ratio over the blocks that an entry answered before its
    processes ended, as a pair of its own.
    """

    name: str
    title: str
    protocol: Protocol = "h1"
    valid: bool
    reasons: tuple[Finding, ...] = ()
    at_least: tuple[Finding, ...] = ()
    warnings: tuple[Finding, ...] = ()
    ratio: Ratio | None
    cpu_ratio: Interval | None = None
    mean_ratio: Interval | None = None
    first_byte_ratio: IfGiven[Interval] = None
    event_ratios: IfGiven[EventRatios] = None
    warmth: IfGiven[Interval] = None
    long_slices: Ratio | None = None
    all_blocks: Ratio | None = None
    until_end: IfGiven[Ratio] = None
    boots: tuple[BootRatio, ...] = ()
    draws: tuple[DrawRatio, ...] = ()
    processes: NonNegativeInt | None = None
    spread: Spread | None = None
    rank: tuple[PositiveInt, PositiveInt] | None
    letters: str
    cpu_letters: str = ""
    requests_per_s: NonNegativeFloat
    latency_us: Latency | None
    first_byte_us: IfGiven[Latency] = None
    streams: IfGiven[Streams] = None
    rooms: IfGiven[Rooms] = None
    held_streams: IfGiven[HeldStreams] = None
    latency_n: NonNegativeInt
    percentiles_us: tuple[tuple[float, float], ...] = ()
    cpu_us_per_request: PerRequest
    memory_mib: MemoryUse
    memory_kib_per_connection: IfGiven[float] = None
    bytes_per_response: ResponseBytes
    requests: NonNegativeInt
    measured_s: NonNegativeFloat
    errors: Errors
    error_kinds: dict[str, PositiveInt] = {}
    connects: NonNegativeInt = 0
    handshakes: Handshakes | None = None
    datagrams: IfGiven[Datagrams] = None
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
    held: IfAny[dict[str, Expectation]] = {}
    work: Work | None = None
    warm_up: tuple[WarmUp, ...] = ()
    boot_sd: NonNegativeFloat | None = None
    solo: Ratio | None = None
    solo_agrees: bool | None = None
    open_loop: OpenLoop | None = None
