"""What a race knows of earlier ones stays in its folder, and its verdict is judged from there."""

import shutil
from pathlib import Path

from bakeoff.model.history import Earlier, EarlierRatio
from bakeoff.runs import report
from bakeoff.runs.kinds.race import EARLIER_FILE
from tests.runs.conftest import Measure
from tests.runs.test_race import SPEEDS
from tests.runs.world import World

EARLIER = Earlier(
    builds={"fast": "f" * 12, "slow": "0" * 12},
    ratios=tuple(
        EarlierRatio(run=f"{number:012x}", a="f" * 12, b="0" * 12, ratio=ratio, error=0.01)
        for number, ratio in enumerate((2.0, 2.1, 1.9, 2.05, 1.95, 2.0))
    ),
)


def test_a_copied_folder_has_the_same_verdict(measure: Measure, tmp_path: Path) -> None:
    run = measure.race(World(SPEEDS, earlier_races=EARLIER), "slow", "fast")
    expected = run.pair("fast").next_race
    assert expected and (expected.basis, expected.n) == ("pair", 6)
    assert expected.low < 2 < expected.high
    (row,) = (row for row in run.document().data if row["name"] == "fast")
    assert row["next_race_low_95"] == expected.low
    assert row["next_race_n"] == 6
    copied = shutil.copytree(run.path, tmp_path / "elsewhere")
    again = report(copied, World(SPEEDS))
    assert again.result == run.result
    assert (copied / "verdict.json").read_bytes() == (run.path / "verdict.json").read_bytes()


def test_where_there_is_no_history_nothing_is_predicted_or_kept(measure: Measure) -> None:
    run = measure.race(World(SPEEDS), "slow", "fast")
    assert not (run.path / EARLIER_FILE).exists()
    assert run.result.earlier_races is None
    assert run.pair("fast").next_race is None


def test_the_races_of_a_grid_are_predicted_too(measure: Measure) -> None:
    run = measure.grid(World(SPEEDS, earlier_races=EARLIER))
    for cell in run.result.cells:
        assert cell.verdict and cell.verdict.pairs[0].next_race
