"""A program that judges running runs without disturbing them: a `Wanted` on each line in, a
`LiveState` on each line out.

It has the highest niceness, and uses processors without measurements, if there are any. It ends
with its input.
"""

import os
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from math import sqrt
from pathlib import Path

from bakeoff.explore.drawing.narrowing import narrowing
from bakeoff.explore.live.judge import LiveState, Stood, Wanted
from bakeoff.explore.page import fragment
from bakeoff.model.errors import BakeoffError, NoVerdict
from bakeoff.model.verdict import Verdict
from bakeoff.report.document import Chart, Charts, Document
from bakeoff.report.kinds.standings import ranked
from bakeoff.report.render.html import layout, split_headline
from bakeoff.runs import AnyRun, open_run
from bakeoff.runs.life import Progress, progress, taken_cpus

NICEST = 19


def main() -> None:
    """Answer until the input ends."""
    os.nice(NICEST)
    os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
    # Once, and not as a part of the first judging.
    import_module("bakeoff.judge")
    cpus = os.sched_getaffinity(0)
    for line in sys.stdin:
        wanted = Wanted.from_json(line, "the explorer")
        sys.stdout.write(answer(wanted, cpus).to_json() + "\n")
        sys.stdout.flush()


def answer(wanted: Wanted, cpus: set[int]) -> LiveState:
    """The requested run, judged on those of `cpus` on which nothing is measured."""
    began_s = time.process_time()
    try:
        run = open_run(Path(wanted.path))
        taken = taken_cpus(run)
        free = cpus - taken if taken else set()
        os.sched_setaffinity(0, free or cpus)
        state = judged(run, wanted.past).model_copy(update={"shares": not free})
    except BakeoffError as error:
        state = LiveState(trouble=str(error))
    return state.model_copy(update={"cpu_s": time.process_time() - began_s})


def judged(run: AnyRun, past: Sequence[Stood] = ()) -> LiveState:
    far = progress(run)
    state = LiveState(measured_s=far.measured_s, planned_s=far.planned_s, steps=far.steps)
    if not run.has_samples():
        return state.model_copy(update={"trouble": "servers start and warm up first"})
    try:
        document = run.judged_so_far().document()
    except NoVerdict as error:
        return state.model_copy(update={"trouble": str(error)})
    verdict = run.result if isinstance(run.result, Verdict) else None
    now = _stands(verdict, far.measured_s) if verdict else ()
    charts = _narrowing(past, now, verdict, far) if verdict else ()
    return state.model_copy(
        update={
            "finding": split_headline(document)[0],
            "standings": _standings(document, charts),
            "now": now,
            "half_width": _half_width(run),
        }
    )


def _standings(document: Document, charts: Sequence[Chart]) -> str:
    """The common content of the report's forms, with `charts` below its first picture."""
    first, *further = document.summary
    summary = (first, Charts(lambda: charts), *further)
    blocks = layout(replace(document, summary=summary, detail=())).blocks
    return fragment("live_standings.html", blocks=blocks, href=lambda _: "")


def _stands(verdict: Verdict, measured_s: float) -> tuple[Stood, ...]:
    return tuple(
        Stood(name=entry.name, measured_s=measured_s, ratio=entry.ratio)
        for entry in ranked(verdict)
        if entry.ratio and entry.name != verdict.reference and measured_s
    )


def _narrowing(
    past: Sequence[Stood], now: Sequence[Stood], verdict: Verdict, far: Progress
) -> tuple[Chart, ...]:
    stood = {
        latest.name: [
            *(
                before
                for before in past
                if before.name == latest.name and before.measured_s < latest.measured_s
            ),
            latest,
        ]
        for latest in now
    }
    names = [entry.name for entry in ranked(verdict) if entry.ratio]
    return narrowing(stood, names, verdict.reference, far.planned_s)


def _half_width(run: AnyRun) -> float | None:
    if not isinstance(run.result, Verdict):
        return None
    placed = [entry for entry in run.result.entries if entry.name != run.result.reference]
    ends = [(entry.ratio.low, entry.ratio.high) for entry in placed if entry.valid and entry.ratio]
    if not ends or not all(low and high for low, high in ends):
        return None
    return max(sqrt(high / low) for low, high in ends if low and high) - 1


if __name__ == "__main__":
    main()
