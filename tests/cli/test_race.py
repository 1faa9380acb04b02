"""`bakeoff race`, resume and report, in a world of known speeds."""

import json
import re
from errno import ENOSPC
from pathlib import Path
from typing import Any

import pytest

from bakeoff.model.errors import BadUsage, MissingPiece
from bakeoff.model.grid import Grid
from bakeoff.model.verdict import Verdict
from tests.cli.conftest import bakeoff, race
from tests.runs.world import World


def test_all_race_that_can(world: World, tmp_path: Path) -> None:
    done = race("--all", "-d", "8", "--json", "verdict.json")
    assert done.exit_code == 0, done.output
    verdict: dict[str, Any] = json.loads((tmp_path / "verdict.json").read_text())
    assert {entry["name"] for entry in verdict["entries"]} == {"fast", "middle", "slow"}
    skipped = {one["name"]: one["reason"] for one in verdict["skipped"]}
    assert skipped == {
        "broken": "its build failed",
        "other": "doesn't serve the workload hello; it serves empty",
    }
    assert verdict["reference"] == "slow", "the first of the default line-up"
    assert verdict["noise_floor"]["name"] == "slow (twin)"


def test_how_long_it_takes_is_said_before_it_begins(world: World) -> None:
    said = race("--all", "-d", "2").stderr.splitlines()[0]
    assert said == "about 20 s besides builds, 1 min 50 s at most: 5 servers, 2 s of measuring"


@pytest.mark.parametrize(
    ("arguments", "option"),
    [
        (("--precision", "0.01%"), "--precision 0.01%"),
        (("--within", "0.01%"), "--within 0.01%"),
        (("--gate", "fast >= 0.9999 * slow"), "--gate fast >= 0.9999 * slow"),
        (("--gate", "fast >= 0.9 * slow"), ""),
        (("--gate", "fast >= slow"), ""),
    ],
)
def test_what_is_out_of_reach_is_said_before_it_begins(
    world: World, arguments: tuple[str, ...], option: str
) -> None:
    _, said, *_ = race("fast", "slow", "-d", "6", *arguments).stderr.splitlines()
    of_race = rf"{re.escape(option)}: by .*, 6 s of measuring reach about ±.* for equals; .* enough"
    assert bool(re.fullmatch(of_race, said)) == bool(option), said
    # A grid says it once, of each cell's time.
    lines = race("fast", "slow", "-d", "12", "-c", "1,64", *arguments).stderr.splitlines()
    of_cells = [line for line in lines if " would be enough" in line]
    assert len(of_cells) == bool(option)
    assert all("6 s of measuring a cell reach" in line for line in of_cells)


def test_several_values_make_a_grid_of_verdicts_by_cell(world: World, tmp_path: Path) -> None:
    done = race("fast", "slow", "-c", "1,64", "--workers", "2", "-d", "8", "--json", "grid.json")
    assert done.exit_code == 0, done.output
    assert ": 2 cells of 4 s" in done.output
    assert "fast leads in all 2 cells." in done.output
    grid = Grid.read_json(tmp_path / "grid.json")
    assert [cell.settings.connections for cell in grid.cells] == [1, 64]
    for cell in grid.cells:
        assert cell.verdict
        assert "workers_crowded" in {warning.code for warning in cell.verdict.warnings}
    before = world.slices
    again = bakeoff("report", "runs/latest", "--json", "again.json")
    assert again.exit_code == 0, again.output
    assert Grid.read_json(tmp_path / "again.json") == grid
    assert world.slices == before


def test_one_value_everywhere_is_a_race_as_ever(world: World, tmp_path: Path) -> None:
    arguments = ("-c", "8", "--pipeline", "4", "--workers", "1", "--keep-alive", "-d", "8")
    done = race("fast", "slow", *arguments, "--json", "verdict.json")
    assert done.exit_code == 0, done.output
    verdict = Verdict.read_json(tmp_path / "verdict.json")
    assert (verdict.connections, verdict.connection) == (8, "keep-alive")


def test_runs_are_listed_and_each_is_judged_again_by_its_kind(world: World, tmp_path: Path) -> None:
    assert "There are no runs in runs." in bakeoff("report").output
    assert race("fast", "slow", "-d", "6").exit_code == 0
    (run,) = (path for path in (tmp_path / "runs").iterdir() if not path.is_symlink())
    first = (run / "verdict.json").read_bytes()
    (run / "verdict.json").unlink()
    assert bakeoff("report").output == f"race        not judged  runs/{run.name}\n"
    assert bakeoff("report", str(run)).exit_code == 0
    assert (run / "verdict.json").read_bytes() == first
    assert bakeoff("report").output == f"race        judged      runs/{run.name}\n"
    refused = bakeoff("resume", str(run)).exception
    assert isinstance(refused, BadUsage) and "is complete; for its standings:" in str(refused)


def test_the_verdict_comes_before_the_report(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_run: object) -> Path:
        raise OSError(ENOSPC, "No space left on device")

    monkeypatch.setattr(world, "write", full)
    done = race("fast", "slow", "-d", "6")
    assert isinstance(done.exception, MissingPiece)
    assert "Standings" in done.stdout
