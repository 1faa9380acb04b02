"""A race that is followed by a look for causes, in a world of known speeds."""

from typing import Any

import pytest

from bakeoff.model.errors import BadUsage
from bakeoff.model.finding import Finding
from bakeoff.model.why import LAYERS, Why
from bakeoff.report.kinds.why import section
from bakeoff.runs import open_run, report, resume
from bakeoff.runs.kinds.race import RaceRun
from bakeoff.runs.kinds.why import WhyRun
from tests.runs.conftest import Measure
from tests.runs.processes import FakeProfiler
from tests.runs.test_race import SPEEDS
from tests.runs.world import World, cut_off


def raced(measure: Measure, world: World) -> RaceRun:
    return measure.race(world, "fast", "slow", why=True)


def causes(run: RaceRun) -> Why:
    result = run.why()
    assert result
    return result


def test_after_the_race_each_is_looked_at_at_a_rate_that_all_hold(measure: Measure) -> None:
    run = raced(measure, world := World(SPEEDS))
    assert run.result.complete and run.succeeded and not world.up
    result = causes(run)
    assert result.complete and not result.given_up and not result.missing
    assert result.rate_per_s == pytest.approx(0.6 * SPEEDS["slow"], rel=0.1)
    pair = result.pair("slow")
    assert pair and pair.other == "fast" and pair.cpu.is_told and pair.cpu.more > 0
    leaves = [line for line in pair.lines if line.part not in ("user", "kernel")]
    assert sum(line.difference.more for line in leaves) == pytest.approx(pair.cpu.more)
    assert {line.name for line in leaves} == {"handle", "sendto", ""}
    counts = {count.what: count for count in pair.counts}
    assert counts["call:sendto"].its == counts["call:sendto"].other == 1
    assert counts["counter:instructions"].its == counts["counter:instructions"].other == 2
    assert counts["voluntary_switches"].its == pytest.approx(1)
    shares = {each.wait: each.its for each in pair.waits}
    assert shares == {"running": pytest.approx(0.25), "requests": pytest.approx(0.75)}
    (at_peak,) = result.at_peak
    assert at_peak.cpu.is_told and at_peak.cpu.more > 0
    assert result.peaks_per_s["slow"] == pytest.approx(SPEEDS["slow"], rel=0.1)
    assert result.peaks_per_s["fast"] == pytest.approx(SPEEDS["fast"], rel=0.1)
    assert all(name not in audited for audited in world.audited[1:] for name in ("fast", "slow"))
    profiled = [name for name, of in world.environments.items() if "PROFILED" in of]
    assert len(profiled) == 2 and world.forgotten
    assert report(run.path, world).result == run.result
    again = open_run(run.path)
    assert isinstance(again, RaceRun) and again.why() == result
    assert section(result).title in [getattr(b, "title", "") for b in again.document().summary]
    look = again.part("why")
    assert isinstance(look, WhyRun)
    (stacks,) = look.flames()
    assert (stacks.name, stacks.other) == ("slow", "fast")
    assert [part.name for part in stacks.root.inner] == ["user", "kernel"]


def test_the_twin_is_not_looked_at_and_a_race_without_it_is_as_before(measure: Measure) -> None:
    assert [pair.name for pair in causes(raced(measure, World(SPEEDS))).pairs] == ["slow"]
    assert measure.race(World(SPEEDS), "fast", "slow").why() is None
    with pytest.raises(BadUsage, match="--why"):
        measure.plan("fast", why=True)


def test_one_that_was_cut_off_begins_anew_and_the_race_stands(measure: Measure) -> None:
    seen: list[int] = []

    def interrupt(world: World, count: int) -> None:
        if "looking for causes: starting and warming up" in world.seen:
            seen.append(count)
            if len(seen) == 60:
                raise KeyboardInterrupt

    cut = raced(measure, World(SPEEDS, on_slice=interrupt))
    assert cut.interrupted and cut.result.complete
    before = cut.records()
    whole = resume(cut.path, (world := World(SPEEDS)).stages(), world)
    assert isinstance(whole, RaceRun) and whole.records() == before
    assert causes(whole).complete and causes(whole).blocks == 16
    with pytest.raises(BadUsage, match="is complete"):
        resume(cut.path, world.stages(), world)


@pytest.mark.parametrize("dies", [True, False], ids=["it ends", "it can't start"])
def test_a_server_that_ends_meanwhile_leaves_the_race_its_verdict(
    measure: Measure, dies: bool
) -> None:
    def ill(world: World, _count: int) -> None:
        if dies and "looking for causes: starting and warming up" in world.seen:
            world.dead["slow"] = "was killed by signal SIGSEGV"

    world = World(SPEEDS, on_slice=ill)
    step = world.step

    def refuse(text: str) -> None:
        step(text)
        if not dies and text.startswith("looking for causes"):
            world.unstartable["slow"] = "SIGSEGV"

    world.step = refuse  # type: ignore[method-assign]
    run = raced(measure, world)
    assert run.result.valid and run.result.complete and not run.interrupted and not world.up
    result = causes(run)
    assert result.complete and not result.pairs and "SIGSEGV" in result.given_up
    assert open_run(run.path).is_complete()


def test_without_profilers_there_are_user_and_kernel_time(measure: Measure) -> None:
    lacking = dict.fromkeys(LAYERS, Finding.of("no_perf"))
    result = causes(raced(measure, World(SPEEDS, lacking=lacking)))
    assert result.missing == lacking and not result.profiling
    pair = result.pair("slow")
    assert pair and [line.part for line in pair.lines] == ["user", "kernel", "unexplained"]
    assert [cause.code for cause in pair.finding.because] == ["in_mode", "in_mode"]


def test_of_servers_of_another_user_there_are_user_and_kernel_time(measure: Measure) -> None:
    refused = dict.fromkeys(LAYERS, Finding.of("not_ours", user="www-data"))
    result = causes(raced(measure, World(SPEEDS, refused=refused)))
    assert result.missing == refused and not result.profiling
    pair = result.pair("slow")
    assert pair and [line.part for line in pair.lines] == ["user", "kernel", "unexplained"]
    assert not pair.waits


def test_profilers_that_fail_are_a_layer_that_is_missing(measure: Measure) -> None:
    result = causes(raced(measure, World(SPEEDS, profiler_fault="no permission")))
    assert result.missing["stacks"] == Finding.of("profiler_fails", failure="no permission")
    assert result.pairs and result.pairs[0].waits and not result.profiling and not result.given_up


def test_one_that_ends_while_it_is_traced_has_been_looked_at_before(measure: Measure) -> None:
    world = World(SPEEDS)
    count = FakeProfiler.calls

    def traced(*args: Any) -> Any:
        world.dead["slow"] = "exited with status 1"
        return count(*args)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(FakeProfiler, "calls", traced)
        result = causes(raced(measure, world))
    assert "exited with status 1" in str(result.missing["calls"].values["failure"])
    assert result.pairs and result.profiling and not result.given_up


def test_a_cut_off_race_is_not_looked_at(measure: Measure) -> None:
    cut = raced(measure, World(SPEEDS, on_slice=cut_off(200)))
    assert cut.interrupted and cut.why() is None
