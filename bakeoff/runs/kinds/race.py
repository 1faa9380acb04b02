"""A race: boots of a rotation or solo rounds, a verdict, and on request a confirmation."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial

from bakeoff.model.history import Earlier
from bakeoff.model.plan import Plan
from bakeoff.model.samples import BootEnd, BootStart, PlanChange
from bakeoff.model.verdict import Verdict
from bakeoff.model.why import Why
from bakeoff.plan import confirming
from bakeoff.report.document import Document
from bakeoff.report.kinds import race
from bakeoff.runs import indexing
from bakeoff.runs.kinds.why import WHY_FOLDER, looking_into, with_causes
from bakeoff.runs.measuring.boot import Boot, time_is_up
from bakeoff.runs.measuring.contenders import NotAsPlanned, change_plan, changed
from bakeoff.runs.measuring.context import measuring
from bakeoff.runs.measuring.rotation import run_rotation
from bakeoff.runs.measuring.solo import run_solo_round
from bakeoff.runs.run import Run
from bakeoff.runs.stages import History, Stages, Watch

CONFIRM_FOLDER = "confirm"
EARLIER_FILE = "earlier.json"
JUDGING_SHARE, WATCHING_SHARE = 0.1, 0.01
"""The shares of a core's time that judging a race that goes on may take: where a judging may end
the race, and where it is only for a viewer."""


class RaceRun(Run[Plan, Verdict]):
    """A race, or one that is part of a larger run."""

    kind = command = "race"
    shows = "standings"
    plan_type = Plan
    result_type = Verdict
    result_file = "verdict.json"
    samples = ("block", "single-block")
    reported_by = race

    _judged: tuple[int, Verdict] | None = None
    _look_due_ns = 0

    @property
    def plan(self) -> Plan:
        return changed(self.planned, self.records())

    @staticmethod
    def built(plan: Plan) -> Plan:
        return plan

    def measure(self, stages: Stages, watch: Watch) -> None:
        """Every boot that is missing; then, if requested, each entry alone."""
        expected = self.planned.expected
        watch.stands(None)
        with measuring(self.store, stages, watch, expected=expected) as context:
            while not self._is_over():
                plan = self.plan
                context.check_time("measuring")
                boot = Boot.next(plan, context)
                try:
                    if plan.solo:
                        run_solo_round(boot)
                        self._look(boot, stages, watch)
                    else:
                        run_rotation(boot, partial(self._look, boot, stages, watch))
                except NotAsPlanned as found:
                    change_plan(self.store, plan, found.change)
        if self.planned.confirm:
            solo = confirming(self.plan)
            rounds = f"{solo.boots} rounds, {solo.duration_s:.0f} s measured"
            watch.step(f"confirming: each alone, {rounds}")
            self.measure_part(CONFIRM_FOLDER, solo, stages, watch)
        if self.planned.why and len(self.plan.contenders) > 1:
            self.measure_part(WHY_FOLDER, looking_into(self), stages, watch)

    def is_complete(self) -> bool:
        wanted = {CONFIRM_FOLDER: self.planned.confirm, WHY_FOLDER: self.planned.why}
        parts = [self.part(name) for name, is_wanted in wanted.items() if is_wanted]
        return self._is_over() and all(part and part.is_complete() for part in parts)

    def look_back(self, history: History) -> None:
        if earlier := history.earlier(self.path, self._verdict()):
            self.store.keep(EARLIER_FILE, earlier)

    def judge(self) -> Verdict:
        from bakeoff.judge import confirmed

        verdict = self._predicted(self._verdict())
        if not self.planned.confirm:
            return verdict
        solo = self.part(CONFIRM_FOLDER)
        return confirmed(verdict, solo.result_so_far() if solo else None)

    def judged(self) -> bool:
        """Whether contenders were compared; for one that raced alone, whether it is valid."""
        entries = self.result.entries
        compared = bool(self.result.pairs) or any(entry.until_end for entry in entries)
        valid = sum(entry.valid for entry in entries)
        return compared or (valid > 0 and len(self.plan.contenders) < 2)

    def gates_pass(self) -> bool:
        return all(gate.passes for gate in self.result.gates)

    def left_out(self) -> Collection[str]:
        """Contenders that were requested and are not in the standings, or ended in a boot."""
        invalid = [entry.name for entry in self.result.entries if not entry.valid]
        unplanned = [] if self.planned.available else [each.name for each in self.planned.skipped]
        out: set[str] = set()
        for record in self.records():
            if isinstance(record, PlanChange):
                out |= set() if record.prepared and self.planned.available else record.out.keys()
            elif isinstance(record, BootStart):
                out |= record.out.keys()
            elif isinstance(record, BootEnd):
                out |= record.died.keys()
        twins = {entry.name for entry in self.planned.entries if entry.twin_of}
        return {*invalid, *unplanned, *out} - twins

    def part_names(self) -> Iterable[str]:
        return CONFIRM_FOLDER, WHY_FOLDER

    @staticmethod
    def verdicts(result: Verdict) -> Mapping[str, Verdict]:
        return {"": result}

    @classmethod
    def indexed(cls, result: Verdict, setting: indexing.Setting) -> indexing.Indexed:
        return indexing.of_verdicts(cls.verdicts(result), setting)

    def planned_s(self) -> float | None:
        planned = self.planned
        open_ended = planned.confirm or planned.why or planned.may_end_early
        return None if open_ended else self.planned.duration_s

    def document(self) -> Document:
        document = race.document(self.result, self.plan, self.records(), self.store.receipts())
        return with_causes(document, self.part(WHY_FOLDER))

    def why(self) -> Why | None:
        """The causes of the difference; None: the race was not followed by a look for causes."""
        part = self.part(WHY_FOLDER)
        return part.result_so_far() if part else None

    def judged_among(self, names: Sequence[str], reference: str = "") -> tuple[Document, Verdict]:
        """The report and the verdict of some of its entries, as a family of their own.

        `reference` is one of `names`; without one it is the race's, or the first of them. Gates are
        on the whole race, and left out. Raises `NoVerdict`.
        """
        from bakeoff.judge import judge

        plan, records, receipts = self.plan, self.records(), self.store.receipts()
        own = plan.reference if plan.reference in names else names[0]
        family = plan.model_copy(
            update={
                "entries": tuple(e for e in plan.entries if (e.twin_of or e.name) in names),
                "reference": reference or own,
                "skipped": (),
                "gates": (),
            }
        )
        complete = time_is_up(plan, records)
        verdict = self._predicted(judge(family, receipts, records, self.store.machine(), complete))
        return race.document(verdict, family, records, receipts), verdict

    def _predicted(self, verdict: Verdict) -> Verdict:
        """The verdict with the expected ratios of the next race, if the results of earlier ones
        were kept."""
        from bakeoff.judge import predicted

        file = self.path / EARLIER_FILE
        return predicted(verdict, Earlier.read_json(file)) if file.exists() else verdict

    def _is_over(self) -> bool:
        """Whether the plan's time is measured, or the question for which it went on is decided.

        The latter is checked between the draws of the last planned boot.
        """
        plan, records = self.plan, self.records()
        if time_is_up(plan, records):
            return True
        ends = sum(record.type == "boot-end" and not record.cut_short for record in records)
        return plan.may_end_early and ends >= plan.boots and self._verdict().answered

    def _look(self, boot: Boot, stages: Stages, watch: Watch) -> bool:
        """Judge between two draws, and tell `watch` the standings; returns whether the race is
        over.

        It waits for `DECIDED_DRAWS`, and after each judging for so long that judging takes at most
        its share of the time.
        """
        from bakeoff.judge import DECIDED_DRAWS

        may_end = self.planned.may_end_early and boot.is_last
        clock = stages.clock
        if not (may_end or watch.live) or clock.now_ns() < self._look_due_ns:
            return False
        draws = sum(record.type == "draw" for record in self.records())
        if draws < DECIDED_DRAWS or not self.has_samples():
            return False
        began_ns = clock.worked_ns()
        verdict = self._verdict()
        watch.stands(verdict)
        share = JUDGING_SHARE if may_end else WATCHING_SHARE
        self._look_due_ns = clock.now_ns() + round((clock.worked_ns() - began_ns) / share)
        return may_end and verdict.answered

    def _verdict(self) -> Verdict:
        """The judge is called once for the same records: it takes 15 s for thirty contenders."""
        from bakeoff.judge import judge

        records = self.records()
        if self._judged is None or self._judged[0] != len(records):
            plan, machine = self.plan, self.store.machine()
            complete = time_is_up(plan, records)
            verdict = judge(plan, self.store.receipts(), records, machine, complete)
            self._judged = len(records), verdict
        return self._judged[1]
