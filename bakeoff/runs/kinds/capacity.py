"""A search for capacities: boots that climb a ladder of rates."""

from collections.abc import Collection

from bakeoff.model.capacity import CapacityPlan, CapacityReport
from bakeoff.model.history import IndexedRace
from bakeoff.model.plan import Plan
from bakeoff.plan import ladder
from bakeoff.report.kinds import capacity
from bakeoff.runs import indexing
from bakeoff.runs.measuring.boot import Boot, time_is_up
from bakeoff.runs.measuring.contenders import NotAsPlanned, change_plan, changed
from bakeoff.runs.measuring.context import measuring
from bakeoff.runs.measuring.search import Scores, run_search
from bakeoff.runs.run import Run
from bakeoff.runs.stages import Stages, Watch


class CapacityRun(Run[CapacityPlan, CapacityReport]):
    """A search for capacities."""

    kind = command = "capacity"
    shows = "capacities"
    plan_type = CapacityPlan
    result_type = CapacityReport
    result_file = "capacity.json"
    samples = ("block", "costs")
    reported_by = capacity

    @property
    def plan(self) -> CapacityPlan:
        race = changed(self.planned.race, self.records())
        return self.planned.model_copy(update={"race": race})

    @staticmethod
    def built(plan: CapacityPlan) -> Plan:
        return plan.race

    def measure(self, stages: Stages, watch: Watch) -> None:
        """Boot after boot, until the plan's time is measured or no contender holds any
        objective."""
        scores = Scores.of(self.planned.objectives, self.records())
        with measuring(self.store, stages, watch) as context:
            while not time_is_up((plan := self.plan).race, self.records()):
                try:
                    if not run_search(plan, Boot.next(plan.race, context), scores):
                        return
                except NotAsPlanned as found:
                    change_plan(self.store, plan.race, found.change)

    def is_complete(self) -> bool:
        return time_is_up(self.plan.race, self.records())

    def judge(self) -> CapacityReport:
        from bakeoff.judge import judge_capacity

        plan, records = self.plan, self.records()
        # The search also ends with a whole boot in which no contender held any objective.
        scores = Scores.of(self.planned.objectives, records)
        whole = any(record.type == "boot-end" and not record.cut_short for record in records)
        in_vain = whole and not any(scores.centres(name) for name in scores.held)
        complete = self.is_complete() or in_vain
        receipts, machine = self.store.receipts(), self.store.machine()
        return judge_capacity(plan, plan.race, receipts, records, machine, complete, ladder.STEP)

    def judged(self) -> bool:
        return any(
            capacity.requests_per_s is not None
            for entry in self.result.entries
            if entry.valid
            for capacity in entry.capacities
        )

    def left_out(self) -> Collection[str]:
        invalid = (entry.name for entry in self.result.entries if not entry.valid)
        return {*invalid, *self.out(), *(each.name for each in self.planned.race.skipped)}

    @classmethod
    def indexed(cls, result: CapacityReport, setting: indexing.Setting) -> indexing.Indexed:
        """By the first objective: the mean of several is not a capacity."""
        objective, reference = result.objectives[0].text, result.reference
        load = indexing.load_in_words(
            "capacity", result.connections, result.connection, 1, result.streams, objective
        )
        pairs = tuple(
            indexing.as_pair(pair) for pair in result.pairs if pair.objective == objective
        )
        figures = []
        for entry in result.entries:
            found = entry.capacities[0] if entry.capacities else None
            point = entry.at_capacity
            figure = setting.figure(
                entry,
                result.protocol,
                result.workload,
                load,
                valid=entry.valid,
                reasons=entry.reasons,
                requests_per_s=found and found.requests_per_s,
                cpu_us_per_request=point and point.cpu_us_per_request,
            )
            figures.append(indexing.with_ratio(figure, reference, pairs, result.blocks))
        race = IndexedRace(
            part="",
            measures="capacity",
            workload=result.workload,
            load=load,
            reference=reference,
            unit=result.unit,
            figures=tuple(figures),
            pairs=pairs,
            skipped=result.skipped,
        )
        return indexing.Indexed((race,))
