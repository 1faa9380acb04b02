"""A whole search for capacities: build, climb in boots, then the report."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bakeoff.model.capacity import CapacityPlan, CapacityReport
from bakeoff.model.errors import BadUsage
from bakeoff.model.plan import Plan
from bakeoff.model.receipt import Receipt
from bakeoff.model.samples import Record
from bakeoff.plan import ladder, without
from bakeoff.race.begun import begun, build_all, built_again
from bakeoff.race.boot import Boot, FirstBootOut
from bakeoff.race.climb import Seen, climb_boot
from bakeoff.race.folder import RunFolder, measured_s, point_latest_at
from bakeoff.race.judging import WORTH_S
from bakeoff.race.race import measure
from bakeoff.race.stages import Stages, Watch
from bakeoff.race.up import Setting

PLAN_FILE = "capacity-plan.json"


@dataclass(frozen=True)
class Climbed:
    """A search for capacities that was judged; `interrupted` where it was ended early."""

    found: CapacityReport
    folder: Path
    report: Path
    interrupted: bool


def capacity(
    asked: CapacityPlan, plan: Plan, parent: Path, stages: Stages, watch: Watch
) -> Climbed:
    """Look for the capacities in a new folder of `parent`. Raises `BakeoffError`."""
    plan, receipts = build_all(plan, stages, watch)
    folder = begun(parent / plan.run, plan, receipts, stages)
    folder.keep(PLAN_FILE, asked)
    point_latest_at(folder.path)
    return _run(asked, plan, receipts, folder, stages, watch)


def is_capacity(path: Path) -> bool:
    """Whether a run's folder is that of a search for capacities."""
    return (path / PLAN_FILE).exists()


def resume_capacity(path: Path, stages: Stages, watch: Watch) -> Climbed:
    """Go on with a search that was cut off. Raises `BakeoffError`."""
    folder = RunFolder.open(path)
    asked = CapacityPlan.read_json(path / PLAN_FILE)
    if _missing_s(folder) <= WORTH_S:
        raise BadUsage(f"{path}: is complete; for its capacities: bakeoff report {path}")
    plan, receipts = built_again(folder, stages, watch)
    return _run(asked, plan, receipts, folder, stages, watch)


def report_capacity(path: Path, stages: Stages) -> Climbed:
    """Judge what a folder holds, and write its reports again. Raises `BakeoffError`."""
    folder = RunFolder.open(path)
    asked = CapacityPlan.read_json(path / PLAN_FILE)
    return _judged(asked, folder, folder.receipts(), stages, interrupted=False)


def _run(
    asked: CapacityPlan,
    plan: Plan,
    receipts: Mapping[str, Receipt],
    folder: RunFolder,
    stages: Stages,
    watch: Watch,
) -> Climbed:
    interrupted = measure(folder, stages, watch, lambda setting: _boots(asked, plan, setting))
    return _judged(asked, folder, receipts, stages, interrupted)


def _boots(asked: CapacityPlan, plan: Plan, setting: Setting) -> None:
    """Boot after boot until the plan's time is measured, or nobody holds anything."""
    folder = setting.folder
    seen = Seen.of(asked, folder.records())
    while _missing_s(folder) > WORTH_S:
        try:
            if not climb_boot(asked, Boot.next(plan, setting), seen):
                return
            plan = folder.plan()
        except FirstBootOut as error:
            plan = without(plan, error.out)
            folder.keep("plan.json", plan)


def _missing_s(folder: RunFolder) -> float:
    return folder.plan().duration_s - measured_s(folder.records())


def _nothing_to_climb(asked: CapacityPlan, records: Sequence[Record]) -> bool:
    """Whether a whole boot has shown that nobody holds any objective: that ends the search."""
    seen = Seen.of(asked, records)
    whole = any(record.type == "boot-end" for record in records)
    return whole and not any(seen.centres(name) for name in seen.held)


def _judged(
    asked: CapacityPlan,
    folder: RunFolder,
    receipts: Mapping[str, Receipt],
    stages: Stages,
    interrupted: bool,
) -> Climbed:
    # Statistics libraries take a second to import: whoever doesn't judge doesn't wait for them.
    from bakeoff.judge import judge_capacity

    records = folder.records()
    complete = _missing_s(folder) <= WORTH_S or _nothing_to_climb(asked, records)
    found = judge_capacity(
        asked, folder.plan(), receipts, records, folder.machine(), complete, ladder.STEP
    )
    folder.keep("capacity.json", found)
    report = stages.write_capacity(folder.path, found)
    return Climbed(found, folder.path, report, interrupted)
