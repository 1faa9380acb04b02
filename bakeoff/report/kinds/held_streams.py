"""Streams that were held open beside the requests: whether they kept their pace."""

from bakeoff.model.verdict import Verdict
from bakeoff.report import figures
from bakeoff.report.document import Table, tabulated
from bakeoff.report.kinds.standings import event_ratio, row_name, time_at


def held_streams(verdict: Verdict) -> Table:
    return tabulated(
        "Held streams",
        [(entry, entry.held_streams) for entry in verdict.entries if entry.held_streams],
        [
            ("contender", lambda row: row_name(row[0])),
            (
                "gap p99 (95 % interval)",
                lambda row: event_ratio(row[0], verdict.reference, "gap_p99"),
            ),
            ("gap p50", lambda row: time_at(row[1].gap_us, "p50")),
            ("gap p99", lambda row: time_at(row[1].gap_us, "p99")),
            ("stalls", lambda row: f"{row[1].stalls:,}"),
            ("events/s", lambda row: figures.rate(row[1].per_s)),
            ("pace", lambda row: figures.percent(row[1].pace)),
            ("open", lambda row: f"{row[1].open:,.0f} of {row[1].streams:,}"),
            ("broke", lambda row: f"{sum(row[1].errors.values()):,}"),
        ],
        "Streams of events that were open beside the requests, which have nothing of them. A gap "
        "counts where both of its events came in one slice; gaps, stalls and ratios are those of "
        f"long slices. Ratios are the other's time over its own, to {verdict.reference}. Pace: "
        "the events that came, of those that were due while a slice was counted.",
        mark=lambda row: "" if row[0].valid else "unranked",
    )
