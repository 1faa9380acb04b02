"""Two revisions of a repository: a race that ends once every gate holds or fails, and on an alarm a
look for the causes of the difference."""

from collections.abc import Iterable, Mapping

from bakeoff.model.ci import BASE, HEAD, Ci, CiPlan
from bakeoff.model.errors import MissingPiece, NoVerdict, TooFewLeft
from bakeoff.model.verdict import Verdict
from bakeoff.model.why import Why
from bakeoff.report.document import Document
from bakeoff.report.kinds import ci
from bakeoff.runs import indexing
from bakeoff.runs.kinds.why import WHY_FOLDER, looking_into
from bakeoff.runs.measuring.contenders import build, check_sources
from bakeoff.runs.run import AnyRun, Prepared, Run
from bakeoff.runs.stages import Stages, Watch

RACE = "race"


class CiRun(Run[CiPlan, Ci]):
    """Base against head. The race has a folder of its own."""

    kind = command = "ci"
    shows = "result"
    plan_type = CiPlan
    result_type = Ci
    result_file = "ci.json"
    composite = True
    reported_by = ci

    @classmethod
    def prepare(cls, plan: CiPlan, stages: Stages, watch: Watch) -> Prepared:
        """Build both. Raises `MissingPiece` with the end of the log of each that fails."""
        _, out = build(plan.race, stages, watch)
        revisions = {BASE: plan.base, HEAD: plan.head}
        failures = [
            f"{name} ({revisions[name].full_name}) does not build: {error}"
            for name, error in out.items()
        ]
        if failures:
            raise MissingPiece("\n".join(failures))
        return None, {}

    def check(self, stages: Stages, watch: Watch) -> None:
        super().check(stages, watch)
        before = [part.store.receipts() for part in self.parts.values()]
        check_sources(self.path, before, self.planned.race, stages, watch)

    def measure(self, stages: Stages, watch: Watch) -> None:
        try:
            self.measure_part(RACE, self.planned.race, stages, watch)
        except TooFewLeft as error:
            raise MissingPiece(f"base and head can't be raced:\n{error.reasons}") from None
        race = self.part(RACE)
        if race and self._looks_for_causes(race):
            self.measure_part(WHY_FOLDER, looking_into(race), stages, watch)

    def is_complete(self) -> bool:
        race, causes = self.part(RACE), self.part(WHY_FOLDER)
        if race is None or not race.is_complete():
            return False
        return not self._looks_for_causes(race) or (causes is not None and causes.is_complete())

    def _looks_for_causes(self, race: AnyRun) -> bool:
        if self.planned.why != "alarm":
            return self.planned.why == "always"
        verdict = race.result_so_far()
        return verdict is not None and any(gate.outcome == "fails" for gate in verdict.gates)

    def judge(self) -> Ci:
        from bakeoff.judge import judge_ci

        race = self.part(RACE)
        verdict = race.result_so_far() if race else None
        if verdict is None:
            raise NoVerdict(f"{self.path}: nothing was measured")
        return judge_ci(self.planned, verdict, self.is_complete(), self.store.machine())

    def judged(self) -> bool:
        return self.result.outcome != "not raced"

    def gates_pass(self) -> bool:
        return self.result.passes

    def part_names(self) -> Iterable[str]:
        return RACE, WHY_FOLDER

    def document(self) -> Document:
        return ci.document(self.result, self.why())

    def why(self) -> Why | None:
        """The causes of the difference; None: there was no look for them."""
        part = self.part(WHY_FOLDER)
        return part.result_so_far() if part else None

    @staticmethod
    def verdicts(result: Ci) -> Mapping[str, Verdict]:
        return {RACE: result.race}

    @classmethod
    def indexed(cls, result: Ci, setting: indexing.Setting) -> indexing.Indexed:
        return indexing.of_verdicts(cls.verdicts(result), setting)
