"""A search for capacities in a world of known speeds: the ladder, resumption, and what can fail."""

from dataclasses import replace
from pathlib import Path

import pytest

from bakeoff.model.errors import Status, TooFewLeft
from bakeoff.plan import ladder
from bakeoff.report.document import Table
from bakeoff.report.kinds.capacity import document
from tests.judge.queues import true_capacity
from tests.runs.conftest import Measure
from tests.runs.world import World

SPEEDS = {"fast": 10_000.0, "slow": 5_000.0, "same": 10_000.0}


def test_the_ladder_finds_what_each_server_holds(measure: Measure) -> None:
    world = World(SPEEDS)
    done = measure.capacity(world, "fast", "slow", duration=20)
    for entry in done.result.entries:
        truth = true_capacity(SPEEDS[entry.name], 0.99, 10_000)
        assert entry.capacities[0].finding == "found"
        assert entry.capacities[0].requests_per_s == pytest.approx(truth, rel=0.1)
    (pair,) = done.result.pairs
    assert (pair.a, pair.b, pair.finding) == ("fast", "slow", "higher")
    assert done.result.complete
    assert not world.up, "every server was stopped"


def test_all_rates_lie_on_one_grid_and_each_rung_is_gone_back_to(measure: Measure) -> None:
    done = measure.capacity(World(SPEEDS), "fast", "same", duration=24, boots=2)
    for entry in done.result.entries:
        rungs = [ladder.rung_of(point.rate) for point in entry.curve]
        rates = [point.rate for point in entry.curve]
        assert rates == pytest.approx([ladder.rate_of(rung) for rung in rungs])
        near = entry.capacities[0].requests_per_s or 0
        at = [point.slices for point in entry.curve if 0.93 < point.rate / near < 1.07]
        assert at and min(at) >= 2
        assert entry.beyond is not None
    blocks = [one for one in done.records() if one.type == "block"]
    assert {block.boot for block in blocks} == {0, 1}
    together = [len(block.slices) for block in blocks]
    assert together.count(2) > len(together) / 2, "contenders are visited block by block"


def test_an_objective_that_nobody_meets_ends_the_search(measure: Measure) -> None:
    done = measure.capacity(World(SPEEDS), "fast", slo=("p99=100us",), duration=60, boots=3)
    (found,) = done.result.entries[0].capacities
    assert found.finding == "not met"
    assert found.best_us is not None and found.best_us > 100
    assert done.result.complete
    assert done.result.measured_s < 30


def test_slow_servers_are_given_long_slices_unless_told_otherwise(measure: Measure) -> None:
    world = World({**SPEEDS, "slow": 600.0})
    done = measure.capacity(world, "slow", duration=20, slo=("p99=50ms",))
    assert any("ended early: --duration: 20 s is too" in said for said in world.seen)
    assert not world.up and not done.is_complete() and done.result.entries[0].curve
    environment = replace(measure.environment, time="later")
    patient = replace(measure, environment=environment)
    done = patient.capacity(world, "slow", slo=("p99=50ms",), boots=3)
    assert done.result.measured_s > 30
    assert any("slow servers need long slices" in said for said in world.seen)


def test_one_that_cannot_start_is_skipped_and_the_rest_goes_on(measure: Measure) -> None:
    world = World(SPEEDS, unstartable={"slow": "no"})
    done = measure.capacity(world, "fast", "slow", duration=16, keep_going=True)
    assert [one.name for one in done.result.entries] == ["fast"]
    assert done.result.skipped[0].reason == "no"
    assert done.status == Status.CONTENDER_OUT


def test_where_one_of_two_cannot_start_the_search_ends_at_once(measure: Measure) -> None:
    world = World(SPEEDS, unstartable={"slow": "no"})
    with pytest.raises(TooFewLeft, match="nothing to compare fast with"):
        measure.capacity(world, "fast", "slow", duration=16)
    assert world.slices == 0 and not world.up


@pytest.mark.parametrize("names", [["fast"], ["fast", "slow"]], ids=["alone", "of two"])
def test_without_new_processes_the_first_has_the_draws(measure: Measure, names: list[str]) -> None:
    class NoMore(World):
        def refuses_start(self, key: str) -> bool:
            return self.slices > 60

    done = measure.capacity(NoMore(SPEEDS), *names, duration=20 * len(names), instances=None)
    assert done.result.complete and done.status == Status.DONE
    draws = [record for record in done.records() if record.type == "draw"]
    assert [each.draw for each in draws] == list(range(len(draws)))
    assert set(draws[-1].processes.values()) == {0} and not draws[-1].out


def test_several_objectives_share_one_ladder(measure: Measure) -> None:
    done = measure.capacity(World(SPEEDS), "fast", slo=("p99=5ms", "p99=50ms"), duration=24)
    (entry,) = done.result.entries
    strict, loose = (each.requests_per_s or 0 for each in entry.capacities)
    assert 0 < strict < loose
    assert entry.mean is not None


def test_costs_are_those_of_each_draw_at_half_of_a_peak_and_at_one_rate(measure: Measure) -> None:
    world = World(SPEEDS, counts_energy=True)
    done = measure.capacity(world, "fast", "slow", duration=40, boots=2)
    costs = [record for record in done.records() if record.type == "costs"]
    assert len(costs) >= 5
    for record in costs:
        offered = {(each.at, each.slice.entry): each.slice.rate or 0.0 for each in record.slices}
        assert offered["share", "fast"] == pytest.approx(5_000, rel=0.05)
        assert offered["share", "slow"] == pytest.approx(2_500, rel=0.05)
        assert offered["equal", "fast"] == offered["equal", "slow"] == offered["share", "slow"]
    lines = {(line.at, line.figure): line for line in done.result.costs}
    # A core is all that either has: half the throughput is twice the CPU time of an answer.
    for at in ("share", "equal"):
        line = lines[at, "cpu_us_per_request"]
        assert line.value("fast").value == pytest.approx(100, rel=0.15)
        assert line.value("slow").value == pytest.approx(200, rel=0.15)
        pair = line.pair("fast", "slow")
        assert pair and pair.finding == "better"
    memory = lines["share", "memory_mib"].pair("fast", "slow")
    assert memory and memory.finding == "tie"
    energy = lines["equal", "energy_uj_per_request"]
    assert energy.value("slow").value == pytest.approx(
        2 * (energy.value("fast").value or 0), rel=0.2
    )
    assert "no_energy" not in {each.code for each in done.result.warnings}


def test_where_energy_is_not_counted_that_is_said(measure: Measure) -> None:
    done = measure.capacity(World(SPEEDS), "fast", duration=16)
    assert "no_energy" in {each.code for each in done.result.warnings}
    assert {line.figure for line in done.result.costs} == {"cpu_us_per_request", "memory_mib"}


def test_each_request_of_a_mix_has_figures_at_capacity(measure: Measure, tmp_path: Path) -> None:
    (tmp_path / "mix.toml").write_text(
        'name = "mix"\n[[request]]\npath = "/"\nweight = 3\n[[request]]\npath = "/dear"\n'
    )
    world = World(SPEEDS, costs={"fast": {"GET /dear": 4.0}})
    done = measure.capacity(world, "fast", "slow", duration=24, workload=str(tmp_path / "mix.toml"))
    fast, slow = done.result.entries
    assert fast.at_capacity and [each.name for each in fast.requests] == ["GET /", "GET /dear"]
    assert sum(each.requests for each in fast.requests) == fast.at_capacity.requests
    cheap, dear = (each.quantiles_us["p50"] or 0 for each in fast.requests)
    assert dear > 2 * cheap
    alike = [each.quantiles_us["p50"] for each in slow.requests]
    assert alike[0] == pytest.approx(alike[1], rel=0.1)
    (table,) = [
        part
        for part in document(done.result).summary
        if isinstance(part, Table) and part.title == "Request by request, at capacity"
    ]
    assert [row.cells[:2] for row in table.rows] == [
        ("GET /", "fast"),
        ("GET /", "slow"),
        ("GET /dear", "fast"),
        ("GET /dear", "slow"),
    ]
