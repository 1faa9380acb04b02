"""The races of a board: planned, within a budget of time, and resumed after a kill."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bakeoff.board.cells import Cell
from bakeoff.board.due import State, groups
from bakeoff.board.raced import RUNS, Shelf, Today, build, check_machine, shelf
from bakeoff.model.errors import BadUsage, BakeoffError
from bakeoff.model.plan import Plan
from bakeoff.model.receipt import Receipt
from bakeoff.plan import Environment, RaceOptions, plan_race
from bakeoff.report import figures
from bakeoff.runs import AnyRun, Stages, Watch, execute, resume
from bakeoff.runs.kinds.race import RaceRun


@dataclass(frozen=True)
class DueRace:
    """A race to do: a new one by its `plan`, or the rest of a `run` that was cut off."""

    cell: Cell
    plan: Plan
    run: RaceRun | None = None

    @property
    def names(self) -> tuple[str, ...]:
        return self.plan.contenders

    @property
    def about_s(self) -> float:
        assert self.plan.expected
        return self.plan.expected.about_s


@dataclass(frozen=True)
class Workshop:
    """A board's folder, its cells, and the tools for racing them."""

    folder: Path
    cells: tuple[Cell, ...]
    here: Environment
    stages: Stages

    def look(self, watch: Watch, *, only_built: bool) -> tuple[Shelf, Today]:
        """The finished races, and the current state of the contenders, which are built for that.

        `only_built`: contenders that aren't built yet stay so. Raises `BadUsage`.
        """
        found, machine = shelf(self.folder), self.stages.meters.machine()
        check_machine(self.folder, found, machine)
        contenders = [each for cell in self.cells for each in cell.contenders]
        built = build(contenders, self.stages, watch, only_built=only_built)
        return found, Today(machine, self.here.cores_for(None), built)

    def due(self, cells: Sequence[Cell], found: Shelf, today: Today) -> Iterator[DueRace]:
        """The races that some cells lack: first those that were cut off. Raises `BadUsage`."""
        for cell in cells:
            state = State.of(cell, found.races, today)
            begun: set[str] = set()
            for run in found.unfinished:
                own = {*run.planned.contenders}
                if own & {*state.waiting} - begun and can_go_on(run, cell, today):
                    begun |= own
                    yield DueRace(cell, run.planned, run)
            for names in groups(state, begun):
                yield DueRace(cell, self._plan(cell, names))

    def _plan(self, cell: Cell, names: Sequence[str]) -> Plan:
        options = {
            "workload": cell.workload.name,
            "protocol": (cell.protocol,),
            "duration": cell.races.per_contender_s * (len(names) + 1),
        }
        # The names of all of them: a part of them would have shorter ones.
        operands = [
            each.typed if each.typed == each.name else f"{each.name}={each.typed}"
            for each in cell.contenders
            if each.name in names
        ]
        typed = RaceOptions(**options)
        line = ("bakeoff", "race", *operands, *typed.arguments())
        plan = plan_race(operands, typed, replace(self.here, command_line=line))
        assert isinstance(plan, Plan)
        return plan


def can_go_on(run: RaceRun, cell: Cell, today: Today) -> bool:
    """Whether the rest of a race that was cut off would be measured like its beginning."""
    planned, machine = run.planned, run.store.machine()
    measured = (planned.workload, planned.protocol, planned.cores, machine.bakeoff)
    sources = {name: each.source_sha256 for name, each in run.store.receipts().items()}
    now = {
        name: each.source_sha256 for name, each in today.built.items() if isinstance(each, Receipt)
    }
    return (
        measured == (cell.workload, cell.protocol, today.cores, today.machine.bakeoff)
        and not machine.unlike(today.machine)
        and all(now.get(name) == source for name, source in sources.items())
    )


@dataclass
class Raced:
    """The result of the due races: how many were done, which failed, which are left, and whether
    the user interrupted."""

    done: int = 0
    failed: tuple[tuple[DueRace, str], ...] = ()
    left: tuple[DueRace, ...] = ()
    interrupted: bool = False


def race_all(
    due: Sequence[DueRace], folder: Path, budget_s: float | None, stages: Stages, watch: Watch
) -> Raced:
    """Do each race that still fits in the budget, in their order. Raises `BadUsage` where none
    fits."""
    became, left, failed = Raced(), [], []
    began_ns = stages.clock.now_ns()
    if due and budget_s is not None and all(race.about_s > budget_s for race in due):
        least = min(due, key=lambda race: race.about_s)
        raise BadUsage(
            f"--budget {budget_s:g}s: is too short for one race: {least.cell.name} with "
            f"{figures.plural(len(least.names), 'contender')} takes {figures.about(least.about_s)}"
        )
    for place, race in enumerate(due, start=1):
        spent_s = (stages.clock.now_ns() - began_ns) / 1e9
        if became.interrupted or (budget_s is not None and spent_s + race.about_s > budget_s):
            left.append(race)
            continue
        watch.step(f"{race.cell.name}, race {place} of {len(due)}: {', '.join(race.names)}")
        try:
            run = _raced(race, folder, stages, watch)
        except KeyboardInterrupt:
            became.interrupted = True
            left.append(race)
        except BadUsage:
            raise
        except BakeoffError as error:
            watch.note(f"{race.cell.name}: {error}")
            failed.append((race, str(error)))
        else:
            became.interrupted = run.interrupted
            became.done += not run.interrupted
    became.failed, became.left = tuple(failed), tuple(left)
    return became


def _raced(race: DueRace, folder: Path, stages: Stages, watch: Watch) -> AnyRun:
    if race.run:
        return resume(race.run.path, stages, watch)
    return execute(race.plan, folder / RUNS, stages, watch)
