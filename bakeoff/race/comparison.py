"""One comparison of an article: measured as a race, or in rounds of the article's own tool."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING

from bakeoff.model.article import Comparison, Row, Shape
from bakeoff.model.errors import BakeoffError
from bakeoff.model.load import Loader
from bakeoff.model.plan import Plan
from bakeoff.model.replay import (
    Agreement,
    ComparisonResult,
    InARow,
    ReplayPlan,
    RowResult,
    ToolRun,
)
from bakeoff.model.verdict import Interval, Verdict
from bakeoff.plan import Adapted
from bakeoff.race.begun import build_all
from bakeoff.race.folder import RunFolder
from bakeoff.race.race import race_part
from bakeoff.race.rounds import in_a_row, refusal, rounds
from bakeoff.race.stages import Stages, Watch
from bakeoff.race.up import Setting

if TYPE_CHECKING:
    # Statistics libraries take a second to import: whoever doesn't judge doesn't wait for them.
    from bakeoff.judge import Evidence


@dataclass(frozen=True)
class Part:
    """A comparison's figures, and what its claims are decided from; None: `result` says why."""

    result: ComparisonResult
    evidence: Evidence | None = None
    interrupted: bool = False


@dataclass(frozen=True)
class Ground:
    """What is asked of one comparison, and with what; `path` is its folder."""

    asked: ReplayPlan
    comparison: Comparison
    adapted: Adapted
    path: Path
    stages: Stages
    watch: Watch

    @property
    def shape(self) -> Shape:
        """The article's load."""
        return self.asked.article.loads[self.comparison.load]

    @property
    def loader(self) -> Loader:
        """Whose figures decide the claims."""
        return "engine" if self.asked.driver == "both" else self.asked.driver

    def result(self, rows: Mapping[str, RowResult], **found: object) -> ComparisonResult:
        """The result with the rows that there are; the others carry why they were skipped."""
        skipped = found.get("skipped") or "it was not measured"
        return ComparisonResult.model_validate(
            {
                "name": self.comparison.name,
                "title": self.comparison.title,
                "load": self.comparison.load,
                "loader": self.loader,
                "cores": self.adapted.cores,
                "changes": (*self.adapted.changes, *self._other_tool()),
                "rows": tuple(
                    rows.get(row.name)
                    or self.row(row, skipped=self.adapted.skipped.get(row.name, skipped))
                    for row in self.comparison.rows
                ),
                **found,
            }
        )

    def _other_tool(self) -> tuple[str, ...]:
        tool = self.shape.tool
        if self.loader in ("engine", tool):
            return ()
        return (f"the article's load is {tool}'s; here {self.loader} makes one of the same shape",)

    def row(self, row: Row, **found: object) -> RowResult:
        """One row, with its published figure and what was `found`."""
        published = row.published.value("requests_per_s")
        measured = found.get("requests_per_s")
        ratio = measured / published if isinstance(measured, float) and published else None
        return RowResult.model_validate(
            {
                "name": row.name,
                "contender": row.contender,
                "label": row.label,
                "note": row.note,
                "workers": self.adapted.workers[row.name],
                "published": published,
                "ratio": ratio,
                **found,
            }
        )


def measured(ground: Ground) -> Part:
    """Measure one comparison; what can't be is skipped with its reason, and said."""
    plan, shape = ground.adapted.plan, ground.shape
    with_tool = ground.asked.driver != "engine"
    tool = shape.tool if ground.loader == "engine" else ground.loader
    missing = ground.stages.tool_missing(tool) if with_tool else None
    reason = ""
    if plan is None:
        reason = "none of its rows can be measured"
    elif ground.loader != "engine":
        reason = refusal(shape, ground.asked.scale, ground.loader) or missing or ""
    if plan is None or reason:
        return Part(ground.result({}, skipped=reason))
    try:
        part = _raced(ground, plan) if ground.loader == "engine" else _in_rounds(ground, plan)
        if part.interrupted:
            return part
        if ground.asked.driver == "both":
            part = _warned(part, missing) if missing else _agreed(ground, plan, part)
        return _repeated(ground, plan, part) if ground.asked.faithful else part
    except BakeoffError as error:
        ground.watch.step(f"{ground.comparison.name} is out: {error}")
        return Part(ground.result({}, skipped=str(error)))


def _raced(ground: Ground, plan: Plan) -> Part:
    from bakeoff.judge import RaceEvidence

    finished = race_part(plan, ground.path, ground.stages, ground.watch)
    folder, verdict = RunFolder.open(finished.folder), finished.verdict
    rows = {row.name: _row_of_verdict(ground, row, verdict) for row in ground.comparison.rows}
    return Part(
        ground.result(
            {name: row for name, row in rows.items() if row},
            run=ground.path.name,
            warnings=verdict.warnings,
        ),
        RaceEvidence(folder.plan(), verdict, folder.records()),
        finished.interrupted,
    )


def _row_of_verdict(ground: Ground, row: Row, verdict: Verdict) -> RowResult | None:
    for entry in verdict.entries:
        if entry.name == row.name:
            latency = entry.latency_us
            return ground.row(
                row,
                skipped="; ".join(entry.reasons),
                requests_per_s=entry.requests_per_s,
                n=entry.n,
                memory_mib=entry.memory_mib.loaded,
                p50_us=latency.p50 if latency else None,
                p99_us=latency.p99 if latency else None,
                warnings=entry.warnings,
            )
    reasons = {one.name: one.reason for one in verdict.skipped}
    return ground.row(row, skipped=reasons[row.name]) if row.name in reasons else None


def _in_rounds(ground: Ground, plan: Plan) -> Part:
    from bakeoff.judge import ToolEvidence

    runs, out = _rounds(ground, plan, [ground.loader])
    rows = {}
    for row in ground.comparison.rows:
        results = [run.result for run in runs if run.row == row.name and run.result]
        failures = [run.failure for run in runs if run.row == row.name and run.failure]
        if results:
            rate = mean(one.requests_per_s for one in results)
            rows[row.name] = ground.row(row, requests_per_s=rate, n=len(results))
        elif failures or row.name in out:
            rows[row.name] = ground.row(row, skipped=out.get(row.name) or failures[0])
    result = ground.result(rows, run=ground.path.name)
    return Part(result, ToolEvidence(runs, ground.asked.seed))


def _agreed(ground: Ground, plan: Plan, part: Part) -> Part:
    """The same with how far tool and engine agree."""
    from bakeoff.judge import agreement

    runs, _ = _rounds(ground, plan, [ground.shape.tool, "engine"])
    found = []
    for row in dict.fromkeys(run.row for run in runs):
        ratio = agreement(runs, row, ground.asked.seed)
        if isinstance(ratio, Interval):
            found.append(Agreement(row=row, tool=ground.shape.tool, engine_over_tool=ratio))
        else:
            part = _warned(
                part, f"{row}: {ground.shape.tool} and engine can't be compared: {ratio}"
            )
    return replace(part, result=part.result.model_copy(update={"agreement": tuple(found)}))


def _repeated(ground: Ground, plan: Plan, part: Part) -> Part:
    """The same with the article's own procedure beside it."""
    with _standing(ground, plan) as (built, setting):
        runs = in_a_row(built, ground.shape, ground.asked.scale, ground.loader, setting)
    found = []
    for row in dict.fromkeys(run.row for run in runs):
        rates = [run.result.requests_per_s for run in runs if run.row == row and run.result]
        if rates:
            found.append(
                InARow(
                    row=row,
                    loader=ground.loader,
                    requests_per_s=tuple(rates),
                    mean=mean(rates),
                )
            )
    return replace(part, result=part.result.model_copy(update={"in_a_row": tuple(found)}))


def _rounds(
    ground: Ground, plan: Plan, loaders: Sequence[Loader]
) -> tuple[list[ToolRun], Mapping[str, str]]:
    with _standing(ground, plan) as (built, setting):
        runs, out = rounds(built, ground.shape, ground.asked.scale, loaders, setting)
    return runs, {**{one.name: one.reason for one in built.skipped}, **out}


@contextmanager
def _standing(ground: Ground, plan: Plan) -> Iterator[tuple[Plan, Setting]]:
    """The entries that can be built, and what it takes to have them up."""
    plan, _ = build_all(plan, ground.stages, ground.watch)
    path = ground.path
    folder = RunFolder(path) if path.exists() else RunFolder.create(path)
    servers = ground.stages.servers(path / "scratch")
    try:
        yield plan, Setting(ground.stages, servers, folder, ground.watch)
    finally:
        servers.close()


def _warned(part: Part, warning: str) -> Part:
    warnings = (*part.result.warnings, warning)
    return replace(part, result=part.result.model_copy(update={"warnings": warnings}))
