"""What is drawn anew, how often and for how long: decided by how contenders start and warm up."""

from typing import Any

import pytest

from bakeoff.model.plan import Attached, Entry, Plan
from bakeoff.model.samples import DrawRule, SliceLengths, Warmup
from bakeoff.runs.measuring.draw_rule import Facts, Room, draw_rule
from tests.judge.races import Race

PLENTY = Room(memory_mib=100_000, files=10_000)
QUICK = SliceLengths(short_ms=20, long_ms=250, ramp_ms=5)
SLOW = SliceLengths(short_ms=2000, long_ms=10_000, ramp_ms=2000)


def plan(**changes: Any) -> Plan:
    race = Race({"a": 1.0, "b": 1.0})
    return race.plan().model_copy(update={"duration_s": 20.0, "boots": 1, **changes})


def warmup(
    *early: float,
    slices: int = 8,
    steady: bool = True,
    noise: float = 0.0,
    rates: tuple[float, ...] = (),
    lengths: SliceLengths = QUICK,
) -> Warmup:
    """A warm-up whose first slices cost so many times the CPU per request that others do."""
    names = ("a", "b")
    cpu_us = [10.0 * each for each in (*early, *(1.0,) * (slices - len(early)))]
    cpu_us = [each * (1 + noise * (-1) ** n) for n, each in enumerate(cpu_us)]
    per_s = (*rates, *(1000.0,) * (slices - len(rates)))
    return Warmup(
        boot=0,
        lengths=dict.fromkeys(names, lengths),
        requests_per_s=dict.fromkeys(names, per_s),
        mean_latency_us=dict.fromkeys(names, 100.0),
        steady=dict.fromkeys(names, steady),
        cpu_us_per_request=dict.fromkeys(names, tuple(cpu_us)),
        steady_from=dict.fromkeys(names, len(early)),
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


def test_what_is_up_at_once_and_flat_gets_a_new_process_in_each_draw() -> None:
    a = decided().redrawn["a"]
    assert (a.what, a.why, a.warm_up_ms) == ("processes", "flat", 75)


@pytest.mark.parametrize(
    ("warmed", "warm_up_ms"),
    [
        (warmup(1.15), 325),
        (warmup(3.0, 1.2), 575),
        (warmup(rates=(600.0,)), 325),
    ],
    ids=["in CPU per request, which throughput hides", "for two slices", "in throughput"],
)
def test_a_short_warm_up_is_gone_through_in_each_draw(warmed: Warmup, warm_up_ms: int) -> None:
    a = decided(warmed=warmed).redrawn["a"]
    assert (a.what, a.why, a.warm_up_ms) == ("processes", "warms_quickly", warm_up_ms)


def test_a_slice_that_the_machine_slowed_down_is_no_warm_up() -> None:
    a = decided(warmed=warmup(rates=(750.0, 850.0))).redrawn["a"]
    assert (a.what, a.why) == ("processes", "flat")


def test_a_core_that_was_idle_and_is_faster_for_a_while_is_no_warm_up() -> None:
    a = decided(warmed=warmup(0.78, 0.77, rates=(1280.0, 1310.0))).redrawn["a"]
    assert (a.what, a.why) == ("processes", "flat")


def test_a_busy_machine_does_not_make_a_warm_up() -> None:
    noisy = warmup(noise=0.06, slices=20, steady=False, rates=(900.0, 1100.0) * 10)
    a = decided(warmed=noisy).redrawn["a"]
    assert (a.what, a.why) == ("processes", "flat")


@pytest.mark.parametrize(
    ("facts", "why"),
    [
        ({"ready_ms": 251.0}, "starts_slowly"),
        ({"warmed": warmup(2.0, 1.5, 1.2, 1.1)}, "warms_slowly"),
        ({"warmed": warmup(0.5, 0.5, 0.5, 0.5)}, "warms_slowly"),
        (
            {
                "given": plan(duration_s=60.0),
                "warmed": warmup(*(2.0 - n / 20 for n in range(19)), slices=20),
            },
            "warms_slowly",
        ),
        ({"warmed": warmup(slices=20, rates=(500.0,) * 5)}, "warms_slowly"),
        ({"warmed": warmup(noise=0.5, steady=False)}, "warms_slowly"),
        ({"given": plan(instances=4)}, "asked"),
    ],
)
def test_what_takes_long_has_several_processes_that_live_for_the_boot(
    facts: dict[str, Any], why: str
) -> None:
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
    facts = [Facts(one, 4.0, 10.0), Facts(copy, 300.0, 10.0)]
    rule = draw_rule(given, warmup(), facts, PLENTY)
    assert rule.redrawn["a"] == rule.redrawn["b"]
    assert rule.redrawn["a"].why == "starts_slowly"


@pytest.mark.parametrize(
    ("changes", "instances"),
    [
        # Two servers of 0.8 s each, which were flat: 10 s are enough for six more of both.
        ({}, 7),
        ({"warmed": warmup(*(2.0,) * 6, slices=12)}, 6),
        ({"given": plan(duration_s=300.0)}, 8),
        ({"warmed": warmup(slices=80, steady=False)}, 1),
        ({"warmed": warmup(slices=40, steady=False)}, 2),
        ({"room": Room(memory_mib=160, files=10_000)}, 3),
        ({"room": Room(memory_mib=60, files=10_000)}, 1),
        ({"room": Room(memory_mib=100_000, files=70)}, 2),
        ({"given": plan(instances=6)}, 6),
        ({"given": plan(instances=6), "room": Room(memory_mib=240, files=10_000)}, 4),
        ({"given": plan(instances=1000)}, 31),
    ],
)
def test_there_are_as_many_as_time_memory_files_and_draws_allow(
    changes: dict[str, Any], instances: int
) -> None:
    rule = decided(**{"ready_ms": 300.0, **changes})
    assert {each.instances for each in rule.redrawn.values()} == {instances}


@pytest.mark.parametrize(
    ("duration_s", "at_least", "at_most"), [(20.0, 15, 25), (60.0, 38, 40), (2.0, 8, 8)]
)
def test_a_race_of_small_servers_has_many_draws(
    duration_s: float, at_least: int, at_most: int
) -> None:
    rule = decided(plan(duration_s=duration_s))
    assert at_least <= duration_s / rule.draw_s <= at_most


def test_what_has_long_slices_has_fewer_draws_and_three_blocks_in_each() -> None:
    rule = decided(plan(duration_s=60.0), warmup(lengths=SLOW))
    assert rule.draw_s == pytest.approx(3 * 4 / 0.8)


def test_a_race_for_a_precision_can_end_soon_however_long_its_budget_is() -> None:
    rule = decided(plan(duration_s=600.0, precision=0.01))
    assert rule.draw_s < 2
