"""`bakeoff history`: what there is, a contender's lines, and the index made again."""

import json
from pathlib import Path

import pytest

from bakeoff.history import open_index
from bakeoff.history.place import HISTORY, sqlite_url
from tests.cli.conftest import bakeoff, race
from tests.history.indexed import run
from tests.runs.world import World


@pytest.fixture(autouse=True)
def url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """An index of the test's own."""
    own = sqlite_url(tmp_path / "history.sqlite")
    monkeypatch.setenv(HISTORY, own)
    return own


def test_without_a_run_it_says_how_there_will_be_one() -> None:
    assert "Make one with: bakeoff race" in bakeoff("history").output


def test_help_for_a_contender_names_no_command_that_is_hidden() -> None:
    assert "Usage: bakeoff history CONTENDER [OPTIONS]" in bakeoff("history", "a", "--help").output


def test_it_lists_contenders_and_the_latest_runs(url: str) -> None:
    open_index(url).add(run(1, {"a": 100.0, "b": 50.0}))
    told = bakeoff("history").output
    assert "1 run of 2 contenders." in told
    assert "2026-01-02 12:00: race: a leads." in told


def test_a_step_is_told_with_what_changed(url: str) -> None:
    index = open_index(url)
    index.add(*(run(day, {"ref": 100.0, "own": 50.0 + day % 2 / 10}) for day in range(6)))
    index.add(*(run(day, {"ref": 100.0, "own": 40.0}, version="2") for day in range(6, 12)))
    told = bakeoff("history", "own")
    assert told.exit_code == 0
    assert " ref became 0.799" in told.output
    assert "1.0 before, 2 after" in told.output
    assert "Since 2026-01-07: 0.400 of ref" in told.output
    past = json.loads(bakeoff("history", "own", "--json", "-").stdout)
    assert [step["at"] for step in past["lines"][0]["steps"]] == [6]


def test_a_race_is_found_again_by_a_rebuild(world: World, tmp_path: Path, url: str) -> None:
    assert race("slow", "fast", "-d", "4").exit_code == 0
    (tmp_path / "runs" / "broken").mkdir()
    (tmp_path / "runs" / "broken" / "plan.json").write_text("{}")
    told = bakeoff("history", "rebuild", "runs")
    assert "1 run " in told.output
    assert "broken/plan.json: `schema` is missing" in told.output
    assert open_index(url).runs().total == 1
    assert bakeoff("history", "fast").exit_code == 0
