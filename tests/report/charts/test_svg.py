"""Elements of SVG: escaped, named, in light and in dark."""

import xml.etree.ElementTree as ET

from hypothesis import given, settings
from hypothesis import strategies as st
from markupsafe import Markup

from bakeoff.report.charts.svg import INK, alone, dots, element, fitting, mark, stacked, svg, text
from bakeoff.report.document import WIDE, Chart, Drawing, printable
from tests.report.charts.drawn import SVG, placed


def chart(label: str, *parts: Markup) -> Chart:
    return Chart("slug", "title", "reading", label, lambda _frame: Drawing(50, parts))


@settings(max_examples=30)
@given(st.text(min_size=1, max_size=40), st.text(max_size=40))
def test_words_are_never_markup(label: str, said: str) -> None:
    root = ET.fromstring(svg(chart(label, mark(said, text(said, 1, 2))), WIDE))
    assert root.attrib["aria-label"].split() == printable(label).split()
    assert "".join(root.itertext()).split() == (printable(said) * 2).split() or said
    assert {each.tag for each in root.iter()} == {
        SVG + name for name in ("svg", "rect", "g", "title", "text")
    }


def test_attributes_are_escaped_and_named_as_svg_names_them() -> None:
    drawn = element("g", Markup("x"), class_='"><script>', font_size=12, stroke_dasharray="")
    assert drawn == '<g class="&#34;&gt;&lt;script&gt;" font-size="12">x</g>'


def test_a_mark_can_be_reached_by_keyboard_and_says_its_figure() -> None:
    assert 'tabindex="0"' in mark("nginx: 1.2×")
    assert "<title>nginx: 1.2×</title>" in mark("nginx: 1.2×")
    assert 'tabindex="-1"' in mark("one of hundreds", in_turn=False)


def test_a_picture_is_one_image_unless_it_has_marks_to_reach() -> None:
    plain, marked = (svg(chart("label", inside), WIDE) for inside in (text("a", 0, 9), mark("a")))
    assert ET.fromstring(plain).attrib["role"] == "img"
    assert ET.fromstring(marked).attrib["role"] == "group"


def test_a_file_of_its_own_turns_its_ink_over_in_the_dark() -> None:
    drawn = alone(chart("label", text("a", 0, 9)), WIDE)
    style = ET.fromstring(drawn).find(SVG + "style")
    assert style is not None and style.text
    assert "prefers-color-scheme: dark" in style.text
    assert f'[fill="{INK}"] {{ fill: var(--ink, ' in style.text
    assert f'fill="{INK}"' in drawn


def test_thousands_of_dots_are_one_element_with_each_in_its_place() -> None:
    drawn = element("svg", dots([(1, 2), (3, 4)], 3.2), xmlns="http://www.w3.org/2000/svg")
    (path,) = placed(ET.fromstring(drawn), "path")
    assert path.node.attrib["d"] == "M1,2h0M3,4h0"


def test_drawings_are_stacked_with_a_gap_between_them() -> None:
    both = stacked([Drawing(20, [text("a", 0, 9)]), Drawing(30, [text("b", 0, 9)])], gap=8)
    assert both.height == 58
    root = ET.fromstring(svg(chart("label", *both.parts), WIDE))
    assert [each["y"] + each.down for each in placed(root, "text")] == [9, 37]


def test_a_name_that_is_too_long_is_cut() -> None:
    assert fitting("nginx", 200) == "nginx"
    assert fitting("a-very-long-name", 40) == "a-ve…"
