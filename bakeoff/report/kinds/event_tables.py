"""The tables of a race whose answers are streams of server-sent events."""

from collections.abc import Callable

from bakeoff.model.entry import Streams, VerdictEntry
from bakeoff.model.load import Latency
from bakeoff.model.pairs import Pair
from bakeoff.model.ratio import EventRatios
from bakeoff.model.verdict import Verdict
from bakeoff.report import figures
from bakeoff.report.document import Table, tabulated
from bakeoff.report.kinds.standings import row_name

_RATIOS = {
    "first": "first event (95 % interval)",
    "gap": "gap p50 (95 % interval)",
    "gap_p99": "gap p99 (95 % interval)",
}
_LATER = "first event later by (95 % interval)"
_NOTE = "Ratios are the other's time over its own; intervals are simultaneous over all pairs."
_SPARE = {
    "stalls": 3,
    "events/s": 4,
    "faults": 5,
    "gap p50": 2,
    _RATIOS["gap"]: 6,
    _RATIOS["first"]: 7,
}
"""What a narrow terminal leaves out, the highest first: `Column.spare`."""


def events(verdict: Verdict) -> Table:
    given = [(entry, entry.streams) for entry in verdict.entries if entry.streams]

    def ratio(key: str) -> Callable[[tuple[VerdictEntry, Streams]], str]:
        def cell(row: tuple[VerdictEntry, Streams]) -> str:
            is_reference = row[0].name == verdict.reference
            return figures.REFERENCE if is_reference else _ratio(row[0].event_ratios, key)

        return cell

    return tabulated(
        "Events",
        given,
        [
            ("contender", lambda row: row_name(row[0])),
            *((head, ratio(key)) for key, head in _RATIOS.items()),
            (_LATER, lambda row: _later(row[0].event_ratios)),
            ("first event p50", lambda row: _time(row[1].first_us, "p50")),
            ("gap p50", lambda row: _time(row[1].gap_us, "p50")),
            ("gap p99", lambda row: _time(row[1].gap_us, "p99")),
            ("stalls", lambda row: figures.count(row[1].stalls)),
            ("events/s", lambda row: figures.rate(row[1].per_s)),
            ("server CPU per event", lambda row: figures.duration(row[1].cpu_us_per_event)),
            ("faults", lambda row: _faults(row[1])),
        ],
        "A gap runs from one event of a stream to its next, 0 where they came at once; from 1 s on"
        f" it is a stall. {_NOTE} They are to {verdict.reference}.",
        mark=lambda row: "" if row[0].valid else "unranked",
        spare=_SPARE,
    )


def pairs(verdict: Verdict) -> Table:
    def ratio(key: str) -> Callable[[Pair], str]:
        return lambda pair: _ratio(pair.event_ratios, key)

    return tabulated(
        "Events, every pair",
        [pair for pair in verdict.pairs if pair.event_ratios],
        [
            ("pair", lambda pair: f"{pair.a} / {pair.b}"),
            *((head, ratio(key)) for key, head in _RATIOS.items()),
            (_LATER, lambda pair: _later(pair.event_ratios)),
        ],
        _NOTE,
    )


def _ratio(of: EventRatios | None, key: str) -> str:
    return figures.ratio_of(getattr(of, key) if of else None)


def _later(of: EventRatios | None) -> str:
    return figures.later(of.later_us if of else None)


def _time(of: Latency | None, name: str) -> str:
    return figures.duration(getattr(of, name, None))


def _faults(streams: Streams) -> str:
    kinds = (f"{figures.count(n)} {kind.replace('_', ' ')}" for kind, n in streams.faults.items())
    return ", ".join(kinds) or "none"
