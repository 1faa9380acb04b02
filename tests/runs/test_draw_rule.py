"""What is drawn anew, how often and for how long: decided by how contenders start and warm up."""

from typing import Any

import pytest

from bakeoff.model.cut import Course, DrawRule, SliceLengths, Warmup
from bakeoff.model.plan import Attached, Entry, Plan
from bakeoff.model.readings import CpuTime
from bakeoff.model.samples import Slice
from bakeoff.runs.measuring.draw_rule import Facts, Room, draw_rule, is_warm
from tests.judge.races import Race, throughput_event

PLENTY = Room(memory_mib=100_000, files=10_000)
QUICK = SliceLengths(short_ms=20, long_ms=250, ramp_ms=5)
SLOW = SliceLengths(short_ms=2000, long_ms=10_000, ramp_ms=2000)


def plan(**changes: Any) -> Plan:
    race = Race({"a": 1.0, "b": 1.0})
    return race.plan().model_copy(update={"duration_s": 20.0, "boots": 1, **changes})


def warmup(
    slices: int = 8,
    steady: bool = True,
    lengths: SliceLengths = QUICK,
    cold: int = 0,
    course: Course = "flat",
) -> Warmup:
    """A warm-up of so many slices, the first of them `cold`: half as fast, at twice the cost."""
    names = ("a", "b")
    costs_us = (20.0,) * cold + (10.0,) * (slices - cold)
    return Warmup(
        boot=0,
        lengths=dict.fromkeys(names, lengths),
        requests_per_s=dict.fromkeys(names, tuple(10_000 / each for each in costs_us)),
        cpu_us_per_request=dict.fromkeys(names, costs_us),
        mean_latency_us=dict.fromkeys(names, 100.0),
        steady=dict.fromkeys(names, steady),
        courses=dict.fromkeys(names, course),
        steady_from=dict.fromkeys(names, cold),
    )


def decided(
    given: Plan | None = None,
    warmed: Warmup | None = None,
    room: Room = PLENTY,
    ready_ms: float = 4.0,
    held_mib: float = 10.0,
) -> DrawRule:
    given = given or plan()
    facts = [Facts(each, ready_ms, held_mib) for each in given.entries]
    return draw_rule(given, warmed or warmup(), facts, room)


@pytest.mark.parametrize(("requests_per_s", "warm"), [(1000, True), (10_000, False)])
def test_one_that_waits_for_most_of_its_time_is_warm_by_its_answers(
    requests_per_s: int, warm: bool
) -> None:
    """At 1,000 requests/s of 10 µs a slice of 75 ms has less than a millisecond of CPU time."""
    rates = {"a": (float(requests_per_s),) * 8}
    known = warmup().model_copy(update={"requests_per_s": rates})
    requests = round(requests_per_s * 0.075)
    cpu_ns = requests * 12_000
    measured = Slice(
        entry="a",
        event=throughput_event(requests, 75),
        server_cpu=CpuTime(total_ns=cpu_ns, user_ns=cpu_ns, system_ns=0),
        leak_ns=None,
        leak_wall_ns=None,
    )
    assert is_warm(known, measured) == warm


def test_what_is_up_at_once_and_flat_gets_a_new_process_in_each_draw() -> None:
    a = decided().redrawn["a"]
    assert (a.what, a.why, a.warm_up_ms) == ("processes", "flat", 75)


def test_a_short_warm_up_is_gone_through_in_each_draw() -> None:
    a = decided(warmed=warmup(cold=2)).redrawn["a"]
    assert (a.what, a.why, a.warm_up_ms) == ("processes", "warms_quickly", 75 + 500)


def test_weather_costs_nobody_his_new_processes() -> None:
    warmed = warmup(steady=False, course="unsteady")
    costs_us = (10.9, 13.0, 9.5, 8.0, 11.0, 10.0, 12.0, 10.0)
    noisy = warmed.model_copy(update={"cpu_us_per_request": {"a": costs_us, "b": costs_us}})
    assert decided(warmed=noisy).redrawn["a"].why == "flat"


def test_where_no_cpu_time_is_seen_speed_tells() -> None:
    unseen = warmup(cold=1).model_copy(update={"cpu_us_per_request": {}})
    assert decided(warmed=unseen).redrawn["a"].warm_up_ms == 75 + 250


@pytest.mark.parametrize(
    ("facts", "why"),
    [
        ({"ready_ms": 501.0}, "starts_slowly"),
        ({"warmed": warmup(cold=3)}, "warms_slowly"),
        ({"warmed": warmup(course="slowdown")}, "warms_slowly"),
        ({"given": plan(instances=4)}, "asked"),
    ],
)
def test_what_takes_long_has_several_lasting_processes(facts: dict[str, Any], why: str) -> None:
    a = decided(**facts).redrawn["a"]
    assert (a.what, a.why) == ("connections", why)
    assert a.instances > 1


def test_a_url_or_a_fixed_port_has_one_process() -> None:
    given = plan()
    attached = Attached(host="127.0.0.1", port=80, address="127.0.0.1:80", path="/")
    url = Entry(name="a", title="A", origin="url", attached=attached, path="/")
    fixed = given.entries[1].model_copy(update={"fixed_port": 80})
    rule = decided(given.model_copy(update={"entries": (url, fixed), "instances": 9}))
    assert [(each.why, each.instances) for each in rule.redrawn.values()] == [
        ("attached", 1),
        ("fixed_port", 1),
    ]


def test_copies_of_one_program_are_drawn_alike() -> None:
    given = plan()
    one, other = given.entries
    copy = other.model_copy(update={"contender": one.contender, "folder": one.folder})
    given = given.model_copy(update={"entries": (one, copy)})
    facts = [Facts(one, 4.0, 10.0), Facts(copy, 600.0, 10.0)]
    rule = draw_rule(given, warmup(), facts, PLENTY)
    assert rule.redrawn["a"] == rule.redrawn["b"]
    assert rule.redrawn["a"].why == "starts_slowly"


@pytest.mark.parametrize(
    ("changes", "instances"),
    [
        # Two servers of 1.1 s each, which were flat: 10 s are enough for six of both.
        ({}, 6),
        ({"warmed": warmup(slices=12, cold=6)}, 6),
        ({"given": plan(duration_s=300.0)}, 8),
        ({"warmed": warmup(slices=80, steady=False)}, 1),
        ({"warmed": warmup(slices=40, steady=False)}, 2),
        ({"room": Room(memory_mib=160, files=10_000)}, 3),
        ({"room": Room(memory_mib=60, files=10_000)}, 1),
        ({"room": Room(memory_mib=100_000, files=70)}, 2),
        ({"given": plan(instances=6)}, 6),
        ({"given": plan(instances=6), "room": Room(memory_mib=240, files=10_000)}, 4),
        ({"given": plan(instances=1000)}, 32),
    ],
)
def test_as_many_as_time_memory_and_files_allow(changes: dict[str, Any], instances: int) -> None:
    rule = decided(**{"ready_ms": 600.0, **changes})
    assert {each.instances for each in rule.redrawn.values()} == {instances}


@pytest.mark.parametrize(
    ("duration_s", "at_least", "at_most"), [(20.0, 25, 35), (60.0, 31, 32), (2.0, 8, 8)]
)
def test_small_servers_have_many_draws(duration_s: float, at_least: int, at_most: int) -> None:
    rule = decided(plan(duration_s=duration_s))
    assert at_least <= duration_s / rule.draw_s <= at_most


def test_what_has_long_slices_has_fewer_draws_and_three_blocks_in_each() -> None:
    rule = decided(plan(duration_s=60.0), warmup(lengths=SLOW))
    assert rule.draw_s == pytest.approx(3 * 4 / 0.8)


def test_a_race_for_a_precision_can_end_soon_however_long_its_budget_is() -> None:
    rule = decided(plan(duration_s=600.0, precision=0.01))
    assert rule.draw_s < 2
