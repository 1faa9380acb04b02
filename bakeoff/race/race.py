"""A whole race: build, then boots or solo rounds, then the verdict and its reports."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bakeoff.model.errors import (
    BadUsage,
    BakeoffError,
    ContenderOut,
    MissingPiece,
    NoVerdict,
    ToolMissing,
)
from bakeoff.model.plan import Plan
from bakeoff.model.receipt import Receipt
from bakeoff.model.samples import Record, SliceLengths
from bakeoff.model.verdict import Verdict
from bakeoff.plan import without
from bakeoff.race.folder import RunFolder, measured_s, point_latest_at
from bakeoff.race.rotation import FirstBootOut, run_boot
from bakeoff.race.solo import run_round
from bakeoff.race.stages import Stages, Watch
from bakeoff.race.up import Setting

# What is left of a race that is worth another boot.
WORTH_S = 0.05
_BUILT = ("catalogue", "folder")


@dataclass(frozen=True)
class Finished:
    """A race that was judged; `interrupted` where it was ended before its time."""

    verdict: Verdict
    folder: Path
    report: Path
    interrupted: bool


def race(plan: Plan, parent: Path, stages: Stages, watch: Watch) -> Finished:
    """Run a race from its plan, in a new folder of `parent`. Raises `BakeoffError`."""
    plan, receipts = build_all(plan, stages, watch)
    folder = begun(parent / plan.run, plan, receipts, stages)
    point_latest_at(folder.path)
    return _run(plan, receipts, folder, stages, watch)


def race_part(plan: Plan, path: Path, stages: Stages, watch: Watch) -> Finished:
    """Run a race that is part of a larger run, in the folder `path`, or go on with what is there.

    Raises `BakeoffError`.
    """
    if not path.exists():
        plan, receipts = build_all(plan, stages, watch)
        return _run(plan, receipts, begun(path, plan, receipts, stages), stages, watch)
    folder = RunFolder.open(path)
    if _missing_s(folder.plan(), folder.records()) <= WORTH_S:
        return rejudge(path, stages)
    return resume(path, stages, watch)


def resume(path: Path, stages: Stages, watch: Watch) -> Finished:
    """Go on with a race that was cut off. Raises `BakeoffError`."""
    folder = RunFolder.open(path)
    if _missing_s(folder.plan(), folder.records()) <= WORTH_S:
        raise BadUsage(f"{path}: is complete; for its standings: bakeoff report {path}")
    plan, receipts = built_again(folder, stages, watch)
    return _run(plan, receipts, folder, stages, watch)


def built_again(folder: RunFolder, stages: Stages, watch: Watch) -> tuple[Plan, dict[str, Receipt]]:
    """What a run needs to go on, on the same machine and from the same sources, or `BadUsage`."""
    path = folder.path
    if unlike := folder.machine().unlike(stages.machine()):
        raise BadUsage(
            f"{path}: was begun on another machine ({', '.join(unlike)} differ): "
            "halves of unlike machines make no race"
        )
    rebuilt, receipts = build_all(folder.plan(), stages, watch)
    before = folder.receipts()
    changed = [
        name
        for name, receipt in receipts.items()
        if name in before and receipt.source_sha256 != before[name].source_sha256
    ]
    if changed:
        raise BadUsage(f"{path}: the sources of {', '.join(changed)} are not what they were")
    return rebuilt, receipts


def rejudge(path: Path, stages: Stages) -> Finished:
    """Judge what a folder holds, and write its reports again. Raises `BakeoffError`."""
    folder = RunFolder.open(path)
    return _judged(folder, folder.plan(), folder.receipts(), stages, interrupted=False)


def begun(path: Path, plan: Plan, receipts: Mapping[str, Receipt], stages: Stages) -> RunFolder:
    """A new folder with all that is known before the first boot."""
    folder = RunFolder.create(path)
    folder.keep_receipts(receipts)
    folder.keep("machine.json", stages.machine())
    folder.keep("plan.json", plan)
    return folder


def build_all(plan: Plan, stages: Stages, watch: Watch) -> tuple[Plan, dict[str, Receipt]]:
    """Build every entry; those that can't be built leave the plan with their reason."""
    receipts: dict[str, Receipt] = {}
    out: dict[str, ContenderOut] = {}
    # A command has no build, a URL isn't ours, and a twin is built with its original.
    ours = [one for one in plan.entries if one.origin in _BUILT and not one.twin_of]
    if ours:
        watch.step("building what isn't built yet")
    wanted = [(one.contender, Path(one.folder)) for one in ours if one.contender and one.folder]
    for entry, found in zip(ours, stages.build(wanted, watch.step), strict=True):
        if isinstance(found, ContenderOut):
            out[entry.name] = found
            watch.out(entry.name, str(found))
        else:
            receipts[entry.name] = found
    try:
        return without(plan, {name: str(error) for name, error in out.items()}), receipts
    except NoVerdict as error:
        if all(isinstance(one, ToolMissing) for one in out.values()):
            raise MissingPiece(str(error)) from None
        raise


def _run(
    plan: Plan, receipts: Mapping[str, Receipt], folder: RunFolder, stages: Stages, watch: Watch
) -> Finished:
    """Measure what is missing, then judge. An interrupt or a failure keeps what is there."""
    interrupted = measure(folder, stages, watch, lambda setting: _boots(plan, setting))
    return _judged(folder, folder.plan(), receipts, stages, interrupted)


def measure(
    folder: RunFolder, stages: Stages, watch: Watch, boots: Callable[[Setting], object]
) -> bool:
    """Let `boots` add its blocks to the run; whether it was interrupted.

    An interrupt or a failure keeps what is there; raised where that is nothing, or bad usage.
    """
    folder.lock()
    folder.cut_torn_line()
    failure: BakeoffError | None = None
    interrupted = False
    try:
        servers = stages.servers(folder.path / "scratch")
        try:
            boots(Setting(stages, servers, folder, watch))
        finally:
            servers.close()
    except KeyboardInterrupt:
        interrupted = True
    except BadUsage:
        raise
    except BakeoffError as error:
        failure = error
    finally:
        folder.close()
    if not any(record.type == "block" for record in folder.records()):
        if interrupted:
            raise KeyboardInterrupt
        raise failure or NoVerdict("nothing was measured")
    if failure:
        watch.step(f"ended early: {failure}")
    watch.step("judging, and drawing the report")
    return interrupted


def _boots(plan: Plan, setting: Setting) -> Plan:
    """Boot after boot until the plan's time is measured."""
    records = setting.folder.records()
    lengths = _lengths(records)
    boot = 1 + max((record.boot for record in records), default=-1)
    left = max(1, plan.boots - boot)
    while (missing_s := _missing_s(plan, records)) > WORTH_S:
        budget_s = missing_s / max(1, left)
        done_s = plan.duration_s - missing_s
        try:
            if plan.solo:
                run_round(plan, boot, budget_s, not records, setting, done_s)
            else:
                lengths = run_boot(plan, boot, budget_s, lengths, setting, done_s)
        except FirstBootOut as error:
            plan = without(plan, error.out)
            setting.folder.keep("plan.json", plan)
            continue
        boot, left = boot + 1, left - 1
        records = setting.folder.records()
    return plan


def _missing_s(plan: Plan, records: Sequence[Record]) -> float:
    return plan.duration_s - measured_s(records)


def _lengths(records: Sequence[Record]) -> Mapping[str, SliceLengths]:
    """The slice lengths that earlier boots of this race had; empty: there was none."""
    for record in records:
        if record.type == "warmup":
            return record.lengths
    return {}


def _judged(
    folder: RunFolder,
    plan: Plan,
    receipts: Mapping[str, Receipt],
    stages: Stages,
    interrupted: bool,
) -> Finished:
    # Statistics libraries take a second to import: whoever doesn't judge doesn't wait for them.
    from bakeoff.judge import judge

    records = folder.records()
    complete = _missing_s(plan, records) <= WORTH_S
    verdict = judge(plan, receipts, records, folder.machine(), complete)
    folder.keep("verdict.json", verdict)
    report = stages.write_report(folder.path, plan, verdict, records, receipts)
    return Finished(verdict, folder.path, report, interrupted)
