"""A look for causes: the uses of each contender's CPU time, at one rate for all."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from bakeoff.model.cut import Warmup
from bakeoff.model.history import Program
from bakeoff.model.plan import Plan
from bakeoff.model.samples import BootStart, Record
from bakeoff.model.why import Flames, Why, WhyPlan
from bakeoff.plan import explaining
from bakeoff.report.document import Document
from bakeoff.report.kinds import why
from bakeoff.runs.measuring.causes import Causes
from bakeoff.runs.measuring.context import measuring
from bakeoff.runs.run import AnyRun, Run
from bakeoff.runs.stages import Stages, Watch

WHY_FOLDER = "why"


class WhyRun(Run[WhyPlan, Why]):
    """The part of a race that looks for causes. A look that was cut off begins anew."""

    kind = command = "why"
    shows = "causes"
    plan_type = WhyPlan
    result_type = Why
    result_file = "why.json"
    samples = ("why-block", "why-end")
    reported_by = why

    @staticmethod
    def built(plan: WhyPlan) -> Plan:
        return plan.race

    def measure(self, stages: Stages, watch: Watch) -> None:
        if not self.is_complete():
            expected = self.planned.race.expected
            with measuring(self.store, stages, watch, expected=expected) as context:
                Causes(self.planned, context).measure()

    def is_complete(self) -> bool:
        """Whether a look came to its end, or was given up."""
        return any(record.type == "why-end" for record in self.records())

    def has_samples(self) -> bool:
        """Whether anything was measured, or the reason why not is known."""
        return any(record.type in self.samples for record in self.records())

    def judge(self) -> Why:
        from bakeoff.judge import judge_why

        return judge_why(self.planned, self._last(), self.store.machine(), self.is_complete())

    def document(self) -> Document:
        return why.document(self.result, self.flames)

    def flames(self) -> Sequence[Flames]:
        """The stacks of each contender and the reference as one tree."""
        from bakeoff.judge import flames

        return flames(self._last(), self.result)

    def judged(self) -> bool:
        """Whether the causes of any difference were found."""
        return bool(self.result.pairs)

    def left_out(self) -> Collection[str]:
        """It has all contenders of its race, or is given up."""
        return ()

    def _last(self) -> Sequence[Record]:
        """The records of the last look; those of a look that was cut off don't count."""
        records = self.records()
        starts = [at for at, record in enumerate(records) if record.type == "boot"]
        return records[starts[-1] if starts else 0 :]


def looking_into(race: AnyRun) -> WhyPlan:
    """The look that follows a `race`, which has shown how its programs warm up and treat
    connections."""
    warm_ups = [record for record in race.records() if isinstance(record, Warmup)]
    boots = [record for record in race.records() if isinstance(record, BootStart)]
    known = {
        entry.name: Program(
            audit=entry.audit, flat=all(each.courses.get(entry.name) == "flat" for each in warm_ups)
        )
        for boot in boots
        for entry in boot.started
        if entry.audit
    }
    return explaining(race.plan, known)


def with_causes(document: Document, part: AnyRun | None) -> Document:
    """The report of a race with the causes of the difference, if a `part` of it looked for them."""
    causes = part.result_so_far() if isinstance(part, WhyRun) else None
    if causes is None:
        return document
    assert isinstance(part, WhyRun)
    section = why.section(causes, part.flames)
    return replace(document, summary=(*document.summary, section))
