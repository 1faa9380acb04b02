"""The tables that go boot by boot: how each contender warmed up, and its ratio."""

from bakeoff.model.samples import Course
from bakeoff.model.verdict import Verdict, VerdictEntry, WarmUp
from bakeoff.report import figures
from bakeoff.report.figures import MISSING
from bakeoff.report.tables import Table, row_name

_COURSES: dict[Course, str] = {
    "flat": "flat",
    "warm-up": "got faster",
    "slowdown": "got slower",
    "unsteady": "not steady",
}


def warm_up_table(verdict: Verdict) -> Table:
    """Course, length and last throughput of each warm-up."""
    entries = [entry for entry in verdict.entries if entry.warm_up]
    boots = sorted({each.boot for entry in entries for each in entry.warm_up})
    return Table(
        slug="warm-up",
        title="Warm-up",
        note=(
            "Before each boot is measured every contender is loaded until its throughput and its"
            " CPU per request stay where they are, or its time is up. Its course, how long that"
            " took, and its throughput at the end."
        ),
        heads=_heads(boots),
        rows=tuple(
            (row_name(entry), *(_warm_up(_of(entry, boot)) for boot in boots)) for entry in entries
        ),
    )


def boots_table(verdict: Verdict) -> Table:
    """Each boot's own ratio, and how much boots differ; none where there was one boot."""
    entries = [entry for entry in verdict.entries if entry.boot_sd is not None]
    boots = sorted({each.boot for entry in entries for each in entry.boots})
    return Table(
        slug="boot-ratios",
        title="Ratio, boot by boot",
        note=(
            "Two processes of one program differ by more than noise, so every interval allows for"
            " the spread between boots. Spread: the standard deviation of the ratio's logarithm."
        ),
        heads=(*_heads(boots), "spread"),
        rows=tuple(
            (
                row_name(entry),
                *(_ratio(entry, boot) for boot in boots),
                figures.percent(entry.boot_sd),
            )
            for entry in entries
        ),
    )


def _heads(boots: list[int]) -> tuple[str, ...]:
    return ("contender", *(f"boot {boot + 1}" for boot in boots))


def _of(entry: VerdictEntry, boot: int) -> WarmUp | None:
    return next((each for each in entry.warm_up if each.boot == boot), None)


def _warm_up(found: WarmUp | None) -> str:
    if found is None:
        return MISSING
    lasted = figures.duration(found.lasted_s * 1e6)
    return f"{_COURSES[found.course]}, {lasted}, {figures.rate(found.requests_per_s)}/s"


def _ratio(entry: VerdictEntry, boot: int) -> str:
    for each in entry.boots:
        if each.boot == boot:
            return f"{figures.significant(each.ratio, 4)}×"
    return MISSING
