"""Two revisions of a repository: a race that ends once every gate holds or fails."""

from collections.abc import Iterable, Mapping

from bakeoff.model.ci import BASE, HEAD, Ci, CiPlan
from bakeoff.model.errors import MissingPiece, NoVerdict, TooFewLeft
from bakeoff.model.verdict import Verdict
from bakeoff.report.kinds import ci
from bakeoff.runs import indexing
from bakeoff.runs.measuring.contenders import build, check_sources
from bakeoff.runs.run import Prepared, Run
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
    headline = staticmethod(ci.headline)
    document_of = staticmethod(ci.document)

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

    def is_complete(self) -> bool:
        race = self.part(RACE)
        return race is not None and race.is_complete()

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
        return (RACE,)

    @staticmethod
    def verdicts(result: Ci) -> Mapping[str, Verdict]:
        return {RACE: result.race}

    @classmethod
    def indexed(cls, result: Ci, setting: indexing.Setting) -> indexing.Indexed:
        return indexing.of_verdicts(cls.verdicts(result), setting)
