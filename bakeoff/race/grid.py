"""A grid: every cell is a race in a folder of its own, one after another."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bakeoff.model.contender import Contender
from bakeoff.model.errors import BadUsage, BakeoffError, ContenderOut
from bakeoff.model.grid import Cell, Grid, GridPlan, PlannedCell
from bakeoff.model.machine import Machine
from bakeoff.model.receipt import Receipt
from bakeoff.model.verdict import Verdict
from bakeoff.race.begun import begun_in_parts, check_machine
from bakeoff.race.folder import RunFolder, write_whole
from bakeoff.race.race import race_part, rejudge
from bakeoff.race.stages import Build, Stages, Watch

PLAN_FILE = "grid-plan.json"
RESULT_FILE = "grid.json"
MACHINE_FILE = "machine.json"
NOT_REACHED = "the grid ended before it was measured"


@dataclass(frozen=True)
class Gridded:
    """A grid that was judged; `interrupted` where it was ended before its time."""

    grid: Grid
    folder: Path
    report: Path
    interrupted: bool


def race_grid(asked: GridPlan, parent: Path, stages: Stages, watch: Watch) -> Gridded:
    """Race every cell, in a new folder of `parent`. Raises `BakeoffError`."""
    path = parent / asked.run
    begun_in_parts(path, {MACHINE_FILE: stages.machine(), PLAN_FILE: asked})
    return resume_grid(path, stages, watch)


def resume_grid(path: Path, stages: Stages, watch: Watch) -> Gridded:
    """Measure what is missing of a grid, and judge all of it. Raises `BakeoffError`."""
    asked = GridPlan.read_json(path / PLAN_FILE)
    machine = Machine.read_json(path / MACHINE_FILE)
    check_machine(path, machine, stages.machine(), "cells of unlike machines make no grid")
    stages = replace(stages, build=_once(stages.build, _sources(asked, path)))
    cells: dict[str, Cell] = {}
    interrupted = False
    for place, planned in enumerate(asked.cells, start=1):
        if not planned.plan:
            cells[planned.name] = _skipped(planned, planned.skipped)
            continue
        own = _CellWatch(watch, f"cell {place} of {len(asked.cells)}, {planned.name}")
        try:
            finished = race_part(planned.plan, path / planned.name, stages, own)
        except KeyboardInterrupt:
            interrupted = True
            break
        except BadUsage:
            raise
        except BakeoffError as error:
            own.step(f"is out: {error}")
            cells[planned.name] = _skipped(planned, str(error))
            continue
        cells[planned.name] = _measured(planned, finished.verdict)
        if finished.interrupted:
            interrupted = True
            break
    if interrupted and not any(cell.verdict for cell in cells.values()):
        raise KeyboardInterrupt
    return _judged(asked, cells, machine, path, stages, interrupted)


def is_grid(path: Path) -> bool:
    """Whether a run's folder is that of a grid."""
    return (path / PLAN_FILE).exists()


def report_grid(path: Path, stages: Stages) -> Gridded:
    """Judge the cells' samples again, and write all reports. Raises `BadUsage`, `BadFile`."""
    asked = GridPlan.read_json(path / PLAN_FILE)
    if not (path / RESULT_FILE).exists():
        raise BadUsage(f"{path}: was cut off before it was judged; go on: bakeoff resume {path}")
    before = {cell.name: cell for cell in Grid.read_json(path / RESULT_FILE).cells}
    cells = {
        planned.name: _measured(planned, rejudge(path / planned.name, stages).verdict)
        if before[planned.name].verdict
        else before[planned.name]
        for planned in asked.cells
    }
    machine = Machine.read_json(path / MACHINE_FILE)
    return _judged(asked, cells, machine, path, stages, interrupted=False)


def _judged(
    asked: GridPlan,
    cells: Mapping[str, Cell],
    machine: Machine,
    path: Path,
    stages: Stages,
    interrupted: bool,
) -> Gridded:
    from bakeoff.judge import changes_of_places

    verdicts = {name: cell.verdict for name, cell in cells.items() if cell.verdict}
    rows = tuple(cells.get(one.name) or _skipped(one, NOT_REACHED) for one in asked.cells)
    found = Grid(
        run=asked.run,
        command_line=asked.command_line,
        axes=asked.axes,
        reference=asked.reference,
        complete=all(
            one.verdict.complete if one.verdict else one.skipped != NOT_REACHED for one in rows
        ),
        cells=rows,
        changes=changes_of_places(verdicts),
        seed=asked.seed,
        machine=machine,
    )
    write_whole(path / RESULT_FILE, found.to_json())
    return Gridded(found, path, stages.write_grid(path, found), interrupted)


def _measured(planned: PlannedCell, verdict: Verdict) -> Cell:
    from bakeoff.judge import leaders

    return Cell(
        name=planned.name,
        settings=planned.settings,
        verdict=verdict,
        leaders=leaders(verdict),
    )


def _skipped(planned: PlannedCell, reason: str) -> Cell:
    return Cell(name=planned.name, settings=planned.settings, skipped=reason)


def _sources(asked: GridPlan, path: Path) -> dict[str, set[str]]:
    """The hashes of the sources that cells were already measured with, by contender."""
    found: dict[str, set[str]] = {}
    for cell in asked.cells:
        if (path / cell.name / "receipts.json").exists():
            for receipt in RunFolder(path / cell.name).receipts().values():
                found.setdefault(receipt.name, set()).add(receipt.source_sha256)
    return found


def _once(build: Build, before: Mapping[str, set[str]]) -> Build:
    """`build` that takes each folder once: what fails is not tried again for every cell.

    It raises `BadUsage` where the sources are not those of the cells `before`.
    """
    known: dict[Path, Receipt | ContenderOut] = {}

    def built(
        wanted: Sequence[tuple[Contender, Path]], say: Callable[[str], None]
    ) -> list[Receipt | ContenderOut]:
        missing = [one for one in wanted if one[1] not in known]
        for (_, folder), found in zip(missing, build(missing, say), strict=True):
            if isinstance(found, Receipt) and found.source_sha256 not in before.get(
                found.name, {found.source_sha256}
            ):
                raise BadUsage(f"the sources of {found.name} are not what they were")
            known[folder] = found
        return [known[folder] for _, folder in wanted]

    return built


@dataclass(frozen=True)
class _CellWatch:
    """A watch that says which cell it is."""

    watch: Watch
    cell: str

    def step(self, text: str) -> None:
        self.watch.step(f"{self.cell}: {text}")

    def measured(self, done_s: float, of_s: float, text: str) -> None:
        self.watch.measured(done_s, of_s, f"{self.cell}: {text}")

    def out(self, name: str, reason: str) -> None:
        self.watch.out(f"{self.cell}: {name}", reason)
