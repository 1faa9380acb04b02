"""A crosscheck: load tools and our engine in rounds of random order against one URL."""

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from bakeoff.load.tools import Asked, Ran, command, step_us
from bakeoff.model.crosscheck import (
    FIGURES,
    Compared,
    Crosscheck,
    CrosscheckPlan,
    CrosscheckRun,
    Loading,
)
from bakeoff.model.errors import BadUsage, MissingPiece, NoVerdict
from bakeoff.model.load import Loader
from bakeoff.model.plan import Skipped
from bakeoff.race.stages import Stages, Watch

GIVES_UP_AFTER = 2
"""Runs in a row without a result, after which a tool is out."""

STANDS_IN_FOR: dict[Loader, Loader] = {
    "volley-ab": "ab",
    "volley-wrk": "wrk",
    "volley-wrk2": "wrk2",
    "volley-webbench": "webbench",
}
HTTP_1_0 = ("ab", "volley-ab")
WRK_CORRECTS = "wrk adds waiting that it did not measure (it calls that a correction)"


@dataclass(frozen=True)
class _Able:
    """Who can take part, with what each is asked, and who can't, with the reason."""

    asked: dict[Loader, Asked]
    skipped: tuple[Skipped, ...]


def crosscheck(plan: CrosscheckPlan, stages: Stages, watch: Watch) -> Crosscheck:
    """Run all of them and judge; an interrupt ends it with what there is.

    Raises `NoVerdict` where nobody answers at the URL, or nobody can load it beside the engine, and
    `MissingPiece` without the engine.
    """
    host, _, port = plan.address.rpartition(":")
    if fault := stages.answers(host.strip("[]"), int(port)):
        raise NoVerdict(f"{plan.url}: {fault}")
    able = _able(plan, stages)
    if "engine" not in able.asked:
        raise MissingPiece(next(one.reason for one in able.skipped if one.name == "engine"))
    if len(able.asked) < 2:
        reasons = "".join(f"\n  {one.name}: {one.reason}" for one in able.skipped)
        raise NoVerdict(f"there is no tool to hold the engine against:{reasons}")
    runs: list[CrosscheckRun] = []
    complete = True
    try:
        _run_all(plan, able.asked, runs, stages, watch)
    except KeyboardInterrupt:
        complete = False
        if not runs:
            raise
    return _judged(plan, able, runs, stages, complete=complete)


def _able(plan: CrosscheckPlan, stages: Stages) -> _Able:
    asked: dict[Loader, Asked] = {}
    skipped: list[Skipped] = []
    for loader in plan.loaders:
        try:
            load = _asked(plan, loader)
            command(loader, load)
            reason = stages.tool_missing(loader)
        except BadUsage as error:
            reason = str(error)
        if reason:
            skipped.append(Skipped(name=loader, reason=reason))
        else:
            asked[loader] = load
    return _Able(asked, tuple(skipped))


def _asked(plan: CrosscheckPlan, loader: Loader) -> Asked:
    return Asked(
        url=f"http://{plan.address}{plan.path}",
        host=plan.host,
        connections=plan.connections,
        connection=plan.connection,
        http="1.0" if loader in HTTP_1_0 else "1.1",
        threads=1,
        requests=None,
        duration_s=plan.duration_s,
        cpus=plan.cpus,
        rate=plan.rate,
    )


def _run_all(
    plan: CrosscheckPlan,
    asked: dict[Loader, Asked],
    runs: list[CrosscheckRun],
    stages: Stages,
    watch: Watch,
) -> None:
    """Add the runs to `runs`, one by one, so that an interrupt leaves what there is."""
    names, lasts_s = ", ".join(asked), plan.duration_s * plan.rounds * len(asked)
    watch.step(f"{plan.rounds} rounds of {names}: {lasts_s} s and a little")
    failed = dict.fromkeys(asked, 0)
    for number in range(plan.rounds):
        turns = list(asked)
        random.Random(f"{plan.seed}/round/{number}").shuffle(turns)
        for place, loader in enumerate(turns):
            done_s = plan.duration_s * (number * len(turns) + place)
            watch.measured(done_s, lasts_s, f"round {number + 1} of {plan.rounds}: {loader}")
            if failed[loader] >= GIVES_UP_AFTER:
                continue
            run = _run(loader, number, stages.tool(loader, asked[loader]))
            runs.append(run)
            failed[loader] = failed[loader] + 1 if run.failure else 0
            if failed[loader] == GIVES_UP_AFTER:
                watch.out(loader, run.failure)


def _run(loader: Loader, number: int, ran: Ran) -> CrosscheckRun:
    if ran.result is None or ran.result.requests:
        return CrosscheckRun(loader=loader, round=number, result=ran.result, failure=ran.failure)
    kinds = ", ".join(f"{kind} {times:,}" for kind, times in ran.result.errors.items())
    failure = f"not a single request was answered rightly{f' ({kinds})' if kinds else ''}"
    return CrosscheckRun(loader=loader, round=number, result=None, failure=failure)


def _judged(
    plan: CrosscheckPlan,
    able: _Able,
    runs: Sequence[CrosscheckRun],
    stages: Stages,
    *,
    complete: bool,
) -> Crosscheck:
    # Statistics libraries take a second to import: whoever doesn't judge doesn't wait for them.
    from bakeoff.judge import crosscheck as judge

    there = {run.loader for run in runs if run.result}
    pairs = _pairs([loader for loader in able.asked if loader in there])
    return Crosscheck(
        plan=plan,
        complete=complete,
        loadings=tuple(_loading(loader, asked, runs) for loader, asked in able.asked.items()),
        skipped=able.skipped,
        compared=tuple(map(_explained, judge(runs, pairs, step_us, plan.seed))),
        runs=tuple(runs),
        machine=stages.machine(),
    )


def _pairs(loaders: Sequence[Loader]) -> list[tuple[Loader, Loader]]:
    """Each over the engine, and our engine in place of a program over that program."""
    over: list[tuple[Loader, Loader]] = [(one, "engine") for one in loaders if one != "engine"]
    over += [(one, STANDS_IN_FOR[one]) for one in loaders if one in STANDS_IN_FOR]
    return [(one, other) for one, other in over if other in loaders]


def _explained(one: Compared) -> Compared:
    """The same, with what is known to make a difference."""
    higher = one.of if (one.low or 0) > 1 else one.over
    explains = one.finding == "differs" and higher == "wrk" and one.figure != "requests_per_s"
    return one.model_copy(update={"why": WRK_CORRECTS}) if explains else one


def _loading(loader: Loader, asked: Asked, runs: Sequence[CrosscheckRun]) -> Loading:
    own = [run for run in runs if run.loader == loader]
    medians = {
        figure: median(values)
        for figure in FIGURES
        if (values := [each for run in own if (each := run.value(figure)) is not None])
    }
    return Loading(
        loader=loader,
        command=command(loader, asked),
        http=asked.http,
        n=sum(run.result is not None for run in own),
        figures=medians,
        failures=tuple(dict.fromkeys(run.failure for run in own if run.failure)),
        errors=dict(sum((Counter(run.result.errors) for run in own if run.result), Counter())),
    )
