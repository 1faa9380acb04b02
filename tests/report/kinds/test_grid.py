"""The document of a grid. Its sentences are in `tests/report/words.py`."""

from bakeoff.model.grid import ChangeOfPlaces
from bakeoff.report.kinds import grid
from tests.report.sample import grid as sample


def test_changes_without_one_point_are_counted() -> None:
    apart = ChangeOfPlaces(a="a", b="b", a_ahead=("c1-p1",), b_ahead=("c512-p1",))
    mixed = ChangeOfPlaces(a="a", b="b", a_ahead=("c1-p1", "c512-p1"), b_ahead=("c64-p1",))
    cells = list(sample.grid().cells)
    assert "one pair" in grid.headline(sample.of(cells, changes=(mixed,)))
    assert "2 pairs" in grid.headline(sample.of(cells, changes=(apart, mixed)))


def test_a_document_of_a_grid_that_ended_early_says_so_first() -> None:
    assert grid.document(sample.grid(complete=False)).alarm
    assert not grid.document(sample.grid()).alarm
