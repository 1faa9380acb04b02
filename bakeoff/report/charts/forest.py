"""The forest plot: ratios with their intervals on one axis. For a race, a grid and claims."""

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from bakeoff.report.charts.palette import INK, QUIET
from bakeoff.report.charts.theme import Drawing, Frame, by_pixel, data, ratio_axis
from bakeoff.report.document import printable

_TEXT, _LANE, _BARE_LANE, _TITLE, _GAP = 15, 22, 13, 20, 14
_TEXT_WIDTH = 400
# Of a sans serif at 12 px, the wider ones included.
_PX_PER_CHARACTER = 7
_OPEN = {
    (False, False): "",
    (True, False): "left",
    (False, True): "right",
    (True, True): "both",
}
_STYLES: dict[str, dict[str, Any]] = {
    "title": {"fontWeight": "bold", "color": INK},
    "text": {"color": INK},
    "figure": {"color": QUIET},
}


@dataclass(frozen=True)
class Line:
    """A ratio with its interval; `text` and `figure` stand beside it.

    An end that is None is an arrow. `key` says by which sign it is drawn. `shaded` is a range
    behind it, open where a bound is None; `ring` marks another ratio.
    """

    key: str
    ratio: float
    low: float | None
    high: float | None
    text: str = ""
    figure: str = ""
    shaded: tuple[float | None, float | None] | None = None
    ring: float | None = None


@dataclass(frozen=True)
class Group:
    """Lines under a title; `no figures` stands where there is none."""

    lines: Sequence[Line]
    title: str = ""


def open_ended(lines: Sequence[Line]) -> str:
    """What arrows mean, as a sentence with a space before it; empty where there are none."""
    if all(line.low is not None and line.high is not None for line in lines):
        return ""
    return (
        " An arrow is an interval without an end on that side: the load generator was the limit,"
        " and the contender did at least what was measured."
    )


def forest(
    groups: Sequence[Group], signs: Mapping[str, tuple[str, str]], frame: Frame, *, legend: bool
) -> Drawing:
    """The groups one below the other. `signs` has the shape and the colour of each key."""
    lines = [line for group in groups for line in group.lines]
    ratios = [1.05, 0.95]
    for line in lines:
        bounds = (line.ratio, line.low, line.high, line.ring, *(line.shaded or ()))
        ratios += [bound for bound in bounds if bound and bound > 0]
    scale, axis = ratio_axis(min(ratios), max(ratios), frame, "ratio, logarithmic")
    widest = max(len(text) for line in lines for text in (line.text, line.figure))
    column = 0 if frame.narrow else min(_TEXT_WIDTH, widest * _PX_PER_CHARACTER)
    scale["range"] = [column + 24 if column else 6, frame.width - 24]
    axis["grid"] = False
    room = (column or frame.width - 8) // _PX_PER_CHARACTER
    texts, rows, height = _placed(groups, room, scale["domain"], narrow=frame.narrow)
    x, y = by_pixel(scale, axis, height)
    names = [key for key in signs if any(line.key == key for line in lines)]
    key = (
        alt.Legend(columns=2 if frame.narrow else 5, symbolStrokeWidth=0, labelLimit=150)
        if legend
        else None
    )
    shapes = alt.Scale(domain=names, range=[signs[name][0] for name in names])
    colours = alt.Scale(domain=names, range=[signs[name][1] for name in names])
    hue = alt.Color("key:N", scale=colours, legend=key)
    base = alt.Chart(data(rows))
    lane = {"y": y("lane_from"), "y2": alt.Y2("lane_to")}
    rings = alt.Chart(data([row for row in rows if row["ring"]]))
    layers = [
        alt.Chart(data([row for row in rows if row["above"]]))
        .mark_rect(color=QUIET, opacity=0.16)
        .encode(x=x("above"), x2=alt.X2("below"), **lane),
        base.mark_rule(color=QUIET, strokeDash=[3, 3]).encode(x=x("one"), **lane),
        *(
            alt.Chart(data([text for text in texts if text["style"] == style]))
            .mark_text(align="left", baseline="top", **look)
            .encode(x=alt.value(0), y=y("at"), text=alt.Text("text:N"))
            for style, look in _STYLES.items()
        ),
        base.mark_rule(strokeWidth=2.5).encode(
            x=x("low"), x2=alt.X2("high"), y=y("middle"), color=hue
        ),
        *(
            alt.Chart(data([row for row in rows if row["open"] in (side, "both")]))
            .mark_point(filled=True, size=110, opacity=1, shape=f"triangle-{side}")
            .encode(x=x(end), y=y("middle"), color=hue)
            for side, end in (("left", "low"), ("right", "high"))
        ),
        base.mark_point(filled=True, size=75, opacity=1).encode(
            x=x("ratio"),
            y=y("middle"),
            color=hue,
            shape=alt.Shape("key:N", scale=shapes, legend=key),
        ),
        rings.mark_point(shape="circle", size=150, strokeWidth=1.5, filled=False).encode(
            x=x("ring"), y=y("middle"), color=alt.value(INK)
        ),
    ]
    drawing: Drawing = alt.layer(*layers).properties(height=height)
    return drawing


def _placed(
    groups: Sequence[Group], room: int, domain: Sequence[float], *, narrow: bool
) -> tuple[list[dict[str, Any]], list[dict[str, Any]], int]:
    """Where texts and lanes stand, in px from the top, and the height of all.

    Texts have `room` characters a line: beside their lane, or above it where it is narrow.
    """
    texts: list[dict[str, Any]] = []
    rows: list[dict[str, Any]] = []
    top = 0

    def put(style: str, text: str, at: float) -> None:
        texts.append({"style": style, "text": printable(text), "at": at})

    for group in groups:
        if group.title:
            put("title", group.title, top)
            top += _TITLE
        if not group.lines:
            put("figure", "no figures", top)
            top += _TEXT
        for line in group.lines:
            said = [("text", each) for each in textwrap.wrap(printable(line.text), room)]
            said += [("figure", line.figure)] if line.figure else []
            for place, (style, text) in enumerate(said):
                put(style, text, top + 4 + _TEXT * place)
            words = _TEXT * len(said)
            lane_from = top + words + 8 if narrow and said else top
            lane_to = lane_from + (_LANE if narrow else words + 8) if said else top + _BARE_LANE
            above, below = line.shaded or (None, None)
            rows.append(
                {
                    "key": line.key,
                    "one": 1,
                    "ratio": line.ratio,
                    "low": max(line.low or domain[0], domain[0]),
                    "high": domain[1] if line.high is None else line.high,
                    "open": _OPEN[line.low is None, line.high is None],
                    "ring": line.ring,
                    "above": (above or domain[0]) if line.shaded else None,
                    "below": below or domain[1],
                    "lane_from": lane_from,
                    "lane_to": lane_to,
                    "middle": (lane_from + lane_to) / 2,
                }
            )
            top = lane_to + ((14 if narrow else 4) if said else 0)
        top += _GAP if group.title else 0
    return texts, rows, top
