"""A race takes as long as it said, whatever its servers do: here they are slow, stall, or die."""

import re
from types import SimpleNamespace
from typing import Any

import pytest

from bakeoff.model.plan import Expected
from bakeoff.plan import confirming
from bakeoff.runs import resume
from bakeoff.runs.kinds.race import RaceRun
from bakeoff.runs.measuring.context import Context
from tests.runs.conftest import Measure
from tests.runs.test_draws import blocks
from tests.runs.test_race import SPEEDS
from tests.runs.test_warmup import compiling
from tests.runs.world import World

SLOWEST = 20.0
"""With 64 connections an answer takes 3.2 s, and a slice lasts as long beyond its window."""

SLOW_START_MS = 600.0
"""Who starts that slowly has processes that last."""


def raced(measure: Measure, world: World, *names: str, **options: Any) -> tuple[RaceRun, float]:
    """A race, and how long it took by the world's clock, s."""
    began_ns = world.time_ns
    finished = measure.race(world, *names, **options)
    return finished, (world.time_ns - began_ns) / 1e9


def why_slow_alone_is_out(run: RaceRun) -> str:
    """The reason; the others have their whole verdict."""
    assert run.result.complete and run.result.pairs
    (slow,) = run.result.skipped
    assert slow.name == "slow"
    return slow.reason


def expected(run: RaceRun) -> Expected:
    assert run.planned.expected
    return run.planned.expected


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"duration": 60.0},
        {"duration": 20.0, "boots": 3},
        {"duration": 30.0, "solo": True},
        {"duration": 20.0, "instances": 4},
        {"duration": 10.0, "rate": 1000.0},
    ],
)
def test_healthy_servers_take_as_long_as_said(measure: Measure, options: dict[str, Any]) -> None:
    world = World(SPEEDS, drains=True, starts_s=dict.fromkeys(SPEEDS, 0.2))
    finished, took_s = raced(measure, world, "fast", "slow", **options)
    assert finished.result.complete
    assert 0.4 * expected(finished).about_s < took_s < 1.2 * expected(finished).about_s


@pytest.mark.parametrize(
    "of",
    [
        {},
        {"ready_ms": dict.fromkeys(SPEEDS, SLOW_START_MS)},
        {
            "ready_ms": dict.fromkeys(SPEEDS, SLOW_START_MS),
            "compiles_s": dict.fromkeys(SPEEDS, 0.2),
            "warmth": dict.fromkeys(SPEEDS, compiling((1.0, 0.5))),
            "forgets": frozenset(SPEEDS),
        },
    ],
    ids=["new processes", "lasting ones", "lasting ones that compile"],
)
def test_once_warm_it_says_how_long_the_rest_takes(measure: Measure, of: dict[str, Any]) -> None:
    world = World(SPEEDS, drains=True, **of)
    said_ns: list[int] = []
    world.on_slice = lambda world, _: said_ns.append(world.time_ns) if announced(world) else None
    measure.race(world, "fast", "slow", duration=20.0)
    left_s = (world.time_ns - said_ns[0]) / 1e9
    assert announced(world) == pytest.approx(left_s, rel=0.2)


def announced(world: World) -> float:
    """The seconds for which it is to measure; 0: it has not said so yet."""
    found = re.search(r"measuring, for about (?:(\d+) min ?)?(?:(\d+) s)?", "\n".join(world.seen))
    return 60 * int(found[1] or 0) + int(found[2] or 0) if found else 0.0


def test_a_confirmation_has_a_time_of_its_own(measure: Measure) -> None:
    plan = measure.plan("fast", "slow", confirm=True)
    solo = confirming(plan)
    assert plan.expected and solo.expected and plan.expected != solo.expected


@pytest.mark.parametrize("slow", [SLOWEST, 200.0, 2000.0])
def test_slow_servers_end_in_time(measure: Measure, slow: float) -> None:
    world = World({**SPEEDS, "slow": slow}, drains=True)
    finished, took_s = raced(measure, world, "fast", "slow", "same")
    assert took_s < expected(finished).at_most_s
    assert finished.result.entries


def test_one_that_stalls_at_once_is_out_and_the_others_have_a_verdict(measure: Measure) -> None:
    world = World(SPEEDS, stalls={"slow": 0.0})
    finished, took_s = raced(measure, world, "fast", "slow", "same")
    assert took_s < expected(finished).at_most_s / 2
    reason = why_slow_alone_is_out(finished)
    assert "had no answer within 5 s while it was warmed up with 64 connections" in reason
    assert "with 64 connections: use fewer (-c), or see its log" in reason


def test_one_whose_packets_connection_tracking_drops_is_out_for_that(measure: Measure) -> None:
    world = World(SPEEDS, stalls={"slow": 0.0}, untracked=3)
    finished, _ = raced(measure, world, "fast", "slow", "same")
    reason = why_slow_alone_is_out(finished)
    assert "connection tracking (nf_conntrack) dropped" in reason
    assert "raise net.netfilter.nf_conntrack_max" in reason


@pytest.mark.parametrize("stalls_after_s", [0.6, 1.2, 2.0])
def test_one_that_stalls_while_further_processes_are_warmed_up_is_out_for_that(
    measure: Measure, stalls_after_s: float
) -> None:
    world = World(
        SPEEDS, stalls={"slow": stalls_after_s}, ready_ms=dict.fromkeys(SPEEDS, SLOW_START_MS)
    )
    finished, took_s = raced(measure, world, "fast", "slow", "same", duration=6.0)
    assert took_s < expected(finished).at_most_s / 2
    reason = why_slow_alone_is_out(finished)
    assert "had no answer within 5 s while another process was warmed up" in reason


@pytest.mark.parametrize("options", [{}, {"boots": 2}, {"duration": 30.0, "solo": True}])
def test_one_that_stalls_later_ends_the_race_early_with_what_there_is(
    measure: Measure, options: dict[str, Any]
) -> None:
    world = World(SPEEDS, stalls={"slow": 3.0})
    finished, took_s = raced(measure, world, "fast", "slow", "same", **options)
    assert took_s < expected(finished).at_most_s
    if not finished.result.complete:
        assert "cut_short" in {each.code for each in finished.result.warnings}
    slow = next(each for each in finished.result.entries if each.name == "slow")
    assert options.get("solo") or "unanswered" in {each.code for each in slow.reasons}
    assert not world.up


def test_a_race_that_ended_early_goes_on_later(measure: Measure) -> None:
    world = World(SPEEDS, stalls={"slow": 3.0})
    finished, _ = raced(measure, world, "fast", "slow", "same")
    assert not finished.result.complete
    world.stalls.clear()
    assert resume(finished.path, world.stages(), world).result.complete


def test_once_the_time_is_ended_no_slow_start_adds_to_it() -> None:
    now_ns = [0]
    stages: Any = SimpleNamespace(clock=SimpleNamespace(now_ns=lambda: now_ns[-1]))
    unused: Any = None
    context = Context(stages, unused, unused, unused, unused, until_ns=10**9)
    assert context.left_s == 1
    context.end_time()
    with context.time_for_a_start():
        now_ns.append(5 * 10**9)
    assert context.time_is_up and context.left_s == 0


def test_servers_that_take_long_to_start_end_in_time(measure: Measure) -> None:
    ready_ms = dict.fromkeys(SPEEDS, 9000.0)
    world = World(SPEEDS, starts_s=dict.fromkeys(SPEEDS, 9.0), ready_ms=ready_ms)
    finished, took_s = raced(measure, world, "fast", "slow", "same")
    assert finished.result.complete
    assert took_s < expected(finished).at_most_s


def test_what_takes_longer_to_start_with_each_draw_is_cut_off(measure: Measure) -> None:
    world = World(SPEEDS, starts_s=dict.fromkeys(SPEEDS, 9.0), ready_ms=dict.fromkeys(SPEEDS, 20.0))
    finished, took_s = raced(measure, world, "fast", "slow", "same", duration=20.0)
    assert took_s < expected(finished).at_most_s + 9 * 3
    assert finished.result.pairs
    assert finished.result.stopping == "planned", "the limit of its time ended it, not its outcome"


def test_one_whose_processes_all_die_ends_in_time(measure: Measure) -> None:
    def die(world: World, count: int) -> None:
        if count == 150:
            world.dead["slow"] = "was killed by signal SIGSEGV"

    finished, took_s = raced(measure, World(SPEEDS, on_slice=die), "fast", "slow", "same")
    assert finished.result.complete and took_s < expected(finished).about_s


def test_a_plan_of_an_earlier_version_has_no_bound(measure: Measure) -> None:
    plan = measure.plan("fast", "slow").model_copy(update={"expected": None})
    run = measure.run(plan, World(SPEEDS))
    assert run.result.complete


def test_answers_that_are_waited_for_leave_a_warm_up_enough_slices(measure: Measure) -> None:
    world = World({"fast": 500.0, "slow": 400.0}, drains=True)
    finished = measure.race(world, "fast", "slow", twin=False, warm_up=1.0)
    (warmup,) = (record for record in finished.records() if record.type == "warmup")
    assert {len(rates) for rates in warmup.requests_per_s.values()} == {4}


def test_one_whose_drains_take_longer_than_its_slices_is_named_and_the_race_keeps_its_word(
    measure: Measure,
) -> None:
    """As Puma, which waits for each idle connection: a slice of 20 ms, then 2.4 s."""
    world = World(SPEEDS, drains_s={"slow": 2.4})
    finished, took_s = raced(measure, world, "fast", "slow", "same", duration=20.0)
    assert took_s < expected(finished).at_most_s
    (cut_short,) = [each for each in finished.result.warnings if each.code == "cut_short"]
    assert cut_short.values == {"time_was_up": True}
    assert len({len(each.slices) for each in blocks(finished)}) == 1, "a round is whole"
    slow = finished.result.entry("slow")
    assert slow and slow.ratio and all(entry.valid for entry in finished.result.entries)
    (drains,) = [each for each in slow.warnings if each.code == "drains"]
    slices = [one.event for each in blocks(finished) for one in each.slices if one.entry == "slow"]
    assert drains.values["drained_s"] == pytest.approx(2.4 * len(slices), rel=0.01)
    fast = finished.result.entry("fast")
    assert fast and "drains" not in {each.code for each in fast.warnings}
