"""Runs of load tools against the rows of a comparison, each in the log as it ends."""

import random
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from bakeoff.load import LoadRun, LoadSpec, command
from bakeoff.model.article import Shape
from bakeoff.model.errors import BadUsage, NoVerdict
from bakeoff.model.load import Loader
from bakeoff.model.plan import Plan
from bakeoff.model.samples import PlanChange, Record, ToolRun
from bakeoff.plan import ROUNDS, run_size, start_order
from bakeoff.runs.measuring.context import Context
from bakeoff.runs.measuring.instances import Running
from bakeoff.runs.measuring.session import Session

RUNS_IN_A_ROW = 5
Kind = Literal["round", "faithful"]


def tool_run(loader: Loader, ran: LoadRun, **place: Any) -> ToolRun:
    """The record of one run of a load tool, at its `place` in the rounds."""
    return ToolRun(
        loader=loader,
        command=ran.command,
        output=ran.output,
        result=ran.result,
        failure=ran.failure,
        took_s=ran.took_s,
        busy=ran.busy,
        **place,
    )


def refusal(loader: Loader, spec: LoadSpec) -> str:
    try:
        command(loader, spec)
    except BadUsage as error:
        return str(error)
    return ""


@dataclass(frozen=True)
class ToolLoad:
    """An article's load `shape`, as load tools put it on the entries of `plan`."""

    plan: Plan
    shape: Shape
    scale: float

    def refusal(self, loader: Loader) -> str:
        """Why `loader` can't make a load of this shape; empty where it can."""
        return refusal(loader, self._spec(ROUNDS, "localhost", "localhost", "/"))

    def runs(self, records: Sequence[Record], kind: Kind) -> list[ToolRun]:
        """The runs of one kind that the log has.

        For runs in a row, the last ones: a row that was cut off begins anew, behind the earlier
        runs.
        """
        own = [
            record
            for record in records
            if isinstance(record, ToolRun) and record.of == self.plan.run and record.kind == kind
        ]
        if kind == "round":
            return own
        whole = dict.fromkeys(run.row for run in own if run.round == RUNS_IN_A_ROW - 1)
        by_row = {row: [run for run in own if run.row == row][-RUNS_IN_A_ROW:] for row in whole}
        return [run for runs in by_row.values() for run in runs]

    def rounds_missing(
        self, records: Sequence[Record], loaders: Collection[Loader], out: Collection[str]
    ) -> bool:
        done = {(run.round, run.row, run.loader) for run in self.runs(records, "round")}
        rows = [row for row in self.rows if row not in out]
        needed = {(n, row, loader) for n in range(ROUNDS) for row in rows for loader in loaders}
        return not rows or not needed <= done

    def in_a_row_missing(self, records: Sequence[Record], out: Collection[str]) -> bool:
        done = {run.row for run in self.runs(records, "faithful")}
        return not {row for row in self.rows if row not in out} <= done

    @property
    def rows(self) -> list[str]:
        return [entry.name for entry in self.plan.entries if not entry.twin_of]

    def run_rounds(self, loaders: Sequence[Loader], context: Context) -> None:
        """Ten rounds over the rows, which are all running: in each, every row has one run of each
        loader, in random order.

        Raises `NoVerdict` where no row can take part.
        """
        of, kept = self.plan.run, self.runs(context.store.records(), "round")
        done = {(run.round, run.row, run.loader) for run in kept}
        rows = [name for name in start_order(self.plan, 0) if name in self.rows]
        context.watch.step(f"{of}: starting {', '.join(rows)} for rounds of {self.shape.tool}")
        with Session(self.plan, 0, rows, context) as session:
            self.leave_out(session.out, context)
            if not session.running:
                raise NoVerdict(f"no contender can take part: {'; '.join(session.out.values())}")
            for number in range(ROUNDS):
                turns = [(running, loader) for running in session.running for loader in loaders]
                random.Random(f"{self.plan.seed}/round/{number}").shuffle(turns)
                for running, loader in turns:
                    row = running.entry.name
                    context.watch.measured(number, ROUNDS, f"{of}: {loader} on {row}")
                    if (number, row, loader) not in done:
                        self._run(running, loader, number, "round", context)

    def run_in_a_row(self, loader: Loader, context: Context) -> None:
        """The article's own procedure: one server at a time, and its five runs in a row."""
        done = {run.row for run in self.runs(context.store.records(), "faithful")}
        of = len(self.rows) * RUNS_IN_A_ROW
        for place, row in enumerate(self.rows):
            if row in done:
                continue
            with Session(self.plan, 0, [row], context) as session:
                self.leave_out(session.out, context)
                for running in session.running:
                    for number in range(RUNS_IN_A_ROW):
                        text = f"{self.plan.run}: {row}, in a row"
                        context.watch.measured(place * RUNS_IN_A_ROW + number, of, text)
                        self._run(running, loader, number, "faithful", context)

    def leave_out(self, out: dict[str, str], context: Context) -> None:
        if out:
            named = {f"{self.plan.run}/{row}": reason for row, reason in out.items()}
            context.store.append(PlanChange(out=named))

    def _run(
        self, running: Running, loader: Loader, number: int, kind: Kind, context: Context
    ) -> None:
        handle, entry = running.handle, running.entry
        runs = ROUNDS if kind == "round" else self.shape.repeats
        spec = self._spec(runs, handle.address, handle.host, entry.path)
        ran = context.stages.loads.run_tool(loader, spec)
        of = self.plan.run
        record = tool_run(loader, ran, of=of, row=entry.name, round=number, kind=kind)
        context.store.append(record)

    def _spec(self, runs: int, address: str, host: str, path: str) -> LoadSpec:
        """One of `runs` runs that share the article's load."""
        requests, duration_s = run_size(self.shape, self.scale, runs)
        return LoadSpec(
            url=f"http://{address}{path}",
            host=host,
            connections=self.shape.connections,
            connection=self.shape.connection,
            http=self.shape.http,
            threads=self.shape.threads,
            requests=requests,
            duration_s=duration_s,
            cpus=self.plan.cores.client,
        )
