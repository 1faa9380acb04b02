"""The picture of a race's steadiness: each block's and each boot's ratio around the result."""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from bakeoff.report import figures
from bakeoff.report.charts import series, svg
from bakeoff.report.charts.race import Race, Standing
from bakeoff.report.charts.scale import AXIS_PX, Scale, across, legend
from bakeoff.report.charts.svg import INK, QUIET, dots
from bakeoff.report.document import Chart, Drawing, Frame, printable

NAMES_PX, NARROW_NAME_PX = 200, 20


@dataclass(frozen=True)
class _Point:
    """A ratio, in % from the contender's own, in lane `down` of the boots, from the top."""

    down: float
    apart: float
    is_long: bool = False


@dataclass(frozen=True)
class _Lane:
    """A contender's ratios and its interval, all in % from its own ratio."""

    name: str
    interval: tuple[float, float] | None
    strokes: Sequence[_Point]
    dots: Sequence[_Point]


def steadiness(race: Race) -> Chart | None:
    """A lane for each boot: its blocks as dots, its own ratio as a stroke, the interval behind."""
    results = [standing for standing in race.standings if standing.name != race.reference]
    in_draws = any(len(standing.draws) > len(standing.boots) for standing in results)
    kept, stride = series.thinned(race.blocks, len(results))
    chance = random.Random(race.verdict.seed)
    dots: dict[str, list[_Point]] = {result.name: [] for result in results}
    ratio_of = {standing.name: standing.ratio.ratio for standing in results}
    # The blocks' ratios are those of throughput.
    by_throughput = race.verdict.ranked_by == "requests_per_s"
    for dot in series.dots(kept, race.verdict.reference) if by_throughput else ():
        if (name := printable(dot.entry)) in dots and dot.ratio:
            down = dot.boot + chance.uniform(-0.32, 0.32)
            apart = _apart(dot.ratio, ratio_of[name])
            dots[name].append(_Point(down, apart, dot.kind == "long"))
    lanes = [
        _Lane(
            standing.name,
            (_apart(low, standing.ratio.ratio), _apart(high, standing.ratio.ratio))
            if (low := standing.ratio.low) and (high := standing.ratio.high)
            else None,
            _by_draw(standing) if in_draws else _by_boot(standing),
            dots[standing.name],
        )
        for standing in results
    ]
    strokes = [abs(point.apart) for lane in lanes for point in lane.strokes]
    blocks = [abs(point.apart) for lane in lanes for point in lane.dots]
    if not strokes and not blocks:
        return None
    intervals = (abs(end) for lane in lanes for end in lane.interval or ())
    reach = (
        max([*strokes, *intervals, *sorted(blocks)[: math.ceil(0.99 * len(blocks))]]) * 1.1 or 1.0
    )
    outside = sum(apart > reach for apart in blocks)
    drawn = "all blocks are drawn" if stride == 1 else f"one block in {stride} is drawn"
    of_dots = f" Each dot is one block; {drawn}; diamonds are long slices."
    if outside:
        lie = "lies" if outside == 1 else "lie"
        of_dots += f" {figures.plural(outside, 'dot')} further out than the axis {lie} on its edge."
    what, above = ("draw", ", its draws one below the other") if in_draws else ("boot", "")
    return Chart(
        slug="steadiness",
        title=f"How steady the ratio is, {what} by {what}",
        reading=(
            "Ratios as a difference to the contender's result; the shaded band is its 95 %"
            f" interval. A contender has a lane per boot, the first on top{above}. Each stroke is"
            f" one {what}'s own ratio: strokes that lie apart mean that connections or processes of"
            f" one program differ, which more blocks would not cure.{of_dots if blocks else ''}"
        ),
        alt_text=(
            f"{figures.plural(len(blocks), 'block ratio')} around each contender's ratio; {what}s"
            f" are at most {max(strokes, default=0.0):.2g} % apart from it."
        ),
        draw=lambda frame: _draw(race, lanes, reach, frame),
    )


def _by_boot(of: Standing) -> list[_Point]:
    return [_Point(boot.boot, _apart(boot.ratio, of.ratio.ratio)) for boot in of.boots]


def _by_draw(of: Standing) -> list[_Point]:
    """Draws spread over the lane of their boot."""
    last = max([1, *(draw.draw for draw in of.draws)])
    return [
        _Point(draw.boot + 0.64 * (draw.draw / last - 0.5), _apart(draw.ratio, of.ratio.ratio))
        for draw in of.draws
    ]


def _apart(ratio: float, result: float) -> float:
    return 100 * (ratio / result - 1)


def _percent(value: float) -> str:
    return f"{value:+g} %".replace("-", "−") if value else "0 %"


def _draw(race: Race, lanes: Sequence[_Lane], reach: float, frame: Frame) -> Drawing:
    longest = max(svg.length(lane.name) for lane in lanes) + 16
    left = 4.0 if frame.narrow else min(NAMES_PX, longest)
    scale = Scale(-reach, reach, left, frame.width - 4)
    boots = race.verdict.boots
    band_px = max(36, 20 * boots)
    strokes_px = 3 if any(len(lane.strokes) > boots for lane in lanes) else 7.5
    parts: list[Markup] = []
    top = 0.0
    for lane in lanes:
        colour = race.colours[lane.name]
        top += NARROW_NAME_PX if frame.narrow else 0
        name_at = (top - 6) if frame.narrow else top + band_px / 2 + 4
        parts.append(
            svg.text(svg.fitting(lane.name, left - 8 if left > 8 else frame.width), 0, name_at)
        )
        parts.append(svg.line(scale.begin, top, scale.end, top))
        if lane.interval:
            begin, end = map(scale.at, lane.interval)
            parts.append(svg.rect(begin, top, end - begin, band_px, fill=colour, opacity=0.14))

        def at(point: _Point, top: float = top) -> svg.Corner:
            down = (point.down + 0.6) / (boots + 0.2)
            return scale.at(point.apart), top + down * band_px

        short = [at(point) for point in lane.dots if not point.is_long]
        long = [at(point) for point in lane.dots if point.is_long]
        parts += [dots(short, 3.6, stroke=colour, opacity=0.75)] if short else []
        parts += [svg.diamonds(long, 4, fill=colour, opacity=0.75)] if long else []
        for x, y in map(at, lane.strokes):
            parts.append(
                svg.line(x, y - strokes_px, x, y + strokes_px, stroke=INK, stroke_width=2.5)
            )
        top += band_px
    zero = scale.at(0)
    axis = scale.axis("difference to the contender's own ratio", frame.ticks, _percent)
    behind = across(axis, top, grid_from=0)
    behind.append(svg.line(zero, 0, zero, top, stroke=QUIET, stroke_dasharray="3 3"))
    drawn = Drawing(top + AXIS_PX, [*behind, *parts])
    if not any(lane.dots for lane in lanes):
        return drawn
    signs = {
        "short slices": lambda x, y: dots([(x + 7, y)], 4, stroke=INK),
        "long slices": lambda x, y: svg.diamonds([(x + 7, y)], 5, fill=INK),
    }
    return svg.stacked([legend(signs, frame), drawn], gap=8)
