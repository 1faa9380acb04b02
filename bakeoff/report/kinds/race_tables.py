"""The tables of a race behind its standings: cells come straight from the verdict's entries."""

from collections.abc import Callable, Iterable
from functools import partial

from bakeoff.model.cut import Course
from bakeoff.model.entry import Streams, VerdictEntry, WarmUp
from bakeoff.model.pairs import Pair
from bakeoff.model.ratio import EventRatios
from bakeoff.model.verdict import Verdict
from bakeoff.report import figures
from bakeoff.report.document import Table, tabulated
from bakeoff.report.figures import MISSING
from bakeoff.report.kinds.standings import (
    EntryColumns,
    event_ratio,
    event_ratio_at,
    first_byte,
    quantile,
    row_name,
    time_at,
)

_COURSES: dict[Course, str] = {
    "flat": "flat",
    "warm-up": "got faster",
    "slowdown": "got slower",
    "unsteady": "not steady",
}


QUANTILES = ("mean", "p50", "p75", "p90", "p99", "p99_9", "max")


def latency(verdict: Verdict, caution: str) -> Table:
    return _per_entry(
        "Latency",
        [entry for entry in verdict.entries if entry.latency_us],
        [(name.replace("_", "."), partial(quantile, name=name)) for name in QUANTILES]
        + [(f"n {verdict.unit}s", lambda entry: figures.count(entry.latency_n))],
        f"{caution} – is a quantile among requests that were never answered.",
    )


def first_bytes(verdict: Verdict) -> Table:
    """If an answer came in more than one piece; else it is in the latencies."""

    def ratio(entry: VerdictEntry) -> str:
        if entry.name == verdict.reference:
            return figures.REFERENCE
        return figures.ratio_of(entry.first_byte_ratio)

    streams = any(entry.first_byte_us for entry in verdict.entries)
    return _per_entry(
        "First byte",
        [entry for entry in verdict.entries if streams and entry.latency_us],
        [
            ("ratio (95 % interval)", ratio),
            *((name.replace("_", "."), partial(first_byte, name=name)) for name in QUANTILES),
        ],
        "From where a latency begins to the first byte of the answer's body. Ratios are to"
        f" {verdict.reference}: its time over theirs, geometric means, from paired long slices.",
    )


def open_loop(verdict: Verdict) -> Table:
    return _per_entry(
        "Open loop",
        [entry for entry in verdict.entries if entry.open_loop],
        [
            ("offered/s", lambda e: figures.rate(e.open_loop.rate if e.open_loop else None)),
            ("answered", lambda e: figures.percent(e.open_loop.answered if e.open_loop else None)),
            ("latency p99", partial(quantile, name="p99")),
            ("service p99", lambda e: time_at(getattr(e.open_loop, "service_us", None), "p99")),
            ("lag p99", lambda e: time_at(getattr(e.open_loop, "send_lag_us", None), "p99")),
        ],
        f"Answered: of the {verdict.unit}s that were due. Latency = lag, from when one was due to"
        " its sending, + service. Lag is the generator's, or the wait for a free connection.",
    )


def cpu(verdict: Verdict) -> Table:
    named = any(entry.client_core is not None for entry in verdict.entries)
    of_several = " Of the generator's cores the busiest counts, which is named." if named else ""
    return _per_entry(
        "CPU",
        verdict.entries,
        [
            ("server", lambda e: figures.duration(e.cpu_us_per_request.server)),
            ("user", lambda e: figures.duration(e.cpu_us_per_request.server_user)),
            ("system", lambda e: figures.duration(e.cpu_us_per_request.server_system)),
            ("generator", lambda e: figures.duration(e.cpu_us_per_request.client)),
            ("server core busy", lambda e: figures.percent(e.server_busy)),
            ("generator busy", _generator_busy),
            ("limited by", lambda e: e.limited_by),
            ("out of turn", lambda e: figures.percent(e.leak_share)),
            ("read from", lambda e: e.cpu_source or MISSING),
        ],
        f"Times are per {verdict.unit}. Out of turn: the share of its core that a contender used"
        " while others were loaded." + of_several,
    )


def _generator_busy(entry: VerdictEntry) -> str:
    core = "" if entry.client_core is None else f" (core {entry.client_core})"
    return figures.percent(entry.client_busy) + core


def memory(verdict: Verdict) -> Table:
    weighed = any(e.memory_kib_per_connection is not None for e in verdict.entries)
    per_connection: EntryColumns = [
        ("per connection", lambda e: figures.mib(e.memory_kib_per_connection, "KiB"))
    ]
    return _per_entry(
        "Memory, bytes and start",
        verdict.entries,
        [
            ("idle", lambda e: figures.mib(e.memory_mib.idle)),
            *(per_connection if weighed else []),
            ("loaded", lambda e: figures.mib(e.memory_mib.loaded)),
            ("head", lambda e: figures.octets(e.bytes_per_response.head)),
            ("body", lambda e: figures.octets(e.bytes_per_response.body)),
            ("workers", lambda e: figures.count(e.workers)),
            ("time to ready", lambda e: _milliseconds(e.time_to_ready_ms)),
        ],
        "Memory is Pss over the process tree. Time to ready runs from the start to the first"
        " answer."
        + (" Per connection: what it grew by with all connections open and at rest." * weighed),
    )


def _milliseconds(ms: float | None) -> str:
    return figures.duration(None if ms is None else ms * 1000)


def errors(verdict: Verdict) -> Table:
    kinds = sorted({kind for entry in verdict.entries for kind in entry.error_kinds})
    return _per_entry(
        "Requests and errors",
        verdict.entries,
        [
            ("requests", lambda e: figures.count(e.requests)),
            ("measured", lambda e: figures.duration(e.measured_s * 1e6)),
            ("connections made in slices", lambda e: figures.count(e.connects)),
            ("errors", lambda e: figures.count(e.errors.total)),
            *((kind, partial(_errors_of, kind=kind)) for kind in kinds),
        ],
        "Every answer was checked: status, length and body. A kind of error that isn't listed"
        " did not occur.",
    )


def _errors_of(entry: VerdictEntry, kind: str) -> str:
    return figures.count(entry.error_kinds.get(kind, 0))


def handshakes(verdict: Verdict) -> Table:
    """TLS handshakes, of the entries that made any while they were loaded."""
    shaken = {entry.name: entry.handshakes for entry in verdict.entries if entry.handshakes}
    return _per_entry(
        "TLS handshakes",
        [entry for entry in verdict.entries if entry.name in shaken],
        [
            ("handshakes", lambda e: figures.count(shaken[e.name].n)),
            ("mean", lambda e: figures.duration(shaken[e.name].mean_us)),
            ("resumed", lambda e: figures.count(shaken[e.name].resumed)),
        ],
        "Those of connections that were opened while it was loaded. Their time runs from TCP to TLS"
        " and has the generator's part in it; in a closed loop it is that under full load.",
    )


def datagrams(verdict: Verdict) -> Table:
    """QUIC's datagrams, of the entries that were loaded over HTTP/3."""
    seen = {entry.name: entry.datagrams for entry in verdict.entries if entry.datagrams}
    return _per_entry(
        "Datagrams of QUIC",
        [entry for entry in verdict.entries if entry.name in seen],
        [
            ("received per answer", lambda e: _mean(seen[e.name].received_per_answer)),
            ("bytes", lambda e: _mean(seen[e.name].received_bytes_per_answer)),
            ("sent per call", lambda e: _mean(seen[e.name].sent_per_call)),
            ("received at once", lambda e: _mean(seen[e.name].received_per_piece)),
            ("packets lost", lambda e: figures.count(seen[e.name].lost)),
            ("dropped", lambda e: _known(seen[e.name].dropped)),
            ("Retries", lambda e: figures.count(seen[e.name].retries)),
            ("congestion control", lambda e: seen[e.name].congestion_control),
        ],
        "Of the load generator. More than one per call is GSO, more than one at once GRO. Lost are"
        " packets of its own that it sent again; dropped are datagrams for which no receive buffer"
        " of this machine had room. A Retry is a handshake's extra round trip.",
    )


def _mean(value: float | None) -> str:
    return "–" if value is None else figures.significant(value, 3)


def _known(number: int | None) -> str:
    return "–" if number is None else figures.count(number)


def loaders(verdict: Verdict) -> Table:
    return tabulated(
        "Load generators",
        list(verdict.loaders),
        [
            ("generator", lambda e: e.name),
            ("connections", lambda e: figures.count(e.connections)),
            ("of all answers", lambda e: figures.percent(e.share)),
            ("busy", lambda e: figures.percent(e.busy)),
            ("at most", lambda e: figures.rate(e.ceiling_per_s)),
            ("CPU", lambda e: figures.duration(e.cpu_us_per_request)),
            ("p50", lambda e: figures.duration(e.p50_us)),
            ("p99", lambda e: figures.duration(e.p99_us)),
            ("unanswered", lambda e: figures.count(e.misses)),
            ("latest start", lambda e: figures.duration(e.late_us)),
            ("clock within", lambda e: figures.duration(e.clock_error_us)),
            ("cores stolen", lambda e: figures.percent(e.stolen)),
        ],
        "Over all contenders. At most: requests per second that it could have sent at work all the"
        " time, at the same cost of each; CPU is that cost. Latest start: after the moment at which"
        " all were to begin.",
    )


def long_slices(verdict: Verdict) -> Table:
    entries = [entry for entry in verdict.entries if entry.long_slices or entry.solo]
    solo: EntryColumns = [
        ("ratio solo", lambda e: figures.ratio_of(e.solo)),
        ("n rounds", lambda e: figures.count(e.solo.n) if e.solo else MISSING),
        ("solo agrees", lambda e: figures.yes_or_no(e.solo_agrees)),
    ]
    confirmed = any(entry.solo for entry in entries)
    return _per_entry(
        "Long slices against short ones",
        entries,
        [
            ("ratio", lambda e: figures.ratio_of(e.ratio)),
            ("ratio in long slices", lambda e: figures.ratio_of(e.long_slices)),
            ("slice", lambda e: f"{e.slice_ms} ms" if e.slice_ms else MISSING),
            ("long slice", lambda e: f"{e.long_slice_ms} ms" if e.long_slice_ms else MISSING),
            ("n long blocks", lambda e: figures.count(e.long_slices.n if e.long_slices else 0)),
            *(solo if confirmed else []),
        ],
        "Short slices favour small programs a little: where the two disagree beyond their"
        " intervals, trust the long ones."
        + (" Solo: with one contender up at a time." if confirmed else ""),
    )


def warm_up(verdict: Verdict) -> Table:
    entries = [entry for entry in verdict.entries if entry.warm_up]
    boots = sorted({own.boot for entry in entries for own in entry.warm_up})
    return _per_entry(
        "Warm-up",
        entries,
        [(f"boot {boot + 1}", partial(_warm_up, boot=boot)) for boot in boots],
        "Before each boot is measured every contender is loaded until its throughput and its CPU"
        " per request stay where they are, or its time is up. Its course, how long that took, and"
        " its throughput at the end.",
    )


def _warm_up(entry: VerdictEntry, boot: int) -> str:
    found: WarmUp | None = next((own for own in entry.warm_up if own.boot == boot), None)
    if found is None:
        return MISSING
    lasted = figures.duration(found.lasted_s * 1e6)
    return f"{_COURSES[found.course]}, {lasted}, {figures.rate(found.requests_per_s)}/s"


def boot_ratios(verdict: Verdict) -> Table:
    entries = [entry for entry in verdict.entries if entry.boot_sd is not None]
    boots = sorted({boot.boot for entry in entries for boot in entry.boots})
    return _per_entry(
        "Ratio, boot by boot",
        entries,
        [
            *((f"boot {boot + 1}", partial(_boot_ratio, boot=boot)) for boot in boots),
            ("spread", lambda entry: figures.percent(entry.boot_sd)),
        ],
        "Two processes of one program differ by more than noise, so every interval allows for the"
        " spread between boots. Spread: the standard deviation of the ratio's logarithm.",
    )


def _boot_ratio(entry: VerdictEntry, boot: int) -> str:
    ratios = {own.boot: f"{figures.significant(own.ratio, 4)}×" for own in entry.boots}
    return ratios.get(boot, MISSING)


def _per_entry(
    title: str, entries: Iterable[VerdictEntry], columns: EntryColumns, note: str
) -> Table:
    return tabulated(
        title,
        list(entries),
        [("contender", row_name), *columns],
        note,
        mark=lambda entry: "" if entry.valid else "unranked",
    )


_RATIOS = {
    "first": "first {streamed} (95 % interval)",
    "gap": "gap p50 (95 % interval)",
    "gap_p99": "gap p99 (95 % interval)",
}
_LATER = "first {streamed} later by (95 % interval)"
_NOTE = "Ratios are the other's time over its own; intervals are simultaneous over all pairs."
_SPARE = {
    "stalls": 3,
    "{streamed}s/s": 4,
    "faults": 5,
    "gap p50": 2,
    _RATIOS["gap"]: 6,
    _RATIOS["first"]: 7,
}
"""Columns that a narrow terminal leaves out, the highest first: `Column.spare`."""


def events(verdict: Verdict) -> Table:
    streamed = verdict.streamed
    given = [(entry, entry.streams) for entry in verdict.entries if entry.streams]

    def ratio(key: str) -> Callable[[tuple[VerdictEntry, Streams]], str]:
        return lambda row: event_ratio(row[0], verdict.reference, key)

    return tabulated(
        f"{streamed.capitalize()}s",
        given,
        [
            ("contender", lambda row: row_name(row[0])),
            *((head.format(streamed=streamed), ratio(key)) for key, head in _RATIOS.items()),
            (_LATER.format(streamed=streamed), lambda row: _later(row[0].event_ratios)),
            (f"first {streamed} p50", lambda row: time_at(row[1].first_us, "p50")),
            ("gap p50", lambda row: time_at(row[1].gap_us, "p50")),
            ("gap p99", lambda row: time_at(row[1].gap_us, "p99")),
            ("stalls", lambda row: figures.count(row[1].stalls)),
            (f"{streamed}s/s", lambda row: figures.rate(row[1].per_s)),
            (f"server CPU per {streamed}", lambda row: figures.duration(row[1].cpu_us_per_event)),
            ("faults", lambda row: _faults(row[1])),
        ],
        f"A gap runs from one {streamed} of a stream to its next, 0 where they came at once; from"
        f" 1 s on it is a stall. {_NOTE} They are to {verdict.reference}.",
        mark=lambda row: "" if row[0].valid else "unranked",
        spare={head.format(streamed=streamed): place for head, place in _SPARE.items()},
    )


def event_pairs(verdict: Verdict) -> Table:
    def ratio(key: str) -> Callable[[Pair], str]:
        return lambda pair: event_ratio_at(pair.event_ratios, key)

    streamed = verdict.streamed
    return tabulated(
        f"{streamed.capitalize()}s, every pair",
        [pair for pair in verdict.pairs if pair.event_ratios and not pair.event_ratios.last],
        [
            ("pair", lambda pair: f"{pair.a} / {pair.b}"),
            *((head.format(streamed=streamed), ratio(key)) for key, head in _RATIOS.items()),
            (_LATER.format(streamed=streamed), lambda pair: _later(pair.event_ratios)),
        ],
        _NOTE,
    )


def _later(of: EventRatios | None) -> str:
    return figures.later(of.later_us if of else None)


def _faults(streams: Streams) -> str:
    kinds = (f"{figures.count(n)} {kind.replace('_', ' ')}" for kind, n in streams.faults.items())
    return ", ".join(kinds) or "none"
