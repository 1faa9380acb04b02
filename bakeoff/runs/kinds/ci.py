"""Two revisions of a repository: one race, and after an alarm a second in fresh processes."""

from collections.abc import Iterable

from bakeoff.model.ci import BASE, HEAD, Ci, CiPlan
from bakeoff.model.errors import MissingPiece, NoVerdict, TooFewLeft
from bakeoff.model.verdict import Verdict
from bakeoff.plan import repeated
from bakeoff.report.document import Document
from bakeoff.runs.measuring.contenders import build, check_sources
from bakeoff.runs.run import Prepared, Run
from bakeoff.runs.stages import Stages, Watch

RACE, AGAIN = "race", "again"


class CiRun(Run[CiPlan, Ci]):
    """Base against head. Each race has a folder of its own."""

    kind = "ci"
    shows = "result"
    plan_type = CiPlan
    result_type = Ci
    result_file = "ci.json"
    composite = True

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
        """The same machine, and the same sources."""
        super().check(stages, watch)
        before = [part.store.receipts() for part in self.parts.values()]
        check_sources(self.path, before, self.planned.race, stages, watch)

    def measure(self, stages: Stages, watch: Watch) -> None:
        """The first race; where it raises an alarm, the second."""
        try:
            self.measure_part(RACE, self.planned.race, stages, watch)
            if self._alarm():
                watch.step("an alarm: measuring again in fresh processes, before it is raised")
                self.measure_part(AGAIN, repeated(self.planned), stages, watch)
        except TooFewLeft as error:
            raise MissingPiece(f"base and head can't be raced:\n{error.reasons}") from None

    def is_complete(self) -> bool:
        """Whether the race is over, and the second one too where there is one."""
        race, again = self.part(RACE), self.part(AGAIN)
        if race is None or not race.is_complete() or not race.is_judged:
            return False
        return not self._alarm() or (again is not None and again.is_complete())

    def judge(self) -> Ci:
        """The gates by one race, or by both."""
        from bakeoff.judge import judge_ci

        race, again = self._verdict(RACE), self._verdict(AGAIN)
        if race is None:
            raise NoVerdict(f"{self.path}: nothing was measured")
        return judge_ci(self.planned, race, again, self.is_complete(), self.store.machine())

    def judged(self) -> bool:
        """Whether base and head were compared."""
        return self.result.outcome != "not raced"

    def gates_pass(self) -> bool:
        """Whether the change passes."""
        return self.result.passes

    def part_names(self) -> Iterable[str]:
        """Both races."""
        return (RACE, AGAIN)

    @staticmethod
    def headline(result: Ci) -> str:
        """The result in a few sentences."""
        from bakeoff.report.kinds.ci import headline

        return headline(result)

    def document(self) -> Document:
        """The report."""
        from bakeoff.report.kinds.ci import document

        return document(self.result)

    def _verdict(self, name: str) -> Verdict | None:
        part = self.part(name)
        verdict: Verdict | None = part.result_so_far() if part else None
        return verdict

    def _alarm(self) -> bool:
        from bakeoff.judge import is_alarm

        race = self._verdict(RACE)
        return race is not None and is_alarm(race)
