"""The races of a board: the runs in its folder, and the changes since."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from bakeoff.board.cells import Cell
from bakeoff.build import Wanted, is_built
from bakeoff.model.board import Change
from bakeoff.model.errors import BadUsage, BakeoffError, ContenderOut
from bakeoff.model.history import began_at, machine_class
from bakeoff.model.machine import Machine
from bakeoff.model.plan import Cores
from bakeoff.model.receipt import Receipt
from bakeoff.model.verdict import Verdict
from bakeoff.plan import ResolvedContender
from bakeoff.runs import Stages, Watch, open_run
from bakeoff.runs.kinds.race import RaceRun

RUNS = "runs"
"""The races of a board, in its folder. They stay authoritative."""
Built = Mapping[str, Receipt | ContenderOut]
"""The current build of each contender, by name, or why it can't be built. A missing one isn't
built."""


@dataclass(frozen=True)
class Today:
    """The state with which a race would be measured now."""

    machine: Machine
    cores: Cores
    built: Built

    @property
    def method(self) -> str:
        """How a race is measured and judged: figures of two methods don't belong to one board."""
        return method_of(Verdict.model_fields["schema_"].default, self.machine)


def method_of(schema: str, machine: Machine) -> str:
    return f"{schema}, bakeoff {machine.bakeoff}"


@dataclass(frozen=True)
class Raced:
    """A race of a board: a complete one, or what was measured of one until its time was up."""

    run: RaceRun

    @property
    def name(self) -> str:
        return self.run.path.name

    @cached_property
    def verdict(self) -> Verdict:
        return self.run.result

    @cached_property
    def receipts(self) -> Mapping[str, Receipt]:
        return self.run.store.receipts()

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(e.name for e in self.run.planned.entries if not e.twin_of))

    @property
    def method(self) -> str:
        return method_of(self.verdict.schema_, self.verdict.machine)

    @cached_property
    def compared(self) -> frozenset[str]:
        return frozenset(name for pair in self.verdict.pairs for name in (pair.a, pair.b))

    @property
    def is_complete(self) -> bool:
        return self.verdict.complete

    def is_of(self, cell: Cell) -> bool:
        planned = self.run.planned
        return (planned.workload.name, planned.protocol) == (cell.workload.name, cell.protocol)

    def out_of(self, name: str) -> str:
        """Why a contender did not take part; empty: it did."""
        reasons = {skipped.name: skipped.reason for skipped in self.verdict.skipped}
        return reasons.get(name) or self.run.out().get(name, "")

    def unlike(self, cell: Cell, today: Today) -> tuple[Change, ...]:
        """Why it is not comparable with races of today."""
        planned = self.run.planned
        measured = (self.method, planned.workload, planned.cores)
        changes: list[Change] = []
        if measured != (today.method, cell.workload, today.cores):
            changes.append("method")
        if self.verdict.machine.unlike(today.machine):
            changes.append("machine")
        return tuple(changes)

    def changed(self, name: str, built: Built) -> tuple[Change, ...]:
        """The changes of a contender since it was raced."""
        before, now = self.receipts.get(name), built.get(name)
        if isinstance(now, ContenderOut):
            return ()
        if before is None or now is None or before.source_sha256 != now.source_sha256:
            return ("sources",)
        return ("version",) if before.version != now.version else ()


@dataclass(frozen=True)
class Shelf:
    """The races of a board's folder that are shown, the newest first; those that were cut off; and
    unreadable ones. What its time limit cut short is among both."""

    races: tuple[Raced, ...] = ()
    unfinished: tuple[RaceRun, ...] = ()
    faults: tuple[str, ...] = ()


def shelf(folder: Path) -> Shelf:
    races, unfinished, faults = [], [], []
    for path in sorted((folder / RUNS).glob("*/plan.json")):
        if path.parent.is_symlink():
            continue
        try:
            run = open_run(path.parent)
            if not isinstance(run, RaceRun):
                continue
            complete = run.is_judged and run.result.complete
            if complete or _has_had_its_time(run):
                races.append(Raced(run))
            if not complete:
                unfinished.append(run)
        except BakeoffError as error:
            faults.append(str(error))
    races.sort(key=lambda race: (began_at(race.verdict.machine), race.name), reverse=True)
    return Shelf(tuple(races), tuple(unfinished), tuple(faults))


def _has_had_its_time(run: RaceRun) -> bool:
    """Whether it was judged by what was measured until its time limit."""
    found = run.result.warnings if run.is_judged else ()
    return any(each.code == "cut_short" and each.values["time_was_up"] for each in found)


def check_machine(folder: Path, shelf: Shelf, machine: Machine) -> None:
    """Raise `BadUsage` where the races were measured on another machine."""
    for run in (*(race.run for race in shelf.races), *shelf.unfinished):
        there = run.store.machine()
        if machine_class(there) != machine_class(machine):
            was, now = (
                f"{each.cpu_model}, {each.cpus} processors, {each.memory_mib:,} MiB"
                for each in (there, machine)
            )
            raise BadUsage(
                f"{folder}: is the board of another machine ({was}; this one: {now}); machines "
                "are never mixed: name a folder of its own with --out"
            )


def build(
    contenders: Iterable[ResolvedContender],
    stages: Stages,
    watch: Watch,
    *,
    only_built: bool = False,
) -> Built:
    """Build contenders, or with `only_built` only find those that are built."""
    wanted = [
        Wanted(each.name, each.contender, each.folder)
        for each in {each.name: each for each in contenders}.values()
        if each.contender and each.folder
    ]
    if only_built:
        wanted = [each for each in wanted if is_built(each.contender, each.folder)]
    built = stages.servers.build(wanted, watch)
    # The races find it there.
    stages.built.update(zip((each.folder for each in wanted), built, strict=True))
    return dict(zip((each.name for each in wanted), built, strict=True))
