"""A replay: every comparison of an article measured here, and what became of its claims."""

from collections.abc import Iterable

from bakeoff.model.history import IndexedClaim
from bakeoff.model.replay import Replay, ReplayPlan
from bakeoff.model.samples import PlanChange
from bakeoff.plan import without
from bakeoff.report.kinds import replay
from bakeoff.runs import indexing
from bakeoff.runs.kinds.comparison import Comparison
from bakeoff.runs.measuring.contenders import build_able
from bakeoff.runs.measuring.context import measuring
from bakeoff.runs.measuring.tools import ToolLoad
from bakeoff.runs.run import Run
from bakeoff.runs.stages import Stages, Watch


class ReplayRun(Run[ReplayPlan, Replay]):
    """A replay. Comparisons are races in sub-folders; runs of load tools are in its own log."""

    kind = command = "replay"
    shows = "claims"
    plan_type = ReplayPlan
    result_type = Replay
    result_file = "replay.json"
    composite = True
    samples = ("tool-run",)
    headline = staticmethod(replay.headline)
    document_of = staticmethod(replay.document)

    def measure(self, stages: Stages, watch: Watch) -> None:
        """Measure comparison after comparison; what can't be measured is out."""
        for comparison in self._comparisons():
            watch.step(f"{self.planned.article.name}: {comparison.published.title}")
            if not comparison.is_complete:
                with self.may_fail(comparison.name, watch):
                    self._measure(comparison, stages, watch)

    def is_complete(self) -> bool:
        """Whether every comparison is measured that can be."""
        return all(comparison.is_complete for comparison in self._comparisons())

    def judge(self) -> Replay:
        """Each comparison, and the claims."""
        # Statistics libraries take a second to import: whoever doesn't judge doesn't wait for them.
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
        """Whether some comparison was measured."""
        return any(not comparison.skipped for comparison in self.result.comparisons)

    def part_names(self) -> Iterable[str]:
        """The comparisons; those that our engine measures are races."""
        return (comparison.name for comparison in self.planned.comparisons)

    @classmethod
    def indexed(cls, result: Replay, setting: indexing.Setting) -> indexing.Indexed:  # noqa: ARG003
        """The findings of the claims."""
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
        """What is missing of a comparison: its race, rounds of load tools, runs in a row."""
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
