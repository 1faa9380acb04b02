"""The matrix: a cell for each two contenders, the row's over the column's."""

from collections.abc import Mapping, Sequence
from math import ceil

from markupsafe import Markup

from bakeoff.model.history import Matrix
from bakeoff.model.pairs import Pair
from bakeoff.report import figures
from bakeoff.report.charts import svg
from bakeoff.report.charts.svg import INK, PALETTE, QUIET
from bakeoff.report.document import Chart, Drawing, Frame

TIE = "can't tell"
WORDS = {"faster": "ahead", "slower": "behind", "within": "within the margin", TIE: "can’t tell"}
"""A pair's finding, for the contender in the row."""
COLOURS = {"faster": PALETTE[2], "slower": PALETTE[1], "within": QUIET, TIE: QUIET}
HEAD_PX, NUMBER_PX, GAP_PX, SIGN_PX = 24, 20, 2, 5
NAMES_PX, NARROW_NAMES_PX = 260, 130
WIDEST_PX, TALLEST_PX, LEAST_PX = 132, 34, 16
"""The greatest width of a cell, and its greatest and least height."""
Row = Mapping[str, Pair]


def standing(found: Matrix, names: Sequence[str]) -> tuple[Chart, ...]:
    rows: dict[str, dict[str, Pair]] = {name: {} for name in names}
    for pair in found.pairs:
        rows[pair.a][pair.b], rows[pair.b][pair.a] = pair, pair.turned()
    if not found.pairs:
        return ()
    where = f"{found.workload}, {found.protocol}, {found.load}"
    spoken = (
        f"{name} is ahead of {_count(row, 'faster')}, behind {_count(row, 'slower')},"
        f" level with {_count(row, TIE)}"
        for name, row in rows.items()
    )
    return (
        Chart(
            "matrix",
            "Each against each",
            f"{where}: each cell is the contender of its row over that of its column, in the newest"
            " race of the two. ▲ ahead, ▼ behind, = can’t be told apart; empty, they never met."
            " Columns are in the order of rows, by their numbers; a dot is a contender and itself.",
            f"{'; '.join(spoken)}.",
            lambda frame: _cells(rows, frame),
        ),
    )


def _count(row: Row, finding: str) -> int:
    return sum(pair.finding == finding for pair in row.values())


def _cells(rows: Mapping[str, Row], frame: Frame) -> Drawing:
    longest = max(map(svg.length, rows))
    begin = min(NARROW_NAMES_PX if frame.narrow else NAMES_PX, longest + 40)
    wide = min(WIDEST_PX, (frame.width - begin) / len(rows))
    tall = min(TALLEST_PX, max(LEAST_PX, wide))
    every = ceil(NUMBER_PX / wide)
    parts = []
    for place, (name, row) in enumerate(rows.items()):
        left, top = begin + place * wide, HEAD_PX + place * tall
        head = f"{place + 1} {name}" if longest + 24 <= wide else str(place + 1)
        if place % every == 0:
            middle = min(left + wide / 2, frame.width - svg.length(head) / 2)
            parts.append(svg.quiet(head, middle, HEAD_PX - 8, text_anchor="middle"))
        parts += [
            svg.quiet(str(place + 1), 20, top + tall / 2 + 4, text_anchor="end"),
            svg.text(svg.fitting(name, begin - 34), 28, top + tall / 2 + 4),
            svg.line(begin, top, begin + wide * len(rows), top),
            svg.circle(left + wide / 2, top + tall / 2, 2, fill=QUIET),
        ]
        met = [(at, row[other]) for at, other in enumerate(rows) if other in row]
        for first, (at, pair) in enumerate(met):
            # The tab key stops at each row, and the arrows lead along it.
            cell = _cell(pair, begin + at * wide, top, wide, tall)
            parts.append(svg.mark(said_of(pair), *cell, in_turn=not first))
    bottom = HEAD_PX + len(rows) * tall
    parts.append(svg.line(begin, bottom, begin + wide * len(rows), bottom))
    return Drawing(bottom + 4, parts)


def said_of(pair: Pair) -> str:
    words = WORDS[pair.finding]
    return f"{pair.a} over {pair.b}: {words}, {figures.ratio_of(pair.ratio)}, n = {pair.ratio.n}"


def _cell(pair: Pair, left: float, top: float, wide: float, tall: float) -> list[Markup]:
    colour = COLOURS[pair.finding]
    ratio = figures.ratio_of(pair.ratio).partition(" (")[0]
    has_room = svg.length(ratio) + 4 * SIGN_PX + 8 <= wide
    middle, height = left + wide / 2, top + tall / 2
    if has_room:
        middle -= svg.length(ratio) / 2 + 2
    gap = GAP_PX if wide > 3 * SIGN_PX else 0.5
    faint = 0.06 if colour == QUIET else 0.18
    size = (wide - 2 * gap, tall - 2 * gap)
    behind = svg.rect(left + gap, top + gap, *size, fill=colour, fill_opacity=faint)
    parts = [behind, _sign(pair.finding, middle, height, min(SIGN_PX, wide / 2 - 1), colour)]
    if has_room:
        parts.append(svg.text(ratio, middle + SIGN_PX + 6, height + 4, fill=INK))
    return parts


def _sign(finding: str, x: float, y: float, half: float, colour: str) -> Markup:
    """A triangle that points up or down, or two lines, which differ without colour."""
    if COLOURS[finding] == QUIET:
        strokes = (
            svg.line(x - half, at, x + half, at, stroke=colour, stroke_width=1.5)
            for at in (y - 2.5, y + 2.5)
        )
        return Markup("").join(strokes)
    tip = -half if finding == "faster" else half
    return svg.polygon([(x, y + tip), (x - half, y - tip), (x + half, y - tip)], fill=colour)
