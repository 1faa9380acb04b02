"""The tables of a report, as text: Markdown and the page show the same ones."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from bakeoff.model.verdict import Interval, Latency, Pair, Verdict, VerdictEntry
from bakeoff.report import figures, words
from bakeoff.report.figures import MISSING
from bakeoff.report.standing import standings_rows


@dataclass(frozen=True)
class Table:
    """A heading, column heads, rows of text. The first column names the row.

    `figures` says whether the other columns hold figures, which are set to the right.
    """

    slug: str
    title: str
    note: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    figures: bool = True


_EntryColumn = tuple[str, Callable[[VerdictEntry], str]]


def standings_table(verdict: Verdict) -> Table:
    """The ranked entries and the twin."""
    return Table(
        slug="standings",
        title="Standings",
        note=(
            "Contenders that share a letter can't be told apart. Ratios are to"
            f" {words.printable(verdict.reference)}{_of_p99(verdict)}, with simultaneous 95 %"
            " intervals from n paired blocks."
        ),
        heads=(
            "contender", "rank", "ratio (95 % interval)", "n blocks", "requests/s",
            "p50", "p99", "server CPU per request", "memory loaded",
        ),
        rows=tuple(
            (
                row.name,
                f"{row.rank} {row.letters}".strip(),
                "1× reference" if row.is_reference else row.ratio,
                row.n_blocks,
                row.requests_per_s,
                row.p50,
                row.p99,
                row.server_cpu,
                row.memory_loaded,
            )
            for row in standings_rows(verdict)
        ),
    )  # fmt: skip


def _of_p99(verdict: Verdict) -> str:
    return "" if verdict.ranked_by == "requests_per_s" else " (its p99 over theirs)"


def pairs_table(verdict: Verdict) -> Table:
    """Every two entries compared, the faster one first."""
    ahead = [pair.turned() if pair.ratio < 1 else pair for pair in verdict.pairs]
    return Table(
        slug="pairs",
        title="Every pair",
        note=(
            "Equivalent: a test at 5 % (TOST) puts the two within"
            f" {figures.margin(verdict.equivalence_margin)}."
            " Detectable: the difference that had an 80 % chance to be seen."
        ),
        heads=("pair", "finding", "ratio (95 % interval)", "n blocks", "equivalent", "detectable"),
        rows=tuple(_pair_row(pair) for pair in ahead),
    )


def _pair_row(pair: Pair) -> tuple[str, ...]:
    return (
        words.printable(f"{pair.a} / {pair.b}"),
        pair.finding,
        figures.ratio_times(pair.ratio, pair.low, pair.high),
        figures.count(pair.n),
        "yes" if pair.equivalent else "not shown",
        figures.percent(pair.minimum_detectable_effect),
    )


def latency_table(verdict: Verdict) -> Table:
    """Latency quantiles of every entry that had any."""
    entries = [entry for entry in verdict.entries if entry.latency_us]
    heads = ("mean", "p50", "p75", "p90", "p99", "p99_9", "max")
    return _per_entry(
        entries,
        "latency",
        "Latency",
        words.latency_caution(verdict)
        + " – is a quantile among requests that were never answered.",
        [(head.replace("_", "."), partial(_quantile, name=head)) for head in heads]
        + [("n requests", lambda entry: figures.count(entry.latency_n))],
    )


def _quantile(entry: VerdictEntry, name: str) -> str:
    return figures.duration(getattr(entry.latency_us, name))


def open_loop_table(verdict: Verdict) -> Table:
    """What was offered in an open loop, what was answered, and who was late."""
    return _per_entry(
        [entry for entry in verdict.entries if entry.open_loop],
        "open-loop",
        "Open loop",
        "Answered: of the requests that were due. Latency = lag, from when a request was due to its"
        " sending, + service. Lag is the generator's, or the wait for a free connection.",
        [
            ("offered/s", lambda e: figures.rate(e.open_loop.rate if e.open_loop else 0)),
            ("answered", lambda e: figures.percent(e.open_loop.answered if e.open_loop else 0)),
            ("latency p99", lambda e: _quantile(e, "p99")),
            ("service p99", lambda e: _p99(e.open_loop.service_us if e.open_loop else None)),
            ("lag p99", lambda e: _p99(e.open_loop.send_lag_us if e.open_loop else None)),
        ],
    )


def _p99(latency: Latency | None) -> str:
    return figures.duration(latency.p99 if latency else None)


def cpu_table(verdict: Verdict) -> Table:
    """CPU per request, who was the limit, what ran out of turn."""
    return _per_entry(
        verdict.entries,
        "cpu-figures",
        "CPU",
        "Times are per request. Out of turn: the share of its core that a contender used while"
        " others were loaded.",
        [
            ("server", lambda e: figures.duration(e.cpu_us_per_request.server)),
            ("user", lambda e: figures.duration(e.cpu_us_per_request.server_user)),
            ("system", lambda e: figures.duration(e.cpu_us_per_request.server_system)),
            ("generator", lambda e: figures.duration(e.cpu_us_per_request.client)),
            ("server core busy", lambda e: figures.percent(e.server_busy)),
            ("generator busy", lambda e: figures.percent(e.client_busy)),
            ("limited by", lambda e: e.limited_by),
            ("out of turn", lambda e: figures.percent(e.leak_share)),
            ("read from", lambda e: words.printable(e.cpu_source) or MISSING),
        ],
    )


def memory_table(verdict: Verdict) -> Table:
    """Memory, bytes of an answer, start."""
    return _per_entry(
        verdict.entries,
        "memory-figures",
        "Memory, bytes and start",
        "Memory is Pss over the process tree. Time to ready runs from the start to the first"
        " answer.",
        [
            ("idle", lambda e: figures.mib(e.memory_mib.idle)),
            ("loaded", lambda e: figures.mib(e.memory_mib.loaded)),
            ("head", lambda e: figures.octets(e.bytes_per_response.head)),
            ("body", lambda e: figures.octets(e.bytes_per_response.body)),
            ("workers", lambda e: figures.count(e.workers)),
            ("time to ready", lambda e: _milliseconds(e.time_to_ready_ms)),
        ],
    )


def _milliseconds(ms: float | None) -> str:
    return figures.duration(None if ms is None else ms * 1000)


def errors_table(verdict: Verdict) -> Table:
    """Requests, connections and errors by kind, over all boots."""
    kinds = sorted({kind for entry in verdict.entries for kind in entry.error_kinds})
    columns: list[_EntryColumn] = [
        ("requests", lambda e: figures.count(e.requests)),
        ("measured", lambda e: figures.duration(e.measured_s * 1e6)),
        ("connections made in slices", lambda e: figures.count(e.connects)),
        ("errors", lambda e: figures.count(e.errors.total)),
    ]
    columns += [(kind, partial(_errors_of, kind=kind)) for kind in kinds]
    return _per_entry(
        verdict.entries,
        "errors",
        "Requests and errors",
        "Every answer was checked: status, length and body. A kind of error that isn't listed"
        " did not occur.",
        columns,
    )


def _errors_of(entry: VerdictEntry, kind: str) -> str:
    return figures.count(entry.error_kinds.get(kind, 0))


def slices_table(verdict: Verdict) -> Table:
    """The check of the race by itself: long slices against all."""
    entries = [entry for entry in verdict.entries if entry.long_slices or entry.solo]
    solo = any(entry.solo for entry in entries)
    return _per_entry(
        entries,
        "long-slices",
        "Long slices against short ones",
        "Short slices favour small programs a little: where the two disagree beyond their"
        " intervals, trust the long ones."
        f"{' Solo: with one contender up at a time.' if solo else ''}",
        [
            ("ratio", lambda e: figures.ratio_times(e.ratio, e.low, e.high)),
            ("ratio in long slices", lambda e: _interval(e.long_slices)),
            ("slice", lambda e: _length(e.slice_ms)),
            ("long slice", lambda e: _length(e.long_slice_ms)),
            ("n long blocks", lambda e: figures.count(e.long_slices.n if e.long_slices else 0)),
            *(_SOLO if solo else []),
        ],
    )


_SOLO: list[_EntryColumn] = [
    ("ratio solo", lambda e: _interval(e.solo)),
    ("n rounds", lambda e: figures.count(e.solo.n) if e.solo else MISSING),
    ("solo agrees", lambda e: {True: "yes", False: "no", None: MISSING}[e.solo_agrees]),
]


def _length(length_ms: int | None) -> str:
    return f"{length_ms} ms" if length_ms else MISSING


def _interval(found: Interval | None) -> str:
    return figures.ratio_times(found.ratio, found.low, found.high) if found else MISSING


def _per_entry(
    entries: Iterable[VerdictEntry],
    slug: str,
    title: str,
    note: str,
    columns: Sequence[_EntryColumn],
) -> Table:
    return Table(
        slug=slug,
        title=title,
        note=note,
        heads=("contender", *(head for head, _ in columns)),
        rows=tuple((row_name(entry), *(cell(entry) for _, cell in columns)) for entry in entries),
    )


def row_name(entry: VerdictEntry) -> str:
    """The entry's name, and whether it has a place."""
    return words.printable(entry.name) + ("" if entry.valid else " (not ranked)")
