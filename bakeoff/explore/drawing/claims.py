"""An article's claims over time: the findings of each replay, a lane for each claim."""

from collections.abc import Sequence
from datetime import datetime

from markupsafe import Markup

from bakeoff.model.history import ClaimPoint, IndexedClaim
from bakeoff.report import figures
from bakeoff.report.charts import svg
from bakeoff.report.charts.svg import FINDINGS
from bakeoff.report.document import Chart, Drawing, Frame
from bakeoff.report.kinds.history import day, minute

SHOWN_MAX = 24
"""The number of latest replays that are drawn: a telephone has no room for more."""
TEXT_PX, FIGURE_PX, WIDEST_PX, AXIS_PX = 430, 180, 40, 26
LANE_PX, NARROW_LANE_PX, HALF_PX = 28, 66, 4.5
Replay = tuple[datetime, str]
"""The time of its beginning, and its run."""


def outcomes(points: Sequence[ClaimPoint]) -> tuple[Chart, ...]:
    replays = sorted({(point.began_at, point.run) for point in points})
    if not replays:
        return ()
    shown = replays[-SHOWN_MAX:]
    left_out = len(replays) - len(shown)
    older = f" {figures.plural(left_out, 'earlier replay')} not drawn." if left_out else ""
    newest = {point.claim.number: point.claim for point in points}
    spoken = (f"claim {number} {newest[number].finding}" for number in sorted(newest))
    return (
        Chart(
            "claims",
            "What the replays found",
            "A lane per claim, a column per replay, in their order: ✓ it held, ✗ it did not,"
            " ? can’t be told. The figure is the newest that was measured, with its 95 %"
            f" interval.{older}",
            f"{figures.plural(len(replays), 'replay')}; the newest of each: {'; '.join(spoken)}.",
            lambda frame: _lanes(points, shown, frame),
        ),
    )


def _lanes(points: Sequence[ClaimPoint], shown: Sequence[Replay], frame: Frame) -> Drawing:
    width, narrow = frame.width, frame.narrow
    begin, end = (4.0, width - 4.0) if narrow else (TEXT_PX + 8.0, width - FIGURE_PX - 8.0)
    step = min(WIDEST_PX, (end - begin) / len(shown))
    across = {replay: begin + (place + 0.5) * step for place, replay in enumerate(shown)}
    lane_px = NARROW_LANE_PX if narrow else LANE_PX
    numbers = sorted({point.claim.number for point in points})
    parts = []
    for place, number in enumerate(numbers):
        own = [point for point in points if point.claim.number == number]
        middle = place * lane_px + (50 if narrow else LANE_PX / 2)
        parts += [
            svg.line(0, place * lane_px, width, place * lane_px),
            *_said(own[-1].claim, place * lane_px, width, narrow=narrow),
        ]
        drawn = [point for point in own if (point.began_at, point.run) in across]
        for point in drawn:
            # The tab key stops at the newest, and the arrows lead to the others.
            x = across[point.began_at, point.run]
            parts.append(_outcome(point, x, middle, in_turn=point is drawn[-1]))
    bottom = len(numbers) * lane_px
    parts += [svg.line(0, bottom, width, bottom), *_days(shown, across, bottom, width)]
    return Drawing(bottom + AXIS_PX, parts)


def _said(claim: IndexedClaim, top: float, width: float, *, narrow: bool) -> tuple[Markup, ...]:
    words, figure = f"{claim.number}. {claim.text}", figures.ratio_of(claim.ratio)
    if narrow:
        return (svg.text(svg.fitting(words, width), 0, top + 16), svg.quiet(figure, 0, top + 34))
    return (
        svg.text(svg.fitting(words, TEXT_PX), 0, top + 18),
        svg.quiet(figure, width - FIGURE_PX + 8, top + 18),
    )


def said_of(point: ClaimPoint) -> str:
    claim = point.claim
    found = f"claim {claim.number} {claim.finding}"
    figure = f", {figures.ratio_of(claim.ratio)}" if claim.ratio else ""
    return f"{minute(point.began_at)}: {found}{figure}; on {point.cpu_model}"


def _outcome(point: ClaimPoint, x: float, y: float, *, in_turn: bool) -> Markup:
    sign = _sign(point.claim.finding, x, y)
    return svg.mark(said_of(point), svg.ground(x - 9, y - 10, 18, 20), *sign, in_turn=in_turn)


def _sign(finding: str, x: float, y: float) -> list[Markup]:
    """A check mark, a cross or a question mark, which differ without colour."""
    look: dict[str, str | float] = {"stroke": FINDINGS[finding], "stroke_width": 2.5}
    half = HALF_PX
    match finding:
        case "holds":
            foot = (x - half / 3, y + half)
            down = svg.line(x - half, y, foot[0], foot[1], **look)
            return [down, svg.line(foot[0], foot[1], x + half, y - half, **look)]
        case "does not hold":
            return [
                svg.line(x - half, y - half, x + half, y + half, **look),
                svg.line(x - half, y + half, x + half, y - half, **look),
            ]
    return [svg.quiet("?", x, y + 4, text_anchor="middle", font_weight="bold")]


def _days(
    shown: Sequence[Replay], across: dict[Replay, float], bottom: float, width: float
) -> list[Markup]:
    """The days of the first and the last replay, if there is room for both."""
    half = svg.length("2026-01-01") / 2
    first, last = (min(max(half, across[replay]), width - half) for replay in (shown[0], shown[-1]))
    days = [(shown[-1], last)]
    if last - first > 2 * half + 8:
        days.insert(0, (shown[0], first))
    return [svg.quiet(day(at), x, bottom + 18, text_anchor="middle") for (at, _), x in days]
