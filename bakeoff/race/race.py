"""A whole race: build, then boots or solo rounds, then the verdict and its reports."""

from collections.abc import Mapping, Sequence
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
from bakeoff.model.samples import Record, Warmup
from bakeoff.model.verdict import Verdict
from bakeoff.plan import confirming, without
from bakeoff.race.folder import RunFolder, measured_s, point_latest_at
from bakeoff.race.rotation import FirstBootOut, run_boot
from bakeoff.race.solo import run_round
from bakeoff.race.stages import Stages, Watch
from bakeoff.race.up import Setting

# What is left of a race that is worth another boot.
WORTH_S = 0.05
BOOT_SHARE = 0.5
"""Of a budget, for the planned boots: whether more are needed is known when half of it is spent."""
CONFIRM_FOLDER = "confirm"
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
    folder = _begun(parent / plan.run, plan, receipts, stages)
    point_latest_at(folder.path)
    return _run(plan, receipts, folder, stages, watch)


def race_part(plan: Plan, path: Path, stages: Stages, watch: Watch) -> Finished:
    """Run a race that is part of a larger run, in the folder `path`, or go on with what is there.

    Raises `BakeoffError`.
    """
    if not path.exists():
        plan, receipts = build_all(plan, stages, watch)
        return _run(plan, receipts, _begun(path, plan, receipts, stages), stages, watch)
    folder = RunFolder.open(path)
    if _is_over(folder.plan(), folder):
        return rejudge(path, stages)
    return resume(path, stages, watch)


def resume(path: Path, stages: Stages, watch: Watch) -> Finished:
    """Go on with a race that was cut off. Raises `BakeoffError`."""
    folder = RunFolder.open(path)
    plan, machine = folder.plan(), folder.machine()
    if unlike := machine.unlike(stages.machine()):
        raise BadUsage(
            f"{path}: was begun on another machine ({', '.join(unlike)} differ): "
            "halves of unlike machines make no race"
        )
    if _is_complete(folder):
        raise BadUsage(f"{path}: is complete; for its standings: bakeoff report {path}")
    rebuilt, receipts = build_all(plan, stages, watch)
    before = folder.receipts()
    changed = [
        name
        for name, receipt in receipts.items()
        if name in before and receipt.source_sha256 != before[name].source_sha256
    ]
    if changed:
        raise BadUsage(f"{path}: the sources of {', '.join(changed)} are not what they were")
    return _run(rebuilt, receipts, folder, stages, watch)


def rejudge(path: Path, stages: Stages) -> Finished:
    """Judge what a folder holds, and write its reports again. Raises `BakeoffError`."""
    folder = RunFolder.open(path)
    return _judged(folder, folder.plan(), folder.receipts(), stages, interrupted=False)


def _begun(path: Path, plan: Plan, receipts: Mapping[str, Receipt], stages: Stages) -> RunFolder:
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
    folder.lock()
    folder.cut_torn_line()
    failure: BakeoffError | None = None
    interrupted = False
    try:
        servers = stages.servers(folder.path / "scratch")
        try:
            plan = _boots(plan, Setting(stages, servers, folder, watch))
        finally:
            servers.close()
        if plan.confirm:
            interrupted = _confirm(plan, folder, stages, watch)
    except KeyboardInterrupt:
        interrupted = True
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
    return _judged(folder, folder.plan(), receipts, stages, interrupted)


def _confirm(plan: Plan, folder: RunFolder, stages: Stages, watch: Watch) -> bool:
    """Measure the entries solo, or what is missing of that; whether it was interrupted."""
    solo = confirming(plan)
    watch.step(f"confirming: each alone, {solo.boots} rounds, {solo.duration_s:.0f} s measured")
    return race_part(solo, folder.path / CONFIRM_FOLDER, stages, watch).interrupted


def _boots(plan: Plan, setting: Setting) -> Plan:
    """Boot after boot until the plan's time is measured."""
    records = setting.folder.records()
    boot = 1 + max((record.boot for record in records), default=-1)
    left = max(1, plan.boots - boot)
    while not _is_over(plan, setting.folder):
        missing_s = _missing_s(plan, records)
        budget_s = missing_s / max(1, left)
        if plan.precision:
            budget_s = min(missing_s, plan.duration_s * BOOT_SHARE / plan.boots)
        done_s = plan.duration_s - missing_s
        try:
            if plan.solo:
                run_round(plan, boot, budget_s, _warmups(records), setting, done_s)
            else:
                run_boot(plan, boot, budget_s, _warmups(records), setting, done_s)
        except FirstBootOut as error:
            plan = without(plan, error.out)
            setting.folder.keep("plan.json", plan)
            continue
        boot, left = boot + 1, left - 1
        records = setting.folder.records()
    return plan


def _is_over(plan: Plan, folder: RunFolder) -> bool:
    """Whether the plan's time is measured, or the precision that was asked for is reached.

    The latter is known once the planned boots are through, and looked at between boots: they are
    what intervals are mostly made of.
    """
    records = folder.records()
    if _missing_s(plan, records) <= WORTH_S:
        return True
    if not plan.precision or sum(each.type == "boot-end" for each in records) < plan.boots:
        return False
    from bakeoff.judge import judge

    found = judge(plan, {}, records, folder.machine(), complete=True).precision
    return found is not None and found.met


def _is_complete(folder: RunFolder) -> bool:
    """Whether nothing is left to measure, the confirmation included."""
    plan = folder.plan()
    if not _is_over(plan, folder):
        return False
    part = _solo_part(folder) if plan.confirm else None
    return not plan.confirm or (part is not None and _is_complete(part))


def _solo_part(folder: RunFolder) -> RunFolder | None:
    """The folder of the race's confirmation; None: it was never begun."""
    path = folder.path / CONFIRM_FOLDER
    return RunFolder(path) if (path / "plan.json").exists() else None


def _missing_s(plan: Plan, records: Sequence[Record]) -> float:
    return plan.duration_s - measured_s(records)


def _warmups(records: Sequence[Record]) -> list[Warmup]:
    """How the earlier boots of this race were warmed up."""
    return [record for record in records if record.type == "warmup"]


def _judged(
    folder: RunFolder,
    plan: Plan,
    receipts: Mapping[str, Receipt],
    stages: Stages,
    interrupted: bool,
) -> Finished:
    records = folder.records()
    verdict = _verdict(folder, plan, receipts, records)
    folder.keep("verdict.json", verdict)
    report = stages.write_report(folder.path, plan, verdict, records, receipts)
    return Finished(verdict, folder.path, report, interrupted)


def _verdict(
    folder: RunFolder, plan: Plan, receipts: Mapping[str, Receipt], records: Sequence[Record]
) -> Verdict:
    # Statistics libraries take a second to import: whoever doesn't judge doesn't wait for them.
    from bakeoff.judge import confirmed, judge

    complete = _is_over(plan, folder)
    verdict = judge(plan, receipts, records, folder.machine(), complete)
    return confirmed(verdict, _solo_verdict(folder)) if plan.confirm else verdict


def _solo_verdict(folder: RunFolder) -> Verdict | None:
    """What the race's confirmation says; None: not one round of it was measured."""
    part = _solo_part(folder)
    records = part.records() if part else []
    if part is None or not any(record.type == "block" for record in records):
        return None
    return _verdict(part, part.plan(), part.receipts(), records)
