"""The pictures of a grid and of a replay."""

from bakeoff.judge import compare_runs
from bakeoff.model.grid import Grid
from bakeoff.report import figures
from bakeoff.report.charts.race import cells, changes
from bakeoff.report.charts.replay import claims, memory, speed
from bakeoff.report.charts.svg import PALETTE
from bakeoff.report.document import Chart, Frame
from bakeoff.report.kinds.grid import contenders, title
from bakeoff.report.kinds.published import parts
from tests.judge.test_runs import change_of, run
from tests.report.charts.drawn import marks, placed, root, texts
from tests.report.charts.test_charts import FRAMES, charts_of
from tests.report.documents import DOCUMENTS
from tests.report.sample import grid, replay

FIRST, SKIPPED, SHORT, NOT_REACHED = parts(replay.cut_off())
MANY = parts(replay.brick())


def cells_of(grid: Grid) -> Chart | None:
    return cells(grid, contenders(grid), [title(grid, cell) for cell in grid.cells], "")


def has(chart: Chart | None) -> Chart:
    assert chart
    return chart


@FRAMES
def test_the_picture_of_a_grid_has_every_cell(frame: Frame) -> None:
    shown = texts(has(cells_of(grid.grid())), frame)
    assert {"c64-p16: 64 connections, pipeline of 16", "no figures", "twin"} <= set(shown)
    assert sum(text.startswith("c") and ": " in text for text in shown) == 6


def test_a_grid_without_a_ratio_has_no_picture() -> None:
    cells = [cell.model_copy(update={"verdict": None, "leaders": ()}) for cell in grid.grid().cells]
    assert cells_of(grid.of(cells)) is None


@FRAMES
def test_both_panels_have_the_rows_in_the_articles_order_and_gaps_by_name(
    frame: Frame,
) -> None:
    shown = texts(has(speed(MANY[0], MANY)), frame)
    names = [row.name for row, _ in MANY[0].rows]
    assert [text for text in shown if text in names][-len(names) :] == names
    assert shown.count("skipped") == 1
    assert "75,018" in shown
    assert any(text.startswith("httprouter · go-gin") for text in shown)


def test_a_row_has_one_colour_in_all_comparisons() -> None:
    every = parts(replay.cut_off())
    for part in (FIRST, SHORT):
        bars = placed(root(has(speed(part, every))), "rect")
        assert [bar.node.get("fill") for bar in bars].count(PALETTE[0]) == 2


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
    chart = has(claims(replay.brick().claims))
    said = [each.partition(": ")[2] for each in marks(chart)]
    assert "holds, 1.18× (1.14 to 1.23)" in said
    assert "does not hold, 0.670× (0.643 to 0.697)" in said
    assert not [text for text in texts(chart) if text.startswith("1. ")]  # it can't be measured


def test_a_replay_in_which_nothing_was_measured_has_no_pictures() -> None:
    from bakeoff.report.kinds.replay import document

    nothing = replay.brick().model_copy(update={"comparisons": (), "claims": ()})
    assert list(charts_of(document(nothing).summary)) == []
    assert list(charts_of(DOCUMENTS["replay"]().summary))


def test_two_runs_picture_says_what_changed() -> None:
    compared = compare_runs(run(1), run(2, ratios={"ref": 1.0, "a": 0.4, "b": 2.0}))
    said = marks(has(changes(compared)))
    assert f"a: {figures.ratio_of(change_of(compared, 'a').ratio)}" in said
    assert len(said) == 2, "the reference changed against nobody"
