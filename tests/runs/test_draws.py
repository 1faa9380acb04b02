"""Races are cut into draws: new connections in each, and for what starts fast a new process."""

from collections import Counter
from collections.abc import Callable

import pytest

from bakeoff.model.cut import Draw, DrawRule
from bakeoff.model.errors import Status
from bakeoff.model.samples import Block, BootEnd
from bakeoff.runs import AnyRun, resume
from bakeoff.runs.measuring.boot import measured_s
from bakeoff.runs.measuring.draws import FAILED_MAX
from tests.runs.conftest import Measure
from tests.runs.processes import name_of
from tests.runs.test_race import SPEEDS
from tests.runs.test_warmup import compiling
from tests.runs.world import World, cut_off

SLOW_START = {"fast": 600.0, "slow": 600.0}


def draws(run: AnyRun) -> list[Draw]:
    return [record for record in run.records() if isinstance(record, Draw)]


def blocks(run: AnyRun) -> list[Block]:
    return [record for record in run.records() if isinstance(record, Block)]


def rule(run: AnyRun) -> DrawRule:
    (found,) = (record for record in run.records() if isinstance(record, DrawRule))
    return found


def end(run: AnyRun) -> BootEnd:
    (found,) = (record for record in run.records() if isinstance(record, BootEnd))
    return found


def test_each_draw_has_new_connections_and_new_processes(measure: Measure) -> None:
    world = World(SPEEDS)
    run = measure.race(world, "fast", "slow", duration=30.0)
    found = draws(run)
    assert [each.draw for each in found] == list(range(len(found)))
    assert len(found) >= 15
    assert len(world.jobs) == 1 + len(found), "one for the warm-up, one for each draw"
    for draw, job in zip(found, world.jobs[1:], strict=True):
        assert set(draw.connections_open) == {"fast", "slow", "fast (twin)"}
        assert set(draw.connections_open.values()) == {64}
        assert set(draw.processes.values()) in ({0}, {draw.draw + 1})
        assert all(key.endswith("/0") == (draw.processes["fast"] == 0) for key in job)
    orders = Counter(tuple(draw.connections_open) for draw in found)
    assert len(orders) > 3, "the order is drawn too"
    assert world.most_up == 6 and not world.up


def test_the_first_process_has_one_draw_in_five(measure: Measure) -> None:
    found = draws(measure.race(World(SPEEDS), "fast", "slow", duration=20.0))
    for at in range(0, len(found) - 4, 5):
        assert sum(each.processes["slow"] == 0 for each in found[at : at + 5]) == 1


def test_draws_are_equally_long_and_no_block_lies_across(measure: Measure) -> None:
    run = measure.race(World(SPEEDS), "fast", "slow", duration=20.0)
    found = [each for each in run.records() if each.type in ("draw", "block")]
    now = -1
    for record in found:
        if isinstance(record, Draw):
            now = record.draw
        else:
            assert isinstance(record, Block) and record.draw == now
    short = Counter(block.draw for block in blocks(run) if block.kind == "short")
    several = list(short.values())[:-1]
    assert max(several) - min(several) <= 2
    assert measured_s(run.records()) == pytest.approx(20.0, rel=0.05)
    numbers = [block.block for block in blocks(run)]
    assert numbers == list(range(len(numbers))), "blocks are numbered within the boot"


def test_warm_ups_of_draws_count_for_nothing(measure: Measure) -> None:
    cold = World(SPEEDS, warmth={"slow": compiling((0.06, 0.01))}, noise=0.001)
    run = measure.race(cold, "fast", "slow", twin=False, duration=20.0)
    slow = [one for block in blocks(run) for one in block.slices if one.entry == "slow"]
    assert min(one.event.requests_per_s for one in slow) > 45_000


def test_a_new_process_that_is_soon_warm_is_warmed_up_for_each_draw(measure: Measure) -> None:
    world = World(SPEEDS, warmth={"slow": compiling((0.15, 0.5))})
    run = measure.race(world, "fast", "slow", duration=20.0)
    slow, fast = rule(run).redrawn["slow"], rule(run).redrawn["fast"]
    assert (slow.what, slow.why, slow.warm_up_ms) == ("processes", "warms_quickly", 75 + 250)
    assert (fast.what, fast.why, fast.warm_up_ms) == ("processes", "flat", 75)


def test_a_new_process_that_is_cold_for_long_is_none_to_draw(measure: Measure) -> None:
    world = World(SPEEDS, warmth={"slow": compiling((0.9, 0.5))})
    run = measure.race(world, "fast", "slow", twin=False, duration=20.0)
    slow = rule(run).redrawn["slow"]
    assert (slow.what, slow.why) == ("connections", "warms_slowly")
    assert rule(run).redrawn["fast"].what == "processes"


def test_what_starts_slowly_has_processes_for_the_boot_that_take_turns(measure: Measure) -> None:
    world = World(SPEEDS, ready_ms=SLOW_START)
    run = measure.race(world, "fast", "slow", twin=False, duration=40.0)
    instances = rule(run).redrawn["fast"].instances
    assert instances > 2
    assert rule(run).redrawn["slow"].instances == instances
    assert world.most_up == 2 * instances == len(world.pids) - len(world.probed)
    found = draws(run)
    assert all(len(set(each.processes.values())) == 1 for each in found), "j always meets j"
    for at in range(0, len(found) - instances + 1, instances):
        turn = {each.processes["fast"] for each in found[at : at + instances]}
        assert turn == set(range(instances))
    measured = set(world.pids.values()) - set(world.probed)
    loaded_s = {key: world.loaded_s[key] for key in measured if "fast" in key}
    assert min(loaded_s.values()) > 1, "each was warmed up and measured"


@pytest.mark.parametrize(("first_ms", "later_s"), [(12, 10), (4000, 20), (30_000, 60)])
def test_a_further_process_has_five_times_as_long_to_start_as_the_first(
    measure: Measure, first_ms: float, later_s: float
) -> None:
    world = World(SPEEDS, ready_ms={"slow": first_ms})
    measure.race(world, "fast", "slow", twin=False, duration=8.0)
    first, *later = (each for key, each in world.patience_s.items() if key.startswith("slow/"))
    assert first == 60 and later and set(later) == {later_s}


def test_processes_that_do_not_come_up_are_not_started_for_ever(measure: Measure) -> None:
    world = World(SPEEDS, ready_ms=SLOW_START, unstartable_again={"slow": "no port"})
    run = measure.race(world, "fast", "slow", "same", twin=False, duration=40.0)
    assert {entry.name for entry in run.result.entries} >= {"fast", "same"}
    assert "slow lost a process: no port" in world.seen
    assert world.refused_starts["slow"] <= 4


def test_what_goes_with_first_connections_is_compiled_again_unmeasured(measure: Measure) -> None:
    """As Vert.x does: its first draws had a sixth of its throughput."""
    warmth = {"fast": lambda loaded_s: min(1.0, 0.2 + loaded_s)}
    world = World(SPEEDS, ready_ms=SLOW_START, warmth=warmth, forgets=frozenset({"fast"}))
    run = measure.race(world, "fast", "slow", twin=False, duration=20.0)
    fast = [each for block in blocks(run) for each in block.slices if each.entry == "fast"]
    rates = [each.event.requests_per_s for each in fast]
    assert min(rates) > 0.8 * max(rates)


def test_a_further_process_that_is_colder_than_the_first_is_warmed_up_for_longer(
    measure: Measure,
) -> None:
    """As Spring Boot's are: two of three cost 1.3 times as much in their first draw."""
    later = {f"fast/{number}": compiling((2.2, 0.7)) for number in range(1, 9)}
    warmth = {"fast": compiling((1.0, 0.2)), **later}
    world = World(SPEEDS, ready_ms=SLOW_START, warmth=warmth, noise=0.001)
    run = measure.race(world, "fast", "slow", twin=False, duration=20.0)
    fast = [each for block in blocks(run) for each in block.slices if each.entry == "fast"]
    rates = [each.event.requests_per_s for each in fast]
    assert min(rates) > 0.95 * max(rates)


def test_a_process_is_warm_before_each_draw_whatever_it_forgets(measure: Measure) -> None:
    """As Node does: two of eight draws began with a tenth of its throughput."""
    warmth = {"fast": lambda loaded_s: min(1.0, 0.1 + 1.5 * loaded_s)}
    world = World(SPEEDS, ready_ms=SLOW_START, warmth=warmth, noise=0.001)
    world.forgets, world.forgets_again = frozenset({"fast"}), True
    run = measure.race(world, "fast", "slow", twin=False, duration=20.0)
    fast = [each for block in blocks(run) for each in block.slices if each.entry == "fast"]
    rates = [each.event.requests_per_s for each in fast]
    assert min(rates) > 0.95 * max(rates)


def test_a_process_never_as_good_as_the_first_is_measured_as_it_is(measure: Measure) -> None:
    """It costs half as much again: what it takes to see that is no more than a few slices."""
    world = World(dict(SPEEDS), ready_ms=SLOW_START)
    as_good = measure.race(world, "fast", "slow", twin=False, duration=8.0)

    def worse(world: World, _count: int) -> None:
        if not world.loading.endswith("/0"):
            world.requests_per_s["fast"] = SPEEDS["fast"] / 1.5
        else:
            world.requests_per_s["fast"] = SPEEDS["fast"]

    other = World(dict(SPEEDS), ready_ms=SLOW_START, on_slice=worse)
    run = measure.race(other, "fast", "slow", twin=False, duration=8.0)
    assert other.slices < 1.3 * world.slices
    assert len(draws(run)) == len(draws(as_good))


def test_what_compilers_leave_for_later_is_done_before_others_turns(measure: Measure) -> None:
    world = World(SPEEDS, ready_ms=SLOW_START, compiles_s={"fast": 0.1, "slow": 0.1})
    run = measure.race(world, "fast", "slow", twin=False, duration=20.0)
    leaks = [each.leak_ns or 0 for block in blocks(run) for each in block.slices]
    assert sum(leaks) == 0


def test_who_is_never_at_rest_holds_up_nobody(measure: Measure) -> None:
    polls = {"fast": 1e6}
    waits, never = (World(SPEEDS, ready_ms=SLOW_START, compiles_s=each) for each in ({}, polls))
    for world in (waits, never):
        measure.race(world, "fast", "slow", twin=False, duration=20.0)
    assert never.time_ns < 1.5 * waits.time_ns


def test_asked_for_so_many_processes_all_have_as_many(measure: Measure) -> None:
    world = World(SPEEDS)
    run = measure.race(world, "fast", "slow", duration=20.0, instances=4)
    assert {(each.instances, each.why) for each in rule(run).redrawn.values()} == {(4, "asked")}
    assert world.most_up == 12 == len(world.pids) - len(world.probed)


def test_where_memory_does_not_allow_what_was_asked_for_it_is_said(measure: Measure) -> None:
    world = World(SPEEDS, held_mib=100.0, free_mib=2400.0)
    run = measure.race(world, "fast", "slow", duration=20.0, instances=50)
    assert rule(run).redrawn["slow"].instances == 3
    assert "--instances 50: there are draws, memory and open files for 3" in world.seen


def test_a_second_boot_draws_by_the_rule_of_the_first(measure: Measure) -> None:
    run = measure.race(World(SPEEDS), "fast", "slow", duration=20.0, boots=2)
    assert rule(run)
    assert {each.boot for each in draws(run)} == {0, 1}


def test_a_cut_race_goes_on_by_its_rule(measure: Measure) -> None:
    world = World(SPEEDS, on_slice=cut_off(200, SystemExit))
    with pytest.raises(SystemExit):
        measure.race(world, "fast", "slow", duration=20.0)
    slowed = World(SPEEDS, ready_ms=SLOW_START)
    again = resume(measure.parent / "t-fast-vs-slow", slowed.stages(), slowed)
    assert rule(again).redrawn["slow"].what == "processes", "the log's, not what is seen now"
    assert {each.boot for each in draws(again)} == {0, 1}
    assert again.result.complete


def dying(name: str, at: int = 150) -> Callable[[World, int], None]:
    """Some process of it that is not the first one."""

    def die(world: World, count: int) -> None:
        others = [key for key in world.up if name_of(key) == name and not key.endswith("/0")]
        if count >= at and others and not world.dead:
            world.dead[others[0]] = "was killed by signal SIGSEGV"

    return die


@pytest.mark.parametrize("ready_ms", [{}, SLOW_START], ids=["one of many", "one of several"])
def test_a_process_that_dies_loses_its_share_and_the_contender_goes_on(
    measure: Measure, ready_ms: dict[str, float]
) -> None:
    world = World(SPEEDS, ready_ms=ready_ms, on_slice=dying("slow"))
    run = measure.race(world, "fast", "slow", twin=False, duration=40.0)
    slow = run.result.entry("slow")
    assert slow and slow.valid
    assert end(run).died == {}
    assert end(run).lost == {"slow": ("was killed by signal SIGSEGV",)}
    assert not any(one.event.errors for block in blocks(run) for one in block.slices)
    out = [each.out for each in draws(run) if each.out]
    assert all(each == {"slow": "its process of this draw is lost"} for each in out)
    assert bool(out) == bool(ready_ms)
    assert run.result.complete


def test_one_without_a_second_process_is_measured_with_the_first(measure: Measure) -> None:
    world = World(SPEEDS, unstartable_again={"slow": "out of ports"})
    run = measure.race(world, "fast", "slow", duration=30.0)
    assert len(end(run).lost["slow"]) == FAILED_MAX
    assert {each.processes["slow"] for each in draws(run) if "slow" in each.processes} == {0}
    slow = run.result.entry("slow")
    assert slow and slow.valid


def test_without_new_processes_the_first_has_the_draws(measure: Measure) -> None:
    def run_out_of_ports(world: World, _count: int) -> None:
        if "slow/2" in world.up:
            world.unstartable_again["slow"] = "out of ports"

    world = World(SPEEDS, on_slice=run_out_of_ports)
    run = measure.race(world, "fast", "slow", "same", duration=30.0)
    assert not end(run).died and all(not each.out for each in draws(run))
    assert len(end(run).lost["slow"]) == FAILED_MAX
    assert {each.processes["slow"] for each in draws(run)[5:]} == {0}
    slow = run.result.entry("slow")
    assert slow and slow.valid and run.status == Status.DONE


def test_who_has_neither_a_new_process_nor_the_first_one_is_out(measure: Measure) -> None:
    def lose_the_first(world: World, _count: int) -> None:
        if "slow/2" in world.up:
            world.unstartable_again["slow"] = "out of ports"
            world.dead["slow/0"] = "it crashed"

    world = World(SPEEDS, on_slice=lose_the_first)
    run = measure.race(world, "fast", "slow", "same", duration=30.0)
    assert [each.draw for each in draws(run) if "slow" in each.out]
    slow, fast = run.result.entry("slow"), run.result.entry("fast")
    assert slow and not slow.valid
    assert fast and fast.valid and run.result.complete
    assert run.status == Status.CONTENDER_OUT


def test_an_open_loop_is_drawn_as_a_closed_one_is(measure: Measure) -> None:
    run = measure.race(World(SPEEDS), "fast", "slow", duration=20.0, rate=10_000.0, seed=2)
    per_draw = Counter(block.draw for block in blocks(run))
    assert len(per_draw) >= 5
    assert {block.kind for block in blocks(run)} == {"long"}


def test_each_round_of_a_solo_race_is_a_draw(measure: Measure) -> None:
    run = measure.race(World(SPEEDS), "fast", "slow", solo=True, twin=False, duration=20.0)
    assert {each.why for each in rule(run).redrawn.values()} == {"solo"}
    assert [(each.boot, each.draw) for each in draws(run)] == [(n, 0) for n in range(5)]


def test_each_round_of_a_search_is_a_draw(measure: Measure) -> None:
    world = World(SPEEDS)
    run = measure.capacity(world, "fast", duration=30.0)
    found = draws(run)
    assert len(found) > 2
    assert {block.draw for block in blocks(run)} == {each.draw for each in found}
    assert len({key for job in world.jobs for key in job if key.startswith("fast/")}) > 2
