"""A run's copy in a site: all that its pages need, and nothing that is private."""

import json
from pathlib import Path

from bakeoff.explore.site import RUNS, copy_into
from bakeoff.history.results import indexed_path
from bakeoff.runs import open_run
from tests.explore.conftest import Shelves


def test_a_copy_has_the_run_s_figures_and_no_samples(shelves: Shelves, tmp_path: Path) -> None:
    copy_into(tmp_path, shelves.race)
    copy = tmp_path / RUNS / shelves.race.path.name
    assert {file.name for file in copy.iterdir()} == {
        *("machine.json", "plan.json", "receipts.json", "verdict.json"),
    }
    assert open_run(copy).result == shelves.race.result
    assert indexed_path(copy).races == shelves.runs[0].races


def test_paths_names_and_logs_stay_at_home(shelves: Shelves, tmp_path: Path) -> None:
    replaced = copy_into(tmp_path, shelves.race)
    for file in (tmp_path / RUNS).rglob("*.json"):
        assert str(shelves.race.path.parent.parent) not in file.read_text(), file
    receipts = json.loads((tmp_path / RUNS / shelves.race.path.name / "receipts.json").read_text())
    assert receipts and all(receipt["log"] == "" for receipt in receipts.values())
    assert replaced["…"] > 0


def test_published_again_it_is_replaced(shelves: Shelves, tmp_path: Path) -> None:
    copy_into(tmp_path, shelves.race)
    copy_into(tmp_path, shelves.race)
    assert [path.name for path in (tmp_path / RUNS).iterdir()] == [shelves.race.path.name]
