"""The forest plot of the claims: what was measured, against what was claimed and published."""

import textwrap
from collections.abc import Sequence
from typing import Any

import altair as alt

from bakeoff.model.replay import ClaimResult
from bakeoff.report import figures
from bakeoff.report.charts.race import Sketch
from bakeoff.report.charts.theme import INK, QUIET, Drawing, Frame, data, ratio_axis
from bakeoff.report.replay import words
from bakeoff.report.words import printable

_CROSS = "M-1,-.6L-.6,-1L0,-.4L.6,-1L1,-.6L.4,0L1,.6L.6,1L0,.4L-.6,1L-1,.6L-.4,0Z"
_SIGNS = {
    "holds": ("circle", "#009e73"),
    "does not hold": (_CROSS, "#d55e00"),
    "can't tell": ("diamond", "#e69f00"),
}
_LINE, _LANE, _ROW_GAP = 15, 26, 14
_TEXT_WIDTH = 400
# Of a sans serif at 12 px, the wider ones included.
_PX_PER_CHARACTER = 7


def claims(results: Sequence[ClaimResult]) -> Sketch | None:
    """Every claim that has an interval, in the article's order."""
    decided = [
        (place, one)
        for place, one in enumerate(results, start=1)
        if one.measured and one.measured.low > 0
    ]
    if not decided:
        return None
    spoken = "; ".join(f"{place}. {one.finding}, {words.measured(one)}" for place, one in decided)
    return Sketch(
        slug="claims",
        title="The claims that could be measured",
        reading=words.FOREST_NOTE,
        alt_text=f"Forest plot of claims: {spoken}.",
        draw=lambda frame: _draw(decided, frame),
    )


def _draw(decided: Sequence[tuple[int, ClaimResult]], frame: Frame) -> Drawing:
    low, high = _reach([one for _, one in decided])
    scale, axis = ratio_axis(low, high, frame, "ratio, logarithmic")
    left = 6 if frame.narrow else _TEXT_WIDTH + 24
    scale["range"] = [left, frame.width - 24]
    axis["grid"] = False
    rows, height = _placed(decided, frame, *scale["domain"])
    findings = [name for name in _SIGNS if any(row["finding"] == name for row in rows)]
    y_scale = alt.Scale(domain=[height, 0], nice=False, zero=False)

    def x(field: str) -> alt.X:
        return alt.X(f"{field}:Q", scale=scale, axis=axis)

    def y(field: str) -> alt.Y:
        return alt.Y(f"{field}:Q", scale=y_scale, axis=None)

    base = alt.Chart(data(rows))
    text = base.mark_text(align="left", baseline="top", lineBreak="\n", lineHeight=_LINE)
    hue = alt.Color(
        "finding:N",
        scale=alt.Scale(domain=findings, range=[_SIGNS[name][1] for name in findings]),
    )
    sign = alt.Shape(
        "finding:N",
        scale=alt.Scale(domain=findings, range=[_SIGNS[name][0] for name in findings]),
        legend=alt.Legend(symbolStrokeWidth=0),
    )
    published = alt.Chart(data([row for row in rows if row["published"]]))
    one = alt.Chart(data([row | {"one": 1} for row in rows if low <= 1 <= high]))
    layers = [
        base.mark_rect(color=QUIET, opacity=0.16).encode(
            x=x("above"), x2="below", y=y("lane_from"), y2="lane_to"
        ),
        one.mark_rule(color=QUIET, strokeDash=[3, 3]).encode(
            x=x("one"), y=y("lane_from"), y2="lane_to"
        ),
        text.encode(x=alt.value(0), y=y("text_at"), text="text:N", color=alt.value(INK)),
        text.encode(x=alt.value(0), y=y("said_at"), text="said:N", color=alt.value(QUIET)),
        base.mark_rule(strokeWidth=2.5).encode(x=x("low"), x2="high", y=y("middle"), color=hue),
        base.mark_point(filled=True, size=90, opacity=1).encode(
            x=x("ratio"), y=y("middle"), color=hue, shape=sign
        ),
        published.mark_point(shape="circle", size=150, strokeWidth=1.5, filled=False).encode(
            x=x("published"), y=y("middle"), color=alt.value(INK)
        ),
    ]
    drawing: Drawing = alt.layer(*layers).properties(height=height)
    return drawing


def _reach(decided: Sequence[ClaimResult]) -> tuple[float, float]:
    """The least and the largest ratio that must be on the axis, and a little room between them."""
    ratios = [1.0]
    for one in decided:
        ratios += [one.published] if one.published else []
        ratios += [bound for bound in (one.above, one.below) if bound]
        ratios += [one.measured.low, one.measured.high] if one.measured else []
    return min(*ratios, 0.95), max(*ratios, 1.05)


def _placed(
    decided: Sequence[tuple[int, ClaimResult]], frame: Frame, least: float, most: float
) -> tuple[list[dict[str, Any]], int]:
    """Where each claim's words and lane stand, in px from the top, and the height of all."""
    room = (frame.width - 8 if frame.narrow else _TEXT_WIDTH) // _PX_PER_CHARACTER
    rows: list[dict[str, Any]] = []
    top = 0
    for place, one in decided:
        assert one.measured
        lines = textwrap.wrap(printable(f"{place}. {one.text}"), room)
        found = one.measured
        ratio = figures.ratio_times(found.ratio, found.low, found.high)
        words_end = top + _LINE * (len(lines) + 1)
        lane_from = words_end + 4 if frame.narrow else (top + words_end - _LANE) / 2
        rows.append(
            {
                "text": "\n".join(lines),
                "said": f"{one.finding}: {ratio}",
                "finding": one.finding,
                "ratio": found.ratio,
                "low": found.low,
                "high": found.high,
                "published": one.published,
                "above": max(one.above or least, least),
                "below": min(one.below or most, most),
                "text_at": top,
                "said_at": words_end - _LINE,
                "lane_from": lane_from,
                "lane_to": lane_from + _LANE,
                "middle": lane_from + _LANE / 2,
            }
        )
        top = (words_end + (4 + _LANE if frame.narrow else 0)) + _ROW_GAP
    return rows, top
