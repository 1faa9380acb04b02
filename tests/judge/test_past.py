"""A series judged: steps of its ratios, and what changed at each."""

import numpy as np

from bakeoff.history import open_index
from bakeoff.judge.past import causes, line_of
from bakeoff.model.history import Line, Point, Series
from bakeoff.model.ratio import Ratio
from tests.history.indexed import run


def line(speeds: list[float], **changed: object) -> Line:
    """The line of a contender at these speeds over a reference of 100, one run a day."""
    index = open_index("sqlite://")
    index.add(*(run(day, {"reference": 100.0, "own": speed}) for day, speed in enumerate(speeds)))
    series = index.series(index.series_of("own")[0])
    points = [*series.points]
    middle = len(points) // 2
    points[middle:] = [point.model_copy(update=changed) for point in points[middle:]]
    return line_of(Series(key=series.key, reference=series.reference, points=tuple(points)))


def stepping(by: float) -> list[float]:
    speeds = 100 * np.exp(np.random.default_rng(5).normal(0, 0.003, 20))
    speeds[10:] *= by
    return [float(speed) for speed in speeds]


def test_a_step_says_when_by_how_much_and_what_is_new_since() -> None:
    found = line(stepping(0.9), version="2.0", kernel="new")
    (step,) = found.steps
    assert (step.at, step.run_name) == (10, "race-10")
    assert step.ratio.low < 0.9 < step.ratio.high < 0.92
    assert [cause.code for cause in step.causes] == ["version_changed", "surroundings_changed"]
    assert step.causes[0].values == {"before": "1.0", "after": "2.0"}
    assert found.now is not None
    assert (found.now.ratio.n, found.now.since) == (10, found.points[10].began_at)
    assert found.now.ratio.low < 0.9 < found.now.ratio.high


def test_where_nothing_on_record_changed_that_is_said() -> None:
    (step,) = line(stepping(1.1)).steps
    assert [cause.code for cause in step.causes] == ["nothing_changed"]


def test_the_reference_is_among_the_causes() -> None:
    (step,) = line(stepping(1.1), reference_version="3").steps
    assert [cause.code for cause in step.causes] == ["reference_version"]


def test_points_without_both_ends_are_shown_and_not_judged() -> None:
    found = line(stepping(1.0), ratio=Ratio(ratio=1.0, low=0.9, high=None, n=10))
    assert (len(found.points), found.compared) == (20, 10)
    assert not found.steps


def test_sources_count_only_where_both_are_known() -> None:
    point = line([1.0]).points[0]

    def codes(before: Point, after: Point) -> list[str]:
        return [cause.code for cause in causes(before, after, "reference")]

    known, other = (point.model_copy(update={"source": source}) for source in ("x", "y"))
    assert codes(known, other) == ["sources_changed"]
    assert codes(point, other) == ["nothing_changed"]
