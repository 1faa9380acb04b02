"""From options with several values to the cells of a grid."""

from pathlib import Path
from typing import Any

import pytest

from bakeoff.model.errors import BadUsage, NoVerdict
from bakeoff.model.grid import GridPlan
from bakeoff.model.plan import Plan
from bakeoff.plan import Catalogue, RaceOptions, plan_race
from tests.plan import places
from tests.plan.places import contender, environment

BOTH = ("keep-alive", "close")


@pytest.fixture
def catalogue(tmp_path: Path) -> Catalogue:
    """Two that take a pipeline and one that doesn't."""
    contender(tmp_path / "contenders", "old", pipelines=False)
    return places.catalogue(tmp_path, "a", "b", workloads=("hello", "get"))


def plan(catalogue: Catalogue, operands: list[str], **options: Any) -> GridPlan | Plan:
    return plan_race(operands, RaceOptions(**{"seed": 5, **options}), environment(catalogue))


def grid(catalogue: Catalogue, operands: list[str], **options: Any) -> GridPlan:
    made = plan(catalogue, operands, **options)
    assert isinstance(made, GridPlan)
    return made


def test_every_combination_is_a_cell_named_by_the_axes_alone(catalogue: Catalogue) -> None:
    made = grid(catalogue, ["a", "b"], connections=(1, 64), workers=(2,), connection=BOTH)
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
    made = grid(catalogue, ["a", "b"], connections=(1, 64))
    alone = plan(catalogue, ["a", "b"], connections=64)
    assert made.cells[1].plan == alone.model_copy(update={"run": "now-a-vs-b/c64"})


def test_unmeasurable_cells_say_why_and_the_others_share_the_time(catalogue: Catalogue) -> None:
    for duration_s, each_s in ((30.0, 10.0), (None, 15.0)):
        made = grid(catalogue, ["a", "b"], pipeline=(1, 16), connection=BOTH, duration=duration_s)
        assert [cell.plan.duration_s for cell in made.cells if cell.plan] == [each_s] * 3
    (skipped,) = (cell for cell in made.cells if not cell.plan)
    assert skipped.name == "p16-close" and skipped.skipped.startswith("--pipeline 16 ")


def test_a_grid_without_a_single_cell_is_refused(catalogue: Catalogue) -> None:
    with pytest.raises(BadUsage, match=r"^--pipeline 2 "):
        grid(catalogue, ["a", "b"], pipeline=(2, 16), connection=("close",))


def test_who_does_not_pipeline_is_out_of_the_deep_cells_alone(catalogue: Catalogue) -> None:
    made = grid(catalogue, ["old", "a", "b"], pipeline=(1, 16))
    flat, deep = (cell.plan for cell in made.cells)
    assert flat and deep
    assert [entry.name for entry in flat.entries] == ["old", "a", "b", "old (twin)"]
    assert [entry.name for entry in deep.entries] == ["a", "b", "a (twin)"]
    assert (made.reference, flat.reference, deep.reference) == ("old", "old", "a")
    assert deep.skipped[0].name == "old" and "pipelines = false" in deep.skipped[0].reason


def test_messages_of_websocket_are_sent_ahead_to_all(catalogue: Catalogue) -> None:
    made = grid(catalogue, ["old", "a"], pipeline=(1, 16), message="hi")
    assert [[*cell.plan.contenders] for cell in made.cells if cell.plan] == [["old", "a"]] * 2


def test_where_nobody_pipelines_the_cell_says_so(catalogue: Catalogue) -> None:
    made = grid(catalogue, ["old"], pipeline=(1, 16))
    assert [bool(cell.plan) for cell in made.cells] == [True, False]
    assert "old: " in made.cells[1].skipped
    with pytest.raises(NoVerdict, match="old: "):
        grid(catalogue, ["old"], pipeline=(2, 16))


def test_a_command_or_a_url_is_tried(catalogue: Catalogue) -> None:
    made = grid(catalogue, ["sh x", "http://127.0.0.1:1/"], pipeline=(1, 16))
    deep = made.cells[1].plan
    assert deep and [entry.name for entry in deep.entries][:2] == ["x", "127.0.0.1:1"]


def test_several_paths_are_cells_and_their_race_has_a_core_for_it(catalogue: Catalogue) -> None:
    made = grid(catalogue, ["a", "b"], path=["0ms", "20ms,0.1%"])
    assert [cell.name for cell in made.cells] == ["path0ms", "path20ms-0.1"]
    assert [axis.name for axis in made.axes] == ["path"]
    plans = [cell.plan for cell in made.cells if cell.plan]
    assert [str(plan.path) for plan in plans] == ["0ms", "20ms,0.1%"]
    assert all(plan.path_cpus for plan in plans)
    assert GridPlan.from_json(made.to_json(), "again") == made


def test_a_race_without_a_path_has_none(catalogue: Catalogue) -> None:
    made = plan(catalogue, ["a", "b"])
    assert isinstance(made, Plan) and made.path is None and not made.path_cpus
