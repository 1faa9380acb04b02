"""A search for capacities: who holds how much, what a request costs there, and every rate."""

from collections.abc import Callable, Sequence

from bakeoff.model.capacity import (
    Capacity,
    CapacityEntry,
    CapacityPair,
    CapacityReport,
    CostLine,
    CurvePoint,
    Mean,
    Objective,
    RequestPoint,
)
from bakeoff.report import figures
from bakeoff.report.document import (
    Chart,
    Charts,
    DataRow,
    Document,
    Item,
    List,
    Section,
    Table,
    Text,
    items,
    tabulated,
)
from bakeoff.report.figures import MISSING
from bakeoff.report.kinds.holding import held_to
from bakeoff.report.kinds.lines import COSTS, MARKS, RATIOS, ratios_of, rows_of, values_of
from bakeoff.report.kinds.shared import (
    PROTOCOL_NAMES,
    again,
    circumstances,
    ended_early,
    pinning,
    warnings,
)
from bakeoff.report.sentences import listed, sentences

LIMITS = {
    "answered": "it answered under 99 % of the offered in time: the queue grew",
    "errors": "over 0.1 % of the requests failed",
    "generator": "the load generator was the limit",
    "": "the ladder ended there: it may hold more",
}
_CAPACITY_NOTE = (
    "The highest rate that holds the objective, with 99 % answered in time and 99.9 % without an"
    " error, in requests/s; in brackets its 95 % interval. Limit: what broke first. Ratios are to"
    " {reference}, simultaneous over all pairs."
)
_COST_NOTE = (
    f"{MARKS} CPU time of the server and energy of the processors are per answer, less what is used"
    " at rest; each value is a mean of draws."
)
_CURVE_NOTE = (
    "Latency counts from the moment when a request was due. Goodput: right answers per second"
    " within the windows. – where fewer than ten requests lie beyond the quantile, or it falls"
    " among those never answered."
)


def document(report: CapacityReport) -> Document:
    """The report of a search for capacities."""

    def pictures() -> Sequence[Chart | None]:
        from bakeoff.report.charts.capacity import capacity_charts

        return capacity_charts(report)

    return Document(
        title=f"{report.workload}: how much each server holds",
        headline=headline(report),
        context=("capacities", report.machine.taken_at),
        facts=(*objectives(report).values(), *_mode(report)),
        alarm="" if report.complete else "The run ended before it was complete.",
        summary=(
            *(
                _capacities(report, text, spoken, first=place == 0)
                for place, (text, spoken) in enumerate(objectives(report).items())
            ),
            _means(report),
            _beyond(report),
            _requests(report),
            *_costs(report),
            List("Without a plain capacity", tuple(_unranked(report))),
            List(
                "Answers that vary",
                items(
                    "=", held_to(report.entries, mix=any(each.requests for each in report.entries))
                ),
            ),
            List("Warnings", items("!", warnings(report))),
        ),
        detail=(
            _pairs(report),
            Section("Pictures", (Charts(pictures),)),
            Section("Every rate", tuple(_curve(e) for e in report.entries), _CURVE_NOTE),
            circumstances(_method(report).items(), report.machine),
            again(report.command_line, f"Run {report.run}, seed {report.seed}"),
        ),
        data=data(report),
    )


def slo(objective: Objective) -> str:
    """`p99 ≤ 10 ms and p99.9 ≤ 50 ms`."""
    return listed(
        [f"{bound.quantile} ≤ {figures.duration(bound.limit_us)}" for bound in objective.bounds]
    )


def objectives(report: CapacityReport) -> dict[str, str]:
    """Each objective as the command line had it → as people read it."""
    return {each.text: slo(each) for each in report.objectives}


def ranked(report: CapacityReport, objective: str) -> list[tuple[CapacityEntry, Capacity]]:
    """The entries that have a capacity for one objective, the highest first."""
    valid = [
        (entry, each)
        for entry in report.entries
        if entry.valid
        for each in entry.capacities
        if each.objective == objective and each.requests_per_s is not None
    ]
    return sorted(valid, key=lambda pair: -(pair[1].requests_per_s or 0))


def headline(report: CapacityReport) -> str:
    """A sentence per objective."""
    said = [_about(report, text, spoken) for text, spoken in objectives(report).items()]
    return " ".join(said) + ended_early(report)


def _about(report: CapacityReport, objective: str, spoken: str) -> str:
    placed = ranked(report, objective)
    if not placed:
        return f"No contender holds {spoken}{_best(report, objective)}."
    leader, best = placed[0]
    at_least = "at least " if best.finding == "at least" else ""
    start = (
        f"{leader.name} holds {spoken} up to {at_least}{figures.rate(best.requests_per_s)}"
        " requests/s"
    )
    second = placed[1][0].name if len(placed) > 1 else ""
    for pair in report.pairs:
        if (pair.objective, pair.a, pair.b) == (objective, leader.name, second):
            times = figures.ratio_of(pair)
            if pair.finding == "can't tell":
                return f"{start}; it can't be told from {second}: {times}."
            return f"{start}, {times} as much as {second}."
    return f"{start}."


def _best(report: CapacityReport, objective: str) -> str:
    """The best that was reached of an objective that nobody holds."""
    reached = [
        (each.best_us, each, entry)
        for entry in report.entries
        for each in entry.capacities
        if each.objective == objective and each.best_us is not None
    ]
    if not reached:
        return ""
    us, capacity, entry = min(reached, key=lambda each: each[0])
    return (
        f": the best was {entry.name}, with a {_quantile(capacity)} of {figures.duration(us)}"
        f" at {figures.rate(capacity.best_rate)} requests/s"
    )


def _quantile(capacity: Capacity) -> str:
    return capacity.limit if capacity.limit.startswith("p") else "latency"


def _mode(report: CapacityReport) -> tuple[str, ...]:
    spread = "Poisson" if report.arrivals == "poisson" else "uniform"
    return (
        "open loop",
        f"{spread} arrivals",
        f"{report.connections} connections ({report.connection})",
        *([f"{report.streams} streams on each"] if report.streams > 1 else []),
        *([PROTOCOL_NAMES[report.protocol]] if report.protocol != "h1" else []),
        f"steps of {(report.step - 1) * 100:.3g} %",
        f"{figures.plural(report.blocks, 'block')} over {figures.plural(report.boots, 'boot')}",
        f"{figures.duration(report.measured_s * 1e6)} measured",
    )


def _method(report: CapacityReport) -> dict[str, object]:
    return {
        "objectives": "; ".join(objectives(report).values()),
        "load": ", ".join(_mode(report)),
        "workload": report.workload,
        "pinning": ", ".join(pinning(report.cores)),
        "blocks left out": figures.count(report.disturbed_blocks),
        "seed": report.seed,
        "complete": "yes" if report.complete else "no: the run ended early",
        **{entry.name: entry.version or MISSING for entry in report.entries},
    }


def _unranked(report: CapacityReport) -> list[Item]:
    """An entry for everything that has no plain capacity, and for whoever was skipped."""
    said = objectives(report)
    return [
        *(Item(r, "✗", e.name) for e in report.entries for r in sentences(e.reasons)),
        *(
            Item(text, "–", entry.name)
            for entry in report.entries
            for each in entry.capacities
            if (text := _without(each, said[each.objective]))
        ),
        *(Item(f"skipped: {each.reason}", "–", each.name) for each in report.skipped),
    ]


def _without(capacity: Capacity, objective: str) -> str:
    """Why it is no plain capacity; empty where it is."""
    if capacity.finding == "not met":
        best = (
            f"; its lowest {_quantile(capacity)} was {figures.duration(capacity.best_us)}, at"
            f" {figures.rate(capacity.best_rate)} requests/s"
            if capacity.best_us
            else ""
        )
        why = "" if capacity.limit.startswith("p") else f" ({LIMITS[capacity.limit]})"
        return f"doesn't hold {objective} at any rate that was offered{why}{best}"
    if capacity.finding == "at least":
        return (
            f"holds {objective} at {figures.rate(capacity.requests_per_s)} requests/s at least;"
            f" {LIMITS.get(capacity.limit, LIMITS[''])}"
        )
    if capacity.finding == "can't tell":
        return (
            f"can't be told for {objective}: no slice had ten requests beyond {capacity.limit};"
            " it is too slow for that quantile"
        )
    return ""


def _capacities(report: CapacityReport, objective: str, spoken: str, *, first: bool) -> Table:
    """Those with a capacity, the highest first, then those without."""
    placed = ranked(report, objective)
    names = {entry.name for entry, _ in placed}
    others = [
        (entry, each)
        for entry in report.entries
        if entry.valid and entry.name not in names
        for each in entry.capacities
        if each.objective == objective
    ]
    columns: list[tuple[str, Callable[[tuple[CapacityEntry, Capacity]], str]]] = [
        ("contender", lambda of: of[0].name),
        ("capacity (95 % interval)", lambda of: _rate(of[1])),
        ("ratio (95 % interval)", lambda of: _ratio(report, of[0], objective, of[1])),
        ("limit", lambda of: _limit(of[1])),
        ("closed-loop peak", lambda of: figures.rate(of[0].peak)),
    ]
    note = _CAPACITY_NOTE.format(reference=report.reference) if first else ""
    return tabulated(f"Capacity for {spoken}", [*placed, *others], columns, note, text=("limit",))


def _rate(capacity: Capacity) -> str:
    """`41,200 (40,100 to 42,300)`, `≥ 41,200`, or why there is none."""
    if capacity.finding == "found":
        return _between(capacity)
    if capacity.finding == "at least":
        return f"≥ {figures.rate(capacity.requests_per_s)}"
    return capacity.finding


def _between(of: Capacity | Mean) -> str:
    return f"{figures.rate(of.requests_per_s)} ({figures.rate(of.low)} to {figures.rate(of.high)})"


def _limit(capacity: Capacity) -> str:
    if capacity.finding == "can't tell":
        return f"too few requests for {capacity.limit}"
    return {"answered": "queue grew", "": "end of ladder"}.get(capacity.limit, capacity.limit)


def _ratio(
    report: CapacityReport, entry: CapacityEntry, objective: str, capacity: Capacity | None = None
) -> str:
    """The entry's capacity over the reference's; without an objective, that of the means."""
    if capacity and not capacity.requests_per_s:
        return MISSING
    if entry.name == report.reference:
        return "1× reference"
    for pair in report.pairs:
        if (pair.objective, pair.a, pair.b) == (objective, entry.name, report.reference):
            return figures.ratio_of(pair)
        if (pair.objective, pair.b, pair.a) == (objective, entry.name, report.reference):
            return figures.ratio_times(1 / pair.ratio, 1 / pair.high, 1 / pair.low)
    return MISSING


def _means(report: CapacityReport) -> Table:
    """The geometric means over several objectives: a single one can be gamed."""
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


def _beyond(report: CapacityReport) -> Table:
    """What a request costs at capacity, and what is left of a server past it."""
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
                "CPU per request at capacity",
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


def _requests(report: CapacityReport) -> Table:
    """Each request of a mix, at its contender's capacity."""
    first = report.objectives[0]
    entries = [entry for entry, _ in ranked(report, first.text)]
    names = dict.fromkeys(each.name for entry in entries for each in entry.requests)
    rows = [
        (entry, each)
        for name in names
        for entry in entries
        for each in entry.requests
        if each.name == name
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


def _costs(report: CapacityReport) -> Sequence[Table | Text]:
    """What a request costs at a load that all bear, and at half of each one's own."""
    names = [entry.name for entry in report.entries if entry.valid]
    if not report.costs:
        return ()
    return (
        values_of(
            report.costs,
            names,
            "What a request costs",
            "load, cost",
            _cost,
            lambda line, value: COSTS[line.figure][1](value),
        ),
        Text(_COST_NOTE, quiet=True),
        ratios_of(report.costs, names, "load, cost", _cost),
        *([Text(_ratio_note(report.costs), quiet=True)] if len(names) > 1 else []),
    )


def _ratio_note(costs: Sequence[CostLine]) -> str:
    if any(line.pairs for line in costs):
        return RATIOS
    return "There were too few draws for a ratio, and five are the least: more time (-d) has more."


def _cost(line: CostLine) -> str:
    """`half of its peak, CPU/request`."""
    at = "half of its peak"
    if line.at == "equal":
        at = f"{figures.rate(next(iter(line.requests_per_s.values())))}/s for all"
    return f"{at}, {COSTS[line.figure][0]}"


def _curve(entry: CapacityEntry) -> Table:
    """Every rate that one contender was offered."""
    quantiles = list(entry.curve[0].quantiles_us) if entry.curve else []

    def quantile(name: str) -> tuple[str, Callable[[CurvePoint], str]]:
        return name, lambda point: figures.duration(point.quantiles_us[name])

    return tabulated(
        entry.name,
        entry.curve,
        [
            ("offered/s", lambda point: figures.rate(point.rate)),
            ("slices", lambda point: figures.count(point.slices)),
            ("requests", lambda point: figures.count(point.requests)),
            ("answered", lambda point: figures.percent(point.answered)),
            ("goodput", lambda point: figures.rate(point.goodput)),
            *map(quantile, quantiles),
            ("errors", lambda point: figures.percent(point.errors)),
            ("CPU per request", lambda point: figures.duration(point.cpu_us_per_request)),
            ("generator busy", lambda point: figures.percent(point.client_busy)),
            ("p99 of send lag", lambda point: figures.duration(point.send_lag_us)),
        ],
    )


def _pairs(report: CapacityReport) -> Table:
    """Every two contenders, per objective."""
    said = {**objectives(report), "": "all objectives"}
    columns: list[tuple[str, Callable[[CapacityPair], str]]] = [
        ("pair", lambda p: f"{p.a} / {p.b}"),
        ("objective", lambda p: said[p.objective]),
        ("finding", lambda p: p.finding),
        ("ratio of capacities (95 % interval)", figures.ratio_of),
    ]
    return tabulated("Every pair", report.pairs, columns, text=("objective", "finding"))


def data(report: CapacityReport) -> tuple[DataRow, ...]:
    """A row for each capacity (`kind` capacity), for each rate (rate), and for each cost (cost)."""
    capacities = [
        {
            "kind": "capacity",
            "contender": entry.name,
            "objective": each.objective,
            "finding": each.finding,
            "capacity_requests_per_s": each.requests_per_s,
            "low_requests_per_s": each.low,
            "high_requests_per_s": each.high,
            "limit": each.limit,
        }
        for entry in report.entries
        for each in entry.capacities
    ]
    rates = [
        {
            "kind": "rate",
            "contender": entry.name,
            "rate_requests_per_s": point.rate,
            "slices": point.slices,
            "requests": point.requests,
            "answered_share": point.answered,
            "error_share": point.errors,
            "goodput_requests_per_s": point.goodput,
            "cpu_us_per_request": point.cpu_us_per_request,
            "client_busy_share": point.client_busy,
            "send_lag_p99_us": point.send_lag_us,
            **{f"{name.replace('.', '_')}_us": us for name, us in point.quantiles_us.items()},
        }
        for entry in report.entries
        for point in entry.curve
    ]
    costs = [
        row
        for line in report.costs
        for row in rows_of(line, {"kind": "cost", "at": line.at, "figure": line.figure})
    ]
    return (*capacities, *rates, *costs)
