"""A whole race: build, then boots or solo rounds, then the verdict and its reports."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bakeoff.model.errors import (
    BadUsage,
    BakeoffError,
    NoVerdict,
)
from bakeoff.model.plan import Plan
from bakeoff.model.receipt import Receipt
from bakeoff.model.samples import Record
from bakeoff.model.verdict import Verdict
from bakeoff.plan import confirming, without
from bakeoff.race.begun import begun, build_all, built_again
from bakeoff.race.boot import Boot, FirstBootOut
from bakeoff.race.folder import RunFolder, measured_s, point_latest_at
from bakeoff.race.rotation import run_boot
from bakeoff.race.solo import run_round
from bakeoff.race.stages import Stages, Watch
from bakeoff.race.up import Setting

# What is left of a race that is worth another boot.
WORTH_S = 0.05
CONFIRM_FOLDER = "confirm"


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
    if _is_over(folder.plan(), folder):
        return rejudge(path, stages)
    return resume(path, stages, watch)


def resume(path: Path, stages: Stages, watch: Watch) -> Finished:
    """Go on with a race that was cut off. Raises `BakeoffError`."""
    folder = RunFolder.open(path)
    if _is_complete(folder):
        raise BadUsage(f"{path}: is complete; for its standings: bakeoff report {path}")
    plan, receipts = built_again(folder, stages, watch)
    return _run(plan, receipts, folder, stages, watch)


def rejudge(path: Path, stages: Stages) -> Finished:
    """Judge what a folder holds, and write its reports again. Raises `BakeoffError`."""
    folder = RunFolder.open(path)
    return _judged(folder, folder.plan(), folder.receipts(), stages, interrupted=False)


def _run(
    plan: Plan, receipts: Mapping[str, Receipt], folder: RunFolder, stages: Stages, watch: Watch
) -> Finished:
    """Measure what is missing, then judge. An interrupt or a failure keeps what is there."""
    interrupted = measure(folder, stages, watch, lambda setting: _measured(plan, setting))
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


def _measured(plan: Plan, setting: Setting) -> None:
    """Every boot that is missing; then, where it was asked for, each entry alone."""
    plan = _boots(plan, setting)
    if not plan.confirm:
        return
    solo = confirming(plan)
    setting.watch.step(
        f"confirming: each alone, {solo.boots} rounds, {solo.duration_s:.0f} s measured"
    )
    path = setting.folder.path / CONFIRM_FOLDER
    if race_part(solo, path, setting.stages, setting.watch).interrupted:
        raise KeyboardInterrupt


def _boots(plan: Plan, setting: Setting) -> Plan:
    """Boot after boot until the plan's time is measured."""
    run = run_round if plan.solo else run_boot
    while not _is_over(plan, setting.folder):
        try:
            run(Boot.next(plan, setting))
        except FirstBootOut as error:
            plan = without(plan, error.out)
            setting.folder.keep("plan.json", plan)
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
