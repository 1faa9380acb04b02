"""A sentence for each objective of a search for capacities, with each contender's capacity."""

from collections.abc import Iterator

from bakeoff.model.capacity import Capacity, CapacityEntry, CapacityReport, Objective
from bakeoff.report import figures
from bakeoff.report.kinds.shared import ended_early
from bakeoff.report.sentences import listed


def headline(report: CapacityReport) -> str:
    said = [_about(report, text, spoken) for text, spoken in objectives(report).items()]
    return " ".join(said) + ended_early(report)


def objectives(report: CapacityReport) -> dict[str, str]:
    return {objective.text: slo(objective) for objective in report.objectives}


def slo(objective: Objective) -> str:
    """`p99 ≤ 10 ms and p99.9 ≤ 50 ms`."""
    return listed(
        [f"{bound.quantile} ≤ {figures.duration(bound.limit_us)}" for bound in objective.bounds]
    )


def ranked(report: CapacityReport, objective: str) -> list[tuple[CapacityEntry, Capacity]]:
    valid = [
        (entry, capacity)
        for entry, capacity in _against(report, objective)
        if entry.valid and capacity.requests_per_s is not None
    ]
    return sorted(valid, key=lambda pair: -(pair[1].requests_per_s or 0))


def _against(report: CapacityReport, objective: str) -> Iterator[tuple[CapacityEntry, Capacity]]:
    for entry in report.entries:
        yield from ((entry, each) for each in entry.capacities if each.objective == objective)


def _about(report: CapacityReport, objective: str, spoken: str) -> str:
    placed = ranked(report, objective)
    if not placed:
        if any(each.finding == "can't tell" for _, each in _against(report, objective)):
            return f"Which contender holds {spoken} can't be told."
        return f"No contender holds {spoken}{_best(report, objective)}."
    leader, best = placed[0]
    at_least = "at least " if best.finding == "at least" else ""
    start = (
        f"{leader.name} holds {spoken} up to {at_least}{figures.rate(best.requests_per_s)}"
        f" {report.unit}s/s"
    )
    second = placed[1][0].name if len(placed) > 1 else ""
    pair = report.pair(objective, leader.name, second)
    if pair is None:
        return f"{start}."
    times = figures.ratio_of(pair.ratio)
    if pair.finding == "can't tell":
        return f"{start}; it can't be told from {second}: {times}."
    return f"{start}, {times} as much as {second}."


def _best(report: CapacityReport, objective: str) -> str:
    reached = [
        (capacity.best_us, capacity, entry)
        for entry, capacity in _against(report, objective)
        if capacity.best_us is not None
    ]
    if not reached:
        return ""
    us, capacity, entry = min(reached, key=lambda best: best[0])
    return (
        f": the best was {entry.name}, with a {quantile_of(capacity)} of {figures.duration(us)}"
        f" at {figures.rate(capacity.best_rate)} {report.unit}s/s"
    )


def quantile_of(capacity: Capacity) -> str:
    """The quantile that broke a capacity; for other reasons, the first of its objective."""
    limit, first = capacity.limit, capacity.objective.partition("=")[0]
    return limit if limit[-1:].isdigit() else first
