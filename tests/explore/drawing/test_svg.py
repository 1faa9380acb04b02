"""Elements of SVG: escaped, named, on a scale."""

import xml.etree.ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup

from bakeoff.explore.drawing.svg import Ratios, element, fitting, interval, mark, picture, text
from bakeoff.report.document import printable

RATIOS = st.floats(min_value=1e-3, max_value=1e3)


@given(st.text(max_size=40), st.text(max_size=40))
def test_whatever_is_said_is_text(label: str, said: str) -> None:
    root = ET.fromstring(picture(100, 50, label, mark(said, text(said, 1, 2))))
    assert root.attrib["aria-label"].split() == printable(label).split()
    assert "".join(root.itertext()).split() == (printable(said) * 2).split() or said
    assert {each.tag.rpartition("}")[2] for each in root.iter()} == {
        *("svg", "rect", "g", "title", "text"),
    }


def test_attributes_are_escaped_and_named_as_svg_names_them() -> None:
    drawn = element("g", Markup("x"), class_='"><script>', font_size=12)
    assert drawn == '<g class="&#34;&gt;&lt;script&gt;" font-size="12">x</g>'


def test_a_mark_can_be_reached_by_keyboard_and_says_its_figure() -> None:
    assert 'tabindex="0"' in mark("nginx: 1.2×")
    assert "<title>nginx: 1.2×</title>" in mark("nginx: 1.2×")
    assert 'tabindex="-1"' in mark("one of hundreds", in_turn=False)


@given(st.lists(RATIOS, min_size=1, max_size=9))
def test_a_scale_has_room_for_every_ratio_and_for_1(ratios: list[float]) -> None:
    scale = Ratios.of(ratios, 10, 110)
    places = [scale.at(ratio) for ratio in sorted([*ratios, 1.0])]
    assert places == sorted(places)
    assert all(10 <= place <= 110 for place in places)
    assert all(scale.low <= tick <= scale.high for tick, _ in scale.ticks(8))


def test_an_end_that_is_not_there_is_an_arrow() -> None:
    scale = Ratios.of([1.0, 2.0], 0, 100)
    assert "polygon" not in interval(scale, 5, 1.0, 2.0, "red")
    assert interval(scale, 5, None, 2.0, "red").count("polygon") == 1
    assert interval(scale, 5, None, None, "red").count("polygon") == 2


def test_a_name_that_is_too_long_is_cut() -> None:
    assert fitting("nginx", 200) == "nginx"
    assert fitting("a-very-long-name", 40) == "a-ve…"
