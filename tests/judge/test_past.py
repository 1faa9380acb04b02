"""Lines over time: steps are found where there are some, with what is new, and seldom elsewhere."""

import numpy as np
import pytest
import ruptures
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.history import open_index
from bakeoff.judge.past import SHORTEST, Measured, causes, levels, line_of, steps
from bakeoff.model.history import Line, Point, Series
from bakeoff.model.ratio import Ratio
from tests.history.indexed import run

ERROR = 0.005
"""A run's own standard error of ln ratio, as of a race of half a minute."""


def measured(
    rng: np.random.Generator, n: int, sd: float, tails: int | None = None, **step: float
) -> list[Measured]:
    """Runs that differ by `sd` beyond their own errors, Student's of so many degrees with `tails`;
    `up` from `at` on."""
    noise = rng.standard_normal(n) if tails is None else rng.standard_t(tails, n)
    scale = 1.0 if tails is None else np.sqrt(tails / (tails - 2))
    values = rng.normal(0, ERROR, n) + noise / scale * sd
    if step:
        values[int(step["at"]) :] += np.log1p(step["up"])
    return [Measured(float(value), ERROR) for value in values]


@pytest.mark.parametrize("n", [6, 20, 60])
@pytest.mark.parametrize(("sd", "tails"), [(0.0, None), (0.01, None), (0.01, 3)])
def test_a_line_of_equals_has_a_false_step_in_one_of_twenty_at_most(
    n: int, sd: float, tails: int | None
) -> None:
    rng = np.random.default_rng(n)
    wrong = sum(bool(steps(measured(rng, n, sd, tails))) for _ in range(100))
    # 5 of 100 are allowed; 11 or more would be seen once in a hundred such tests.
    assert wrong <= 10


@pytest.mark.parametrize(("up", "n", "sd"), [(0.05, 12, 0.01), (-0.03, 40, 0.01), (0.10, 6, 0.01)])
def test_a_step_is_found_where_it_is_with_its_size(up: float, n: int, sd: float) -> None:
    rng = np.random.default_rng(1)
    found = [steps(measured(rng, n, sd, up=up, at=n // 2)) for _ in range(30)]
    hits = [each[0] for each in found if len(each) == 1 and abs(each[0].at - n // 2) <= 1]
    assert len(hits) >= 24
    covered = sum(step.ratio.low <= 1 + up <= step.ratio.high for step in hits)
    # Places are chosen by what was seen, so a few more than 5 % miss.
    assert covered >= 0.8 * len(hits)


def test_a_fall_that_was_mended_has_two_steps() -> None:
    rng = np.random.default_rng(2)
    runs = measured(rng, 45, 0.01)
    fallen = [
        Measured(run.ln_ratio - (0.10 if 20 <= at < 25 else 0), run.error)
        for at, run in enumerate(runs)
    ]
    down, up = steps(fallen)
    assert (down.at, up.at) == (20, 25)
    assert down.ratio.ratio < 1 < up.ratio.ratio
    before, during, after = levels(fallen, (down, up))
    assert (before.ratio.n, during.ratio.n, after.ratio.n) == (20, 5, 20)
    assert during.ratio.ratio == pytest.approx(0.9, abs=0.02)


def test_an_outlier_is_no_step() -> None:
    runs = measured(np.random.default_rng(3), 30, 0.005)
    runs[15] = Measured(runs[15].ln_ratio + 0.3, ERROR)
    assert not steps(runs)


def test_runs_of_wide_intervals_make_no_step() -> None:
    wide = [Measured(0.0 if at < 5 else 0.1, 0.2) for at in range(10)]
    assert not steps(wide)


def test_too_few_runs_have_no_step() -> None:
    assert not steps([Measured(float(at > 2), 0.0) for at in range(2 * SHORTEST - 1)])
    assert not steps([])
    assert not levels([], ())


@given(st.lists(st.floats(-0.1, 0.1), max_size=40), st.floats(-1, 1))
def test_levels_are_the_whole_line_and_steps_lie_between_them(
    values: list[float], shift: float
) -> None:
    runs = [Measured(value + (shift if at > 20 else 0), 0.01) for at, value in enumerate(values)]
    found = steps(runs)
    cut = levels(runs, found)
    assert sum(level.ratio.n for level in cut) == len(runs)
    assert [level.first for level in cut[1:]] == [step.at for step in found]
    assert all(level.ratio.n >= SHORTEST for level in cut) or not found
    assert all(step.ratio.low <= step.ratio.ratio <= step.ratio.high for step in found)


def test_ruptures_finds_the_same_places() -> None:
    rng = np.random.default_rng(4)
    runs = measured(rng, 60, 0.01, up=0.08, at=20)
    runs = [
        Measured(run.ln_ratio + (0.06 if at >= 45 else 0), run.error) for at, run in enumerate(runs)
    ]
    values = np.array([run.ln_ratio for run in runs])
    theirs = ruptures.Dynp(model="l2", min_size=SHORTEST, jump=1).fit(values).predict(n_bkps=2)
    assert [step.at for step in steps(runs)] == theirs[:-1]


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
