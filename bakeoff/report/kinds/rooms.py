"""Messages to rooms of WebSocket: when the last listener had heard them, and who missed some."""

from bakeoff.model.verdict import Verdict
from bakeoff.report import figures
from bakeoff.report.document import Table, tabulated
from bakeoff.report.kinds.standings import event_ratio, row_name, time_at


def rooms(verdict: Verdict) -> Table:
    when = "" if verdict.mode == "closed" else " or, at a rate, was due to be sent"
    return tabulated(
        "Rooms",
        [(entry, entry.rooms) for entry in verdict.entries if entry.rooms],
        [
            ("contender", lambda row: row_name(row[0])),
            (
                "last listener (95 % interval)",
                lambda row: event_ratio(row[0], verdict.reference, "last"),
            ),
            ("last listener p50", lambda row: time_at(row[1].last_us, "p50")),
            ("last listener p99", lambda row: time_at(row[1].last_us, "p99")),
            ("one listener p50", lambda row: time_at(row[0].latency_us, "p50")),
            ("messages sent/s", lambda row: figures.rate(row[1].per_s)),
            ("reach", lambda row: "–" if row[1].reach is None else f"{100 * row[1].reach:.4g} %"),
        ],
        "A message to a room is sent once and counts for each connection that hears it. The last "
        f"listener's time begins when it is sent{when}. Ratios are the other's time over its own, "
        f"to {verdict.reference}; intervals are simultaneous over all pairs. Reach is the share of "
        "listeners that heard a message in time and unchanged.",
        mark=lambda row: "" if row[0].valid else "unranked",
    )


def room_pairs(verdict: Verdict) -> Table:
    return tabulated(
        "Rooms, every pair",
        [
            (pair, pair.event_ratios.last)
            for pair in verdict.pairs
            if pair.event_ratios and pair.event_ratios.last
        ],
        [
            ("pair", lambda row: f"{row[0].a} / {row[0].b}"),
            ("last listener (95 % interval)", lambda row: figures.ratio_of(row[1])),
        ],
        "Ratios are the other's time over its own; intervals are simultaneous over all pairs.",
    )
