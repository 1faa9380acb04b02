"""What the judge says of a run folder, and whether anything of its race is left to measure."""

from collections.abc import Mapping
from functools import cached_property

from bakeoff.model.plan import Plan
from bakeoff.model.receipt import Receipt
from bakeoff.model.verdict import Verdict
from bakeoff.race.folder import RunFolder, measured_s

# What is left of a race that is worth another boot.
WORTH_S = 0.05
CONFIRM_FOLDER = "confirm"


class Judging:
    """A race and its judge, who is asked once about the same records.

    A verdict on thirty contenders takes a quarter of a minute. `built` are the receipts of
    contenders that were built just now; None: those in the folder.
    """

    def __init__(self, folder: RunFolder, built: Mapping[str, Receipt] | None = None) -> None:
        self.folder = folder
        self._built = built
        self._last: tuple[Plan, int, Verdict] | None = None

    @cached_property
    def receipts(self) -> Mapping[str, Receipt]:
        """Of the contenders that race. Raises `BadFile`."""
        return self.folder.receipts() if self._built is None else self._built

    def is_over(self, plan: Plan) -> bool:
        """Whether the plan's time is measured, or the precision that was asked for is reached.

        The latter is known once the planned boots are through, and looked at between boots: they
        are what intervals are mostly made of.
        """
        if self._time_is_up(plan):
            return True
        ends = sum(record.type == "boot-end" for record in self.folder.records())
        return plan.precision is not None and ends >= plan.boots and self._judged(plan).complete

    def is_complete(self) -> bool:
        """Whether nothing is left to measure, the confirmation included."""
        plan = self.folder.plan()
        if not self.is_over(plan):
            return False
        solo = self._solo() if plan.confirm else None
        return not plan.confirm or (solo is not None and solo.is_complete())

    def verdict(self) -> Verdict:
        """The verdict on all that is there, confirmed where that was asked for.

        Raises `NoVerdict` where not one block was measured.
        """
        from bakeoff.judge import confirmed

        plan = self.folder.plan()
        verdict = self._judged(plan)
        return confirmed(verdict, self._solo_verdict()) if plan.confirm else verdict

    def _judged(self, plan: Plan) -> Verdict:
        # Statistics libraries take a second to import: whoever doesn't judge doesn't wait for them.
        from bakeoff.judge import judge

        records = self.folder.records()
        if self._last is None or self._last[:2] != (plan, len(records)):
            machine, whole = self.folder.machine(), self._time_is_up(plan)
            found = judge(plan, self.receipts, records, machine, whole)
            self._last = plan, len(records), found
        return self._last[2]

    def _time_is_up(self, plan: Plan) -> bool:
        return plan.duration_s - measured_s(self.folder.records()) <= WORTH_S

    def _solo(self) -> "Judging | None":
        """The race's confirmation; None: it was never begun."""
        path = self.folder.path / CONFIRM_FOLDER
        return Judging(RunFolder(path)) if (path / "plan.json").exists() else None

    def _solo_verdict(self) -> Verdict | None:
        """What the race's confirmation says; None: not one round of it was measured."""
        solo = self._solo()
        if solo is None or not any(one.type == "block" for one in solo.folder.records()):
            return None
        return solo.verdict()
