"""grid.json: races that differ in one or more settings, a verdict for each: bakeoff.grid/3."""

from typing import Annotated, Literal

from pydantic import Field, NonNegativeInt, PositiveInt

from bakeoff.model.base import Contract, IfGiven
from bakeoff.model.machine import Cluster, Machine
from bakeoff.model.plan import Connection, NetworkPath, Plan
from bakeoff.model.verdict import Verdict

AxisName = Literal["connections", "workers", "pipeline", "streams", "connection", "path"]
PathAsTyped = Annotated[str, Field(pattern=r"^[0-9.e+-]+ms(,[0-9.e+-]+%)?$")]


class Axis(Contract):
    """A setting with several values, in the order in which they were given."""

    name: AxisName
    values: Annotated[tuple[PositiveInt | Connection | PathAsTyped, ...], Field(min_length=2)]


class Settings(Contract):
    """The settings of one cell: the same keys as in its plan."""

    connections: PositiveInt
    workers: PositiveInt
    pipeline: PositiveInt
    streams: PositiveInt = 1
    connection: Connection
    path: IfGiven[NetworkPath] = None

    def value(self, axis: AxisName) -> int | str:
        """A path as on the command line."""
        place: int | str = str(self.path) if axis == "path" else getattr(self, axis)
        return place


class PlannedCell(Contract):
    """One cell before it is measured; without a `plan` it can't be, and `skipped` says why.

    `name`, unique in the grid, is also that of its folder: `c64-w1-close`, only the axes' values, a
    path's as `path20ms-0.1`.
    """

    name: str
    settings: Settings
    plan: Plan | None = None
    skipped: str = ""


class GridPlan(Contract):
    """The cells to measure, written before the start, so that the grid can go on."""

    schema_: Literal["bakeoff.grid-plan/1"] = Field("bakeoff.grid-plan/1", alias="schema")
    run: str
    command_line: tuple[str, ...]
    axes: Annotated[tuple[Axis, ...], Field(min_length=1)]
    cells: Annotated[tuple[PlannedCell, ...], Field(min_length=2)]
    reference: str
    seed: NonNegativeInt

    @property
    def cluster(self) -> Cluster | None:
        return next((plan.cluster for plan in self.plans), None)

    @property
    def plans(self) -> list[Plan]:
        """Those of the cells that can be measured."""
        return [cell.plan for cell in self.cells if cell.plan]


class Cell(Contract):
    """One cell, measured. Without a `verdict`, `skipped` says why.

    `leaders` can't be told from the fastest of the cell, which they include: one name is a lead,
    more are a tie. It is empty if fewer than two gave a valid result. The cell's own run, with
    samples and report, is in the subfolder `name` of the grid's folder.
    """

    name: str
    settings: Settings
    verdict: Verdict | None = None
    skipped: str = ""
    leaders: tuple[str, ...] = ()


class ChangeOfPlaces(Contract):
    """Two contenders of which each is surely faster than the other in some cells, by name."""

    a: str
    b: str
    a_ahead: tuple[str, ...]
    b_ahead: tuple[str, ...]


class Grid(Contract):
    """The whole result. If it is not `complete`, it was cut off, and can go on.

    Nothing is added up over the cells: each has its own verdict.
    """

    schema_: Literal["bakeoff.grid/3"] = Field("bakeoff.grid/3", alias="schema")
    run: str
    command_line: tuple[str, ...]
    axes: tuple[Axis, ...]
    reference: str
    complete: bool
    cells: tuple[Cell, ...]
    changes: tuple[ChangeOfPlaces, ...] = ()
    seed: NonNegativeInt
    machine: Machine
