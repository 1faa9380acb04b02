"""The pictures of views: every figure is in them, as the report writes it, and none is cut."""

import xml.etree.ElementTree as ET

from bakeoff.explore.drawing.drawn import Drawn, changes, line_over_time, ratios
from bakeoff.explore.drawing.past import SHOWN_MAX
from bakeoff.judge import compare_runs
from bakeoff.model.history import LineStep
from bakeoff.model.verdict import Verdict
from bakeoff.report import figures
from tests.explore.conftest import Shelves
from tests.judge.test_past import line, stepping
from tests.judge.test_runs import change_of, run


def marks(drawn: Drawn) -> list[str]:
    """What the marks of a picture say; both drawings say the same."""
    wide, narrow = map(_marks, (drawn.wide, drawn.narrow))
    assert wide == narrow
    return wide


def _marks(svg: str) -> list[str]:
    return [
        each.attrib["aria-label"] for each in ET.fromstring(svg).iter() if "tabindex" in each.attrib
    ]


def test_a_race_s_picture_says_what_its_standings_say(shelves: Shelves) -> None:
    verdict = shelves.race.result
    assert isinstance(verdict, Verdict)
    (drawn,) = ratios(verdict)
    said = marks(drawn)
    for entry in verdict.entries:
        if entry.name != verdict.reference:
            expected = f"{entry.name}: {figures.ratio_of(entry)}, {entry.n} paired blocks"
            assert expected in said
    assert verdict.noise_floor
    assert said[-1] == f"{verdict.noise_floor.name}: {figures.ratio_of(verdict.noise_floor)}"
    assert drawn.alt_text.startswith(f"Ratios to {verdict.reference}: ")


def test_two_runs_picture_says_what_changed() -> None:
    compared = compare_runs(run(1), run(2, ratios={"ref": 1.0, "a": 0.4, "b": 2.0}))
    (drawn,) = changes(compared)
    said = marks(drawn)
    assert f"a: {figures.ratio_of(change_of(compared, 'a'))}" in said
    assert len(said) == 2, "the reference changed against nobody"


def test_a_line_s_picture_has_its_points_its_levels_and_its_steps() -> None:
    found = line(stepping(0.9))
    (drawn,) = line_over_time(found)
    said = marks(drawn)
    assert len(said) == 20 + 2 + 1
    ratio, low, high = (f"{each:.3f}" for each in _of(found.steps[0]))
    assert f"Step on 2026-01-11: {ratio} times what it was ({low} to {high})" in said
    assert sum("runs since" in each for each in said) == 2


def _of(step: LineStep) -> tuple[float, float, float]:
    return step.ratio, step.low, step.high


def test_the_latest_runs_of_a_long_line_are_drawn_and_the_rest_is_counted() -> None:
    found = line([100.0] * (SHOWN_MAX + 7))
    (drawn,) = line_over_time(found)
    assert "7 earlier runs not drawn." in drawn.reading
    assert len(marks(drawn)) == SHOWN_MAX + 1


def test_where_nobody_has_a_ratio_there_is_no_picture(shelves: Shelves) -> None:
    found = line([1.0], ratio=None)
    assert line_over_time(found) == ()
    verdict = shelves.race.result
    assert isinstance(verdict, Verdict)
    nobody = tuple(each.model_copy(update={"ratio": None}) for each in verdict.entries)
    assert ratios(verdict.model_copy(update={"entries": nobody})) == ()
