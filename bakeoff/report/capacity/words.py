"""What a search for capacities says in plain English."""

from bakeoff.model.capacity import (
    Capacity,
    CapacityEntry,
    CapacityPair,
    CapacityReport,
    Objective,
)
from bakeoff.report import figures
from bakeoff.report.figures import MISSING
from bakeoff.report.words import listed

LIMITS = {
    "answered": "it answered under 99 % of the offered in time: the queue grew",
    "errors": "over 0.1 % of the requests failed",
    "generator": "the load generator was the limit",
    "": "the ladder ended there: it may hold more",
}
NOTE = (
    "The highest rate that holds the objective, with 99 % answered in time and 99.9 % without an"
    " error, in requests/s; in brackets its 95 % interval."
)
CURVE_NOTE = (
    "Latency counts from the moment when a request was due. Goodput: right answers per second"
    " within the windows. – where fewer than ten requests lie beyond the quantile, or it falls"
    " among those never answered."
)


def slo(objective: Objective) -> str:
    """`p99 ≤ 10 ms and p99.9 ≤ 50 ms`."""
    return listed(
        [f"{bound.quantile} ≤ {figures.duration(bound.limit_us)}" for bound in objective.bounds]
    )


def objectives(report: CapacityReport) -> dict[str, str]:
    """Each objective as the command line had it → as people read it."""
    return {each.text: slo(each) for each in report.objectives}


def rate_with_interval(capacity: Capacity) -> str:
    """`41,200 (40,100 to 42,300)`, `≥ 41,200`, or why there is none."""
    if capacity.finding == "found":
        return between(capacity.requests_per_s, capacity.low, capacity.high)
    if capacity.finding == "at least":
        return f"≥ {figures.rate(capacity.requests_per_s)}"
    return capacity.finding


def between(middle: float | None, low: float | None, high: float | None) -> str:
    """A rate and its interval."""
    return f"{figures.rate(middle)} ({figures.rate(low)} to {figures.rate(high)})"


def limit(capacity: Capacity) -> str:
    """What broke first, as a column has it."""
    if capacity.finding == "can't tell":
        return f"too few requests for {capacity.limit}"
    return {"answered": "queue grew", "": "end of ladder"}.get(capacity.limit, capacity.limit)


def without(entry: CapacityEntry, report: CapacityReport) -> list[str]:
    """Why the entry has no plain capacity, a sentence per objective."""
    said = objectives(report)
    return [text for each in entry.capacities if (text := _without(each, said[each.objective]))]


def _without(capacity: Capacity, objective: str) -> str:
    if capacity.finding == "not met":
        best = (
            f"; its lowest {capacity.limit if capacity.limit.startswith('p') else 'latency'} was"
            f" {figures.duration(capacity.best_us)}, at {figures.rate(capacity.best_rate)}"
            " requests/s"
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


def ranked(report: CapacityReport, objective: str) -> list[tuple[CapacityEntry, Capacity]]:
    """The entries that have a capacity for one objective, the highest first."""
    found = [
        (entry, each)
        for entry in report.entries
        if entry.valid
        for each in entry.capacities
        if each.objective == objective and each.requests_per_s is not None
    ]
    return sorted(found, key=lambda one: -(one[1].requests_per_s or 0))


def headline(report: CapacityReport) -> str:
    """A sentence per objective."""
    said = [_about(report, text, spoken) for text, spoken in objectives(report).items()]
    if not report.complete:
        blocks = figures.plural(report.blocks, "block")
        said.append(f"The run ended early: this is what its first {blocks} say.")
    return " ".join(said)


def _about(report: CapacityReport, objective: str, spoken: str) -> str:
    found = ranked(report, objective)
    if not found:
        return f"Nobody holds {spoken}{_best(report, objective)}."
    leader, best = found[0]
    holds = "at least " if best.finding == "at least" else ""
    start = (
        f"{leader.name} holds {spoken} up to {holds}{figures.rate(best.requests_per_s)} requests/s"
    )
    pairs = [one for one in report.pairs if one.objective == objective and one.a == leader.name]
    second = found[1][0].name if len(found) > 1 else ""
    pair = next((one for one in pairs if one.b == second), None)
    return f"{start}{_against(pair)}." if pair else f"{start}."


def _against(pair: CapacityPair) -> str:
    times = figures.ratio_times(pair.ratio, pair.low, pair.high)
    if pair.finding == "can't tell":
        return f"; it can't be told from {pair.b}: {times}"
    return f", {times} as much as {pair.b}"


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
    us, capacity, entry = min(reached, key=lambda one: one[0] or 0)
    quantile = capacity.limit if capacity.limit.startswith("p") else "latency"
    return (
        f": the best was {entry.name}, with a {quantile} of {figures.duration(us)}"
        f" at {figures.rate(capacity.best_rate)} requests/s"
    )


def mode(report: CapacityReport) -> str:
    """How it was measured, in a line."""
    spread = "Poisson" if report.arrivals == "poisson" else "uniform"
    return (
        f"open loop, {spread} arrivals, {report.connections} connections ({report.connection}),"
        f" steps of {(report.step - 1) * 100:.3g} %, {figures.plural(report.blocks, 'block')}"
        f" over {figures.plural(report.boots, 'boot')},"
        f" {figures.duration(report.measured_s * 1e6)} measured"
    )


def ratio(report: CapacityReport, entry: CapacityEntry, objective: str) -> str:
    """The entry's capacity over the reference's."""
    if entry.name == report.reference:
        return "1× reference"
    for pair in report.pairs:
        if pair.objective == objective and {pair.a, pair.b} == {entry.name, report.reference}:
            if pair.a == entry.name:
                return figures.ratio_times(pair.ratio, pair.low, pair.high)
            return figures.ratio_times(1 / pair.ratio, 1 / pair.high, 1 / pair.low)
    return MISSING


def warnings(report: CapacityReport) -> list[str]:
    """The run's warnings, then each contender's."""
    said = [f"{entry.name}: {text}" for entry in report.entries for text in entry.warnings]
    return [*report.warnings, *said]


def unranked(report: CapacityReport) -> list[str]:
    """A sentence for everything that has no plain capacity, and for whoever was skipped."""
    return [
        *(f"{each.name}: {reason}" for each in report.entries for reason in each.reasons),
        *(f"{each.name} {text}" for each in report.entries for text in without(each, report)),
        *(f"{each.name} was skipped: {each.reason}" for each in report.skipped),
    ]
