"""A search for capacities: each contender's capacity, the costs of a request at it, and every
rate."""

from collections.abc import Sequence

from bakeoff.model.capacity import Capacity, CapacityReport, CostLine
from bakeoff.report import document as doc
from bakeoff.report import figures
from bakeoff.report.charts.capacity import capacity_charts
from bakeoff.report.figures import MISSING
from bakeoff.report.kinds import capacity_tables as tables
from bakeoff.report.kinds import lines, shared
from bakeoff.report.kinds.capacity_headline import headline, objectives, quantile_of
from bakeoff.report.kinds.shared import varying
from bakeoff.report.sentences import in_unit, sentences

LIMITS = {
    "answered": "it answered under 99 % of the offered in time: the queue grew",
    "errors": "over 0.1 % of the requests failed",
    "generator": "the load generator was the limit",
    "connections": "all connections were taken while it answered as fast as ever; use more (-c)",
    "unsteady": "the objective broke, and at a higher rate it held; measure longer (-d)",
    "": "the ladder ended there: it may hold more",
}
_COST_NOTE = (
    f"{lines.MARKS} CPU time of the server and energy of the processors are per answer, less what"
    " is used at rest; each value is a mean of draws."
)


def document(report: CapacityReport) -> doc.Document:
    return doc.Document(
        title=f"{report.workload}: how much each server holds",
        headline=headline(report),
        context=("capacities", report.machine.taken_at),
        facts=(*objectives(report).values(), *_mode(report)),
        alarm="" if report.complete else "The run ended before it was complete.",
        summary=(
            *(
                tables.capacities_table(report, text, spoken, first=place == 0)
                for place, (text, spoken) in enumerate(objectives(report).items())
            ),
            tables.means_table(report),
            tables.beyond_table(report),
            tables.requests_table(report),
            *_costs(report),
            doc.List("Without a plain capacity", tuple(_unranked(report))),
            varying(report.entries, mix=any(entry.requests for entry in report.entries)),
            shared.warned(shared.warnings(report)),
        ),
        detail=(
            tables.pairs_table(report),
            doc.Section("Pictures", (doc.Charts(lambda: capacity_charts(report)),)),
            doc.Section(
                "Every rate",
                tuple(tables.curve_table(e, report.unit) for e in report.entries),
                tables.CURVE_NOTE.format(unit=report.unit),
            ),
            shared.circumstances(_method(report).items(), report.machine),
            shared.again(report.command_line, f"Run {report.run}, seed {report.seed}"),
        ),
        data=data(report),
    )


def _mode(report: CapacityReport) -> tuple[str, ...]:
    spread = "Poisson" if report.arrivals == "poisson" else "uniform"
    return (
        "open loop",
        f"{spread} arrivals",
        f"{report.connections} connections ({report.connection})",
        *([f"{report.streams} streams on each"] if report.streams > 1 else []),
        *([shared.PROTOCOL_NAMES[report.protocol]] if report.protocol != "h1" else []),
        *shared.over(report.path),
        f"steps of {(report.step - 1) * 100:.3g} %",
        f"{figures.plural(report.blocks, 'block')} over {figures.plural(report.boots, 'boot')}",
        f"{figures.duration(report.measured_s * 1e6)} measured",
    )


def _method(report: CapacityReport) -> dict[str, object]:
    return {
        "objectives": "; ".join(objectives(report).values()),
        "load": ", ".join(_mode(report)),
        "workload": report.workload,
        "pinning": ", ".join(shared.pinning(report.cores)),
        "blocks left out": figures.count(report.disturbed_blocks),
        "seed": report.seed,
        "complete": "yes" if report.complete else "no: the run ended early",
        **{entry.name: entry.version or MISSING for entry in report.entries},
    }


def _unranked(report: CapacityReport) -> list[doc.Item]:
    said = objectives(report)
    return [
        *(
            doc.Item(r, "✗", e.name)
            for e in report.entries
            for r in sentences(e.reasons, report.unit)
        ),
        *(
            doc.Item(text, "–", entry.name)
            for entry in report.entries
            for capacity in entry.capacities
            if (text := in_unit(_without(capacity, said[capacity.objective]), report.unit))
        ),
        *(doc.Item(f"skipped: {skip.reason}", "–", skip.name) for skip in report.skipped),
    ]


def _without(capacity: Capacity, objective: str) -> str:
    if capacity.finding == "not met":
        best = (
            f"; its lowest {quantile_of(capacity)} was {figures.duration(capacity.best_us)}, at"
            f" {figures.rate(capacity.best_rate)} requests/s"
            if capacity.best_us
            else ""
        )
        why = f" ({LIMITS[capacity.limit]})" if capacity.limit in LIMITS else ""
        return f"doesn't hold {objective} at any rate that was offered{why}{best}"
    if capacity.finding == "at least":
        return (
            f"holds {objective} at {figures.rate(capacity.requests_per_s)} requests/s at least;"
            f" {LIMITS.get(capacity.limit, LIMITS[''])}"
        )
    if capacity.finding == "can't tell" and capacity.limit in LIMITS:
        return (
            f"can't be told for {objective}: at the lowest rate that was offered,"
            f" {LIMITS[capacity.limit]}"
        )
    if capacity.finding == "can't tell":
        return (
            f"can't be told for {objective}: no slice had ten requests beyond {capacity.limit};"
            " it is too slow for that quantile"
        )
    return ""


def _costs(report: CapacityReport) -> Sequence[doc.Table | doc.Text]:
    names = [entry.name for entry in report.entries if entry.valid]
    if not report.costs:
        return ()

    def cost(line: CostLine) -> str:
        return in_unit(_cost(line), report.unit)

    return (
        lines.values_of(
            report.costs,
            names,
            f"What a {report.unit} costs",
            "load, cost",
            cost,
            lambda line, value: lines.COSTS[line.figure][1](value),
        ),
        doc.Text(_COST_NOTE, quiet=True),
        lines.ratios_of(report.costs, names, "load, cost", cost),
        *([doc.Text(_ratio_note(report.costs), quiet=True)] if len(names) > 1 else []),
    )


def _ratio_note(costs: Sequence[CostLine]) -> str:
    if any(line.pairs for line in costs):
        return lines.RATIOS
    return "There were too few draws for a ratio, and five are the least: more time (-d) has more."


def _cost(line: CostLine) -> str:
    """`half of its peak, CPU/request`."""
    at = "half of its peak"
    if line.at == "equal":
        at = f"{figures.rate(next(iter(line.requests_per_s.values())))}/s for all"
    return f"{at}, {lines.COSTS[line.figure][0]}"


def data(report: CapacityReport) -> tuple[doc.DataRow, ...]:
    """A row for each capacity (`kind` capacity), for each rate (rate), and for each cost (cost)."""
    capacities = [
        {
            "kind": "capacity",
            "contender": entry.name,
            "objective": capacity.objective,
            "finding": capacity.finding,
            "capacity_requests_per_s": capacity.requests_per_s,
            "low_requests_per_s": capacity.low,
            "high_requests_per_s": capacity.high,
            "limit": capacity.limit,
        }
        for entry in report.entries
        for capacity in entry.capacities
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
            **{
                f"{name.replace('.', '_').replace('-', '_')}_us": us
                for name, us in point.quantiles_us.items()
            },
        }
        for entry in report.entries
        for point in entry.curve
    ]
    costs = [
        row
        for line in report.costs
        for row in lines.rows_of(line, {"kind": "cost", "at": line.at, "figure": line.figure})
    ]
    return (*capacities, *rates, *costs)
