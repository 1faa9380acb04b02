"""Runs in the history: added when they end, whatever the database does, and again from folders."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from bakeoff.history import open_index
from bakeoff.history.place import HISTORY as VARIABLE
from bakeoff.history.place import sqlite_url
from bakeoff.history.results import found_in, indexed, indexed_or_why, indexed_path
from bakeoff.history.user import UserHistory
from bakeoff.model.errors import BadFile, BadUsage
from bakeoff.report.kinds.race_headline import headline
from bakeoff.runs import AnyRun
from tests.plan.places import environment
from tests.ratios import known
from tests.runs.conftest import Measure
from tests.runs.world import World

HISTORY = UserHistory()
SPEEDS = {"fast": 100_000.0, "slow": 50_000.0}


@pytest.fixture
def url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.delenv(VARIABLE)
    return sqlite_url(tmp_path / "data" / "bakeoff" / "history.sqlite")


@pytest.fixture
def run(measure: Measure) -> AnyRun:
    return measure.race(World(SPEEDS), "slow", "fast")


def test_a_race_has_its_figures_pairs_and_where_its_contenders_come_from(run: AnyRun) -> None:
    kept = indexed(run)
    (race,) = kept.races
    assert (kept.kind, kept.name, kept.valid, kept.complete) == ("race", run.path.name, True, True)
    assert kept.headline == headline(run.result)
    twin = run.result.noise_floor.name
    assert [figure.name for figure in race.figures] == ["fast", "slow"]
    assert twin not in {name for pair in race.pairs for name in (pair.a, pair.b)}
    for figure in race.figures:
        entry = run.result.entry(figure.name)
        assert figure.ratio == entry.ratio
        assert figure.requests_per_s == entry.requests_per_s
        assert figure.source, "the receipt's"


def test_two_commands_are_two_contenders_over_time(tmp_path: Path) -> None:
    measure, world = Measure(environment(), tmp_path), World({"a.py": 100_000.0, "b.py": 50_000.0})
    (race,) = indexed(measure.race(world, "python3 a.py {port}", "python3 b.py {port}")).races
    assert {figure.contender for figure in race.figures} == {"a.py", "b.py"}
    assert len({figure.series for figure in race.figures}) == 2


def test_the_same_run_has_the_same_id_wherever_its_folder_is(run: AnyRun, tmp_path: Path) -> None:
    before = indexed(run)
    moved = run.path.rename(tmp_path / "moved")
    after = indexed_path(moved)
    assert (after.id, after.path) == (before.id, str(moved))


def test_a_result_without_its_folder_is_kept_too(run: AnyRun, tmp_path: Path) -> None:
    alone = tmp_path / "records" / "alone.json"
    alone.parent.mkdir()
    alone.write_text(run.result.to_json())
    (alone.parent / "other.json").write_text('{"schema": "of.something/1"}')
    (alone.parent / "broken.json").write_text("{")
    assert list(found_in([alone.parent])) == [alone]
    kept = indexed_path(alone)
    assert kept.races[0].pairs == indexed(run).races[0].pairs
    assert kept.name == "alone"


def test_folders_are_found_at_any_depth_and_parts_are_no_runs(run: AnyRun) -> None:
    part = run.path / "confirm"
    part.mkdir()
    (part / "plan.json").write_text("{}")
    assert list(found_in([run.path.parent.parent])) == [run.path]
    with pytest.raises(BadUsage, match="/none"):
        list(found_in([run.path / "none"]))


def test_what_cannot_be_read_is_named(run: AnyRun) -> None:
    result = run.path / "verdict.json"
    result.write_text(json.dumps(json.loads(result.read_text()) | {"schema": "bakeoff.verdict/99"}))
    why = indexed_or_why(run.path)
    assert isinstance(why, str) and "of a newer bakeoff" in why
    result.unlink()
    assert "verdict" in str(indexed_or_why(run.path))
    with pytest.raises(BadFile):
        indexed_path(run.path / "machine.json")


def test_a_run_adds_itself_to_the_users_index(run: AnyRun, url: str) -> None:
    assert HISTORY.add(run.path) == ""
    assert [line.name for line in open_index(url).runs().runs] == [run.path.name]


def test_switched_off_nothing_is_written(
    run: AnyRun, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, "")
    assert HISTORY.add(run.path) == ""
    assert not (tmp_path / "data").exists()


def test_while_the_database_is_away_runs_wait_and_are_added_later(
    measure: Measure, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = (measure.race(World(SPEEDS), "slow", "fast") for _ in range(2))
    monkeypatch.setenv(VARIABLE, "postgresql://nobody@127.0.0.1:1/none")
    assert "added when the next one ends" in HISTORY.add(first.path)
    monkeypatch.delenv(VARIABLE)
    assert HISTORY.add(second.path) == ""
    names = {line.name for line in open_index(url).runs().runs}
    assert names == {first.path.name, second.path.name}


@pytest.mark.parametrize("broken", ["machine.json", "receipts.json", "verdict.json"])
def test_a_run_that_can_t_be_read_is_told_once_and_added_when_it_can(
    measure: Measure, url: str, broken: str
) -> None:
    first, second, third = (measure.race(World(SPEEDS), "slow", "fast") for _ in range(3))
    file = first.path / broken
    good = file.read_text()
    file.write_text("{")
    trouble = HISTORY.add(first.path)
    assert str(file) in trouble and "once that is fixed" in trouble
    assert HISTORY.add(second.path) == "", "it was told"
    file.write_text(good)
    assert HISTORY.add(third.path) == ""
    names = {line.name for line in open_index(url).runs().runs}
    assert names == {first.path.name, second.path.name, third.path.name}


def test_a_run_that_can_t_be_read_is_told_when_the_database_is_back(
    measure: Measure, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    several = [measure.race(World(SPEEDS), "slow", "fast") for _ in range(4)]
    gone, broken, while_away, later = several
    monkeypatch.setenv(VARIABLE, "postgresql://nobody@127.0.0.1:1/none")
    for run in several[:3]:
        HISTORY.add(run.path)
    shutil.rmtree(gone.path)
    (broken.path / "machine.json").unlink()
    monkeypatch.delenv(VARIABLE)
    trouble = HISTORY.add(later.path)
    assert str(broken.path) in trouble and "(and 1 more)" in trouble
    names = {line.name for line in open_index(url).runs().runs}
    assert names == {while_away.path.name, later.path.name}
    waiting = (tmp_path / "data" / "bakeoff" / "pending").read_text().splitlines()
    assert waiting == [f"told {gone.path}", f"told {broken.path}"]


def test_runs_that_waited_are_not_lost_where_who_took_them_is_killed(
    measure: Measure, url: str, tmp_path: Path
) -> None:
    killed, writes, later = (measure.race(World(SPEEDS), "slow", "fast") for _ in range(3))
    gone = subprocess.Popen(["true"])
    gone.wait()
    waiting = tmp_path / "data" / "bakeoff"
    waiting.mkdir(parents=True)
    (waiting / f"pending.{gone.pid}-1").write_text(f"{killed.path}\n")
    (waiting / f"pending.{os.getppid()}-1").write_text(f"{writes.path}\n")
    assert HISTORY.add(later.path) == ""
    names = {line.name for line in open_index(url).runs().runs}
    assert names == {killed.path.name, later.path.name}, "the other process is still at its own"
    assert [path.name for path in waiting.glob("pending*")] == [f"pending.{os.getppid()}-1"]


def test_a_run_says_once_that_its_history_is_away_and_is_as_good(measure: Measure) -> None:
    world = World(SPEEDS, no_history="the history is away")
    finished = measure.race(world, "slow", "fast")
    assert world.seen.count("the history is away") == 1
    assert finished.succeeded


def test_a_grid_has_a_race_for_each_cell(measure: Measure) -> None:
    grid = measure.grid(World(SPEEDS))
    kept = indexed(grid)
    assert [race.part for race in kept.races] == ["c1", "c64"]
    assert kept.headline == grid.document().headline
    loads = {figure.series for race in kept.races for figure in race.figures}
    assert len(loads) == 4, "unlike loads are unlike lines"


def test_a_capacity_is_compared_by_its_first_objective(measure: Measure) -> None:
    world = World({"fast": 20_000.0, "slow": 10_000.0})
    capacity = measure.capacity(world, "slow", "fast", duration=20.0)
    (race,) = indexed(capacity).races
    assert race.measures == "capacity"
    assert "p99=10ms" in race.load
    own = {figure.name: figure.ratio for figure in race.figures}
    entries = {entry.name: entry.capacities[0].requests_per_s for entry in capacity.result.entries}
    assert {f.name: f.requests_per_s for f in race.figures} == entries
    assert known(own["slow"]).ratio == 1 and known(own["fast"]).ratio > 1.5


def test_a_run_looks_back_at_others_of_its_setting(measure: Measure, url: str) -> None:
    first, second = (measure.race(World(SPEEDS), "slow", "fast") for _ in range(2))
    found = HISTORY.earlier(first.path, first.result)
    assert found and not found.ratios
    assert (HISTORY.add(first.path), HISTORY.add(second.path)) == ("", "")
    found = HISTORY.earlier(second.path, second.result)
    assert found and found.builds.keys() == {"fast", "slow"}
    (ratio,) = found.ratios
    assert ratio.run == indexed(first).id, "not its own, though it was added"
    assert {ratio.a, ratio.b} == set(found.builds.values())


def test_a_part_is_not_predicted_from_its_own_run(measure: Measure, url: str) -> None:
    grid, race = measure.grid(World(SPEEDS)), measure.race(World(SPEEDS), "fast", "slow")
    assert (HISTORY.add(grid.path), HISTORY.add(race.path)) == ("", "")
    (part,) = (part for part in grid.parts.values() if part.plan.connections == 64)
    found = HISTORY.earlier(part.path, part.result)
    assert found and {ratio.run for ratio in found.ratios} == {indexed(race).id}


@pytest.mark.parametrize("history", ["", "postgresql://nobody@127.0.0.1:1/none", "not a url"])
def test_without_a_history_nothing_is_known_of_earlier_races(
    run: AnyRun, url: str, monkeypatch: pytest.MonkeyPatch, history: str
) -> None:
    monkeypatch.setenv(VARIABLE, history)
    assert HISTORY.earlier(run.path, run.result) is None


def test_what_a_machine_reaches_is_the_median_of_its_races_by_the_root_of_their_blocks(
    run: AnyRun, url: str
) -> None:
    machine = run.store.machine()
    assert HISTORY.block_error(machine) is None, "no race is known"
    HISTORY.add(run.path)
    (pair,) = run.result.pairs
    error = known(pair.error) * pair.ratio.n**0.5
    assert HISTORY.block_error(machine) == pytest.approx(error)
    elsewhere = machine.model_copy(update={"cpus": 96})
    assert HISTORY.block_error(elsewhere) is None, "another machine"
