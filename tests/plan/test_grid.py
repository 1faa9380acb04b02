"""From options with several values to the cells of a grid."""

from pathlib import Path
from typing import Any

import pytest

from bakeoff.model.errors import BadUsage, NoVerdict
from bakeoff.model.grid import GridPlan
from bakeoff.model.plan import Cores
from bakeoff.plan import (
    Axes,
    Catalogue,
    Options,
    decide,
    decide_grid,
    name_contenders,
    parse_connection,
    parse_counts,
)

CORES = Cores(server=(0,), client=(1,))
CONTENDER = """
name = "{name}"
title = "{name}"
language = "C"
kind = "server"
pipelines = {pipelines}
[run]
command = "./x"
[serves]
hello = "/"
"""


@pytest.fixture
def catalogue(tmp_path: Path) -> Catalogue:
    """Two that take a pipeline and one that doesn't."""
    for name, pipelines in {"a": "true", "b": "true", "old": "false"}.items():
        folder = tmp_path / "contenders" / name
        folder.mkdir(parents=True)
        (folder / "contender.toml").write_text(CONTENDER.format(name=name, pipelines=pipelines))
    (tmp_path / "workloads").mkdir()
    for name in ("hello", "get"):
        (tmp_path / "workloads" / f"{name}.toml").write_text(f'name = "{name}"\ntitle = ""\n')
    return Catalogue(tmp_path)


def grid(catalogue: Catalogue, words: list[str], axes: Axes, **options: Any) -> GridPlan:
    cells = axes.combined(Options(**{"seed": 5, "cores": CORES, **options}))
    named = name_contenders(words, catalogue, catalogue.root)
    return decide_grid(named, catalogue, cells, stamp="now", command_line=["bakeoff"])


@pytest.mark.parametrize(
    ("text", "counts"), [("64", (64,)), ("1,64,512", (1, 64, 512)), (" 8, 1 ", (8, 1))]
)
def test_a_list_of_numbers_keeps_its_order(text: str, counts: tuple[int, ...]) -> None:
    assert parse_counts("-c", text) == counts


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("0", "-c: is 0; it takes a number above zero, or several: 1,64,512"),
        ("", "-c: is nothing; it takes"),
        ("x", "-c: is x; it takes"),
        ("1,x", "-c: is `x` in 1,x; it takes"),
        ("1,", "-c: is `` in 1,; it takes"),
        ("1,-3", "-c: is `-3` in 1,-3; it takes"),
        ("1.5", "-c: is 1.5; it takes"),
        ("٣", "-c: is ٣; it takes"),
        ("1000000000", "-c: is 1000000000; it takes"),
        ("1,64,1", "-c: has 1 twice in 1,64,1; each value is one cell"),
        ("1,01", "-c: has 1 twice in 1,01"),
    ],
)
def test_what_is_no_list_of_numbers_is_refused_by_name(text: str, says: str) -> None:
    with pytest.raises(BadUsage) as caught:
        parse_counts("-c", text)
    assert str(caught.value).startswith(says)


def test_keep_alive_and_close_together_are_an_axis() -> None:
    assert parse_connection(close=False, keep_alive=False) == ("keep-alive",)
    assert parse_connection(close=False, keep_alive=True) == ("keep-alive",)
    assert parse_connection(close=True, keep_alive=False) == ("close",)
    assert parse_connection(close=True, keep_alive=True) == ("keep-alive", "close")


def test_every_combination_is_a_cell_named_by_the_axes_alone(catalogue: Catalogue) -> None:
    axes = Axes(connections=(1, 64), workers=(2,), connection=("keep-alive", "close"))
    made = grid(catalogue, ["a", "b"], axes)
    assert [cell.name for cell in made.cells] == [
        "c1-keep-alive",
        "c64-keep-alive",
        "c1-close",
        "c64-close",
    ]
    assert [axis.name for axis in made.axes] == ["connections", "connection"]
    plans = [cell.plan for cell in made.cells if cell.plan]
    assert [plan.connections for plan in plans] == [1, 64, 1, 64]
    assert [plan.connection for plan in plans] == ["keep-alive"] * 2 + ["close"] * 2
    assert {plan.workers for plan in plans} == {2}
    assert {plan.seed for plan in plans} == {made.seed} == {5}
    assert made.run == "now-a-vs-b"
    assert plans[0].run == "now-a-vs-b/c1-keep-alive"


def test_a_cell_is_planned_as_a_race_of_its_own_would_be(catalogue: Catalogue) -> None:
    made = grid(catalogue, ["a", "b"], Axes(connections=(1, 64)))
    named = name_contenders(["a", "b"], catalogue, catalogue.root)
    own = Options(seed=5, cores=CORES, connections=64)
    alone = decide(named, catalogue, own, stamp="now", command_line=["bakeoff"])
    assert made.cells[1].plan == alone.model_copy(update={"run": "now-a-vs-b/c64"})


def test_a_time_that_was_given_is_shared_by_the_cells_that_can_be_measured(
    catalogue: Catalogue,
) -> None:
    axes = Axes(pipeline=(1, 16), connection=("keep-alive", "close"))
    made = grid(catalogue, ["a", "b"], axes, duration_s=30.0)
    assert [cell.plan.duration_s for cell in made.cells if cell.plan] == [10.0] * 3
    made = grid(catalogue, ["a", "b"], axes)
    assert [cell.plan.duration_s for cell in made.cells if cell.plan] == [60.0] * 3


def test_a_pipeline_without_keep_alive_is_skipped_with_its_reason(catalogue: Catalogue) -> None:
    axes = Axes(pipeline=(1, 16), connection=("keep-alive", "close"))
    made = grid(catalogue, ["a", "b"], axes)
    skipped = {cell.name: cell.skipped for cell in made.cells if not cell.plan}
    assert list(skipped) == ["p16-close"]
    assert skipped["p16-close"].startswith("--pipeline 16 needs --keep-alive")


def test_a_grid_without_a_single_cell_is_refused(catalogue: Catalogue) -> None:
    with pytest.raises(BadUsage, match="--pipeline 2 needs --keep-alive"):
        grid(catalogue, ["a", "b"], Axes(pipeline=(2, 16), connection=("close",)))


def test_who_does_not_pipeline_is_out_of_the_deep_cells_alone(catalogue: Catalogue) -> None:
    made = grid(catalogue, ["old", "a", "b"], Axes(pipeline=(1, 16)))
    flat, deep = (cell.plan for cell in made.cells)
    assert flat and deep
    assert [one.name for one in flat.entries] == ["old", "a", "b", "old (twin)"]
    assert [one.name for one in deep.entries] == ["a", "b", "a (twin)"]
    assert (made.reference, flat.reference, deep.reference) == ("old", "old", "a")
    assert "contender.toml: pipelines = false" in deep.skipped[0].reason


def test_where_nobody_pipelines_the_cell_says_so(catalogue: Catalogue) -> None:
    made = grid(catalogue, ["old"], Axes(pipeline=(1, 16)))
    assert [bool(cell.plan) for cell in made.cells] == [True, False]
    assert "no contender is left" in made.cells[1].skipped
    with pytest.raises(NoVerdict, match="no contender is left"):
        grid(catalogue, ["old"], Axes(pipeline=(2, 16)))


def test_a_command_or_a_url_is_tried(catalogue: Catalogue) -> None:
    made = grid(catalogue, ["sh x", "http://127.0.0.1:1/"], Axes(pipeline=(1, 16)))
    deep = made.cells[1].plan
    assert deep and [one.name for one in deep.entries][:2] == ["sh x", "http://127.0.0.1:1/"]
