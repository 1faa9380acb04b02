"""The forest: each ratio at its place, an interval without an end as an arrow."""

import pytest

from bakeoff.model.ratio import Ratio
from bakeoff.report.charts.forest import Group, Lane, Sign, forest, open_ended
from bakeoff.report.charts.svg import PALETTE
from bakeoff.report.document import NARROW, WIDE, Chart, Frame
from tests.report.charts.drawn import marks, overlapping, placed, root, texts


def lane(
    name: str = "a", ratio: float = 2.0, low: float | None = 1.9, high: float | None = 2.1,
    sign: Sign = "circle", ring: float | None = None,
) -> Lane:  # fmt: skip
    drawn = Ratio(ratio=ratio, low=low, high=high, n=9)
    return Lane(name, (f"{ratio}×",), drawn, PALETTE[0], "9 pairs", sign, ring=ring)


def chart(*groups: Group) -> Chart:
    return Chart("forest", "", "", "ratios", lambda frame: forest(groups, "ratio", frame))


@pytest.mark.parametrize(
    ("low", "high", "arrows"), [(1.9, 2.1, 0), (1.9, None, 1), (None, 2.1, 1), (None, None, 2)]
)
def test_each_missing_end_is_an_arrow(low: float | None, high: float | None, arrows: int) -> None:
    drawn = lane(low=low, high=high)
    assert len(placed(root(chart(Group([drawn]))), "polygon")) == arrows
    assert ("arrow" in open_ended([drawn])) == bool(arrows)


@pytest.mark.parametrize("frame", [WIDE, NARROW])
def test_equal_factors_are_equally_far_apart(frame: Frame) -> None:
    lanes = [lane(f"{ratio}", ratio, ratio / 1.1, ratio * 1.1) for ratio in (1.0, 2.0, 4.0)]
    points = placed(root(chart(Group(lanes)), frame), "circle")
    first, second, third = (point["cx"] for point in points)
    assert first < second
    assert second - first == pytest.approx(third - second, abs=0.1)
    assert [point["cy"] for point in points] == sorted({point["cy"] for point in points})


def test_the_interval_is_around_its_ratio() -> None:
    picture = root(chart(Group([lane()])))
    (point,) = placed(picture, "circle")
    (line,) = (each for each in placed(picture, "line") if each.node.get("stroke") == PALETTE[0])
    assert line["x1"] < point["cx"] < line["x2"]
    assert line["y1"] == line["y2"] == point["cy"]


def test_a_lane_says_all_of_its_figures() -> None:
    assert marks(chart(Group([lane()]))) == ["a: 2.0×, 9 pairs"]


def test_signs_differ_by_their_form() -> None:
    signs: tuple[Sign, ...] = ("circle", "cross", "diamond")
    forms = []
    for sign in signs:
        picture = root(chart(Group([lane(sign=sign)])))
        forms.append([len(placed(picture, name)) for name in ("circle", "line", "path")])
    assert len({tuple(form) for form in forms}) == 3


def test_a_published_ratio_is_a_ring_of_its_own_within_the_picture() -> None:
    point, ring = placed(root(chart(Group([lane(ring=40.0)]))), "circle")
    assert point["cx"] < ring["cx"] < WIDE.width


def test_a_group_without_lanes_says_so() -> None:
    found = chart(Group([lane()], "one"), Group([], "two"))
    assert texts(found)[-1] == "no figures"


@pytest.mark.parametrize("frame", [WIDE, NARROW])
@pytest.mark.parametrize("length", [3, 30, 60, 200])
def test_names_of_any_length_have_their_room(length: int, frame: Frame) -> None:
    lanes = [lane(" ".join(["word"] * (length // 5 + 1))), lane("x" * length)]
    assert overlapping(chart(Group(lanes, "title")), frame) == []
