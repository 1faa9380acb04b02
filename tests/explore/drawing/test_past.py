"""The picture of a line over time: every figure is in it, as the report writes it."""

from bakeoff.explore.drawing.past import SHOWN_MAX, line_over_time
from bakeoff.model.history import LineStep
from tests.judge.test_past import line, stepping
from tests.report.charts.drawn import marks


def test_a_line_s_picture_has_its_points_its_levels_and_its_steps() -> None:
    found = line(stepping(0.9))
    (drawn,) = line_over_time(found)
    said = marks(drawn)
    assert len(said) == 20 + 2 + 1
    ratio, low, high = (f"{figure:.3f}" for figure in _of(found.steps[0]))
    assert f"Step on 2026-01-11: {ratio} times what it was ({low} to {high})" in said
    assert sum("runs since" in label for label in said) == 2


def _of(step: LineStep) -> tuple[float, float, float]:
    return step.ratio.ratio, step.ratio.low, step.ratio.high


def test_the_latest_runs_of_a_long_line_are_drawn_and_the_rest_is_counted() -> None:
    found = line([100.0] * (SHOWN_MAX + 7))
    (drawn,) = line_over_time(found)
    assert "7 earlier runs not drawn." in drawn.reading
    assert len(marks(drawn)) == SHOWN_MAX + 1


def test_where_no_run_has_a_ratio_there_is_no_picture() -> None:
    assert line_over_time(line([1.0], ratio=None)) == ()
