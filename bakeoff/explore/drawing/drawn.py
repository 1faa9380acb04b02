"""The pictures of views: a race's ratios, what changed between two runs, a line over time."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Self

from markupsafe import Markup

from bakeoff.explore.drawing.forest import Lane, forest
from bakeoff.explore.drawing.past import SHOWN_MAX, past
from bakeoff.model.compare import RunsComparison
from bakeoff.model.history import Line
from bakeoff.model.verdict import Verdict
from bakeoff.report import figures
from bakeoff.report.kinds.standings import ranked

OPEN_ENDED = (
    " An arrow is an interval without an end on that side: the load generator was the limit, and"
    " the contender did at least what was measured."
)


@dataclass(frozen=True, kw_only=True)
class Drawn:
    """A picture of a page: an SVG element of 976 and one of 340 px, and how to read it.

    `slug` is unique in its page, and the name of its files; `alt_text` says what is to be seen.
    """

    slug: str
    title: str
    reading: str
    alt_text: str
    wide: Markup
    narrow: Markup

    @classmethod
    def both(
        cls, slug: str, title: str, reading: str, alt_text: str, draw: Callable[[bool], Markup]
    ) -> Self:
        """For a desk and for a telephone; `draw` is told whether it is narrow."""
        return cls(
            slug=slug,
            title=title,
            reading=reading,
            alt_text=alt_text,
            wide=draw(False),
            narrow=draw(True),
        )


def ratios(verdict: Verdict) -> tuple[Drawn, ...]:
    """Every ratio of a race with its interval, the twin below them; none where nobody has one."""
    lanes = [
        Lane(
            entry.name,
            "1× reference" if entry.name == verdict.reference else figures.ratio_of(entry),
            entry.ratio,
            entry.low,
            entry.high,
            "" if entry.name == verdict.reference else figures.plural(entry.n, "paired block"),
        )
        for entry in ranked(verdict)
        if entry.ratio
    ]
    if not lanes:
        return ()
    if floor := verdict.noise_floor:
        said = figures.ratio_of(floor)
        lanes.append(Lane(floor.name, said, floor.ratio, floor.low, floor.high, set_back=True))
    what = f"The p99 latency of {verdict.reference} over the contender’s"
    if verdict.ranked_by == "requests_per_s":
        what = f"Requests per second over those of {verdict.reference}"
    twin = " The grey twin is a second copy of the reference: its gap to 1× is the noise floor."
    margin = verdict.equivalence_margin
    return (
        Drawn.both(
            "ratios",
            "How fast, against the reference",
            f"{what}; each line is a simultaneous 95 % interval. Further right is faster. The"
            f" shaded band is {figures.margin(margin)}, taken as equivalent."
            f"{_open_ended(lanes)}{twin if floor else ''}",
            f"Ratios to {verdict.reference}: {_spoken(lanes)}.",
            lambda narrow: forest(
                lanes,
                f"ratio to {verdict.reference}, logarithmic",
                f"Ratios to {verdict.reference}",
                narrow=narrow,
                margin=margin,
            ),
        ),
    )


def changes(compared: RunsComparison) -> tuple[Drawn, ...]:
    """Whose ratio changed between two runs, and by how much; none where there is no ratio."""
    lanes = [
        Lane(change.name, figures.ratio_of(change), change.ratio, change.low, change.high)
        for change in compared.changes
        if change.ratio and change.name != compared.reference
    ]
    if not lanes:
        return ()
    return (
        Drawn.both(
            "changes",
            "What changed",
            f"Each contender’s ratio to {compared.reference} in the later run, over that in the"
            " earlier one; each line is a simultaneous 95 % interval. Further right is faster than"
            f" it was; an interval that holds 1× is a tie.{_open_ended(lanes)}",
            f"The later ratio over the earlier one: {_spoken(lanes)}.",
            lambda narrow: forest(
                lanes, "later over earlier, logarithmic", "What changed", narrow=narrow
            ),
        ),
    )


def line_over_time(line: Line) -> tuple[Drawn, ...]:
    """A contender's ratio, run after run; none where no run has one."""
    if not line.levels:
        return ()
    left_out = len(line.points) - SHOWN_MAX
    older = f" {figures.plural(left_out, 'earlier run')} not drawn." if left_out > 0 else ""
    steps = figures.plural(len(line.steps), "step")
    return (
        Drawn.both(
            "past",
            f"{line.key.contender} over {line.reference}",
            f"Each point is one run’s ratio to {line.reference}, with its 95 % interval; higher is"
            " faster. The lines with a band are the levels between steps, with theirs; a dashed"
            f" upright is a step, with the level after it over that before it.{older}",
            f"{figures.plural(len(line.points), 'run')} with {steps}.",
            lambda narrow: past(line, f"{line.key.contender} over time", narrow=narrow),
        ),
    )


def _open_ended(lanes: Sequence[Lane]) -> str:
    return OPEN_ENDED if any(lane.low is None or lane.high is None for lane in lanes) else ""


def _spoken(lanes: Sequence[Lane]) -> str:
    return "; ".join(f"{lane.name} {lane.figure}" for lane in lanes)
