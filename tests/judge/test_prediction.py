"""The next race's ratio, from what earlier races differ by."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import combinations
from math import exp, expm1, log, sqrt
from statistics import NormalDist, mean, variance

import numpy as np
import pytest
from scipy import stats

from bakeoff.judge.prediction import APART, APART_FREEDOM, expecting, predicted
from bakeoff.model.history import EARLIER_MIN, Earlier, EarlierRatio
from bakeoff.model.pairs import NextRace, Pair
from bakeoff.model.verdict import Verdict
from tests.judge.races import Race, altered, judged, says, with_event
from tests.ratios import interval

BUILDS = {"a": "a" * 12, "b": "b" * 12, "c": "c" * 12, "a again": "a" * 12}
ERROR = 0.01
NOON = datetime(2026, 11, 29, 12, tzinfo=UTC)


def pair(ln_ratio: float, a: str = "a", b: str = "b", error: float = ERROR) -> Pair:
    """A pair of a race whose estimate has this standard error."""
    half = 2 * error
    return Pair(
        a=a,
        b=b,
        ratio=interval(exp(ln_ratio), exp(half)),
        finding="can't tell",
        equivalent=False,
        minimum_detectable_effect=expm1(half + NormalDist().inv_cdf(0.8) * error),
    )


def races(
    ln_ratios: Sequence[float], a: str = "a", b: str = "b", error: float = ERROR
) -> list[EarlierRatio]:
    """Earlier races of two builds, one a run."""
    return [
        EarlierRatio(run=f"{run:012x}", a=BUILDS[a], b=BUILDS[b], ratio=exp(value), error=error)
        for run, value in enumerate(ln_ratios)
    ]


def next_race(
    now: Pair, ratios: Sequence[EarlierRatio], began_at: datetime | None = None
) -> NextRace | None:
    earlier = Earlier(builds=BUILDS, ratios=tuple(ratios), began_at=began_at)
    (found,) = expecting([now], earlier)
    return found.next_race


def at(ratios: Sequence[EarlierRatio], *hours: float) -> list[EarlierRatio]:
    """The races so many hours before noon."""
    return [
        each.model_copy(update={"began_at": NOON - timedelta(hours=before)})
        for each, before in zip(ratios, hours, strict=True)
    ]


def sample(values: Sequence[float]) -> float:
    """Their variance beyond `ERROR`'s."""
    return variance(values) - ERROR**2


def half_width(between: float, error: float, freedom: int) -> float:
    """Of a prediction about a mean with this squared `error`, by a race whose own is `ERROR`'s."""
    return float(stats.t.ppf(0.975, freedom)) * sqrt(between + error + ERROR**2)


def with_prior(own: float, freedom: int) -> float:
    blend = (APART_FREEDOM * APART**2 + freedom * own) / (APART_FREEDOM + freedom)
    return max(own, blend)


def test_occasions_that_are_as_sure_are_a_sample_beside_which_the_prior_stands() -> None:
    values = [0.1, 0.2, 0.05, 0.3, 0.15]
    apart = with_prior(sample([*values, 0.25]), 5)
    half = half_width(apart, (apart + ERROR**2) / 6, APART_FREEDOM + 5)
    for hours in (6, 4.9, 3.5, 2.3, 1.1), (None,) * 5:
        seen = races(values) if hours[0] is None else at(races(values), *hours)
        found = next_race(pair(0.25), seen, NOON)
        assert found
        assert (found.basis, found.n) == ("pair", 5)
        assert log(found.ratio) == pytest.approx(mean([*values, 0.25]))
        assert log(found.high / found.low) / 2 == pytest.approx(half)


def test_races_that_agree_leave_the_errors_of_both_estimates_and_some_of_the_prior() -> None:
    found = next_race(pair(0.1), races([0.1] * 9))
    apart = with_prior(0.0, 9)
    half = half_width(apart, (apart + ERROR**2) / 10, APART_FREEDOM + 9)
    assert found and log(found.high / found.low) / 2 == pytest.approx(half)


def test_races_of_one_hour_leave_what_occasions_differ_by_to_the_prior() -> None:
    values = [0.11, 0.1, 0.15, 0.08, 0.1]
    found = next_race(pair(0.12), at(races(values), 2.5, 2, 1.5, 1, 0.5), NOON)
    within = sample([*values, 0.12])
    of_mean = APART**2 + (within + ERROR**2) / 6
    half = half_width(APART**2 + within, of_mean, APART_FREEDOM)
    assert found and log(found.high / found.low) / 2 == pytest.approx(half)


def test_what_differs_within_occasions_is_told_from_what_differs_between_them() -> None:
    values = [0.1, 0.14, 0.3, 0.34, 0.2]
    found = next_race(pair(0.24), at(races(values), 9, 9, 6, 6, 0), NOON)
    within = sample([0.1, 0.14])
    of_mean = (within + ERROR**2) / 2
    apart = with_prior(variance([0.12, 0.32, 0.22]) - of_mean, 2)
    half = half_width(apart + within, (apart + of_mean) / 3, APART_FREEDOM + 2)
    assert found and log(found.ratio) == pytest.approx(0.22)
    assert log(found.high / found.low) / 2 == pytest.approx(half)


def test_of_races_that_are_as_sure_it_is_the_prediction_interval_of_a_sample() -> None:
    """Of two copies of one build: their ratios have a known mean, and no prior."""
    values = [0.03, -0.02, 0.04, -0.01, 0.02]
    found = next_race(pair(0.05, "a", "a again"), at(races(values, "a", "a again"), *[0.1] * 5))
    apart = sample([*values, 0.05, *(-each for each in values), -0.05])
    half = half_width(apart, (apart + ERROR**2) / 12, 5)
    assert found
    assert (found.basis, found.n) == ("pair", 5)
    assert log(found.low) == pytest.approx(-half)
    assert log(found.high) == pytest.approx(half)


def test_fewer_races_predict_nothing() -> None:
    few = races([0.1] * EARLIER_MIN)
    assert next_race(pair(0.1), few)
    assert next_race(pair(0.1), few[1:]) is None
    assert next_race(pair(0.1), []) is None


def ends(of: NextRace | None) -> tuple[float, float]:
    assert of
    return of.low, of.high


def test_which_of_the_two_was_named_first_does_not_matter() -> None:
    seen = races([0.1, 0.2, 0.05, 0.3])
    low, high = ends(next_race(pair(0.2), seen))
    mixed = [*seen[:2], *races([0, 0, -0.05, -0.3], "b", "a")[2:]]
    assert ends(next_race(pair(0.2), mixed)) == pytest.approx((low, high))
    assert ends(next_race(pair(-0.2, "b", "a"), seen)) == pytest.approx((1 / high, 1 / low))
    (listed,) = expecting([pair(0.2)], Earlier(builds=BUILDS, ratios=tuple(seen)))
    assert ends(listed.turned().next_race) == pytest.approx((1 / high, 1 / low))


def test_builds_that_met_too_seldom_are_predicted_by_the_others() -> None:
    others = races([0.1, 0.2, 0.05, 0.3, 0.15, 0.2], "a", "c")
    found = next_race(pair(0.7), others)
    apart = with_prior(sample([0.1, 0.2, 0.05, 0.3, 0.15, 0.2]), 5)
    half = half_width(apart, apart + ERROR**2, 5)
    assert found
    assert (found.basis, found.n) == ("family", 6)
    assert log(found.ratio) == pytest.approx(0.7)
    assert log(found.high / found.low) / 2 == pytest.approx(half)


def test_pairs_of_one_race_are_not_as_many_races() -> None:
    """Three pairs in three races: six degrees of freedom, if they did not err together."""
    pairs = [*races([0.1, 0.2, 0.3]), *races([0.4, 0.2, 0.3], "a", "c")]
    pairs += races([0.1, 0.0, 0.2], "b", "c")
    assert next_race(pair(0.1, "a again", "c"), pairs) is None


def test_of_one_build_twice_the_mean_is_known() -> None:
    values = [0.03, -0.02, 0.04, -0.01, 0.02, 0.03]
    found = next_race(pair(0.05, "a", "a again"), races(values, "a", "a again"))
    assert found and found.basis == "pair"
    assert found.ratio == pytest.approx(1)
    assert found.low == pytest.approx(1 / found.high)
    # Seldom met: what each such race differs from 1 by says how much races of equals differ.
    others = [each.model_copy(update={"a": each.run, "b": each.run}) for each in races(values)]
    found = next_race(pair(0.05), others)
    assert found and (found.basis, found.n) == ("family", 6)


def test_a_ratio_with_one_end_is_not_predicted() -> None:
    given = pair(0.1)
    above, below = (
        given.model_copy(update={"ratio": given.ratio.model_copy(update=end)})
        for end in ({"high": None}, {"low": 0.0})
    )
    bounded = above.model_copy(update={"minimum_detectable_effect": None})
    assert next_race(bounded, races([0.1] * 9)) is None
    assert below.error is None


@pytest.mark.parametrize("between", [0.007, 0.02])
@pytest.mark.parametrize("basis", ["pair", "family"])
def test_the_next_race_is_where_it_was_expected_in_95_of_100(basis: str, between: float) -> None:
    rng = np.random.default_rng(4)
    covered = []
    for _ in range(1000):
        errors = rng.uniform(0.005, 0.02, 9)
        estimates = 0.3 + rng.normal(0, between, 9) + rng.normal(0, errors)
        seen = races(list(estimates[:7]), "a", "b" if basis == "pair" else "c")
        known = [
            each.model_copy(update={"error": error})
            for each, error in zip(seen, errors[:7], strict=True)
        ]
        found = next_race(pair(estimates[7], error=errors[7]), known)
        then = 0.3 + rng.normal(0, between) + rng.normal(0, errors[7])
        assert found and found.basis == basis
        covered.append(found.low <= exp(then) <= found.high)
    assert 0.92 <= np.mean(covered) <= 0.99


@pytest.mark.parametrize(("apart", "within"), [(APART, 0.0), (APART, 0.01), (0.003, 0.003)])
def test_four_races_of_one_hour_expect_the_next_day_where_it_is(
    apart: float, within: float
) -> None:
    rng = np.random.default_rng(4)
    covered = []
    for _ in range(400):
        estimates = 0.3 + rng.normal(0, apart) + rng.normal(0, within, 5)
        estimates += rng.normal(0, 0.003, 5)
        seen = at(races(list(estimates[:4]), error=0.003), 0.4, 0.3, 0.2, 0.1)
        found = next_race(pair(estimates[4], error=0.003), seen, NOON)
        then = 0.3 + rng.normal(0, apart) + rng.normal(0, within) + rng.normal(0, 0.003)
        assert found
        covered.append(found.low <= exp(then) <= found.high)
    assert np.mean(covered) >= 0.92


def test_a_verdict_says_how_many_races_its_predictions_rest_on() -> None:
    verdict = judged(Race({"a": 1.0, "b": 0.8, "c": 0.7}, blocks=40))
    names = ("a", "b", "c")
    ratios = [each for a, b in combinations(names, 2) for each in races([0.2] * 5, a, b)]
    found = predicted(verdict, Earlier(builds=BUILDS, ratios=tuple(ratios)))
    assert found.earlier_races == 5
    assert {each.next_race.n for each in found.pairs if each.next_race} == {5}
    assert len(found.pairs) == 3 and verdict.earlier_races is None
    kept = [each.model_copy(update={"next_race": None}) for each in found.pairs]
    assert kept == list(verdict.pairs)


def test_races_at_another_distance_of_the_cores_predict_nothing() -> None:
    """Those whose distance is unknown, as of earlier versions, do."""
    race = Race({"a": 1.0, "b": 0.8}, boots=1, blocks=60)
    verdict = judged(
        race, altered(race.records(), lambda _, each: with_event(each, core_trip_ns=85))
    )
    trips_ns = [90.0, 400.0, None, 70.0, 390.0, None]
    seen = [
        each.model_copy(update={"core_trip_ns": trip_ns})
        for each, trip_ns in zip(races([0.2, 2.0, 0.25, 0.15, 3.0, 0.22]), trips_ns, strict=True)
    ]
    alike = [each for each in seen if each.core_trip_ns not in (390.0, 400.0)]
    found, same = (
        predicted(verdict, Earlier(builds=BUILDS, ratios=tuple(given))) for given in (seen, alike)
    )
    assert (found.earlier_races, found.pairs) == (4, same.pairs)
    unknown = predicted(judged(race), Earlier(builds=BUILDS, ratios=tuple(seen)))
    assert unknown.earlier_races == 6


def test_races_at_another_speed_of_the_core_predict_nothing_and_a_warning_says_so() -> None:
    race = Race({"a": 1.0, "b": 0.8}, boots=1, blocks=60)
    took = altered(race.records(), lambda _, each: with_event(each, fixed_work_ns=304_000))
    verdict = judged(race, took)
    assert verdict.fixed_work_us == pytest.approx(304)

    def at_speeds(*times_us: float | None) -> Verdict:
        seen = [
            each.model_copy(update={"fixed_work_us": work_us})
            for each, work_us in zip(races([0.2] * len(times_us)), times_us, strict=True)
        ]
        return predicted(verdict, Earlier(builds=BUILDS, ratios=tuple(seen)))

    found = at_speeds(218.0, 300.0, None, 210.0, 290.0, 216.0, 320.0)
    assert found.earlier_races == 4
    assert found.pairs == at_speeds(300.0, None, 290.0, 320.0).pairs
    assert says(found.warnings, "speed_changed", n=3, earlier_us=216.0)
    assert found.warnings[:-1] == verdict.warnings
    assert at_speeds(300.0, None, 320.0).warnings == verdict.warnings
