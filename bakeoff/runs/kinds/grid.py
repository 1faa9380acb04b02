"""A grid: every cell is a race in a folder of its own, one after another."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from bakeoff.model.grid import Cell, Grid, GridPlan, PlannedCell
from bakeoff.model.verdict import Verdict
from bakeoff.report.kinds import grid
from bakeoff.runs import indexing
from bakeoff.runs.measuring.contenders import check_sources
from bakeoff.runs.results import Results
from bakeoff.runs.run import AnyRun, Run
from bakeoff.runs.stages import Stages, Watch

NOT_REACHED = "the grid ended before it was measured"


class GridRun(Run[GridPlan, Grid]):
    """A grid of races. Its log has the cells in which no contender could be measured."""

    kind = "grid"
    command = "race"
    shows = "cells"
    plan_type = GridPlan
    result_type = Grid
    result_file = "grid.json"
    composite = True
    reported_by = grid

    def measure(self, stages: Stages, watch: Watch) -> None:
        before = [part.store.receipts() for part in self.parts.values() if part.has_samples()]
        for cell in self.planned.cells if before else ():
            if cell.plan:
                check_sources(self.path, before, cell.plan, stages, watch)
        for place, cell in enumerate(self.planned.cells, start=1):
            if cell.plan:
                label = f"cell {place} of {len(self.planned.cells)}, {cell.name}"
                with self.may_fail(cell.name, watch):
                    self.measure_part(cell.name, cell.plan, stages, CellWatch(watch, label))

    def is_complete(self) -> bool:
        return all(
            (part := self.part(cell.name)) is not None and part.is_complete()
            for cell in self.planned.cells
            if cell.plan
        )

    def judge(self) -> Grid:
        from bakeoff.judge import changes_of_places

        out = self.out()
        cells = tuple(self._cell(planned, out) for planned in self.planned.cells)
        return Grid(
            run=self.planned.run,
            command_line=self.planned.command_line,
            axes=self.planned.axes,
            reference=self.planned.reference,
            complete=all(
                cell.verdict.complete if cell.verdict else cell.skipped != NOT_REACHED
                for cell in cells
            ),
            cells=cells,
            changes=changes_of_places({cell.name: cell.verdict for cell in cells if cell.verdict}),
            seed=self.planned.seed,
            machine=self.store.machine(),
        )

    def judged(self) -> bool:
        return any(part.judged() for part in self._measured())

    def gates_pass(self) -> bool:
        return all(part.gates_pass() for part in self._measured())

    def left_out(self) -> Collection[str]:
        return {*self.out(), *(name for part in self._measured() for name in part.left_out())}

    def planned_s(self) -> float | None:
        plans = self.planned.plans
        if any(plan.may_end_early for plan in plans):
            return None
        return sum(plan.duration_s for plan in plans)

    def _measured(self) -> list[AnyRun]:
        return [part for part in self.parts.values() if part.is_judged]

    def part_names(self) -> Iterable[str]:
        return (cell.name for cell in self.planned.cells)

    @staticmethod
    def verdicts(result: Grid) -> Mapping[str, Verdict]:
        return {cell.name: cell.verdict for cell in result.cells if cell.verdict}

    @classmethod
    def indexed(cls, result: Grid, setting: indexing.Setting) -> indexing.Indexed:
        return indexing.of_verdicts(cls.verdicts(result), setting)

    def _cell(self, planned: PlannedCell, out: dict[str, str]) -> Cell:
        from bakeoff.judge import leaders

        part = self.part(planned.name)
        verdict: Verdict | None = part.result_so_far() if part else None
        reason = planned.skipped or out.get(planned.name, NOT_REACHED)
        return Cell(
            name=planned.name,
            settings=planned.settings,
            verdict=verdict,
            skipped="" if verdict else reason,
            leaders=leaders(verdict) if verdict else (),
        )


@dataclass(frozen=True)
class CellWatch:
    """A watch that says which cell it is."""

    watch: Watch
    cell: str

    @property
    def live(self) -> bool:
        return self.watch.live

    def step(self, text: str) -> None:
        self.watch.step(f"{self.cell}: {text}")

    def note(self, text: str) -> None:
        self.watch.note(f"{self.cell}: {text}")

    def measured(
        self, done: float, of: float, text: str, rates: Mapping[str, float] | None = None
    ) -> None:
        self.watch.measured(done, of, f"{self.cell}: {text}", rates)

    def stands(self, verdict: Verdict | None) -> None:
        self.watch.stands(verdict)

    def out(self, name: str, reason: str) -> None:
        self.watch.out(f"{self.cell}: {name}", reason)

    def judged(self, run: Results) -> None:
        self.watch.judged(run)
