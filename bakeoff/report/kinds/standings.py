"""The ranked entries and the others, with their tables: standings, requests, every pair."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from string import ascii_letters

from bakeoff.model.entry import VerdictEntry
from bakeoff.model.load import Latency
from bakeoff.model.pairs import MixedRequest, Pair, RequestEntry, pair_of
from bakeoff.model.ratio import EventRatios
from bakeoff.model.verdict import Verdict
from bakeoff.model.workload import Unit
from bakeoff.report import figures
from bakeoff.report.document import Row, Table, tabulated
from bakeoff.report.figures import MISSING
from bakeoff.report.sentences import joined

EntryColumns = list[tuple[str, Callable[[VerdictEntry], str]]]
_RUN_LENGTH_MIN = 4
SERVER_CPU = "server CPU per"
"""CPU per request, or per message: it ends with the unit."""
SPARE = {
    f"{SERVER_CPU} request": 3,
    f"{SERVER_CPU} message": 3,
    "p99": 2,
    "memory loaded": 4,
    "first byte p50": 5,
    "rank": 6,
    "in the mean (95 % interval)": 7,
    "by server CPU (95 % interval)": 7,
    "p50": 8,
    "n blocks": 9,
}
"""Columns that the standings leave out in a terminal, the highest first: `Column.spare`."""


def standings(verdict: Verdict) -> Table:
    """The ranked entries, fastest first, then the twin, whose ratio is the noise floor.

    If the second verdict, by CPU time, differs, or if the load generator was the limit of a
    contender, its ratios stand beside the others. So do those of mean speeds, if pauses had a cost
    or they differ from the typical ones.
    """
    limited = any(e.at_least or e.limited_by in ("client", "both") for e in ranked(verdict))
    by_cpu = limited or bool(verdict.by_cpu)
    bounded = any(entry.at_least for entry in ranked(verdict))
    by_mean = any(map(_pauses, ranked(verdict)))
    streams = any(entry.first_byte_us for entry in ranked(verdict))

    def beside(key: str) -> Callable[[VerdictEntry], str]:
        return lambda e: (
            figures.REFERENCE if e.name == verdict.reference else figures.ratio_of(getattr(e, key))
        )

    columns: EntryColumns = [
        ("contender", lambda e: e.name),
        ("rank", lambda e: f"{figures.rank(e.rank)} {run_together(e.letters)}".strip()),
        ("ratio (95 % interval)", partial(_ratio, reference=verdict.reference)),
        ("n blocks", lambda e: figures.count(e.ratio.n if e.ratio else 0)),
        *([("in the mean (95 % interval)", beside("mean_ratio"))] if by_mean else []),
        *([("by server CPU (95 % interval)", beside("cpu_ratio"))] if by_cpu else []),
        (f"{verdict.unit}s/s", least_rate),
        *([("first byte p50", partial(first_byte, name="p50"))] if streams else []),
        ("p50", partial(quantile, name="p50")),
        ("p99", partial(quantile, name="p99")),
        (f"{SERVER_CPU} {verdict.unit}", _cpu),
        ("memory loaded", lambda e: figures.mib(e.memory_mib.loaded)),
    ]
    loopback = by_cpu and verdict.on_loopback
    notes = (
        *((_BOUNDED, bounded), (_MEAN_NOTE, by_mean)),
        *((_CPU_NOTE.format(unit=verdict.unit), by_cpu), (_LOOPBACK_NOTE, loopback)),
    )
    p99 = " (its p99 over theirs)" if verdict.ranked_by == "p99" else ""
    table = tabulated(
        "Standings",
        ranked(verdict),
        columns,
        "Contenders that share a letter in a column can't be told apart."
        f" Ratios are to {verdict.reference}"
        f"{p99}, with simultaneous 95 % intervals from n paired blocks."
        f"{''.join(note for note, holds in notes if holds)}",
        text=("rank",),
        bar=lambda e: e.ratio,
        spare=SPARE,
    )
    floor = verdict.noise_floor
    if not floor:
        return table
    twin = (floor.name, "twin", figures.ratio_of(floor), figures.count(floor.n))
    empty = [MISSING] * (len(columns) - len(twin))
    return replace(table, rows=(*table.rows, Row((*twin, *empty), "twin", floor)))


def so_far(verdict: Verdict | None, rates: Mapping[str, float]) -> Table:
    """For a race that goes on: the contenders that have a ratio by now, fastest first, and the
    others.

    `rates` has their latest throughputs.
    """
    known = {entry.name: entry.ratio for entry in (ranked(verdict) if verdict else ())}
    to_reference = f"ratio to {verdict.reference} (95 %)" if verdict else "ratio"

    def ratio(name: str) -> str:
        is_reference = verdict is not None and name == verdict.reference
        return figures.REFERENCE if is_reference else figures.ratio_of(known.get(name))

    return tabulated(
        "Standings so far",
        [*known, *(name for name in rates if name not in known)],
        [
            ("contender", str),
            (to_reference, ratio),
            ("requests/s", lambda name: figures.rate(rates.get(name))),
        ],
        bar=known.get,
        spare={"requests/s": max(SPARE.values())},
    )


_BOUNDED = (
    " ≥: at least that, ≤: at most that, as the load generator was the limit of the contender or"
    " of the reference; can't tell: of both."
)
_MEAN_NOTE = (
    " In the mean: the ratio of mean speeds, with all pauses. The ratio beside it is that of"
    " typical slices, which leaves out what comes in fewer than two of five."
)
_CPU_NOTE = " By server CPU: {unit}s per second of the server's own CPU time, over the reference's."
_LOOPBACK_NOTE = (
    " This differs from throughput: on loopback the generator's CPU does a part of a server's"
    " network work."
)


_FIRST_BYTE = (
    " By first byte: the other's time to the first byte of a body, over its own, geometric means."
)
_NEXT_RACE = (
    " Next race: where a race of the same length is expected on another day, each pair by itself;"
    " the interval holds for this hour."
)


def _cpu(entry: VerdictEntry) -> str:
    cost = figures.duration(entry.cpu_us_per_request.server)
    return f"{cost} {run_together(entry.cpu_letters)}".strip()


def _pauses(entry: VerdictEntry) -> bool:
    """Whether pauses cost some of its throughput, or its mean ratio differs from its typical
    one."""
    if any(warning.code == "pauses_cost" for warning in entry.warnings):
        return True
    mean, typical = entry.mean_ratio, entry.ratio
    return bool(mean and typical and mean.excludes(typical.ratio))


def least_rate(entry: VerdictEntry) -> str:
    """Its requests per second, or their lower bound."""
    return figures.least_rate(entry.requests_per_s, at_least=bool(entry.at_least))


def ranked(verdict: Verdict) -> list[VerdictEntry]:
    placed = [entry for entry in verdict.entries if entry.valid and entry.ratio is not None]
    return sorted(placed, key=lambda entry: -(entry.ratio.ratio if entry.ratio else 0))


def unranked(verdict: Verdict) -> list[VerdictEntry]:
    return [entry for entry in verdict.entries if not entry.valid or entry.ratio is None]


def reasons(entry: VerdictEntry, unit: Unit) -> str:
    return joined(entry.reasons, unit) or "too few blocks for a ratio"


def row_name(entry: VerdictEntry) -> str:
    return entry.name if entry.valid else f"{entry.name} (not ranked)"


def _ratio(entry: VerdictEntry, reference: str) -> str:
    if entry.name == reference:
        return f"{figures.REFERENCE} reference"
    return figures.ratio_of(entry.ratio)


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


def quantile(entry: VerdictEntry, name: str) -> str:
    return time_at(entry.latency_us, name)


def time_at(of: Latency | None, name: str) -> str:
    """A quantile or the mean of these times, by its name; a dash where there are none."""
    return figures.duration(getattr(of, name, None))


def event_ratio(of: VerdictEntry, reference: str, key: str) -> str:
    """The ratio of one of its times of events to the reference's."""
    return figures.REFERENCE if of.name == reference else event_ratio_at(of.event_ratios, key)


def event_ratio_at(of: EventRatios | None, key: str) -> str:
    return figures.ratio_of(getattr(of, key, None))


def first_byte(entry: VerdictEntry | RequestEntry, name: str) -> str:
    return figures.duration(getattr(entry.first_byte_us or entry.latency_us, name, None))


def requests(verdict: Verdict) -> Table:
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
    streams = any(entry.first_byte_us for _, entry in rows)
    columns: list[tuple[str, Callable[[tuple[MixedRequest, RequestEntry]], str]]] = [
        ("request", lambda row: row[0].name),
        ("contender", lambda row: row[1].name),
        ("ratio (95 % interval)", lambda row: _request_ratio(*row, reference)),
        *([("alone", _alone)] if singly else []),
        ("share", lambda row: figures.percent(row[0].share)),
        ("requests/s", lambda row: figures.rate(row[1].requests_per_s)),
        *([("first byte p50", lambda row: first_byte(row[1], "p50"))] if streams else []),
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
        return f"{figures.REFERENCE} reference"
    pair = pair_of(request.pairs, entry.name, reference)
    return figures.ratio_of(pair.ratio if pair else None)


def _request_quantile(entry: RequestEntry, name: str) -> str:
    return figures.duration(getattr(entry.latency_us, name)) if entry.latency_us else MISSING


def pairs(verdict: Verdict) -> Table:
    predicted = any(pair.next_race for pair in verdict.pairs)
    streams = any(pair.first_byte_ratio for pair in verdict.pairs)
    columns: list[tuple[str, Callable[[Pair], str]]] = [
        ("pair", lambda p: f"{p.a} / {p.b}"),
        ("finding", lambda p: p.finding),
        ("ratio (95 % interval)", lambda p: figures.ratio_of(p.ratio)),
        ("n blocks", lambda p: figures.count(p.ratio.n)),
        ("in the mean (95 % interval)", lambda p: figures.ratio_of(p.mean_ratio)),
        ("by server CPU (95 % interval)", lambda p: figures.ratio_of(p.cpu_ratio)),
        ("finding by CPU", lambda p: p.cpu_finding or MISSING),
        *(
            [("by first byte (95 % interval)", lambda p: figures.ratio_of(p.first_byte_ratio))]
            if streams
            else []
        ),
        ("equivalent", lambda p: "yes" if p.equivalent else "not shown"),
        ("detectable", lambda p: figures.percent(p.minimum_detectable_effect)),
        *([("next race (95 %)", lambda p: figures.expected(p.next_race))] if predicted else []),
    ]
    return tabulated(
        "Every pair",
        [pair.turned() if pair.ratio.ratio < 1 else pair for pair in verdict.pairs],
        columns,
        "Equivalent: the whole interval is within"
        f" {figures.margin(verdict.equivalence_margin)}. Detectable: the difference that four of"
        " five such races would have found. In the mean: the ratio of mean speeds, with all pauses."
        f" By server CPU: the ratio of {verdict.unit}s per second of the server's own CPU time."
        f"{_FIRST_BYTE if streams else ''}{_NEXT_RACE if predicted else ''}",
        text=("finding", "finding by CPU", "equivalent"),
    )
