"""Objectives as they are typed, the plan of a search, and the ladder of rates."""

import pytest

from bakeoff.model.errors import BadUsage
from bakeoff.plan import CapacityOptions, check_budget, ladder, parse_slo, plan_capacity
from tests.plan.places import environment


def test_an_objective_is_one_bound_or_several() -> None:
    objective = parse_slo("p99.9=50ms, p99=10ms")
    assert [(bound.quantile, bound.limit_us) for bound in objective.bounds] == [
        ("p99", 10_000),
        ("p99.9", 50_000),
    ]
    assert objective.text == "p99=10ms,p99.9=50ms"
    assert parse_slo(objective.text) == objective


def test_a_bound_may_be_of_the_first_byte_beside_one_of_the_end() -> None:
    objective = parse_slo("p99=10ms,first-byte-p99=2ms")
    assert [(bound.of, bound.limit_us) for bound in objective.bounds] == [
        ("latency", 10_000),
        ("first-byte", 2_000),
    ]
    assert objective.text == "p99=10ms,first-byte-p99=2ms"


def test_a_bound_of_events_takes_a_workload_that_has_them() -> None:
    options = CapacityOptions(slo=("gap-p99=30ms,first-event-p50=5ms",), workload="stream-forward")
    (objective,) = plan_capacity(["nginx"], options, environment()).objectives
    assert [bound.quantile for bound in objective.bounds] == ["first-event-p50", "gap-p99"]


def test_a_search_goes_over_one_path() -> None:
    options = CapacityOptions(slo=("p99=60ms",), path="20ms,1%")
    path = plan_capacity(["nginx"], options, environment()).race.path
    assert path and (path.delay_ms, path.loss) == (20.0, 0.01)
    with pytest.raises(BadUsage, match="--path"):
        CapacityOptions(slo=("p99=60ms",), path=("20ms", "50ms"))


@pytest.mark.parametrize(
    ("text", "limit_us"),
    [("p50=500us", 500), ("p50=.5ms", 500), ("p50=1s", 1e6), ("p99.99=7µs", 7)],
)
def test_limits_have_units(text: str, limit_us: float) -> None:
    assert parse_slo(text).bounds[0].limit_us == limit_us


@pytest.mark.parametrize(
    "text", ["p99", "", "p99=-1ms", "p100=1ms", "p0=1ms", "p99=0ms", "first-byte=1ms"]
)
def test_a_wrong_objective_is_refused(text: str) -> None:
    with pytest.raises(BadUsage, match=f"^--slo {text}: "):
        parse_slo(text)


def test_a_search_has_no_twin_and_half_a_minute_for_each_contender() -> None:
    options = CapacityOptions(slo=("p99=10ms",), connections=8)
    plan = plan_capacity(["nginx", "go-nethttp"], options, environment())
    race = plan.race
    assert (plan.run, race.connections) == ("now-capacity-nginx-vs-go-nethttp", 8)
    assert [entry.name for entry in race.entries] == ["nginx", "go-nethttp"]
    assert (race.duration_s, plan.duration_asked) == (60, False)


def test_the_grid_is_the_same_for_all_and_five_percent_apart() -> None:
    assert ladder.rate_of(101) / ladder.rate_of(100) == pytest.approx(1.05)
    assert all(ladder.rung_of(ladder.rate_of(rung)) == rung for rung in range(0, 300, 7))


def searched(capacity: int, peak: float, lowest: int = 0) -> dict[int, float]:
    """A whole search where rungs up to `capacity` hold."""
    fitted: dict[int, float] = {}
    while (rung := ladder.probe(fitted, peak, lowest)) is not None:
        assert rung not in fitted
        fitted[rung] = 1.0 if rung > capacity else -1.0
    return fitted


@pytest.mark.parametrize("below_peak", [-20, 0, 2, 9, 30, 60])
def test_a_search_ends_within_two_rungs_in_few_slices(below_peak: int) -> None:
    peak = 50_000.0
    capacity = ladder.rung_of(peak) - below_peak
    fitted = searched(capacity, peak)
    holds = [rung for rung, score in fitted.items() if score < 0]
    breaks = [rung for rung, score in fitted.items() if score > 0]
    if breaks:
        assert min(breaks) - max(holds) <= 2
    assert len(fitted) <= ladder.SEARCH


def test_a_search_gives_up_at_the_lowest_rate_that_can_be_told() -> None:
    lowest = ladder.lowest_rung([parse_slo("p99=1ms")])
    fitted = searched(-1000, 50_000.0, lowest)
    assert min(fitted) == lowest
    assert all(score > 0 for score in fitted.values())


def test_a_round_goes_around_each_capacity_past_it_and_below() -> None:
    rungs = ladder.ladder([200], 0, 0)
    assert rungs == [194, 198, 199, 200, 201, 202, 203, 208]
    assert len(rungs) == ladder.ROUND
    assert {min(ladder.ladder([200], turn, 0)) for turn in range(3)} == {194, 186, 172}
    assert set(range(198, 204)) | set(range(218, 224)) <= set(ladder.ladder([200, 220], 0, 0))
    assert min(ladder.ladder([200], 2, 199)) == 199


def test_a_round_has_its_own_order_and_the_seed_repeats_it() -> None:
    rungs = list(range(20))
    orders = [ladder.climb(1, 0, turn, "a", rungs) for turn in range(5)]
    assert len({tuple(order) for order in orders}) == 5
    assert all(sorted(order) == rungs for order in orders)
    assert orders[0] == ladder.climb(1, 0, 0, "a", rungs)


def test_slices_hold_enough_requests_and_ten_limits() -> None:
    p99, rare = parse_slo("p99=10ms"), parse_slo("p99=10ms,p99.9=50ms")
    assert ladder.window_ms(100_000, [p99]) == ladder.WINDOW_MS_MIN
    assert ladder.window_ms(1_000, [p99]) == 1200
    assert ladder.window_ms(10_000, [rare]) == 1200
    assert ladder.window_ms(100_000, [parse_slo("p99=100ms")]) == 1000
    lowest = ladder.rate_of(ladder.lowest_rung([p99]))
    assert ladder.window_ms(lowest, [p99]) * lowest / 1000 >= 0.999 * 1200


def test_slices_hold_ten_streams_one_after_another_and_each_stream_has_its_gaps() -> None:
    gaps, streams = parse_slo("gap-p99=30ms"), ladder.Streams(gaps=19, lasts_ms=200)
    assert ladder.window_ms(1_000, [gaps], streams) == 2000
    assert ladder.ramp_ms(2000) > streams.lasts_ms
    per_s = ladder.rate_of(ladder.lowest_rung([parse_slo("p99=30ms")], streams))
    assert per_s / 19 <= ladder.rate_of(ladder.lowest_rung([gaps], streams)) < per_s / 18


def test_a_budget_that_is_too_small_says_what_it_takes() -> None:
    check_budget(10, 10, 3)
    with pytest.raises(BadUsage, match=r"3 boots.* 12 s"):
        check_budget(10, 12, 3)
