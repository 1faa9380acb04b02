"""The pictures of a grid and of a replay."""

import xml.etree.ElementTree as ET

from bakeoff.report.charts import theme
from bakeoff.report.charts.grid import ratios
from bakeoff.report.charts.replay import claims, memory, speed
from bakeoff.report.document import Chart
from bakeoff.report.kinds.replay import parts
from tests.report.charts.test_charts import FRAMES, charts_of, drawn, texts
from tests.report.documents import DOCUMENTS
from tests.report.sample import grid, replay

FIRST, SKIPPED, SHORT, NOT_REACHED = parts(replay.cut_off())
MANY = parts(replay.brick())


def has(chart: Chart | None) -> Chart:
    assert chart
    return chart


@FRAMES
def test_the_picture_of_a_grid_has_every_cell(frame: theme.Frame) -> None:
    shown = texts(drawn(has(ratios(grid.grid())), frame))
    assert {"c64-p16: 64 connections, pipeline of 16", "no figures", "twin"} <= set(shown)
    assert sum(text.startswith("c") and ": " in text for text in shown) == 6


def test_a_grid_without_a_ratio_has_no_picture() -> None:
    cells = [cell.model_copy(update={"verdict": None, "leaders": ()}) for cell in grid.grid().cells]
    assert ratios(grid.of(cells)) is None


@FRAMES
def test_both_panels_have_the_rows_in_the_articles_order_and_gaps_by_name(
    frame: theme.Frame,
) -> None:
    shown = texts(drawn(has(speed(MANY[0], MANY)), frame))
    names = [row.name for row, _ in MANY[0].rows]
    assert [text for text in shown if text in names][-len(names) :] == names
    assert shown.count("skipped") == 1
    assert "75,018" in shown
    assert any(text.startswith("httprouter · go-gin") for text in shown)


def test_a_row_has_one_colour_in_all_comparisons() -> None:
    every = parts(replay.cut_off())
    svgs = [ET.tostring(drawn(has(speed(part, every)), theme.WIDE)) for part in (FIRST, SHORT)]
    assert [svg.count(b'fill="#0072b2"') for svg in svgs] == [2, 2]


def test_what_was_not_measured_has_no_picture() -> None:
    assert speed(SKIPPED, [SKIPPED]) is None
    assert speed(NOT_REACHED, [NOT_REACHED]) is None
    assert memory(FIRST, [FIRST]) is None  # the article printed none
    assert claims([each for each in replay.brick().claims if each.measured is None]) is None


def test_the_lines_on_the_bars_are_explained_where_there_are_any() -> None:
    assert "our runs in a row" in has(speed(FIRST, [FIRST])).reading
    assert "the article's runs" in has(speed(FIRST, [FIRST])).reading
    assert "runs" not in has(speed(MANY[0], MANY)).reading


def test_claims_say_their_finding_in_words_and_by_shape() -> None:
    shown = texts(drawn(has(claims(replay.brick().claims)), theme.WIDE))
    assert "holds: 1.18× (1.14 to 1.23)" in shown
    assert "does not hold: 0.670× (0.643 to 0.697)" in shown
    assert not [text for text in shown if text.startswith("1. ")]  # it can't be measured


def test_a_replay_in_which_nothing_was_measured_has_no_pictures() -> None:
    from bakeoff.report.kinds.replay import document

    nothing = replay.brick().model_copy(update={"comparisons": (), "claims": ()})
    assert list(charts_of(document(nothing).summary)) == []
    assert list(charts_of(DOCUMENTS["replay"]().summary))
