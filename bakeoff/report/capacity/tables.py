"""The tables of capacities, as text: terminal, Markdown and page show the same ones."""

from bakeoff.model.capacity import Capacity, CapacityEntry, CapacityReport, CurvePoint
from bakeoff.report import figures
from bakeoff.report.capacity import words
from bakeoff.report.figures import MISSING
from bakeoff.report.tables import Table
from bakeoff.report.words import cores, printable


def capacity_tables(report: CapacityReport) -> list[Table]:
    """Everybody's capacity, a table for each objective."""
    return [
        _capacities(report, text, spoken, place)
        for place, (text, spoken) in enumerate(words.objectives(report).items(), start=1)
    ]


def _capacities(report: CapacityReport, objective: str, spoken: str, place: int) -> Table:
    return Table(
        slug=f"capacities-{place}",
        title=f"Capacity for {spoken}",
        note=(
            f"{words.NOTE} Limit: what broke first. Ratios are to {printable(report.reference)},"
            " simultaneous over all pairs."
        ),
        heads=(
            "contender", "capacity (95 % interval)", "ratio (95 % interval)", "limit",
            "closed-loop peak",
        ),
        rows=tuple(
            (
                printable(entry.name),
                words.rate_with_interval(each),
                words.ratio(report, entry, objective) if each.requests_per_s else MISSING,
                words.limit(each),
                figures.rate(entry.peak),
            )
            for entry, each in _of(report, objective)
        ),
    )  # fmt: skip


def _of(report: CapacityReport, objective: str) -> list[tuple[CapacityEntry, Capacity]]:
    """Those with a capacity, the highest first, then those without."""
    found = words.ranked(report, objective)
    placed = {entry.name for entry, _ in found}
    rest = [
        (entry, each)
        for entry in report.entries
        if entry.valid and entry.name not in placed
        for each in entry.capacities
        if each.objective == objective
    ]
    return [*found, *rest]


def means_table(report: CapacityReport) -> Table:
    """The geometric means over several objectives: a single one can be gamed."""
    means = sorted(
        ((entry, entry.mean) for entry in report.entries if entry.mean),
        key=lambda one: -one[1].requests_per_s,
    )
    return Table(
        slug="means",
        title="Over all objectives",
        note="The geometric mean of the capacities. It exists where all of them were found.",
        heads=("contender", "geometric mean (95 % interval)", "ratio (95 % interval)"),
        rows=tuple(
            (
                printable(entry.name),
                words.between(mean.requests_per_s, mean.low, mean.high),
                words.ratio(report, entry, ""),
            )
            for entry, mean in means
        ),
    )


def beyond_table(report: CapacityReport) -> Table:
    """What a request costs at capacity, and what is left of a server past it."""
    first = report.objectives[0]
    quantile = first.bounds[-1].quantile
    rows = [
        (entry, each)
        for entry, each in words.ranked(report, first.text)
        if entry.at_capacity or entry.beyond
    ]
    return Table(
        slug="beyond",
        title="At capacity, and past it",
        note=(
            f"Past it: at about 1.5 times the capacity for {words.slo(first)}. Goodput counts right"
            " answers per second; one that falls far below the capacity has collapsed."
        ),
        heads=(
            "contender", "CPU per request at capacity", f"{quantile} at capacity",
            "offered past it", "goodput past it", f"{quantile} past it", "errors past it",
        ),
        rows=tuple(_beyond_row(entry, quantile) for entry, _ in rows),
    )  # fmt: skip


def _beyond_row(entry: CapacityEntry, quantile: str) -> tuple[str, ...]:
    at, past = entry.at_capacity, entry.beyond
    return (
        printable(entry.name),
        figures.duration(at.cpu_us_per_request if at else None),
        figures.duration(at.quantiles_us.get(quantile) if at else None),
        figures.rate(past.rate if past else None),
        figures.rate(past.goodput if past else None),
        figures.duration(past.quantiles_us.get(quantile) if past else None),
        figures.percent(past.errors if past else None),
    )


def curve_table(report: CapacityReport, entry: CapacityEntry) -> Table:
    """Every rate that one contender was offered."""
    quantiles = list(entry.curve[0].quantiles_us) if entry.curve else []
    place = [one.name for one in report.entries].index(entry.name) + 1
    return Table(
        slug=f"curve-{place}",
        title=f"Every rate: {printable(entry.name)}",
        note=words.CURVE_NOTE,
        heads=(
            "offered/s", "slices", "requests", "answered", "goodput", *quantiles, "errors",
            "CPU per request", "generator busy", "p99 of send lag",
        ),
        rows=tuple(_curve_row(point, quantiles) for point in entry.curve),
    )  # fmt: skip


def _curve_row(point: CurvePoint, quantiles: list[str]) -> tuple[str, ...]:
    return (
        figures.rate(point.rate),
        figures.count(point.slices),
        figures.count(point.requests),
        figures.percent(point.answered),
        figures.rate(point.goodput),
        *(figures.duration(point.quantiles_us[each]) for each in quantiles),
        figures.percent(point.errors),
        figures.duration(point.cpu_us_per_request),
        figures.percent(point.client_busy),
        figures.duration(point.send_lag_us),
    )


def pairs_table(report: CapacityReport) -> Table:
    """Every two contenders, per objective."""
    said = {**words.objectives(report), "": "all objectives"}
    return Table(
        slug="pairs",
        title="Every pair",
        note="",
        heads=("pair", "objective", "finding", "ratio of capacities (95 % interval)"),
        rows=tuple(
            (
                printable(f"{pair.a} / {pair.b}"),
                said[pair.objective],
                pair.finding,
                figures.ratio_times(pair.ratio, pair.low, pair.high),
            )
            for pair in report.pairs
        ),
    )


def method_table(report: CapacityReport) -> Table:
    """How it was measured."""
    facts = {
        "objectives": "; ".join(words.objectives(report).values()),
        "load": words.mode(report),
        "workload": report.workload,
        "pinning": cores(report.cores),
        "blocks left out": figures.count(report.disturbed_blocks),
        "seed": str(report.seed),
        "complete": "yes" if report.complete else "no: the run ended early",
        **{entry.name: entry.version or MISSING for entry in report.entries},
    }
    rows = tuple((printable(name), printable(value)) for name, value in facts.items())
    return Table("method", "How it was measured", "", ("fact", "value"), rows, figures=False)
