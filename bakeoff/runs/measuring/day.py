"""One round of a day: phase after phase, and in each all contenders in random order."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from bakeoff.model.day import DayPlan, Phase
from bakeoff.model.errors import ContenderOut
from bakeoff.model.plan import Plan
from bakeoff.model.protocol import OVER_UDP
from bakeoff.model.samples import DayEnd, DayTurn, PlanChange
from bakeoff.plan import check_enough, day_order
from bakeoff.runs.measuring import day_turn
from bakeoff.runs.measuring.contenders import NotAsPlanned
from bakeoff.runs.measuring.context import Context
from bakeoff.runs.measuring.day_turn import Turn
from bakeoff.runs.measuring.instances import Instances, Running, infer_expectations

REST_WINDOWS = 2
PHASE_NAMES: Mapping[Phase, str] = {
    "start": "cold starts",
    "first": "the first thousand requests",
    "rest": "at rest",
    "peak": "warm-up and peak",
    "load_10": "10 % of its peak",
    "load_70": "70 % of its peak",
    "load_100": "100 % of its peak",
    "load_150": "150 % of its peak",
    "load_300": "300 % of its peak",
    "equal": "the same rate for all",
    "recovery": "recovery",
    "storm": "connection storm",
    "slow": "slow clients",
    "after": "after it all",
}


class Round:
    """Round `number` of a day. Its turns are in the log, each as soon as it is over.

    A contender that dies is out of that phase, and begins the next as a new process.
    """

    def __init__(self, plan: DayPlan, race: Plan, number: int, context: Context) -> None:
        self._plan, self._race, self._number, self._context = plan, race, number, context
        self._instances = Instances(race, number, context)
        self._running: dict[str, Running] = {}
        self._peaks: dict[str, float] = {}
        self._names = [entry.name for entry in race.entries]
        self._turns = 0
        # Slow clients speak TCP.
        over_tcp = race.protocol not in OVER_UDP
        self._loaded = {
            phase: measured
            for phase, measured in day_turn.LOADED.items()
            if over_tcp or phase != "slow"
        }

    def rehearse(self) -> None:
        """Start each contender once, which doesn't count: from then on its files are in the page
        cache, and the answers that it is held to are known.

        Raises `NotAsPlanned` where a contender can't be started before anything was measured.
        """
        out: dict[str, str] = {}
        try:
            for name in day_order(self._race, self._number, "rehearsal", 0, self._names):
                self._context.check_time(f"starting {name}")
                try:
                    running = self._start(name)
                    out |= infer_expectations(self._race, [running], self._context)[1]
                    self._instances.stop(running)
                    del self._running[name]
                except ContenderOut as error:
                    out[name] = str(error)
        finally:
            self._instances.stop_all()
        if out and self._number == 0:
            raise NotAsPlanned(PlanChange(out=out))

    def run(self, say: Callable[[float, str], None]) -> None:
        """All phases; `say` gets the share of the round that is over, and the name of the next
        step.

        Raises `TooFewLeft` where too few start, and `TimeIsUp`.
        """
        began_ns = self._context.stages.clock.now_ns()
        self._say = say
        try:
            self._starts()
            self._rest()
            for name in self._order("peak"):
                turn = self._take("peak", name, day_turn.peak)
                self._peaks[name] = day_turn.peak_of(turn.slices) if turn else 0.0
            for phase, measured in self._loaded.items():
                if phase == "after":
                    self._context.stages.clock.settle()
                for name in self._order(phase):
                    if self._peaks.get(name):
                        self._take(phase, name, measured)
                    else:
                        why = "it answered nothing when its peak was to be measured"
                        self._keep(phase, name, out=why)
        finally:
            self._instances.stop_all()
        lasted_s = (self._context.stages.clock.now_ns() - began_ns) / 1e9
        self._context.store.append(
            DayEnd(
                round=self._number,
                lasted_s=lasted_s,
                window_ms=self._plan.window_ms,
                stopped=self._instances.stopped,
            )
        )

    def _order(self, phase: Phase, number: int = 0) -> Iterator[str]:
        """The contenders that take part, in the phase's random order; each is announced."""
        steps = len(self._names) * (len(self._loaded) + 2 + self._plan.starts)
        for name in day_order(self._race, self._number, phase, number, self._names):
            if name not in self._names:
                continue
            doing = f"{PHASE_NAMES[phase]}: {name}"
            self._context.check_time(f"measuring {doing}")
            self._say(self._turns / steps, doing)
            self._turns += 1
            yield name

    def _starts(self) -> None:
        """Cold starts, each with its first thousand requests; the last process of each stays up."""
        failed: dict[tuple[str, int], str] = {}
        for number in range(self._plan.starts):
            for name in self._order("start", number):
                if name in self._running:
                    self._instances.stop(self._running.pop(name))
                try:
                    running = self._start(name)
                except ContenderOut as error:
                    failed[name, number] = str(error)
                    continue
                self._keep(
                    "start",
                    name,
                    number,
                    ready_ms=running.handle.time_to_ready_ms,
                    verification=running.verification,
                )
                self._take("first", name, day_turn.first, number)
        never = {name: why for (name, _), why in failed.items() if name not in self._running}
        self._names = [name for name in self._names if name not in never]
        check_enough(self._race, self._names, never)
        for (name, number), why in failed.items():
            self._keep("start", name, number, out=why)

    def _start(self, name: str) -> Running:
        """A new process: running, verified and held to its answers. Raises `ContenderOut`."""
        running = self._instances.start(self._race.entry(name))
        held, out = infer_expectations(self._race, [running], self._context)
        if out:
            self._instances.stop(running)
            raise ContenderOut(out[name])
        self._running[name] = held[0]
        return held[0]

    def _rest(self) -> None:
        stages = self._context.stages
        up = [name for name in self._order("rest") if self._is_up(name)]
        stages.clock.settle()
        before = {name: self._running[name].cpu.read() for name in up}
        with self._context.spent() as spent:
            stages.clock.wait(REST_WINDOWS * self._plan.window_ms / 1000)
        after = {name: self._running[name].cpu.read() for name in up}
        for name in up:
            first, last = before[name], after[name]
            cpu = last.since(first) if first and last else None
            memory = self._instances.memory(self._running[name])
            self._keep("rest", name, cpu=cpu, memory=memory, **spent)

    def _is_up(self, name: str) -> bool:
        """Whether it runs, if necessary as a new process."""
        if name not in self._running:
            try:
                self._start(name)
            except ContenderOut as error:
                self._lose("rest", name, error)
        return name in self._running

    def _lose(self, phase: Phase, name: str, error: ContenderOut, number: int = 0) -> None:
        """It is out for the rest of the round, whose phases would each wait for it."""
        self._names = [each for each in self._names if each != name]
        self._keep(phase, name, number, out=f"it did not come up again: {error}")

    def _take(
        self, phase: Phase, name: str, measured: Callable[[Turn], dict[str, Any]], number: int = 0
    ) -> DayTurn | None:
        """One turn, in the log; None: the contender died in it, or can't be started again."""
        try:
            running = self._running.get(name) or self._start(name)
        except ContenderOut as error:
            self._lose(phase, name, error, number)
            return None
        answering = [rate for rate in self._peaks.values() if rate]
        turn = Turn(
            self._plan,
            self._race,
            self._number,
            self._context,
            self._instances,
            running,
            peak=self._peaks.get(name, 0.0),
            equal=day_turn.EQUAL_SHARE * min(answering, default=0.0),
        )
        found = measured(turn)
        if died := self._instances.death(running, f"in the phase `{PHASE_NAMES[phase]}`"):
            self._instances.stop(self._running.pop(name))
            # Answers of a process that was dying do not count.
            self._keep(phase, name, number, out=f"it died: {died}")
            return None
        return self._keep(phase, name, number, **found)

    def _keep(self, phase: Phase, name: str, number: int = 0, **found: Any) -> DayTurn:
        turn = DayTurn(round=self._number, phase=phase, entry=name, number=number, **found)
        self._context.store.append(turn)
        return turn
