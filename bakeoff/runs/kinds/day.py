"""A day in the life of servers: rounds of all phases, each with new processes."""

from collections.abc import Collection

from bakeoff.model.day import Day, DayPlan
from bakeoff.model.history import IndexedRace
from bakeoff.model.plan import Plan
from bakeoff.model.samples import DayEnd, DayTurn
from bakeoff.plan import next_window_ms
from bakeoff.report.kinds import day
from bakeoff.runs import indexing
from bakeoff.runs.measuring.contenders import NotAsPlanned, change_plan, changed
from bakeoff.runs.measuring.context import measuring
from bakeoff.runs.measuring.day import Round
from bakeoff.runs.run import Run
from bakeoff.runs.stages import Stages, Watch


class DayRun(Run[DayPlan, Day]):
    """A day. A round that was cut off begins anew under another number; its turns count too."""

    kind = command = "day"
    shows = "phases"
    plan_type = DayPlan
    result_type = Day
    result_file = "day.json"
    samples = ("day-turn",)
    reported_by = day

    @property
    def plan(self) -> DayPlan:
        race = changed(self.planned.race, self.records())
        return self.planned.model_copy(update={"race": race})

    @staticmethod
    def built(plan: DayPlan) -> Plan:
        return plan.race

    def measure(self, stages: Stages, watch: Watch) -> None:
        rehearsed, expected = False, self.planned.expected
        with measuring(self.store, stages, watch, expected=expected) as context:
            while window_ms := next_window_ms(self.planned, self._ends()):
                plan = self.planned.model_copy(update={"window_ms": window_ms})
                race, whole = self.plan.race, len(self._ends())
                names = ", ".join(each.name for each in race.entries)
                of = f"round {whole + 1} of {plan.rounds}"
                if window_ms < self.planned.window_ms:
                    of += f", windows of {window_ms} ms"
                watch.step(f"{of}: {names}")

                def say(share: float, text: str, whole: int = whole) -> None:
                    of_all = (whole + share) / self.planned.rounds
                    about = f"round {whole + 1}/{self.planned.rounds}: {text}"
                    whole_s = self.planned.duration_s
                    watch.measured(of_all * whole_s, whole_s, about)

                try:
                    if not rehearsed:
                        Round(plan, race, self._next(), context).rehearse()
                        rehearsed = True
                    Round(plan, race, self._next(), context).run(say)
                except NotAsPlanned as found:
                    for name, why in found.change.out.items():
                        watch.out(name, why)
                    change_plan(self.store, race, found.change)

    def is_complete(self) -> bool:
        return next_window_ms(self.planned, self._ends()) is None

    def judge(self) -> Day:
        from bakeoff.judge import judge_day

        receipts, machine = self.store.receipts(), self.store.machine()
        return judge_day(self.plan, receipts, self.records(), machine, self.is_complete())

    def judged(self) -> bool:
        return any(value.value is not None for line in self.result.lines for value in line.values)

    def left_out(self) -> Collection[str]:
        """Contenders that were requested and did not take part, or were out of a phase of a
        round."""
        turns = (record for record in self.records() if isinstance(record, DayTurn))
        out = (turn.entry for turn in turns if turn.out)
        return {*out, *self.out(), *(each.name for each in self.planned.race.skipped)}

    @classmethod
    def indexed(cls, result: Day, setting: indexing.Setting) -> indexing.Indexed:
        """By the peaks, which are the figures of a day that are compared over time."""
        race, peak = result.plan.race, result.line("peak", "requests_per_s")
        if peak is None:
            return indexing.Indexed()
        load = indexing.load_in_words(
            "day, peak", race.connections, race.connection, race.pipeline, race.streams, ""
        )
        pairs = tuple(indexing.as_pair(pair) for pair in peak.pairs)
        figures = []
        for entry in result.entries:
            protocol, value = race.protocol_of(entry.name), peak.value(entry.name)
            figure = setting.figure(
                entry,
                protocol,
                race.workload.name,
                load,
                valid=value.value is not None,
                reasons=(value.why,) if value.why else (),
                requests_per_s=value.value,
            )
            figures.append(indexing.with_ratio(figure, race.reference, pairs, value.n))
        peaks = IndexedRace(
            part="",
            measures="requests_per_s",
            workload=race.workload.name,
            load=load,
            reference=race.reference,
            unit=race.workload.unit,
            figures=tuple(figures),
            pairs=pairs,
            skipped=result.skipped,
        )
        return indexing.Indexed((peaks,))

    def _ends(self) -> list[DayEnd]:
        return [record for record in self.records() if isinstance(record, DayEnd)]

    def _next(self) -> int:
        """The number of the next round, which no other round has."""
        turns = [record.round for record in self.records() if isinstance(record, DayTurn)]
        return 1 + max(turns, default=-1)
