"""Orders, slice lengths and warm-ups."""

import pytest

from bakeoff.model.plan import Plan
from bakeoff.plan import (
    RaceOptions,
    arrival_seed,
    block_order,
    cohort,
    draw_order,
    has_first_process,
    open_lengths,
    plan_race,
    slice_lengths,
    start_order,
    warm_up_slices,
)
from tests.plan.places import environment

NAMES = ["nginx", "go-nethttp", "gunicorn", "node-http"]


@pytest.fixture(scope="module")
def plan() -> Plan:
    made = plan_race(NAMES, RaceOptions(seed=1, twin=False, rate=5.0), environment())
    assert isinstance(made, Plan)
    return made


def test_orders_are_random_and_the_same_for_the_same_seed(plan: Plan) -> None:
    orders = [tuple(block_order(plan, 0, block, NAMES)) for block in range(50)]
    assert len(set(orders)) > 15
    assert all(sorted(order) == sorted(NAMES) for order in orders)
    assert orders == [tuple(block_order(plan, 0, block, NAMES)) for block in range(50)]
    assert len({tuple(start_order(plan, boot)) for boot in range(20)}) > 5


def test_each_place_in_a_block_falls_to_everyone_about_as_often(plan: Plan) -> None:
    firsts = [block_order(plan, 0, block, NAMES[:2])[0] for block in range(1000)]
    assert 420 < firsts.count("nginx") < 580


def test_every_block_has_arrivals_of_its_own_the_same_for_all(plan: Plan) -> None:
    seeds = [arrival_seed(plan, boot, block) for boot in range(3) for block in range(50)]
    assert len(set(seeds)) == 150
    assert arrival_seed(plan, 0, 0) == seeds[0]


def test_slices_are_as_short_as_a_contender_allows() -> None:
    fast = slice_lengths(1e5, 600)
    assert (fast.short_ms, fast.long_ms, fast.ramp_ms) == (20, 250, 20)
    assert slice_lengths(4000, 1000).short_ms == 50, "200 answers"
    by_latency = slice_lengths(7400, 8600)
    assert (by_latency.short_ms, by_latency.long_ms, by_latency.ramp_ms) == (86, 430, 20)
    assert slice_lengths(1.0, 1e6).short_ms == 2000
    assert slice_lengths(113, 44_000).short_ms == 1770
    assert slice_lengths(113, 44_000, longest_ms=300).short_ms == 300, "for enough of them"
    assert slice_lengths(113, 44_000, longest_ms=50).short_ms == 88, "two round trips"
    assert slice_lengths(1e5, 600, longest_ms=5).short_ms == 20
    assert slice_lengths(0, 150_000).short_ms == 1500, "all answers came behind the windows"
    assert slice_lengths(0, 0).short_ms == 20, "one that never answers costs the others least"


@pytest.mark.parametrize(
    ("rate", "mean_us", "long_ms", "ramp_ms"),
    [
        (2000, 1_000, 500, 50),
        (100_000, 1_000, 250, 50),
        (3, 1_000, 2000, 50),
        (5000, 20_000, 250, 200),
        (5000, 2_000_000, 250, 500),
    ],
)
def test_a_slice_of_an_open_loop_has_requests_for_a_p99_and_a_ramp_for_its_queue(
    rate: float, mean_us: float, long_ms: int, ramp_ms: int
) -> None:
    lengths = open_lengths(rate, mean_us)
    assert (lengths.long_ms, lengths.ramp_ms) == (long_ms, ramp_ms)


@pytest.mark.parametrize(
    ("share_s", "known", "bounds_s"),
    [
        (10, False, (1.5, 20)),
        (2, False, (1.5, 6)),
        (0.5, False, (1.5, 1.5)),
        (0.01, False, (1, 1)),
        (10, True, (1, 20)),
        (0.01, True, (1, 1)),
    ],
)
def test_a_warm_up_is_bounded_by_what_is_to_be_measured(
    share_s: float, known: bool, bounds_s: tuple[float, float]
) -> None:
    least, most = warm_up_slices(share_s, known, 20)
    assert (least / 4, most / 4) == bounds_s


def test_each_process_has_as_many_draws_as_the_others(plan: Plan) -> None:
    for turn in range(6):
        drawn = [cohort(plan, 0, 4 * turn + place, 4) for place in range(4)]
        assert sorted(drawn) == [0, 1, 2, 3]
    orders = {tuple(cohort(plan, 0, 4 * turn + n, 4) for n in range(4)) for turn in range(20)}
    assert len(orders) > 5, "in random order"


def test_the_first_processes_have_one_draw_in_five_at_random(plan: Plan) -> None:
    turns = [[has_first_process(plan, 0, 5 * n + place) for place in range(5)] for n in range(20)]
    assert all(sum(each) == 1 for each in turns)
    assert len({tuple(each) for each in turns}) > 2


def test_a_draw_has_an_order_of_its_own(plan: Plan) -> None:
    names = list("abcdef")
    orders = {tuple(draw_order(plan, 0, draw, names)) for draw in range(20)}
    assert len(orders) > 10
    assert all(sorted(order) == names for order in orders)
