"""What is said of a grid."""

import pytest

from bakeoff.model.grid import Cell, ChangeOfPlaces
from bakeoff.report.kinds import grid
from tests.report.sample import grid as sample

WHOLE = sample.grid()


def led_by(*leaders: tuple[str, ...]) -> list[Cell]:
    cells = zip(WHOLE.cells, leaders, strict=False)
    return [cell.model_copy(update={"leaders": own}) for cell, own in cells]


def change(a_ahead: tuple[str, ...], b_ahead: tuple[str, ...]) -> ChangeOfPlaces:
    return ChangeOfPlaces(a="a", b="b", a_ahead=a_ahead, b_ahead=b_ahead)


def test_a_grid_that_ended_early_says_so() -> None:
    assert grid.headline(sample.grid(complete=False)).endswith("The grid ended early.")


@pytest.mark.parametrize(
    ("leaders", "said"),
    [
        (
            [("a",)] * 3,
            "a leads in all 3 cells. No two contenders change places between cells for sure.",
        ),
        ([("a", "b")] * 2, "No contender leads for sure in any of 2 cells. No two contenders"),
        (
            [("a",), (), ("b", "a")],
            "a leads in 1 of 3 cells; in 1 no contender leads for sure; in 1 there",
        ),
        ([("a",)], "a leads in the only cell that was judged."),
        ([(), ()], "No verdict: in none of 2 cells two contenders could be compared."),
    ],
)
def test_who_leads(leaders: list[tuple[str, ...]], said: str) -> None:
    assert grid.headline(sample.of(led_by(*leaders), changes=())).startswith(said)


@pytest.mark.parametrize(
    ("a_ahead", "b_ahead", "said", "point"),
    [
        (
            ("c1-p1", "c64-p1"),
            ("c512-p1",),
            "a is ahead of b at 1 and 64 connections and behind it at 512 connections",
            "at 512 connections",
        ),
        (
            ("c64-p16", "c1-p16"),
            ("c1-p1",),
            "a is ahead of b with a pipeline of 16 and behind it with a pipeline of 1",
            "with a pipeline of 16",
        ),
        (
            ("c1-p1", "c512-p1"),
            ("c64-p1",),
            "a is ahead of b at 1 and 512 connections and behind it at 64 connections",
            "",
        ),
        (
            ("c1-p1", "c64-p16"),
            ("c64-p1", "c1-p16"),
            "a is ahead of b in c1-p1 and c64-p16 and behind it in c64-p1 and c1-p16",
            "",
        ),
    ],
)
def test_where_two_change_places(
    a_ahead: tuple[str, ...], b_ahead: tuple[str, ...], said: str, point: str
) -> None:
    found = change(a_ahead, b_ahead)
    assert grid.change(WHOLE, found) == f"{said}, both for sure."
    assert grid.turning_point(WHOLE, found) == point


def test_changes_without_one_point_are_counted() -> None:
    apart = change(("c1-p1",), ("c512-p1",))
    mixed = change(("c1-p1", "c512-p1"), ("c64-p1",))
    cells = list(WHOLE.cells)
    assert "The order changes between cells: one pair changes places." in grid.headline(
        sample.of(cells, changes=(mixed,))
    )
    assert "The order changes between cells: 2 pairs change places." in grid.headline(
        sample.of(cells, changes=(apart, mixed))
    )


def test_a_cell_is_named_by_its_place_on_every_axis() -> None:
    assert grid.title(WHOLE, WHOLE.cells[0]) == "1 connection, pipeline of 1"
    assert grid.title(WHOLE, WHOLE.cells[-1]) == "512 connections, pipeline of 16"
    assert grid.at("workers", [1]) == "with 1 worker"
    assert grid.at("connection", ["close"]) == "with a connection per request"


def test_a_document_of_a_grid_that_ended_early_says_so_first() -> None:
    assert grid.document(sample.grid(complete=False)).alarm.startswith("The grid ended before")
