"""Capacities as CSV: a row per contender and rate, unrounded, each unit in its column's name."""

import csv as csv_format
import io

from bakeoff.model.capacity import CapacityEntry, CapacityReport, CurvePoint

_CAPACITY = ("capacity_requests_per_s", "low_requests_per_s", "high_requests_per_s", "limit")
_POINT = (
    "rate_requests_per_s", "slices", "requests", "answered_share", "error_share",
    "goodput_requests_per_s", "cpu_us_per_request", "client_busy_share", "send_lag_p99_us",
)  # fmt: skip


def capacity_csv(report: CapacityReport) -> str:
    """First a row for each capacity (`kind` capacity), then one for each rate (`kind` rate)."""
    quantiles = list(
        dict.fromkeys(
            name for one in report.entries for point in one.curve for name in point.quantiles_us
        )
    )
    out = io.StringIO()
    writer = csv_format.writer(out, lineterminator="\n")
    columns = [f"{name.replace('.', '_')}_us" for name in quantiles]
    writer.writerow(("kind", "contender", "objective", "finding", *_CAPACITY, *_POINT, *columns))
    for entry in report.entries:
        writer.writerows(_capacities(entry, len(_POINT) + len(columns)))
    for entry in report.entries:
        writer.writerows(_rate(entry, point, quantiles) for point in entry.curve)
    return out.getvalue()


def _capacities(entry: CapacityEntry, empty: int) -> list[tuple[object, ...]]:
    return [
        (
            "capacity",
            entry.name,
            each.objective,
            each.finding,
            each.requests_per_s,
            each.low,
            each.high,
            each.limit,
            *[None] * empty,
        )
        for each in entry.capacities
    ]


def _rate(entry: CapacityEntry, point: CurvePoint, quantiles: list[str]) -> tuple[object, ...]:
    return (
        "rate",
        entry.name,
        *[None] * (2 + len(_CAPACITY)),
        point.rate,
        point.slices,
        point.requests,
        point.answered,
        point.errors,
        point.goodput,
        point.cpu_us_per_request,
        point.client_busy,
        point.send_lag_us,
        *(point.quantiles_us.get(name) for name in quantiles),
    )
