"""A replay: every comparison of an article measured here, and the outcome of its claims."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean
from typing import TYPE_CHECKING

from bakeoff.model import article
from bakeoff.model.finding import Finding
from bakeoff.model.history import IndexedClaim
from bakeoff.model.load import Loader
from bakeoff.model.ratio import Interval
from bakeoff.model.replay import (
    Agreement,
    ComparisonResult,
    InARow,
    PlannedComparison,
    Replay,
    ReplayPlan,
    RowResult,
)
from bakeoff.model.samples import PlanChange, Record
from bakeoff.model.verdict import Verdict
from bakeoff.plan import without
from bakeoff.report.kinds import replay
from bakeoff.runs import indexing
from bakeoff.runs.measuring.contenders import build_able
from bakeoff.runs.measuring.context import measuring
from bakeoff.runs.measuring.tools import ToolLoad
from bakeoff.runs.run import AnyRun, Run
from bakeoff.runs.stages import Stages, Watch

if TYPE_CHECKING:
    from bakeoff.judge import Evidence


@dataclass(frozen=True)
class Comparison:
    """A planned comparison with the replay's log, and its race where our engine makes the load.

    `out` has what was left out according to the log, and why: this comparison, or rows of it.
    """

    replay: ReplayPlan
    planned: PlannedComparison
    records: Sequence[Record]
    race: AnyRun | None
    out: Mapping[str, str]

    @property
    def name(self) -> str:
        """Unique in the article; also the name of its folder."""
        return self.planned.name

    @property
    def published(self) -> article.Comparison:
        return self.replay.article.comparison(self.name)

    @property
    def shape(self) -> article.Shape:
        return self.replay.article.loads[self.published.load]

    @property
    def loader(self) -> Loader:
        """The loader whose figures decide the claims."""
        return "engine" if self.replay.driver == "both" else self.replay.driver

    @property
    def in_rounds(self) -> tuple[Loader, ...]:
        """The loaders of rounds of load tools."""
        if self.replay.driver == "both":
            return (self.shape.tool, "engine")
        return () if self.replay.driver == "engine" else (self.replay.driver,)

    @property
    def load(self) -> ToolLoad | None:
        plan = self.planned.plan
        return ToolLoad(plan, self.shape, self.replay.scale) if plan else None

    @property
    def rows_out(self) -> dict[str, str]:
        prefix = f"{self.name}/"
        named = {name: reason for name, reason in self.out.items() if name.startswith(prefix)}
        return {name.removeprefix(prefix): reason for name, reason in named.items()}

    @property
    def impossible(self) -> str:
        """Why it can never be measured; empty where it can."""
        if self.load is None:
            return "none of its rows can be measured"
        return "" if self.loader == "engine" else self.load.refusal(self.loader)

    @property
    def race_missing(self) -> bool:
        return self.loader == "engine" and not (
            self.race and self.race.is_complete() and self.race.is_judged
        )

    @property
    def rounds_missing(self) -> bool:
        load, loaders = self.load, self.in_rounds
        if load is None or not loaders:
            return False
        return load.rounds_missing(self.records, loaders, self.rows_out)

    @property
    def in_a_row_missing(self) -> bool:
        """Whether the article's own procedure is still to be followed."""
        load = self.load if self.replay.faithful else None
        return load is not None and load.in_a_row_missing(self.records, self.rows_out)

    @property
    def is_complete(self) -> bool:
        missing = self.race_missing or self.rounds_missing or self.in_a_row_missing
        return bool(self.impossible) or not missing

    def judge(self) -> tuple[ComparisonResult, Evidence | None] | None:
        """The result, and the evidence that decides claims; None: it was not reached.

        Without evidence, the result says why it was skipped.
        """
        reason = self.impossible or self.out.get(self.name, "")
        judged = None if self.impossible else self._judged()
        if judged is None:
            return (self._result({}, skipped=reason), None) if reason else None
        result, evidence = judged
        agreement, failures = self._agreement() if self.replay.driver == "both" else ([], [])
        warnings = [*result.warnings, *failures]
        if reason and not self.is_complete:
            warnings.append(Finding.of("text", text=reason))
        update = {
            "warnings": tuple(warnings),
            "agreement": tuple(agreement),
            "in_a_row": tuple(self._in_a_row()),
        }
        return result.model_copy(update=update), evidence

    def _judged(self) -> tuple[ComparisonResult, Evidence] | None:
        """The figures of the loader that decides the claims; None: there are none."""
        from bakeoff.judge import RaceEvidence, ToolEvidence

        rows: dict[str, RowResult] = {}
        if self.loader == "engine":
            verdict: Verdict | None = self.race.result_so_far() if self.race else None
            if self.race is None or verdict is None:
                return None
            for row in self.published.rows:
                if raced := self._row_of_verdict(row, verdict):
                    rows[row.name] = raced
            result = self._result(rows, run=self.name, warnings=verdict.warnings)
            return result, RaceEvidence(self.race.plan, verdict, self.race.records())
        assert self.load
        runs = self.load.runs(self.records, "round")
        if not runs:
            return None
        for row in self.published.rows:
            own = [run for run in runs if run.row == row.name]
            rates = [run.result.requests_per_s for run in own if run.result]
            failures = [run.failure for run in own if run.failure]
            if rates:
                rows[row.name] = self._row(row, requests_per_s=mean(rates), n=len(rates))
            elif failures or row.name in self.rows_out:
                reason = self.rows_out.get(row.name) or failures[0]
                rows[row.name] = self._row(row, skipped=reason)
        return self._result(rows, run=self.name), ToolEvidence(runs)

    def _result(self, rows: Mapping[str, RowResult], **values: object) -> ComparisonResult:
        """The result with all measured rows; the others have the reason why they were skipped."""
        skipped = values.get("skipped") or "it was not measured"
        tool, changes = self.shape.tool, list(self.planned.changes)
        if self.loader not in ("engine", tool):
            changes.append(
                f"the article's load is {tool}'s; here {self.loader} makes one of the same shape"
            )
        return ComparisonResult.model_validate(
            {
                "name": self.name,
                "title": self.published.title,
                "load": self.published.load,
                "loader": self.loader,
                "cores": self.planned.cores,
                "changes": tuple(changes),
                "rows": tuple(
                    rows.get(row.name)
                    or self._row(row, skipped=self.planned.skipped.get(row.name, skipped))
                    for row in self.published.rows
                ),
                **values,
            }
        )

    def _row(self, row: article.Row, **values: object) -> RowResult:
        published = row.published.value("requests_per_s")
        measured = values.get("requests_per_s")
        ratio = measured / published if isinstance(measured, float) and published else None
        return RowResult.model_validate(
            {
                "name": row.name,
                "contender": row.contender,
                "label": row.label,
                "note": row.note,
                "workers": self.planned.workers[row.name],
                "published": published,
                "ratio": ratio,
                **values,
            }
        )

    def _row_of_verdict(self, row: article.Row, verdict: Verdict) -> RowResult | None:
        entry = verdict.entry(row.name)
        if entry is None:
            reasons = {skipped.name: skipped.reason for skipped in verdict.skipped}
            return self._row(row, skipped=reasons[row.name]) if row.name in reasons else None
        latency = entry.latency_us
        return self._row(
            row,
            reasons=entry.reasons,
            at_least=entry.at_least,
            requests_per_s=entry.requests_per_s,
            n=entry.ratio.n if entry.ratio else 0,
            memory_mib=entry.memory_mib.loaded,
            p50_us=latency.p50 if latency else None,
            p99_us=latency.p99 if latency else None,
            server_cpu_us_per_request=entry.cpu_us_per_request.server,
            warnings=entry.warnings,
        )

    def _agreement(self) -> tuple[list[Agreement], list[Finding]]:
        """How far tool and engine agree, and the rows for which that is unknown."""
        from bakeoff.judge import agreement

        assert self.load
        tool, runs = self.shape.tool, self.load.runs(self.records, "round")
        agreements: list[Agreement] = []
        failures: list[Finding] = []
        for row in dict.fromkeys(run.row for run in runs):
            ratio = agreement(runs, row)
            if isinstance(ratio, Interval):
                agreements.append(Agreement(row=row, tool=tool, engine_over_tool=ratio))
            else:
                failures.append(Finding.of("tool_and_engine", ratio, row=row, tool=tool))
        return agreements, failures

    def _in_a_row(self) -> list[InARow]:
        runs = self.load.runs(self.records, "faithful") if self.load else []
        rates = {
            row: [run.result.requests_per_s for run in runs if run.row == row and run.result]
            for row in dict.fromkeys(run.row for run in runs)
        }
        return [
            InARow(row=row, loader=self.loader, requests_per_s=tuple(each), mean=mean(each))
            for row, each in rates.items()
            if each
        ]


class ReplayRun(Run[ReplayPlan, Replay]):
    """A replay. Comparisons are races in sub-folders; runs of load tools are in its own log."""

    kind = command = "replay"
    shows = "claims"
    plan_type = ReplayPlan
    result_type = Replay
    result_file = "replay.json"
    composite = True
    samples = ("tool-run",)
    reported_by = replay

    def measure(self, stages: Stages, watch: Watch) -> None:
        for comparison in self._comparisons():
            watch.step(f"{self.planned.article.name}: {comparison.published.title}")
            if not comparison.is_complete:
                with self.may_fail(comparison.name, watch):
                    self._measure(comparison, stages, watch)

    def is_complete(self) -> bool:
        return all(comparison.is_complete for comparison in self._comparisons())

    def judge(self) -> Replay:
        from bakeoff.judge import decide

        comparisons, out = self._comparisons(), self.out()
        judged = [each for comparison in comparisons if (each := comparison.judge())]
        plan = self.planned
        return Replay(
            run=plan.run,
            command_line=plan.command_line,
            article=plan.article,
            scale=plan.scale,
            driver=plan.driver,
            complete=all(each.is_complete or each.name in out for each in comparisons),
            comparisons=tuple(result for result, _ in judged),
            claims=decide(
                plan.article,
                {result.name: evidence for result, evidence in judged if evidence},
                {result.name: result.skipped for result, evidence in judged if not evidence},
            ),
            machine=self.store.machine(),
        )

    def judged(self) -> bool:
        return any(not comparison.skipped for comparison in self.result.comparisons)

    def part_names(self) -> Iterable[str]:
        return (comparison.name for comparison in self.planned.comparisons)

    @classmethod
    def indexed(cls, result: Replay, setting: indexing.Setting) -> indexing.Indexed:  # noqa: ARG003
        claims = tuple(
            IndexedClaim(
                article=result.article.name,
                number=number,
                text=claim.text,
                finding=claim.finding,
                ratio=claim.measured,
            )
            for number, claim in enumerate(result.claims, start=1)
        )
        return indexing.Indexed(claims=claims)

    def _comparisons(self) -> list[Comparison]:
        records, out = self.records(), self.out()
        return [
            Comparison(self.planned, planned, records, self.part(planned.name), out)
            for planned in self.planned.comparisons
        ]

    def _measure(self, comparison: Comparison, stages: Stages, watch: Watch) -> None:
        """The missing parts of a comparison: its race, rounds of load tools, runs in a row."""
        name, plan = comparison.name, comparison.planned.plan
        assert plan
        missing = None
        if comparison.in_rounds and (missing := stages.loads.tool_missing(comparison.in_rounds[0])):
            self.store.append(PlanChange(out={name: missing}))
        if comparison.loader == "engine":
            self.measure_part(name, plan, stages, watch)
        elif missing:
            return
        rounds = comparison.rounds_missing and not missing
        if not rounds and not comparison.in_a_row_missing:
            return
        _, out = build_able(plan, stages, watch)
        load = ToolLoad(without(plan, out), comparison.shape, self.planned.scale)
        with measuring(self.store, stages, watch, self.path / name) as context:
            load.leave_out(out, context)
            if rounds:
                load.run_rounds(comparison.in_rounds, context)
            if comparison.in_a_row_missing:
                load.run_in_a_row(comparison.loader, context)
