"""The tables of a race: cells come straight from the verdict's entries and pairs."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from string import ascii_letters

from bakeoff.model.audit import Work
from bakeoff.model.cut import Course
from bakeoff.model.verdict import (
    Latency,
    MixedRequest,
    Pair,
    RequestEntry,
    Verdict,
    VerdictEntry,
    WarmUp,
)
from bakeoff.report import figures
from bakeoff.report.document import Column, Row, Table, tabulated
from bakeoff.report.figures import MISSING

_EntryColumns = list[tuple[str, Callable[[VerdictEntry], str]]]
_RUN_LENGTH_MIN = 4
_COURSES: dict[Course, str] = {
    "flat": "flat",
    "warm-up": "got faster",
    "slowdown": "got slower",
    "unsteady": "not steady",
}


def standings(verdict: Verdict) -> Table:
    """The ranked entries, fastest first, then the twin, whose ratio is the noise floor.

    Where the load generator was the limit of one, the ratios by CPU time stand beside the others.
    """
    by_cpu = any(e.at_least or e.limited_by in ("client", "both") for e in ranked(verdict))
    bounded = any(entry.at_least for entry in ranked(verdict))
    columns: _EntryColumns = [
        ("contender", lambda e: e.name),
        ("rank", lambda e: f"{figures.rank(e.rank)} {run_together(e.letters)}".strip()),
        ("ratio (95 % interval)", partial(_ratio, reference=verdict.reference)),
        ("n blocks", lambda e: figures.count(e.n)),
        *([("by server CPU (95 % interval)", _by_cpu)] if by_cpu else []),
        ("requests/s", least_rate),
        ("p50", partial(_quantile, name="p50")),
        ("p99", partial(_quantile, name="p99")),
        ("server CPU per request", lambda e: figures.duration(e.cpu_us_per_request.server)),
        ("memory loaded", lambda e: figures.mib(e.memory_mib.loaded)),
    ]
    p99 = " (its p99 over theirs)" if verdict.ranked_by == "p99" else ""
    table = tabulated(
        "Standings",
        ranked(verdict),
        columns,
        f"Contenders that share a letter can't be told apart. Ratios are to {verdict.reference}"
        f"{p99}, with simultaneous 95 % intervals from n paired blocks."
        f"{_BOUNDED if bounded else ''}{_CPU_NOTE if by_cpu else ''}",
        text=("rank",),
    )
    floor = verdict.noise_floor
    if not floor:
        return table
    twin = (floor.name, "twin", figures.ratio_of(floor), figures.count(floor.n))
    empty = [MISSING] * (len(columns) - len(twin))
    return replace(table, rows=(*table.rows, Row((*twin, *empty), "twin")))


_BOUNDED = (
    " ≥: at least that, ≤: at most that, as the load generator was the limit of the contender or"
    " of the reference; can't tell: of both."
)
_CPU_NOTE = (
    " By server CPU: requests per second of the server's own CPU time, over the reference's. It is"
    " no throughput: on loopback a part of a server's network work is on the generator's bill."
)


def _by_cpu(entry: VerdictEntry) -> str:
    is_reference = entry.ratio == entry.low == entry.high == 1
    return "1×" if is_reference else figures.ratio_of(entry.cpu_ratio)


def least_rate(entry: VerdictEntry) -> str:
    """Its requests per second, or the least that they may be."""
    return figures.least_rate(entry.requests_per_s, at_least=bool(entry.at_least))


def ranked(verdict: Verdict) -> list[VerdictEntry]:
    """The entries that have a place, fastest first, without the twin."""
    placed = [entry for entry in verdict.entries if entry.valid and entry.ratio is not None]
    return sorted(placed, key=lambda entry: -(entry.ratio or 0))


def _ratio(entry: VerdictEntry, reference: str) -> str:
    if entry.name == reference:
        return "1× reference"
    return figures.ratio_of(entry)


def run_together(letters: str) -> str:
    """`abcdeg` as `a–eg`: among thirty contenders one may share letters with a dozen."""
    if not letters.isalpha():
        return letters
    runs = [letters[0]]
    for letter in letters[1:]:
        if runs[-1][-1] + letter in ascii_letters:
            runs[-1] += letter
        else:
            runs.append(letter)
    return "".join(run if len(run) < _RUN_LENGTH_MIN else f"{run[0]}–{run[-1]}" for run in runs)


def requests(verdict: Verdict) -> Table:
    """Each request of a mix, with a row for each entry of the standings."""
    names = [entry.name for entry in ranked(verdict)]
    rows = [
        (request, entry)
        for request in verdict.requests
        for name in names
        for entry in request.entries
        if entry.name == name
    ]
    singly = any(request.singly for request in verdict.requests)
    reference = verdict.reference
    columns: list[tuple[str, Callable[[tuple[MixedRequest, RequestEntry]], str]]] = [
        ("request", lambda row: row[0].name),
        ("contender", lambda row: row[1].name),
        ("ratio (95 % interval)", lambda row: _request_ratio(*row, reference)),
        *([("alone", _alone)] if singly else []),
        ("share", lambda row: figures.percent(row[0].share)),
        ("requests/s", lambda row: figures.rate(row[1].requests_per_s)),
        ("p50", lambda row: _request_quantile(row[1], "p50")),
        ("p99", lambda row: _request_quantile(row[1], "p99")),
        ("errors", lambda row: figures.count(sum(row[1].error_kinds.values()))),
    ]
    how = (
        "with one request under way at a time (alone: its mean), as at full load requests wait for"
        " each other"
        if singly
        else "under the race's load"
    )
    return tabulated(
        "Request by request",
        rows,
        columns,
        f"Ratios are to {reference}: its latency in this request over theirs, geometric"
        f" means, {how}; their"
        " intervals hold over all requests and pairs at once. Requests/s, p50 and p99 are those of"
        " the whole race.",
        text=("contender",),
    )


def _alone(row: tuple[MixedRequest, RequestEntry]) -> str:
    return figures.duration(row[1].alone_us)


def _request_ratio(request: MixedRequest, entry: RequestEntry, reference: str) -> str:
    if entry.name == reference:
        return "1× reference"
    for pair in request.pairs:
        if (pair.a, pair.b) == (entry.name, reference):
            return figures.ratio_times(pair.ratio, pair.low, pair.high)
        if (pair.a, pair.b) == (reference, entry.name):
            return figures.ratio_times(1 / pair.ratio, 1 / pair.high, 1 / pair.low)
    return MISSING


def _request_quantile(entry: RequestEntry, name: str) -> str:
    return figures.duration(getattr(entry.latency_us, name)) if entry.latency_us else MISSING


def pairs(verdict: Verdict) -> Table:
    """Every two entries compared, the faster one first."""
    columns: list[tuple[str, Callable[[Pair], str]]] = [
        ("pair", lambda p: f"{p.a} / {p.b}"),
        ("finding", lambda p: p.finding),
        ("ratio (95 % interval)", figures.ratio_of),
        ("n blocks", lambda p: figures.count(p.n)),
        ("by server CPU (95 % interval)", lambda p: figures.ratio_of(p.cpu_ratio)),
        ("equivalent", lambda p: "yes" if p.equivalent else "not shown"),
        ("detectable", lambda p: figures.percent(p.minimum_detectable_effect)),
    ]
    return tabulated(
        "Every pair",
        [pair.turned() if pair.ratio < 1 else pair for pair in verdict.pairs],
        columns,
        "Equivalent: a test at 5 % (TOST) puts the two within"
        f" {figures.margin(verdict.equivalence_margin)}. Detectable: the difference that four of"
        " five such races would have found. By server CPU: the ratio of requests per second of the"
        " server's own CPU time.",
        text=("finding", "equivalent"),
    )


def latency(verdict: Verdict, caution: str) -> Table:
    """Latency quantiles of every entry that had any."""
    quantiles = ("mean", "p50", "p75", "p90", "p99", "p99_9", "max")
    return _per_entry(
        "Latency",
        [entry for entry in verdict.entries if entry.latency_us],
        [(name.replace("_", "."), partial(_quantile, name=name)) for name in quantiles]
        + [("n requests", lambda entry: figures.count(entry.latency_n))],
        f"{caution} – is a quantile among requests that were never answered.",
    )


def _quantile(entry: VerdictEntry, name: str) -> str:
    return figures.duration(getattr(entry.latency_us, name, None))


def open_loop(verdict: Verdict) -> Table:
    """What was offered in an open loop, what was answered, and who was late."""
    return _per_entry(
        "Open loop",
        [entry for entry in verdict.entries if entry.open_loop],
        [
            ("offered/s", lambda e: figures.rate(e.open_loop.rate if e.open_loop else None)),
            ("answered", lambda e: figures.percent(e.open_loop.answered if e.open_loop else None)),
            ("latency p99", partial(_quantile, name="p99")),
            ("service p99", lambda e: _p99(e.open_loop.service_us if e.open_loop else None)),
            ("lag p99", lambda e: _p99(e.open_loop.send_lag_us if e.open_loop else None)),
        ],
        "Answered: of the requests that were due. Latency = lag, from when a request was due to its"
        " sending, + service. Lag is the generator's, or the wait for a free connection.",
    )


def _p99(latency: Latency | None) -> str:
    return figures.duration(latency.p99 if latency else None)


def cpu(verdict: Verdict) -> Table:
    """CPU per request, who was the limit, what ran out of turn."""
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
        "Times are per request. Out of turn: the share of its core that a contender used while"
        " others were loaded." + of_several,
    )


def _generator_busy(entry: VerdictEntry) -> str:
    core = "" if entry.client_core is None else f" (core {entry.client_core})"
    return figures.percent(entry.client_busy) + core


def memory(verdict: Verdict) -> Table:
    """Memory, bytes of an answer, start."""
    return _per_entry(
        "Memory, bytes and start",
        verdict.entries,
        [
            ("idle", lambda e: figures.mib(e.memory_mib.idle)),
            ("loaded", lambda e: figures.mib(e.memory_mib.loaded)),
            ("head", lambda e: figures.octets(e.bytes_per_response.head)),
            ("body", lambda e: figures.octets(e.bytes_per_response.body)),
            ("workers", lambda e: figures.count(e.workers)),
            ("time to ready", lambda e: _milliseconds(e.time_to_ready_ms)),
        ],
        "Memory is Pss over the process tree. Time to ready runs from the start to the first"
        " answer.",
    )


def _milliseconds(ms: float | None) -> str:
    return figures.duration(None if ms is None else ms * 1000)


def errors(verdict: Verdict) -> Table:
    """Requests, connections and errors by kind, over all boots."""
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
    """Those of TLS, of the entries that had some while they were loaded."""
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


def loaders(verdict: Verdict) -> Table:
    """What each of several load generators did."""
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
    """The check of the race by itself: long slices against all."""
    entries = [entry for entry in verdict.entries if entry.long_slices or entry.solo]
    solo: _EntryColumns = [
        ("ratio solo", lambda e: figures.ratio_of(e.solo)),
        ("n rounds", lambda e: figures.count(e.solo.n) if e.solo else MISSING),
        ("solo agrees", lambda e: _yes_or_no(e.solo_agrees)),
    ]
    confirmed = any(entry.solo for entry in entries)
    return _per_entry(
        "Long slices against short ones",
        entries,
        [
            ("ratio", figures.ratio_of),
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
    """Course, length and last throughput of each warm-up."""
    entries = [entry for entry in verdict.entries if entry.warm_up]
    boots = sorted({each.boot for entry in entries for each in entry.warm_up})
    return _per_entry(
        "Warm-up",
        entries,
        [(f"boot {boot + 1}", partial(_warm_up, boot=boot)) for boot in boots],
        "Before each boot is measured every contender is loaded until its throughput and its CPU"
        " per request stay where they are, or its time is up. Its course, how long that took, and"
        " its throughput at the end.",
    )


def _warm_up(entry: VerdictEntry, boot: int) -> str:
    each: WarmUp | None = next((each for each in entry.warm_up if each.boot == boot), None)
    if each is None:
        return MISSING
    lasted = figures.duration(each.lasted_s * 1e6)
    return f"{_COURSES[each.course]}, {lasted}, {figures.rate(each.requests_per_s)}/s"


def boot_ratios(verdict: Verdict) -> Table:
    """Each boot's own ratio, and how much boots differ; none where there was one boot."""
    entries = [entry for entry in verdict.entries if entry.boot_sd is not None]
    boots = sorted({each.boot for entry in entries for each in entry.boots})
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
    ratios = {each.boot: f"{figures.significant(each.ratio, 4)}×" for each in entry.boots}
    return ratios.get(boot, MISSING)


def _per_entry(
    title: str, entries: Iterable[VerdictEntry], columns: _EntryColumns, note: str
) -> Table:
    return tabulated(
        title,
        list(entries),
        [("contender", row_name), *columns],
        note,
        mark=lambda entry: "" if entry.valid else "unranked",
    )


def row_name(entry: VerdictEntry) -> str:
    """The entry's name, and whether it has a place."""
    return entry.name if entry.valid else f"{entry.name} (not ranked)"


def works(verdict: Verdict) -> dict[str, Work]:
    """What each entry does, those that aren't ranked among them."""
    return {row_name(entry): entry.work for entry in verdict.entries if entry.work}


def work(by_name: Mapping[str, Work]) -> Table:
    """What contenders do beside answering right, a row for each."""
    columns: list[tuple[str, Callable[[Work], str]]] = [
        ("head", lambda w: figures.octets(w.head_bytes)),
        ("body", lambda w: figures.octets(w.body_bytes)),
        ("writes", lambda w: str((w.audit and w.audit.segments) or MISSING)),
        ("Date", _date),
        ("keep-alive", _keep_alive),
        ("HTTP/1.0", lambda w: _yes_or_no(w.audit.keeps_http_1_0 if w.audit else None)),
        ("processes", lambda w: figures.count(w.crew.processes) if w.crew else MISSING),
        ("threads", lambda w: figures.count(w.crew.threads) if w.crew else MISSING),
        ("at work", lambda w: figures.count(w.crew.threads_at_work) if w.crew else MISSING),
        ("asked", lambda w: figures.count(w.workers)),
        ("log", _log),
    ]
    if any(each.protocol != "h1" for each in by_name.values()):
        columns[:0] = _PROTOCOL_COLUMNS
    return Table(
        "What each contender does",
        (Column("contender", "text"), *(Column(head) for head, _ in columns)),
        tuple(Row((name, *(cell(work) for _, cell in columns))) for name, work in by_name.items()),
        "Writes: in how many an answer is sent. HTTP/1.0: whether such a client is kept when it"
        " asks. At work: threads that used more than half of the CPU time of the busiest one in"
        " their process. Asked: for how many workers. Log: bytes written to logs and files per"
        " request.",
    )


def _tls(work: Work) -> str:
    """`1.3 AES_128_GCM_SHA256`, as the load generator's connections agreed."""
    if work.agreed is None or work.agreed.tls_version is None:
        return MISSING
    cipher = (work.agreed.cipher or "").removeprefix("TLS13_").removeprefix("TLS_")
    return f"{work.agreed.tls_version} {cipher}".strip()


def _hpack(work: Work) -> str:
    """A head before and after."""
    if work.audit is None or work.audit.http2 is None:
        return MISSING
    return f"{work.audit.http2.head_bytes} → {work.audit.http2.next_head_bytes} B"


def _streams(work: Work) -> str:
    """How many a connection may have."""
    if work.audit is None or work.audit.http2 is None:
        return MISSING
    limit = work.audit.http2.max_concurrent_streams
    return "no limit" if limit is None else figures.count(limit)


_PROTOCOL_COLUMNS: Sequence[tuple[str, Callable[[Work], str]]] = (
    ("protocol", lambda w: w.protocol),
    ("TLS", _tls),
    ("resumes", lambda w: _yes_or_no(w.audit.tls.resumes if w.audit and w.audit.tls else None)),
    ("HPACK", _hpack),
    ("streams", _streams),
)


def _date(work: Work) -> str:
    if work.audit:
        return work.audit.date
    return MISSING if "date" in work.headers or not work.headers else "none"


def _keep_alive(work: Work) -> str:
    if work.keeps_alive and work.audit and work.audit.kept < work.audit.asked:
        return figures.plural(work.audit.kept, "request")
    return _yes_or_no(work.keeps_alive)


def _log(work: Work) -> str:
    written = work.written_per_request
    if written is None:
        return MISSING
    return f"{figures.significant(written, 2)} B" if written else "0 B"


def _yes_or_no(value: bool | None) -> str:
    return {True: "yes", False: "no", None: MISSING}[value]
