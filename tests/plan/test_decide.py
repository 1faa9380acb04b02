"""From words and options to a plan."""

from pathlib import Path
from typing import Any

import pytest

from bakeoff.model.errors import BadUsage, NoVerdict
from bakeoff.model.plan import Cores, Plan
from bakeoff.plan import (
    Catalogue,
    Options,
    arrival_seed,
    block_order,
    decide,
    name_contenders,
    open_lengths,
    slice_lengths,
    start_order,
    warm_up_slices,
    without,
)

CATALOGUE = Catalogue.shipped()
CORES = Cores(server=(0,), client=(1,))


def plan(words: list[str], ports: tuple[int, ...] = (), **options: Any) -> Plan:
    named = name_contenders(words, CATALOGUE, Path("/"), ports)
    asked = Options(**{"seed": 1, "cores": CORES, **options})
    return decide(named, CATALOGUE, asked, stamp="now", command_line=["bakeoff"])


def names(made: Plan) -> list[str]:
    return [entry.name for entry in made.entries]


def test_the_first_is_the_reference_and_has_a_twin() -> None:
    made = plan(["go-nethttp", "nginx"])
    assert made.reference == "go-nethttp"
    assert names(made) == ["go-nethttp", "nginx", "go-nethttp (twin)"]
    assert made.entry("go-nethttp (twin)").twin_of == "go-nethttp"


def test_no_twin_where_none_is_wanted_or_possible() -> None:
    assert names(plan(["nginx"], twin=False)) == ["nginx"]
    assert names(plan(["python3 a.py"], ports=(3000,))) == ["python3 a.py"]


def test_what_is_silent_gets_its_default() -> None:
    made = plan(["nginx", "go-nethttp"])
    assert (made.duration_s, made.boots, made.connections, made.workers) == (60, 3, 64, 1)
    assert made.workload.name == "hello"


def test_nobody_waits_for_more_than_ten_minutes_unasked() -> None:
    thirty = [f"python3 {number}.py" for number in range(30)]
    assert plan(thirty).duration_s == 600
    assert plan(thirty[:28]).duration_s == 20 * 29, "the twin has its time too"
    assert plan(thirty, duration_s=3600.0).duration_s == 3600


def test_servers_that_nobody_knows_are_asked_for_their_own_answer() -> None:
    assert plan(["python3 a.py", "http://127.0.0.1:1/"]).workload.name == "get"
    assert plan(["python3 a.py", "nginx"]).workload.name == "hello"


def test_a_solo_race_has_as_many_rounds_as_windows_fit() -> None:
    assert plan(["nginx", "go-nethttp"], solo=True, duration_s=60).boots == 10


def test_the_run_is_named_after_time_and_contenders() -> None:
    assert plan(["nginx", "python3 a b.py"]).run == "now-nginx-vs-python3-a-b-py"
    thirty = ["nginx", *(f"python3 {number}.py" for number in range(29))]
    assert plan(thirty).run == "now-nginx-vs-29-others"


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"connections": 0}, "--connections: is 0; it takes a number above zero"),
        ({"duration_s": -1.0}, "--duration: is -1"),
        ({"boots": -3}, "--boots: is -3"),
        ({"workers": 0}, "--workers: is 0"),
        ({"pipeline": 0}, "--pipeline: is 0"),
        ({"pipeline": 2, "connection": "close"}, "--pipeline 2 needs --keep-alive: with --close"),
        ({"seed": -1}, "--seed: is -1"),
        ({"reference": "ngin"}, "--reference: ngin doesn't race; did you mean nginx"),
        (
            {"workload": "helo"},
            "--workload: there is no workload called helo; did you mean hello or echo?",
        ),
        ({"rate": 0.0}, "--rate"),
        ({"load": 2.5}, "--load"),
        ({"rate": 5.0, "load": 0.7}, "--rate and --load"),
        ({"precision": 1.0}, "--precision"),
        ({"precision": 0.01, "solo": True}, "leave --solo out"),
    ],
)
def test_an_option_out_of_range_is_refused_by_name(options: dict[str, Any], says: str) -> None:
    with pytest.raises(BadUsage) as caught:
        plan(["nginx"], **options)
    assert says in str(caught.value)


def test_a_contender_that_does_not_serve_the_workload_is_skipped() -> None:
    made = plan(["nginx", "python3 a.py"], workload="get")
    assert names(made) == ["python3 a.py", "python3 a.py (twin)"]
    assert made.skipped[0].reason.startswith("doesn't serve the workload get; it serves empty, ")
    with pytest.raises(BadUsage, match="nobody can race"):
        plan(["nginx"], workload="get")


def test_two_servers_on_one_port_need_solo() -> None:
    with pytest.raises(BadUsage, match="can't listen on one port at a time"):
        plan(["python3 a.py", "python3 b.py"], ports=(3000, 3000))
    assert plan(["python3 a.py", "python3 b.py"], ports=(3000, 3000), solo=True).solo


def test_without_the_reference_the_next_one_takes_its_place_with_a_twin() -> None:
    left = without(plan(["nginx", "go-nethttp", "gunicorn"]), {"nginx": "is ill"})
    assert left.reference == "go-nethttp"
    assert names(left) == ["go-nethttp", "gunicorn", "go-nethttp (twin)"]
    assert left.skipped[0].name == "nginx"


def test_without_anybody_there_is_no_verdict() -> None:
    with pytest.raises(NoVerdict, match="nginx: is ill"):
        without(plan(["nginx"]), {"nginx": "is ill"})


def test_orders_are_random_and_come_again_with_the_seed() -> None:
    made = plan(["nginx", "go-nethttp", "gunicorn", "node-http"])
    up = names(made)
    orders = [tuple(block_order(made, 0, block, up)) for block in range(50)]
    assert len(set(orders)) > 30
    assert all(sorted(order) == sorted(up) for order in orders)
    assert orders == [tuple(block_order(made, 0, block, up)) for block in range(50)]
    assert start_order(made, 0) != start_order(made, 1) or start_order(made, 2) != up


def test_each_place_in_a_block_falls_to_everyone_about_as_often() -> None:
    made = plan(["nginx", "go-nethttp"], twin=False)
    firsts = [block_order(made, 0, block, names(made))[0] for block in range(1000)]
    assert 420 < firsts.count("nginx") < 580


def test_slices_are_as_short_as_a_contender_allows() -> None:
    fast = slice_lengths(1e5, 600)
    assert (fast.short_ms, fast.long_ms, fast.ramp_ms) == (20, 250, 5)
    assert slice_lengths(4000, 1000).short_ms == 50, "200 answers"
    by_latency = slice_lengths(7400, 8600)
    assert (by_latency.short_ms, by_latency.long_ms, by_latency.ramp_ms) == (86, 430, 18)
    assert slice_lengths(1.0, 1e6).short_ms == 2000
    assert slice_lengths(0, 0).short_ms == 20, "one who never answers costs the others least"


def test_a_slice_of_an_open_loop_has_requests_enough_for_a_p99() -> None:
    assert open_lengths(2000, 1_000).long_ms == 500
    assert open_lengths(100_000, 1_000).long_ms == 250
    assert open_lengths(3, 1_000).long_ms == 2000


def test_the_ramp_of_an_open_loop_lets_the_queue_grow() -> None:
    assert open_lengths(5000, 100).ramp_ms == 50
    assert open_lengths(5000, 20_000).ramp_ms == 200
    assert open_lengths(5000, 2_000_000).ramp_ms == 500


def test_a_rate_or_a_share_of_the_peak_opens_the_loop() -> None:
    assert plan(["nginx"]).ranked_by == "requests_per_s"
    assert (plan(["nginx"], rate=5.0).mode, plan(["nginx"], load=0.7).ranked_by) == ("open", "p99")


def test_the_arrivals_of_a_block_are_the_same_for_all() -> None:
    made = plan(["nginx"], rate=5.0)
    seeds = {arrival_seed(made, boot, block) for boot in range(3) for block in range(50)}
    assert len(seeds) == 150
    assert arrival_seed(made, 0, 0) == arrival_seed(made, 0, 0)


@pytest.mark.parametrize(
    ("share_s", "always_flat", "bounds_s"),
    [
        (10, False, (3, 20)),
        (2, False, (3, 6)),
        (0.5, False, (1.5, 1.5)),
        (0.01, False, (1, 1)),
        (10, True, (1, 20)),
        (0.01, True, (1, 1)),
    ],
)
def test_a_warm_up_is_bounded_by_what_is_to_be_measured(
    share_s: float, always_flat: bool, bounds_s: tuple[float, float]
) -> None:
    least, most = warm_up_slices(share_s, always_flat, 20)
    assert (least / 4, most / 4) == bounds_s
