"""The picture of a run that goes on: how each contender stood, at each moment that was kept."""

from math import exp, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.explore.drawing.narrowing import LANES_MAX, Past, narrowing
from bakeoff.explore.live.judge import Stood
from bakeoff.model.ratio import Ratio
from bakeoff.model.verdict import Verdict
from bakeoff.report import figures
from bakeoff.report.charts.race import Race, ratios
from bakeoff.report.document import NARROW, WIDE, Chart
from bakeoff.report.kinds.standings import ranked
from tests.explore.conftest import Shelves
from tests.report.charts.drawn import marks, placed, root

RATIOS = st.floats(min_value=1e-3, max_value=1e3)


def stood(
    measured_s: float, ratio: float = 1.2, *, ends: tuple[bool, bool] = (True, True)
) -> Stood:
    """As it would be after so long: the interval narrows with the root of the time."""
    width = exp(0.3 / sqrt(measured_s))
    low, high = (ratio / width if ends[0] else None), (ratio * width if ends[1] else None)
    return Stood(name="a", measured_s=measured_s, ratio=Ratio(ratio=ratio, low=low, high=high, n=9))


def test_each_moment_says_its_figure_its_interval_and_its_n() -> None:
    own = [stood(2.0), stood(8.0)]
    (drawn,) = narrowing({"a": own}, "a", "the reference", 60.0)
    assert marks(drawn) == [
        f"a after 2.00 s: {figures.ratio_of(own[0].ratio)}, 9 paired blocks",
        f"a after 8.00 s: {figures.ratio_of(own[1].ratio)}, 9 paired blocks",
    ]
    assert "ratio to the reference" in drawn.reading


@pytest.mark.parametrize("past", [{}, {"a": [stood(3.0)]}])
def test_there_is_nothing_to_see_before_there_are_two_moments(past: Past) -> None:
    assert narrowing(past, "a", "ref", None) == ()


def test_a_band_that_narrows_is_drawn_narrower() -> None:
    moments = [stood(16.0), stood(36.0), stood(64.0)]
    (drawn,) = narrowing({"a": moments}, "a", "ref", None)
    (band,) = placed(root(drawn), "polygon")
    corners = [
        tuple(map(float, corner.split(","))) for corner in band.node.attrib["points"].split()
    ]
    heights = [low[1] - high[1] for high, low in zip(corners[:3], corners[:2:-1], strict=True)]
    assert heights[0] > 1.4 * heights[1] > 1.8 * heights[2] > 0


@given(
    st.lists(st.tuples(RATIOS, st.booleans(), st.booleans()), min_size=2, max_size=9),
    st.none() | st.floats(1, 1e5),
)
def test_whatever_was_measured_stays_inside_the_picture(
    moments: list[tuple[float, bool, bool]], planned_s: float | None
) -> None:
    own = [stood(2.0 * at, ratio, ends=ends) for at, (ratio, *ends) in enumerate(moments, 1)]  # type: ignore[arg-type]
    (drawn,) = narrowing({"a": own}, "a", "ref", planned_s)
    for frame in (WIDE, NARROW):
        picture = root(drawn, frame)
        for circle in placed(picture, "circle"):
            assert 0 < circle["cx"] < frame.width
            assert 0 < circle["cy"] < float(picture.attrib["height"])


def test_of_many_contenders_the_first_are_drawn_and_the_rest_is_counted() -> None:
    own = [stood(2.0), stood(8.0)]
    past = {f"c{place}": own for place in range(LANES_MAX + 3)}
    (drawn,) = narrowing(past, list(past), "ref", None)
    assert "3 contenders further back not drawn." in drawn.reading
    assert len(marks(drawn)) == 2 * LANES_MAX


def test_a_contender_has_the_colour_that_it_has_in_the_picture_of_ratios(shelves: Shelves) -> None:
    verdict = shelves.race.result
    assert isinstance(verdict, Verdict)
    names = [entry.name for entry in ranked(verdict)]
    past = {name: [stood(2.0), stood(8.0)] for name in names[1:]}
    drawn = (ratios(Race.of(verdict)), *narrowing(past, names, names[0], None))
    of_ratios, of_moments = (_colours(picture) for picture in drawn if picture)
    assert {name: of_ratios[name] for name in past} == of_moments


def _colours(chart: Chart) -> dict[str, str]:
    marks = (mark for mark in root(chart).iter() if "aria-label" in mark.attrib)
    return {
        mark.attrib["aria-label"].replace(":", " ").split(" ")[0]: inner.attrib["fill"]
        for mark in marks
        for inner in mark
        if inner.tag.endswith("circle")
    }
