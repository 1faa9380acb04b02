"""A whole race: build, then boots or solo rounds, then the verdict and its reports."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bakeoff.model.errors import BadUsage, BakeoffError, NoVerdict
from bakeoff.model.plan import Plan
from bakeoff.model.verdict import Verdict
from bakeoff.plan import confirming, without
from bakeoff.race.begun import begun, build_all, built_again
from bakeoff.race.boot import Boot, FirstBootOut
from bakeoff.race.folder import RunFolder, point_latest_at
from bakeoff.race.judging import CONFIRM_FOLDER, Judging
from bakeoff.race.rotation import run_boot
from bakeoff.race.solo import run_round
from bakeoff.race.stages import Stages, Watch
from bakeoff.race.up import Setting


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
    return _run(plan, Judging(folder, receipts), stages, watch)


def race_part(plan: Plan, path: Path, stages: Stages, watch: Watch) -> Finished:
    """Run a race that is part of a larger run, in the folder `path`, or go on with what is there.

    Raises `BakeoffError`.
    """
    if not path.exists():
        plan, receipts = build_all(plan, stages, watch)
        folder = begun(path, plan, receipts, stages)
        return _run(plan, Judging(folder, receipts), stages, watch)
    judging = Judging(RunFolder.open(path))
    if judging.is_over(judging.folder.plan()):
        return _judged(judging, stages, interrupted=False)
    return resume(path, stages, watch)


def resume(path: Path, stages: Stages, watch: Watch) -> Finished:
    """Go on with a race that was cut off. Raises `BakeoffError`."""
    judging = Judging(RunFolder.open(path))
    if judging.is_complete():
        raise BadUsage(f"{path}: is complete; for its standings: bakeoff report {path}")
    plan, receipts = built_again(judging.folder, stages, watch)
    return _run(plan, Judging(judging.folder, receipts), stages, watch)


def rejudge(path: Path, stages: Stages) -> Finished:
    """Judge what a folder holds, and write its reports again. Raises `BakeoffError`."""
    return _judged(Judging(RunFolder.open(path)), stages, interrupted=False)


def _run(plan: Plan, judging: Judging, stages: Stages, watch: Watch) -> Finished:
    """Measure what is missing, then judge. An interrupt or a failure keeps what is there."""
    interrupted = measure(
        judging.folder, stages, watch, lambda setting: _measured(plan, judging, setting)
    )
    return _judged(judging, stages, interrupted)


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


def _measured(plan: Plan, judging: Judging, setting: Setting) -> None:
    """Every boot that is missing; then, where it was asked for, each entry alone."""
    plan = _boots(plan, judging, setting)
    if not plan.confirm:
        return
    solo = confirming(plan)
    setting.watch.step(
        f"confirming: each alone, {solo.boots} rounds, {solo.duration_s:.0f} s measured"
    )
    path = setting.folder.path / CONFIRM_FOLDER
    if race_part(solo, path, setting.stages, setting.watch).interrupted:
        raise KeyboardInterrupt


def _boots(plan: Plan, judging: Judging, setting: Setting) -> Plan:
    """Boot after boot until the race is over."""
    run = run_round if plan.solo else run_boot
    while not judging.is_over(plan):
        try:
            run(Boot.next(plan, setting))
        except FirstBootOut as error:
            plan = without(plan, error.out)
            setting.folder.keep("plan.json", plan)
    return plan


def _judged(judging: Judging, stages: Stages, interrupted: bool) -> Finished:
    folder = judging.folder
    verdict = judging.verdict()
    folder.keep("verdict.json", verdict)
    report = stages.write_report(
        folder.path, folder.plan(), verdict, folder.records(), judging.receipts
    )
    return Finished(verdict, folder.path, report, interrupted)
