"""The bar of one contender: how many times as good it is as the best, with its interval."""

from markupsafe import Markup

from bakeoff.model.ratio import Ratio
from bakeoff.report.charts import svg
from bakeoff.report.charts.svg import INK, PALETTE

WIDTH, HEIGHT = 1000, 20
"""The bar's own grid, which a page stretches."""
FIRST, OTHER = PALETTE[2], PALETTE[0]


def bar(ratio: Ratio, furthest: float, *, is_first: bool, has_interval: bool) -> Markup:
    """A bar as long as the `ratio` is relative to the `furthest` end of all; a contender that may
    be the best has another colour. A missing end reaches to the edge."""
    scale = WIDTH / furthest
    parts = [svg.rect(0, 3, ratio.ratio * scale, HEIGHT - 6, fill=FIRST if is_first else OTHER)]
    if has_interval:
        low, high = (ratio.low or 0.0) * scale, min(ratio.high or furthest, furthest) * scale
        look: dict[str, str | float] = {
            "stroke": INK,
            "stroke_width": 1.5,
            "vector_effect": "non-scaling-stroke",
        }
        parts += [
            svg.line(low, HEIGHT / 2, high, HEIGHT / 2, **look),
            svg.line(low, 4, low, HEIGHT - 4, **look),
            svg.line(high, 4, high, HEIGHT - 4, **look),
        ]
    return svg.element(
        "svg",
        *parts,
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        preserveAspectRatio="none",
        class_="bar",
        aria_hidden="true",
    )
