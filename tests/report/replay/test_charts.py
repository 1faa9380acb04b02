"""The pictures of a replay, as far as they can be judged without looking."""

import xml.etree.ElementTree as ET

import pytest

from bakeoff.report.charts import theme
from bakeoff.report.charts.race import Sketch
from bakeoff.report.replay.charts import replay_pictures
from bakeoff.report.replay.charts.bars import memory, speed
from bakeoff.report.replay.charts.forest import claims
from bakeoff.report.replay.parts import parts
from tests.report.replay import sample

FRAMES = pytest.mark.parametrize("frame", [theme.WIDE, theme.NARROW], ids=["wide", "narrow"])
FIRST, SKIPPED, SHORT, NOT_REACHED = parts(sample.cut_off())
MANY = parts(sample.brick())


def sketches() -> dict[str, Sketch]:
    found = {
        "runs": speed(FIRST, [FIRST]),
        "gap": speed(MANY[0], MANY),
        "memory": memory(MANY[0], MANY),
        "claims": claims(sample.brick().claims),
    }
    return {name: sketch for name, sketch in found.items() if sketch}


def drawn(sketch: Sketch, frame: theme.Frame) -> ET.Element:
    return ET.fromstring(theme.to_svg(sketch.draw(frame), frame, sketch.slug, sketch.alt_text))


def texts(root: ET.Element) -> list[str]:
    return ["".join(node.itertext()) for node in root.iter() if node.tag.endswith("text")]


@FRAMES
@pytest.mark.parametrize("name", ["runs", "gap", "memory", "claims"])
def test_a_picture_keeps_to_the_schema_and_to_its_frame(name: str, frame: theme.Frame) -> None:
    sketch = sketches()[name]
    sketch.draw(frame).to_dict()  # altair checks every piece here, and raises
    root = drawn(sketch, frame)
    assert float(root.attrib["width"]) == pytest.approx(frame.width, abs=12)
    assert root.attrib["aria-label"] == sketch.alt_text
    assert not {"NaN", "undefined", "null"} & set(texts(root))


@FRAMES
def test_both_panels_have_the_rows_in_the_articles_order_and_gaps_by_name(
    frame: theme.Frame,
) -> None:
    shown = texts(drawn(sketches()["gap"], frame))
    names = [row.name for row, _ in MANY[0].rows]
    assert [text for text in shown if text in names][-len(names) :] == names
    assert shown.count("skipped") == 1
    assert "75,018" in shown
    assert any(text.startswith("httprouter · go-gin") for text in shown)


def test_a_row_has_one_colour_in_all_comparisons() -> None:
    everything = parts(sample.cut_off())
    blue = {
        theme.to_svg(sketch.draw(theme.WIDE), theme.WIDE, "a", "b").count('fill="#0072b2"')
        for sketch in (speed(FIRST, everything), speed(SHORT, everything))
        if sketch
    }
    assert blue == {2}


def test_what_was_not_measured_has_no_picture() -> None:
    assert speed(SKIPPED, [SKIPPED]) is None
    assert speed(NOT_REACHED, [NOT_REACHED]) is None
    assert memory(FIRST, [FIRST]) is None  # the article printed none
    undecided = [one for one in sample.brick().claims if one.measured is None]
    assert claims(undecided) is None


def test_claims_say_their_finding_in_words_and_by_shape() -> None:
    svg = theme.to_svg(sketches()["claims"].draw(theme.WIDE), theme.WIDE, "claims", "")
    shown = texts(ET.fromstring(svg))
    assert "holds: 1.18× (1.14 to 1.23)" in shown
    assert "does not hold: 0.670× (0.643 to 0.697)" in shown
    assert not [text for text in shown if text.startswith("1. ")]  # it can't be measured


def test_a_replay_in_which_nothing_was_measured_has_no_pictures() -> None:
    replay = sample.brick().model_copy(update={"comparisons": (), "claims": ()})
    assert replay_pictures(replay) == []
