"""A crosscheck: load tools and our engine in rounds of random order against one URL."""

import errno
import os
import random
from collections import Counter
from collections.abc import Collection, Sequence
from statistics import median

from bakeoff.load import LoadSpec, command, step_us
from bakeoff.model import crosscheck as contract
from bakeoff.model.crosscheck import FIGURES, Crosscheck, CrosscheckPlan, Loading
from bakeoff.model.errors import MissingPiece, NoVerdict
from bakeoff.model.load import Loader
from bakeoff.model.plan import Skipped
from bakeoff.model.request import RequestSection
from bakeoff.model.samples import ToolRun
from bakeoff.report.kinds import crosscheck
from bakeoff.runs.measuring.tools import refusal, tool_run
from bakeoff.runs.run import Prepared, Run
from bakeoff.runs.stages import Stages, Watch

GIVES_UP_AFTER = 2
"""After this many runs in a row without a result a tool is out."""

STANDS_IN_FOR: dict[Loader, Loader] = {
    "volley-ab": "ab",
    "volley-wrk": "wrk",
    "volley-wrk2": "wrk2",
    "volley-webbench": "webbench",
}
HTTP_1_0 = ("ab", "volley-ab")


class CrosscheckRun(Run[CrosscheckPlan, Crosscheck]):
    """A crosscheck. Its log has each run of a tool, and which tools can't take part."""

    kind = command = "crosscheck"
    shows = "comparisons"
    plan_type = CrosscheckPlan
    result_type = Crosscheck
    result_file = "crosscheck.json"
    samples = ("tool-run",)
    reported_by = crosscheck

    @classmethod
    def prepare(cls, plan: CrosscheckPlan, stages: Stages, _watch: Watch) -> Prepared:
        """Find out which tools can take part.

        Raises `NoVerdict` where no server answers at the URL, or no tool can load it beside the
        engine, and `MissingPiece` without the engine.
        """
        _check_answers(plan, stages)
        out: dict[str, str] = {
            loader: reason
            for loader in plan.loaders
            if (reason := refusal(loader, _spec(plan, loader)) or stages.loads.tool_missing(loader))
        }
        if "engine" in out:
            raise MissingPiece(out["engine"])
        if len(plan.loaders) - len(out) < 2:
            reasons = "".join(f"\n  {name}: {reason}" for name, reason in out.items())
            raise NoVerdict(f"no load tool can be compared with the engine:{reasons}")
        return None, out

    def check(self, stages: Stages, watch: Watch) -> None:
        super().check(stages, watch)
        _check_answers(self.planned, stages)

    def measure(self, stages: Stages, watch: Watch) -> None:
        plan, loaders, runs = self.planned, self._loaders(), self._runs()
        lasts_s = plan.duration_s * plan.rounds * len(loaders)
        watch.step(f"{plan.rounds} rounds of {', '.join(loaders)}: {lasts_s} s and a little")
        done = {(run.round, run.loader) for run in runs}
        for number in range(plan.rounds):
            turns = list(loaders)
            random.Random(f"{plan.seed}/round/{number}").shuffle(turns)
            for place, loader in enumerate(turns):
                done_s = plan.duration_s * (number * len(turns) + place)
                watch.measured(done_s, lasts_s, f"round {number + 1} of {plan.rounds}: {loader}")
                if (number, loader) in done or _gave_up(loader, runs):
                    continue
                before = stages.meters.received()
                ran = stages.loads.run_tool(loader, _spec(plan, loader))
                after = stages.meters.received()
                received = after and before and after.since(before)
                self.store.append(tool_run(loader, ran, round=number, received=received))
                runs = self._runs()
                if _gave_up(loader, runs):
                    watch.out(loader, runs[-1].failure)

    def is_complete(self) -> bool:
        runs = self._runs()
        return all(
            sum(run.loader == loader for run in runs) == self.planned.rounds
            or _gave_up(loader, runs)
            for loader in self._loaders()
        )

    def judge(self) -> Crosscheck:
        from bakeoff.judge.crosscheck import crosscheck as compared
        from bakeoff.judge.crosscheck import explained

        plan, loaders, runs = self.planned, self._loaders(), self._runs()
        measured = {run.loader for run in runs if run.result}
        pairs = _pairs([loader for loader in loaders if loader in measured])
        loadings = tuple(_loading(plan, loader, runs) for loader in loaders)
        return Crosscheck(
            plan=plan,
            complete=self.is_complete(),
            loadings=loadings,
            skipped=tuple(Skipped(name=name, reason=why) for name, why in self.out().items()),
            compared=tuple(
                explained(one, loadings, plan.rate) for one in compared(runs, pairs, step_us)
            ),
            runs=tuple(runs),
            machine=self.store.machine(),
        )

    def judged(self) -> bool:
        return bool(self.result.compared)

    def left_out(self) -> Collection[str]:
        """Load tools that gave up. Tools that are not installed were not requested by name."""
        runs = self._runs()
        return [loader for loader in self._loaders() if _gave_up(loader, runs)]

    def _loaders(self) -> list[Loader]:
        out = self.out()
        return [loader for loader in self.planned.loaders if loader not in out]

    def _runs(self) -> list[contract.CrosscheckRun]:
        """The runs of the log, in order; a run without an answer is a failure."""
        return [_usable(record) for record in self.records() if isinstance(record, ToolRun)]


def _check_answers(plan: CrosscheckPlan, stages: Stages) -> None:
    host, _, port = plan.address.rpartition(":")
    fault = stages.servers.answers(
        host.strip("[]"),
        int(port),
        plan.protocol,
        plan.tls,
        request=RequestSection(path=plan.path),
        close=plan.connection == "close",
    )
    if fault == os.strerror(errno.ECONNREFUSED):
        fault += "; start the server first, or correct the port"
    if fault:
        raise NoVerdict(f"{plan.url}: {fault}")


def _spec(plan: CrosscheckPlan, loader: Loader) -> LoadSpec:
    return LoadSpec(
        url=f"{'https' if plan.tls else 'http'}://{plan.address}{plan.path}",
        host=plan.host,
        connections=plan.connections,
        connection=plan.connection,
        http="1.0" if loader in HTTP_1_0 else "1.1",
        protocol=plan.protocol,
        streams=plan.streams,
        tls=plan.tls,
        threads=1,
        requests=None,
        duration_s=plan.duration_s,
        cpus=plan.cpus,
        rate=plan.rate,
    )


def _usable(run: ToolRun) -> contract.CrosscheckRun:
    result, failure = run.result, run.failure
    if result and not result.requests:
        kinds = ", ".join(f"{kind} {times:,}" for kind, times in result.errors.items())
        failure = f"not a single request was answered rightly{f' ({kinds})' if kinds else ''}"
        result = None
    return contract.CrosscheckRun(
        loader=run.loader,
        round=run.round,
        result=result,
        failure=failure,
        took_s=run.took_s,
        busy=run.busy,
        received=run.received,
    )


def _gave_up(loader: Loader, runs: Sequence[contract.CrosscheckRun]) -> bool:
    own = [run for run in runs if run.loader == loader][-GIVES_UP_AFTER:]
    return len(own) == GIVES_UP_AFTER and all(run.failure for run in own)


def _pairs(loaders: Sequence[Loader]) -> list[tuple[Loader, Loader]]:
    """Each tool over the engine; and with our engine in place of a program, over that program."""
    over: list[tuple[Loader, Loader]] = [(of, "engine") for of in loaders if of != "engine"]
    over += [(of, STANDS_IN_FOR[of]) for of in loaders if of in STANDS_IN_FOR]
    return [(of, other) for of, other in over if other in loaders]


def _loading(
    plan: CrosscheckPlan, loader: Loader, runs: Sequence[contract.CrosscheckRun]
) -> Loading:
    spec, own = _spec(plan, loader), [run for run in runs if run.loader == loader]
    medians = {
        figure: median(values)
        for figure in FIGURES
        if (values := [each for run in own if (each := run.value(figure)) is not None])
    }
    known = [run.received for run in own if run.received]
    packets = [
        # A tool's own count leaves out its warm-up; the received packets include it.
        run.received.packets / run.took_s / run.result.requests_per_s
        for run in own
        if run.result and run.result.requests_per_s and run.received and run.took_s
    ]
    return Loading(
        loader=loader,
        command=command(loader, spec),
        http=spec.http,
        n=sum(run.result is not None for run in own),
        figures=medians,
        failures=tuple(dict.fromkeys(run.failure for run in own if run.failure)),
        errors=dict(sum((Counter(run.result.errors) for run in own if run.result), Counter())),
        busy=median(busy) if (busy := [run.busy for run in own if run.busy is not None]) else None,
        packets_per_answer=median(packets) if packets else None,
        dropped=sum(each.dropped for each in known) if known else None,
    )
