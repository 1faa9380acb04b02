"""A search for capacities in a world of known speeds: the ladder, resumption, and what can fail."""

from pathlib import Path
from typing import Any

import pytest

from bakeoff.model.errors import BadUsage
from bakeoff.model.plan import Cores
from bakeoff.plan import Catalogue, Options, decide_capacity, ladder, name_contenders, parse_slo
from bakeoff.race import Climbed, capacity, is_capacity, report_capacity, resume_capacity
from bakeoff.race.folder import RunFolder, measured_s
from tests.judge.queues import true_capacity
from tests.race.test_race import catalogue
from tests.race.world import World

__all__ = ["catalogue"]
SPEEDS = {"fast": 10_000.0, "slow": 5_000.0, "same": 10_000.0}


def climbed(
    catalogue: Catalogue,
    world: World,
    tmp_path: Path,
    *words: str,
    slos: tuple[str, ...] = ("p99=10ms",),
    **options: Any,
) -> Climbed:
    asked = {"seed": 1, "cores": Cores(server=(0,), client=(1,)), "boots": 1, **options}
    named = name_contenders(words, catalogue, Path("/"))
    objectives = [parse_slo(text) for text in slos]
    line = ["bakeoff", "capacity"]
    found = decide_capacity(
        named, catalogue, Options(**asked), objectives, stamp="t", command_line=line
    )
    return capacity(*found, tmp_path / "runs", world.stages(), world)


def test_the_ladder_finds_what_each_server_holds(catalogue: Catalogue, tmp_path: Path) -> None:
    world = World(SPEEDS)
    done = climbed(catalogue, world, tmp_path, "fast", "slow", duration_s=20)
    for entry in done.found.entries:
        truth = true_capacity(SPEEDS[entry.name], 0.99, 10_000)
        assert entry.capacities[0].finding == "found"
        assert entry.capacities[0].requests_per_s == pytest.approx(truth, rel=0.1)
    (pair,) = done.found.pairs
    assert (pair.a, pair.b, pair.finding) == ("fast", "slow", "higher")
    assert done.found.complete
    assert not world.up, "every server was stopped"


def test_all_rates_lie_on_one_grid_and_each_rung_is_gone_back_to(
    catalogue: Catalogue, tmp_path: Path
) -> None:
    done = climbed(catalogue, World(SPEEDS), tmp_path, "fast", "same", duration_s=24, boots=2)
    for entry in done.found.entries:
        rungs = [ladder.rung_of(point.rate) for point in entry.curve]
        rates = [point.rate for point in entry.curve]
        assert rates == pytest.approx([ladder.rate_of(rung) for rung in rungs])
        near = entry.capacities[0].requests_per_s or 0
        at = [point.slices for point in entry.curve if 0.93 < point.rate / near < 1.07]
        assert at and min(at) >= 2
        assert entry.beyond is not None
    blocks = [one for one in RunFolder.open(done.folder).records() if one.type == "block"]
    assert {block.boot for block in blocks} == {0, 1}
    together = [len(block.slices) for block in blocks]
    assert together.count(2) > len(together) / 2, "contenders are visited block by block"


def test_an_objective_that_nobody_meets_ends_the_search(
    catalogue: Catalogue, tmp_path: Path
) -> None:
    done = climbed(
        catalogue, World(SPEEDS), tmp_path, "fast", slos=("p99=100us",), duration_s=60, boots=3
    )
    (found,) = done.found.entries[0].capacities
    assert found.finding == "not met"
    assert found.best_us is not None and found.best_us > 100
    assert done.found.complete
    assert done.found.measured_s < 30


def test_too_little_time_is_refused_before_anything_starts(
    catalogue: Catalogue, tmp_path: Path
) -> None:
    world = World(SPEEDS)
    with pytest.raises(BadUsage, match="--duration: 2 s is too little for a search and one round"):
        climbed(catalogue, world, tmp_path, "fast", duration_s=2)
    assert world.slices == 0


def test_slow_servers_need_long_slices_and_are_given_them_unless_told_otherwise(
    catalogue: Catalogue, tmp_path: Path
) -> None:
    world = World({**SPEEDS, "slow": 600.0})
    with pytest.raises(BadUsage, match="--duration: 20 s is too little"):
        climbed(catalogue, world, tmp_path, "slow", duration_s=20, slos=("p99=50ms",))
    assert not world.up
    done = climbed(catalogue, world, tmp_path / "more", "slow", slos=("p99=50ms",), boots=3)
    assert done.found.measured_s > 30
    assert any("slow servers need long slices" in said for said in world.seen)


def test_one_that_cannot_start_is_skipped_and_the_rest_goes_on(
    catalogue: Catalogue, tmp_path: Path
) -> None:
    world = World(SPEEDS, unstartable={"slow": "no"})
    done = climbed(catalogue, world, tmp_path, "fast", "slow", duration_s=16)
    assert [one.name for one in done.found.entries] == ["fast"]
    assert done.found.skipped[0].reason == "no"


def test_an_interrupt_keeps_what_is_there_and_it_can_go_on(
    catalogue: Catalogue, tmp_path: Path
) -> None:
    def interrupt(world: World, count: int) -> None:
        if count == 30:
            raise KeyboardInterrupt

    world = World(SPEEDS, on_slice=interrupt)
    done = climbed(catalogue, world, tmp_path, "fast", duration_s=16, boots=2)
    assert done.interrupted and not done.found.complete
    assert not world.up
    assert is_capacity(done.folder)
    before = RunFolder.open(done.folder).records()
    again = resume_capacity(done.folder, world.stages(), world)
    assert again.found.complete and not again.interrupted
    records = RunFolder.open(done.folder).records()
    assert records[: len(before)] == before
    assert measured_s(records) == pytest.approx(16, abs=3)
    with pytest.raises(BadUsage, match="is complete"):
        resume_capacity(done.folder, world.stages(), world)
    assert report_capacity(done.folder, world.stages()).found == again.found


def test_several_objectives_share_one_ladder(catalogue: Catalogue, tmp_path: Path) -> None:
    done = climbed(
        catalogue, World(SPEEDS), tmp_path, "fast", slos=("p99=5ms", "p99=50ms"), duration_s=24
    )
    (entry,) = done.found.entries
    strict, loose = (each.requests_per_s or 0 for each in entry.capacities)
    assert 0 < strict < loose
    assert entry.mean is not None
