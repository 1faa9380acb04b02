"""The tables of a search for capacities: the capacities, every pair, beyond them, every rate."""

from collections.abc import Callable

from bakeoff.model.capacity import (
    Capacity,
    CapacityEntry,
    CapacityPair,
    CapacityReport,
    CurvePoint,
    Mean,
    RequestPoint,
)
from bakeoff.model.workload import Unit
from bakeoff.report import figures
from bakeoff.report.document import Table, tabulated
from bakeoff.report.figures import MISSING
from bakeoff.report.kinds.capacity_headline import objectives, quantile_of, ranked, slo

_CAPACITY_NOTE = (
    "The highest rate that holds the objective, with 99 % answered in time and 99.9 % without an"
    " error, in {unit}s/s; in brackets its 95 % interval. Limit: what broke first. Ratios are to"
    " {reference}, simultaneous over all pairs."
)
_ROOM_NOTE = (
    " A message is for {room} listeners. Rates count it once; CPU per message and the numbers of"
    " messages at every rate count it for each of them. A room has one message at a time, so more"
    " rooms (-c) may hold more."
)


def capacities_table(report: CapacityReport, objective: str, spoken: str, *, first: bool) -> Table:
    placed = ranked(report, objective)
    names = {entry.name for entry, _ in placed}
    others = [
        (entry, capacity)
        for entry in report.entries
        if entry.valid and entry.name not in names
        for capacity in entry.capacities
        if capacity.objective == objective
    ]
    columns: list[tuple[str, Callable[[tuple[CapacityEntry, Capacity]], str]]] = [
        ("contender", lambda of: of[0].name),
        ("capacity (95 % interval)", lambda of: _rate(of[1])),
        ("ratio (95 % interval)", lambda of: _ratio(report, of[0], objective, of[1])),
        ("limit", lambda of: _limit(of[1], report.unit)),
        ("closed-loop peak", lambda of: figures.rate(of[0].peak)),
    ]
    note = _CAPACITY_NOTE.format(reference=report.reference, unit=report.unit) if first else ""
    if first and report.room:
        note += _ROOM_NOTE.format(room=report.room)
    return tabulated(
        f"Capacity for {spoken}",
        [*placed, *others],
        columns,
        note,
        text=("limit",),
        spare={"closed-loop peak": 1},
    )


def _rate(capacity: Capacity) -> str:
    """`41,200 (40,100 to 42,300)`, `≥ 41,200`, or why there is none."""
    if capacity.finding == "found":
        return _between(capacity)
    if capacity.finding == "at least":
        return f"≥ {figures.rate(capacity.requests_per_s)}"
    return capacity.finding


def _between(of: Capacity | Mean) -> str:
    return f"{figures.rate(of.requests_per_s)} ({figures.rate(of.low)} to {figures.rate(of.high)})"


def _limit(capacity: Capacity, unit: Unit) -> str:
    if capacity.finding == "can't tell" and capacity.limit == quantile_of(capacity):
        return f"too few {unit}s for {capacity.limit}"
    return {"answered": "queue grew", "": "end of ladder"}.get(capacity.limit, capacity.limit)


def _ratio(
    report: CapacityReport, entry: CapacityEntry, objective: str, capacity: Capacity | None = None
) -> str:
    """The entry's capacity over the reference's; without an objective, that of the means."""
    if capacity and not capacity.requests_per_s:
        return MISSING
    if entry.name == report.reference:
        return "1× reference"
    pair = report.pair(objective, entry.name, report.reference)
    return figures.ratio_of(pair.ratio if pair else None)


def pairs_table(report: CapacityReport) -> Table:
    said = {**objectives(report), "": "all objectives"}
    columns: list[tuple[str, Callable[[CapacityPair], str]]] = [
        ("pair", lambda p: f"{p.a} / {p.b}"),
        ("objective", lambda p: said[p.objective]),
        ("finding", lambda p: p.finding),
        ("ratio of capacities (95 % interval)", lambda p: figures.ratio_of(p.ratio)),
    ]
    return tabulated("Every pair", report.pairs, columns, text=("objective", "finding"))


def means_table(report: CapacityReport) -> Table:
    """The geometric means over several objectives: a server can be tuned to a single one."""
    means = [(entry, entry.mean) for entry in report.entries if entry.mean]
    return tabulated(
        "Over all objectives",
        sorted(means, key=lambda of: -of[1].requests_per_s),
        [
            ("contender", lambda of: of[0].name),
            ("geometric mean (95 % interval)", lambda of: _between(of[1])),
            ("ratio (95 % interval)", lambda of: _ratio(report, of[0], "")),
        ],
        "The geometric mean of the capacities. It exists where all of them were found.",
    )


def beyond_table(report: CapacityReport) -> Table:
    first = report.objectives[0]
    quantile = first.bounds[-1].quantile
    entries = [entry for entry, _ in ranked(report, first.text)]

    def cell(which: str, write: Callable[[CurvePoint], str]) -> Callable[[CapacityEntry], str]:
        return lambda entry: write(point) if (point := getattr(entry, which)) else MISSING

    def at_quantile(point: CurvePoint) -> str:
        return figures.duration(point.quantiles_us.get(quantile))

    return tabulated(
        "At capacity, and past it",
        [entry for entry in entries if entry.at_capacity or entry.beyond],
        [
            ("contender", lambda entry: entry.name),
            (
                f"CPU per {report.unit} at capacity",
                cell("at_capacity", lambda p: figures.duration(p.cpu_us_per_request)),
            ),
            (f"{quantile} at capacity", cell("at_capacity", at_quantile)),
            ("offered past it", cell("beyond", lambda p: figures.rate(p.rate))),
            ("goodput past it", cell("beyond", lambda p: figures.rate(p.goodput))),
            (f"{quantile} past it", cell("beyond", at_quantile)),
            ("errors past it", cell("beyond", lambda p: figures.percent(p.errors))),
        ],
        f"Past it: at about 1.5 times the capacity for {slo(first)}. Goodput counts right"
        " answers per second; one that falls far below the capacity has collapsed.",
    )


def requests_table(report: CapacityReport) -> Table:
    first = report.objectives[0]
    entries = [entry for entry, _ in ranked(report, first.text)]
    names = dict.fromkeys(request.name for entry in entries for request in entry.requests)
    rows = [
        (entry, request)
        for name in names
        for entry in entries
        for request in entry.requests
        if request.name == name
    ]
    quantiles = dict.fromkeys(["p50", *(bound.quantile for bound in first.bounds)])

    def quantile(name: str) -> Callable[[tuple[CapacityEntry, RequestPoint]], str]:
        return lambda row: figures.duration(row[1].quantiles_us.get(name))

    return tabulated(
        "Request by request, at capacity",
        rows,
        [
            ("request", lambda row: row[1].name),
            ("contender", lambda row: row[0].name),
            *((name, quantile(name)) for name in quantiles),
            ("errors", lambda row: figures.percent(row[1].errors)),
            ("n", lambda row: figures.count(row[1].requests)),
        ],
        f"At the offered rate nearest to each one's capacity for {slo(first)}, of all requests"
        " together: what is slow here is what the capacity is lost by.",
        text=("contender",),
    )


CURVE_NOTE = (
    "Latency counts from the moment when a {unit} was due. Goodput: right answers per second"
    " within the windows. – where fewer than ten {unit}s lie beyond the quantile, or it falls"
    " among those never answered."
)


def curve_table(entry: CapacityEntry, unit: Unit) -> Table:
    quantiles = list(entry.curve[0].quantiles_us) if entry.curve else []

    def quantile(name: str) -> tuple[str, Callable[[CurvePoint], str]]:
        return name, lambda point: figures.duration(point.quantiles_us[name])

    return tabulated(
        entry.name,
        entry.curve,
        [
            ("offered/s", lambda point: figures.rate(point.rate)),
            ("slices", lambda point: figures.count(point.slices)),
            (f"{unit}s", lambda point: figures.count(point.requests)),
            ("answered", lambda point: figures.percent(point.answered)),
            ("goodput", lambda point: figures.rate(point.goodput)),
            *map(quantile, quantiles),
            ("errors", lambda point: figures.percent(point.errors)),
            (f"CPU per {unit}", lambda point: figures.duration(point.cpu_us_per_request)),
            ("generator busy", lambda point: figures.percent(point.client_busy)),
            ("p99 of send lag", lambda point: figures.duration(point.send_lag_us)),
        ],
    )
