"""A differential flame graph as it is drawn: widths, colours, names, and what its frames say."""

import xml.etree.ElementTree as ET
from typing import get_args

import pytest

from bakeoff.model.why import Flame, Flames
from bakeoff.model.workload import Unit
from bakeoff.report.charts.flames import ALIKE, FRAMES_MAX, ITS, OTHERS, flame_graph
from bakeoff.report.charts.svg import alone
from bakeoff.report.document import NARROW, WIDE, Frame
from tests.report.charts.drawn import SVG, overlapping, root
from tests.report.sample.why import trees

BOTH = pytest.mark.parametrize("frame", [WIDE, NARROW], ids=["wide", "narrow"])


def frames(of: Flames, frame: Frame = WIDE) -> dict[str, ET.Element]:
    drawn = [e for e in root(flame_graph(of, 1), frame).iter() if e.get("class") == "flame"]
    return {(each.findtext(SVG + "title") or "").split("\n")[0]: each for each in drawn}


def of(*inner: Flame) -> Flames:
    us = (sum(each.its_us for each in inner), sum(each.other_us for each in inner))
    return Flames("new", "old", Flame("all", *us, is_told=True, inner=inner))


def shade(frame: ET.Element) -> str | None:
    return next(frame.iter(SVG + "rect")).get("fill")


@BOTH
def test_a_frame_is_as_wide_as_the_time_of_both_and_below_its_caller(frame: Frame) -> None:
    drawn = frames(
        of(Flame("f", 3, 1, True, (Flame("g", 2, 0, True),)), Flame("h", 2, 2, True)), frame
    )
    width = {name: float(each.attrib["width"]) / frame.width for name, each in drawn.items()}
    assert width == pytest.approx({"all": 1, "f": 0.5, "g": 0.25, "h": 0.5}, abs=0.001)
    place = {name: (float(e.attrib["x"]), float(e.attrib["y"])) for name, e in drawn.items()}
    assert place["f"][0] == place["g"][0] == 0 and place["h"][0] == pytest.approx(frame.width / 2)
    assert place["all"][1] < place["f"][1] == place["h"][1] < place["g"][1]


def test_colours_say_who_has_more_and_how_much_where_samples_tell() -> None:
    shades = {
        name: shade(each)
        for name, each in frames(
            of(
                Flame("only new", 5, 0, True),
                Flame("twice in new", 4, 2, True),
                Flame("alike", 4, 4, True),
                Flame("by chance", 4, 2, False),
                Flame("a bit more in old", 4, 5, True),
                Flame("only old", 0, 5, True),
            )
        ).items()
    }
    assert shades == {
        "all": ITS[2],
        "only new": ITS[0],
        "twice in new": ITS[1],
        "alike": ALIKE,
        "by chance": ALIKE,
        "a bit more in old": OTHERS[2],
        "only old": OTHERS[0],
    }


def test_each_frame_says_its_figures() -> None:
    tree = of(Flame("f", 1.234, 2, True))
    for unit in get_args(Unit):
        title = frames(tree._replace(unit=unit))["f"].findtext(SVG + "title")
        assert title == f"f\nnew 1.23, old 2.00: -0.77 µs per {unit}"


def test_what_is_too_narrow_is_added_up() -> None:
    (tree,) = trees()
    drawn = frames(tree)
    small = [name for name in drawn if name.startswith("f") and name[1:].isdigit()]
    assert not small and float(drawn["900 more"].attrib["width"]) > 50
    many = of(*(Flame(f"f{n}", 1, 1, False, (Flame(f"g{n}", 1, 1, False),)) for n in range(500)))
    drawn = frames(many)
    kept = [name for name in drawn if name[0] in "fg"]
    assert len(kept) == FRAMES_MAX - 1 and {f"f{name[1:]}" for name in kept} <= drawn.keys()


@BOTH
def test_no_word_lies_on_another(frame: Frame) -> None:
    legend = of(Flame("f", 1, 1, True))._replace(name="a-long-name-of-a-server" * 3)
    drawn = overlapping(flame_graph(legend, 1), frame)
    # Frames have coordinates of their own, which their names begin at.
    assert not [pair for pair in drawn if not {"all", "f"} & set(pair)]


def test_names_from_outside_are_no_markup_and_are_cut() -> None:
    hostile = "</title><script>alert(1)</script>\x1b]]>" + "x" * 500
    tree = of(Flame(hostile, 1, 1, True))
    drawn = ET.fromstring(alone(flame_graph(tree._replace(other=hostile), 1), WIDE))
    assert len([*drawn.iter(SVG + "script")]) == 1
    (name,) = [name for name in frames(tree) if name != "all"]
    assert name.startswith("</title><script>") and len(name) < 150 and "\x1b" not in name


def test_further_pairs_have_files_of_their_own() -> None:
    (tree,) = trees()
    assert [flame_graph(tree, number).slug for number in (1, 2)] == ["flames", "flames-2"]
