"""The life of a run of any kind: execute a plan, go on with it, judge it again, list it."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from bakeoff.measure.machine import siblings
from bakeoff.model.errors import NO_ROOM, BadUsage, BakeoffError, MissingPiece
from bakeoff.runs.measuring.boot import measured_s
from bakeoff.runs.run import AnyRun, RunPlan, create, open_run
from bakeoff.runs.stages import Reports, Stages, Watch
from bakeoff.runs.store import PLAN_FILE


def execute(plan: RunPlan, parent: Path, stages: Stages, watch: Watch) -> AnyRun:
    """Measure a plan of any kind, in a new folder of `parent`. Raises `BakeoffError`.

    The run's name gets a number if another one of its name began in the same second.
    """
    with _reserved(parent, plan.run) as path, _cut_off_is_said(path, watch):
        run = create(plan.model_copy(update={"run": path.name}), path, stages, watch)
        latest = parent / f".latest-{os.getpid()}"
        try:
            latest.unlink(missing_ok=True)  # A kill may have left one of that number.
            latest.symlink_to(run.path.name)
            latest.replace(parent / "latest")
        except OSError as error:
            raise BadUsage(f"--out {parent}: can't be written to: {error.strerror}") from None
        return _finished(run.go_on(stages, watch), stages, watch)


@contextmanager
def _reserved(parent: Path, name: str) -> Iterator[Path]:
    """A new folder in `parent`: no other run takes its name while contenders are built.

    It is removed if it stays without a run. Raises `BadUsage` where it can't be made.
    """
    is_new = not parent.exists()
    names = (name if n == 1 else f"{name}-{n}" for n in count(1))
    try:
        parent.mkdir(parents=True, exist_ok=True)
        path = next(path for each in names if _made(path := parent / each))
    except OSError as error:
        if error.errno in NO_ROOM:
            raise
        fault = f"{name} can't be made: {error.strerror}"
        if isinstance(error, FileExistsError):
            fault = "is not a folder"
        raise BadUsage(f"--out {parent}: {fault}; name a folder that can be written") from None
    try:
        yield path
    finally:
        with suppress(OSError):
            path.rmdir()  # Only an empty one.
            if is_new:
                parent.rmdir()


def _made(path: Path) -> bool:
    """Whether the folder is ours now, and not another run's."""
    try:
        path.mkdir()
    except FileExistsError:
        return False
    return True


def resume(path: Path, stages: Stages, watch: Watch) -> AnyRun:
    """Go on with a run that was cut off. Raises `BakeoffError`."""
    run = open_run(path)
    if run.is_complete() and not run.composite:
        raise BadUsage(f"{path}: is complete; for its {run.shows}: bakeoff report {path}")
    with _cut_off_is_said(path, watch):
        run.check(stages, watch)
        return _finished(run.go_on(stages, watch), stages, watch)


def report(path: Path, reports: Reports | None = None) -> AnyRun:
    """Judge a run again and write its reports; needs no server. Raises `NoVerdict`, `BadUsage`."""
    return open_run(path).judge_again(reports or Reports())


@contextmanager
def _cut_off_is_said(path: Path, watch: Watch) -> Iterator[None]:
    """Report what is kept if there is no result: nothing was measured, or not judged.

    The cause was an interrupt, or a full disk, which raises `MissingPiece`.
    """
    try:
        yield
    except KeyboardInterrupt:
        with suppress(BakeoffError):
            if (path / PLAN_FILE).exists() and open_run(path).has_samples():
                watch.note(f"interrupted; finished blocks are kept: bakeoff resume {path}")
                raise
        watch.note("interrupted before anything was measured")
        raise
    except OSError as error:
        if error.errno not in NO_ROOM:
            raise
        then = f"then bakeoff resume {path}" if (path / PLAN_FILE).exists() else "then begin again"
        where = error.filename or path
        raise MissingPiece(f"{where}: {error.strerror}: make room, {then}") from None


def _finished(run: AnyRun, stages: Stages, watch: Watch) -> AnyRun:
    """The run, shown, with its reports and added to the history. A missing history is reported, and
    does not harm the run."""
    watch.judged(run)
    run.write_report(stages.reports)
    if trouble := stages.history.add(run.path):
        watch.note(trouble)
    return run


def listed(parent: Path) -> list[AnyRun]:
    """The runs in a folder, the earliest first, without those that can't be read."""
    runs = []
    for path in sorted(parent.iterdir() if parent.is_dir() else ()):
        if path.is_dir() and not path.is_symlink():
            with suppress(BadUsage):
                runs.append(open_run(path))
    return runs


@dataclass(frozen=True)
class Progress:
    """`measured_s` of `planned_s` seconds, over all parts, in `steps` blocks, turns or runs of a
    tool. `planned_s` is None where the measurements decide how long it takes."""

    measured_s: float
    planned_s: float | None
    steps: int


def progress(run: AnyRun) -> Progress:
    """How far a run is, by its log and those of its parts."""
    measured, steps = measured_s(run.records()), 0
    steps += sum(record.type in run.samples for record in run.records())
    for part in run.begun_parts().values():
        inner = progress(part)
        measured, steps = measured + inner.measured_s, steps + inner.steps
    return Progress(measured, run.planned_s(), steps)


def taken_cpus(run: AnyRun) -> frozenset[int]:
    """The processors on which it measures, with those that share a core with one of them.

    Empty where the plan names no processors: then it may be on any.
    """
    named = frozenset(_cpus(run.planned.model_dump()))
    groups = (frozenset(group) for group in siblings())
    return named.union(*(group for group in groups if group & named))


def _cpus(value: Any) -> Iterator[int]:
    if isinstance(value, dict):
        for key, inner in value.items():
            if key == "cores" and isinstance(inner, dict):
                yield from (*inner["server"], *inner["client"])
            elif key == "upstream_cpus":
                yield from inner
            else:
                yield from _cpus(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _cpus(inner)
