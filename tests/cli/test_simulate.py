"""`bakeoff simulate` as it is typed."""

import json
from pathlib import Path

import pytest

from bakeoff import measure
from bakeoff.history.place import sqlite_url
from bakeoff.history.user import UserHistory
from bakeoff.model.errors import BakeoffError, Status
from bakeoff.model.simulation import Conditions, Simulation
from bakeoff.progress import Watch
from bakeoff.runs import create, listed
from bakeoff.simulate import USUAL, Size, plan_of, records_of
from bakeoff.simulate.race import FIRST, world_of
from tests.cli.conftest import bakeoff

FEW = ("--races", "4", "--seed", "1")


def typed(*arguments: str) -> tuple[int, str]:
    """The status, and all that was said."""
    done = bakeoff("simulate", *arguments)
    if isinstance(done.exception, BakeoffError):
        return done.exception.exit_status, str(done.exception)
    return done.exit_code, " ".join(done.output.split())


def test_a_planted_effect_is_looked_for_and_every_rate_has_its_interval(tmp_path: Path) -> None:
    file = tmp_path / "simulation.json"
    status, said = typed("--effect", "20%", "-d", "3", *FEW, "--json", str(file))
    assert status == 0
    assert "20 % faster" in said
    assert "the difference was found 100.0% 39.8% to 100.0%; 4 of 4" in said
    result = Simulation.read_json(file)
    assert result.conditions == USUAL
    assert result.chosen == result.tried[0]
    assert (result.tried[0].races, result.tried[0].duration_s) == (4, 3)


def test_the_same_seed_gives_the_same_answer() -> None:
    arguments = ("-d", "2", "--boots", "2", *FEW, "--json", "-")
    assert typed(*arguments) == typed(*arguments)


def test_a_race_is_planned_for_an_effect() -> None:
    status, said = typed(
        *("--effect", "20%", "--power", "75%", "--boots", "2", "--races", "2", "--seed", "1")
    )
    assert status == 0
    assert "20 % in 75%" in said
    assert "bakeoff race … -d 5 --boots 2" in said


def test_what_a_race_of_that_time_finds_is_searched() -> None:
    status, said = typed("--power", "75%", "-d", "4", "--races", "2", "--seed", "1")
    assert status == 0
    assert "75% of 2 races" in said
    assert f"Conditions: {USUAL.source}" in said


@pytest.fixture
def history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two races of this machine, in its history."""
    runs_here, url = tmp_path / "runs", sqlite_url(tmp_path / "history.sqlite")
    monkeypatch.setenv("BAKEOFF_HISTORY", url)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    here = measure.machine(engine="", bakeoff="").model_copy(update={"taken_at": FIRST.isoformat()})
    size = Size(effect=0.2, contenders=3, duration_s=6, boots=1)
    for seed in (1, 2):
        plan = plan_of(size, USUAL, seed).model_copy(update={"run": f"race-{seed}"})
        stages = world_of(plan, size, USUAL, here).stages
        run = create(plan, runs_here / plan.run, stages, Watch()).go_on(stages, Watch())
        assert not UserHistory().add(run.path)


@pytest.mark.usefixtures("history")
def test_power_is_of_this_machine_s_own_races_of_the_pair_or_of_all() -> None:
    search = ("--power", "75%", "-d", "4", "--races", "2", "--seed", "1")
    _, said = typed(*search)
    assert "4 ratios of all" in said
    _, said = typed(*search, "planted", "reference")
    assert "2 ratios of planted and reference" in said
    _, said = typed(*search, "planted", "unheard-of")
    assert "4 ratios of all" in said
    _, said = typed("-d", "2", *FEW)
    assert USUAL.source in said


@pytest.mark.usefixtures("history")
def test_the_history_has_no_weather_that_one_server_could_feel_more() -> None:
    search = ("--power", "75%", "-d", "4", "--races", "2", "--seed", "1", "--felt", "3")
    status, said = typed(*search)
    assert status == Status.BAD_USAGE
    assert said.startswith("--felt 3: ") and "--like RUN" in said and "--weather" in said
    status, _ = typed(*search, "--weather", "3%")
    assert status in (0, Status.NO_VERDICT)


def test_an_effect_that_no_race_finds_is_said_and_is_no_success(tmp_path: Path) -> None:
    wild = USUAL.model_copy(update={"slice_sd": 2, "requests_per_s": 2_000})
    run = made(tmp_path, Size(effect=0.0, contenders=2, duration_s=150, boots=1), wild)
    status, said = typed(
        *("--effect", "1%", "--power", "99%", "--boots", "1", "--races", "2", "--seed", "1"),
        *("--like", str(run)),
    )
    assert status == Status.NO_VERDICT
    assert "No race of" in said


def test_a_race_too_short_for_a_ratio_says_so() -> None:
    status, said = typed("-d", "0.1", "--boots", "1", *FEW)
    assert status == 0
    assert "too few blocks for a ratio" in said


def made(here: Path, size: Size, conditions: Conditions) -> Path:
    """A run folder of a simulated race."""
    plan = plan_of(size, conditions, 1)
    (here / "plan.json").write_text(plan.to_json())
    lines = [record.to_json() for record in records_of(plan, size, conditions)]
    (here / "samples.jsonl").write_text("".join(line + "\n" for line in lines))
    return here


def test_the_conditions_are_taken_from_a_run(tmp_path: Path) -> None:
    size = Size(effect=0.0, contenders=2, duration_s=6, boots=2)
    run = made(tmp_path, size, USUAL.model_copy(update={"connections": 32}))
    status, said = typed("-d", "2", "--boots", "2", *FEW, "--like", str(run), "--json", "-")
    assert status == 0
    assert json.loads(said[said.index("{") :])["conditions"]["connections"] == 32


def test_runs_are_left_a_day_apart_one_of_whose_servers_changes_halfway(tmp_path: Path) -> None:
    to = tmp_path / "left"
    status, _ = typed("--effect", "-20%", "--runs", "2", "--out", str(to), "-d", "2", "--seed", "1")
    assert status == 0
    found = [run.result.entry("planted") for run in listed(to)]
    assert [each.version for each in found if each] == ["1", "2"]
