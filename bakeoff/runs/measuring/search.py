"""One boot of a search for capacities: warm up, find the neighbourhood, then climb the ladder."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import TYPE_CHECKING

from bakeoff.model.capacity import CapacityPlan, CostAt, Objective
from bakeoff.model.errors import BadUsage, NoVerdict
from bakeoff.model.plan import Plan
from bakeoff.model.readings import CpuTime
from bakeoff.model.samples import (
    Block,
    BootEnd,
    Costs,
    CostSlice,
    PlanChange,
    Record,
    Rested,
    Slice,
)
from bakeoff.plan import block_order, check_budget, ladder
from bakeoff.runs.measuring.boot import Boot, measured_s
from bakeoff.runs.measuring.draws import Draws
from bakeoff.runs.measuring.instances import Running
from bakeoff.runs.measuring.meter import Meter, block_of
from bakeoff.runs.measuring.observation import Observation
from bakeoff.runs.measuring.session import Session

if TYPE_CHECKING:
    from bakeoff.judge import Held


@dataclass
class Scores:
    """Each contender's slices of all boots so far, compared with each objective."""

    objectives: Sequence[Objective]
    held: dict[str, list[tuple["Held", ...]]] = field(default_factory=dict)

    @classmethod
    def of(cls, objectives: Sequence[Objective], records: Sequence[Record]) -> "Scores":
        scores = cls(objectives)
        for record in records:
            if isinstance(record, Block):
                scores.add(record.slices)
        return scores

    def add(self, slices: Sequence[Slice]) -> None:
        from bakeoff.judge import hold

        for piece in slices:
            held = tuple(hold(piece, objective) for objective in self.objectives)
            self.held.setdefault(piece.entry, []).append(held)

    def fitted(self, name: str) -> list[dict[int, float]]:
        """For each objective the score of each rung so far, above 0 where it breaks it."""
        from bakeoff.judge import fit

        columns = zip(*self.held.get(name, ()), strict=True)
        by_rate = [fit(list(column)) for column in columns] or [{} for _ in self.objectives]
        return [{ladder.rung_of(rate): score for rate, score in each.items()} for each in by_rate]

    def centres(self, name: str) -> list[int]:
        """The highest rung that holds, below the first that breaks, for each objective that is
        held."""
        holding = [
            [rung for rung, score in scores.items() if score <= 0] for scores in self.fitted(name)
        ]
        return [max(rungs) for rungs in holding if rungs]


def run_search(plan: CapacityPlan, boot: Boot, scores: Scores) -> bool:
    """Run a boot of a search for capacities; returns whether there is anything to climb.

    Raises `NotAsPlanned`, and `NoVerdict`, also where the time is too short for one round.
    """
    with boot.ending() as ending, boot.session() as session:
        meter, warmup, rule = boot.begin(session, {})
        draws = ending.draws = Draws(session, rule, warmup, {**boot.ended, **meter.died})
        draws.start_cohorts()
        listeners = plan.race.workload.listeners
        peaks = {name: (warmup.peak(name) or 0.0) / listeners for name in warmup.requests_per_s}
        search = _Search(plan, boot, session, draws, scores, peaks)
        search.approach()
        worth = search.rounds()
        loaded = Observation(session).end().loaded
        ending.observed = BootEnd(boot=boot.number, loaded=loaded, stopped=())
    return worth


class _Search:
    """The slices of one boot: a draw for the approach, and another for each round.

    `peaks` has each contender's closed-loop throughput at the end of its warm-up; of messages to
    rooms, those that are sent.
    """

    def __init__(
        self,
        plan: CapacityPlan,
        boot: Boot,
        session: Session,
        draws: Draws,
        scores: Scores,
        peaks: Mapping[str, float],
    ) -> None:
        self._objectives, self._duration_asked = plan.objectives, plan.duration_asked
        self._streams = _streams(plan.race, peaks)
        self._lowest = ladder.lowest_rung(plan.objectives, self._streams)
        self._boot, self._draws, self._scores = boot, draws, scores
        self._session, self._peaks = session, peaks
        self._spent_s, self._block = 0.0, 0
        self._draw, self._meter, self._names = draws.next()

    def approach(self) -> None:
        """Roughly find each one's capacities; nothing where earlier boots have shown them."""
        while turns := self._probes():
            self._visit(turns)

    def _probes(self) -> dict[str, int]:
        """The next rung of each contender whose place is not known yet."""
        probes = {}
        for name, peak in self._peaks.items():
            if peak <= 0 or name not in self._alive:
                continue
            rungs = (ladder.probe(fit, peak, self._lowest) for fit in self._scores.fitted(name))
            rung = next((rung for rung in rungs if rung is not None), None)
            if rung is not None:
                probes[name] = rung
        return probes

    def rounds(self) -> bool:
        """Round after round until the boot's time is spent; False: no contender holds an
        objective."""
        plan, budget_s, turn = self._boot.plan, self._boot.budget_s, 0
        while turn == 0 or self._spent_s < budget_s:
            climbing = self._ladders(turn)
            if not climbing:
                return False
            self._draws.end(self._meter, self._names)
            self._draw, self._meter, self._names = self._draws.next()
            if self._boot.number == 0 and turn == 0:
                round_s = ladder.costs_s(len(climbing)) + sum(
                    self._window_ms(ladder.rate_of(rung)) / 1000
                    for rungs in climbing.values()
                    for rung in rungs
                )
                self._afford(self._spent_s + plan.boots * round_s)
            # The cost of a request is measured before any contender is brought to its limit.
            self._boot.measured(self._spent_s, "what a request costs")
            costs = measure_costs(
                self._boot, self._session, self._meter, self._draw, self._alive, self._peaks
            )
            if costs:
                self._boot.context.store.append(costs)
                self._spent_s += measured_s([costs])
            for rungs in zip_longest(*climbing.values()):
                turns = dict(zip(climbing, rungs, strict=True))
                self._visit({name: rung for name, rung in turns.items() if rung is not None})
                if turn > 0 and self._spent_s >= budget_s:
                    break
            turn += 1
        self._draws.end(self._meter, self._names)
        return True

    @property
    def _alive(self) -> list[str]:
        """The contenders that take part in this draw and still live."""
        return [name for name in self._names if name not in self._meter.died]

    def _afford(self, needed_s: float) -> None:
        """Check that the plan's time is enough for a round in each boot, which takes `needed_s`.

        A default time is extended. Raises `NoVerdict` where a given time is too short.
        """
        plan, context = self._boot.plan, self._boot.context
        if self._duration_asked:
            try:
                check_budget(plan.duration_s, needed_s, plan.boots)
            except BadUsage as error:
                # The servers' speed was not known when the run was planned.
                raise NoVerdict(str(error)) from None
        elif needed_s > plan.duration_s:
            context.watch.step(
                f"measuring for {needed_s:.0f} s in all: slow servers need long slices"
            )
            context.store.append(PlanChange(duration_s=needed_s))

    def _ladders(self, turn: int) -> dict[str, list[int]]:
        ladders = {}
        for name in self._draws.alive:
            centres = self._scores.centres(name)
            if centres:
                rungs = ladder.ladder(centres, turn, self._lowest)
                seed, number = self._boot.plan.seed, self._boot.number
                ladders[name] = ladder.climb(seed, number, turn, name, rungs)
        return ladders

    def _visit(self, turns: Mapping[str, int]) -> None:
        """One block: a slice for each of `turns` that still lives, at its rung."""
        boot, alive = self._boot, [name for name in self._alive if name in turns]
        if not alive:
            return
        order = block_order(boot.plan, boot.number, self._block, alive)
        measured = [(name, self._slice(name, ladder.rate_of(turns[name]))) for name in order]
        # If a process died in this block, others of its contender may go on.
        lost = {name for name in self._meter.died if self._draws.goes_on(name)}
        slices = [slice_ for name, slice_ in measured if name not in lost]
        if not slices:
            return
        number, stages = self._block, boot.context.stages
        block = block_of(slices, boot.number, number, "long", stages, self._draw)
        boot.context.store.append(block)
        self._scores.add(slices)
        self._spent_s += measured_s([block])
        self._block += 1
        rates = ", ".join(f"{each.entry} {(each.rate or 0) / 1000:.1f}k/s" for each in slices)
        boot.measured(self._spent_s, f"offered {rates}")

    def _window_ms(self, rate: float) -> int:
        return ladder.window_ms(rate, self._objectives, self._streams)

    def _slice(self, name: str, rate: float) -> Slice:
        window_ms = self._window_ms(rate)
        ramp_ms = ladder.ramp_ms(window_ms)
        return self._meter.slice(
            name, self._block, ramp_ms=ramp_ms, duration_ms=window_ms, rate=rate
        )


def _streams(plan: Plan, peaks: Mapping[str, float]) -> ladder.Streams | None:
    """The workload's streams; they last as long as those of the fastest contender (Little)."""
    events = plan.workload.events
    lasts_ms = [1000 * plan.places_of(name) / peak for name, peak in peaks.items() if peak]
    if not (events and lasts_ms):
        return None
    return ladder.Streams(max(1, (events.count or 1) - 1), min(lasts_ms))


RAMP_MS = 50


def measure_costs(
    boot: Boot,
    session: Session,
    meter: Meter,
    draw: int,
    names: Sequence[str],
    peaks: Mapping[str, float],
) -> Costs | None:
    """The costs of those of `names` that have a peak, in one draw; None: there are none.

    Contenders that die are in `meter`'s `died`.
    """
    loaded = [name for name in names if peaks.get(name)]
    if not loaded:
        return None
    running = {each.entry.name: each for each in session.running if each.entry.name in loaded}
    context = boot.context
    context.stages.clock.settle()
    before = _read(running)
    with context.spent() as spent:
        context.stages.clock.wait(ladder.REST_MS / 1000)
    after = _read(running)
    cpu = {name: after[name].since(before[name]) for name in before if name in after}
    rested = Rested(cpu=cpu, **spent)
    rates: dict[CostAt, Mapping[str, float]] = {
        "share": {name: ladder.COST_SHARE * peaks[name] for name in loaded},
        "equal": dict.fromkeys(loaded, ladder.COST_SHARE * min(peaks[name] for name in loaded)),
    }
    slices: list[CostSlice] = []
    for number, (at, offered) in enumerate(rates.items()):
        for name in block_order(boot.plan, boot.number, 2 * draw + number, loaded):
            if name in meter.died:
                continue
            with context.spent() as spent:
                measured = meter.slice(
                    name,
                    draw,
                    ramp_ms=RAMP_MS,
                    duration_ms=ladder.COST_WINDOW_MS,
                    rate=offered[name],
                )
            memory = session.instances.memory(running[name])
            if name not in meter.died:
                slices.append(CostSlice(at=at, slice=measured, memory=memory, **spent))
    return Costs(boot=boot.number, draw=draw, rested=rested, slices=tuple(slices))


def _read(running: Mapping[str, Running]) -> dict[str, CpuTime]:
    read = {name: each.cpu.read() for name, each in running.items()}
    return {name: cpu for name, cpu in read.items() if cpu}
