"""The unrounded figures of a report. Its words are in `words.py` and in golden files."""

import pytest

from bakeoff.report.kinds import capacity, day, grid
from tests.report.sample import capacity as capacities
from tests.report.sample import day as days
from tests.report.sample import grid as grids


def test_capacities_come_before_rates_and_costs() -> None:
    rows = capacity.document(capacities.report()).data
    assert [row["kind"] for row in rows] == (
        ["capacity"] * 7 + ["rate"] * 40 + ["cost"] * len(rows[47:])
    )
    costs = rows[47:]
    assert {row["contender"] for row in costs} == {"quick", "equal", "bounded", "slow"}
    assert [row["finding"] for row in costs if "finding" in row] == ["better", "tie"]


@pytest.mark.parametrize("name", days.NAMES)
def test_every_row_of_a_day_is_whole(name: str) -> None:
    rows = [row for row in day.document(days.day()).data if row["contender"] == name]
    assert {row["phase"] for row in rows} >= {"start", "peak", "storm"}
    assert all("value" in row or row["ratio_low_95"] for row in rows)


def test_a_pair_can_be_turned_round() -> None:
    turned = days.pair("ada", "bob", 2.0, "better").turned()
    assert (turned.a, turned.ratio.ratio, turned.finding) == ("bob", 0.5, "worse")
    assert turned.ratio.low == pytest.approx(1 / 2.08)


def test_what_ended_early_has_an_alarm() -> None:
    assert capacity.document(capacities.nobody()).alarm
    assert grid.document(grids.grid(complete=False)).alarm
    assert not grid.document(grids.grid()).alarm
