"""The draws of a boot: for each draw another process of each contender, and new connections."""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import inf
from statistics import median

from bakeoff.model.cut import Draw, DrawRule, Redrawn, Warmup
from bakeoff.model.errors import ContenderOut, TooFewLeft
from bakeoff.model.receipt import Stopped
from bakeoff.model.samples import Slice
from bakeoff.plan import cohort, draw_order, has_first_process, start_order
from bakeoff.runs.measuring.draw_rule import WARM_UP_MS, is_warm, slices_again
from bakeoff.runs.measuring.instances import Running
from bakeoff.runs.measuring.meter import Meter
from bakeoff.runs.measuring.session import Session
from bakeoff.runs.measuring.warmup import leave_out_held_up

WARMING_MS_MAX = 1500
"""A process is loaded for at most this long before a draw, and as long again."""
BETTER, PATIENCE = 0.97, 3
"""A process that is not warm, and whose cost has not fallen by 3 % in this many slices, stays as it
is: it costs more than others, or the machine is noisy."""

AGAIN_MAX = 2
"""A further process is warmed up for at most this many times as long as the first one was: two of
three of Spring Boot cost 1.3 times as much as its first one after as long."""

LOST_MAX = 3
"""A contender that loses a process in this many draws in a row is out: it would lose others too."""
FAILED_MAX = 2
"""After this many failed starts no other is tried: a second copy may be impossible."""


class Draws:
    """What is drawn in one boot, and the contenders that are lost by that.

    Each contender's first process lives for the whole boot. If a contender's processes are drawn,
    its first one has one draw in five, and each other draw has a process of its own: slow effects
    (a leak, a collector that seldom runs) are seen too. Other contenders have several processes
    that live for the boot, cohort by cohort: process j of one always meets process j of another.

    `died` has the contenders that don't go on, and how they ended.
    """

    def __init__(
        self, session: Session, rule: DrawRule, warmup: Warmup, died: Mapping[str, str]
    ) -> None:
        self.died = dict(died)
        self._warmup = warmup
        self._lost: dict[str, list[str]] = {}
        self._session, self._rule = session, rule
        self._cohorts = [{each.entry.name: each for each in session.running}]
        self._fresh: dict[str, Running] = {}
        self._in_a_row: Counter[str] = Counter()
        self._failed: Counter[str] = Counter()
        self._loaded_ms: dict[str, list[int]] = {}
        self._warmed_ms: dict[str, list[int]] = {}
        self._next = 0

    @property
    def alive(self) -> list[str]:
        """The contenders that go on, whether or not they take part in the draw."""
        return [name for name in self._rule.redrawn if name not in self.died]

    @property
    def stopped(self) -> tuple[Stopped, ...]:
        """How the boot's processes were stopped, once they are."""
        return self._session.stopped

    @property
    def lost_processes(self) -> dict[str, tuple[str, ...]]:
        """How processes of contenders that go on ended, or why they did not start."""
        return {name: tuple(hows) for name, hows in self._lost.items() if name not in self.died}

    def goes_on(self, name: str) -> bool:
        """Whether a contender whose process has just died has others."""
        if self._redrawn(name).what == "processes":
            return self._in_a_row[name] + 1 < LOST_MAX
        return sum(name in each for each in self._cohorts) > 1

    def start_cohorts(self) -> None:
        """Start and warm up the further processes of contenders that have several.

        They are loaded in turn, each for as long as its contender's first one was until it was
        steady. Raises `NotAsPlanned`.
        """
        session, watch = self._session, self._session.context.watch
        wanted = max((each.instances for each in self._rule.redrawn.values()), default=1)
        for number in range(1, wanted):
            watch.step(f"starting and warming up instances {number + 1} of {wanted}")
            started = {}
            for name in start_order(session.plan, session.boot, number):
                session.context.check_time(f"starting another process of {name}")
                # After three failed starts it goes on with the processes that it has.
                fails = len(self._lost.get(name, ())) >= LOST_MAX
                if name in self.alive and self._redrawn(name).instances > 1 and not fails:
                    try:
                        started[name] = session.instances.start(session.plan.entry(name))
                    except ContenderOut as error:
                        self._lose(name, str(error))
            self._cohorts.append(started)
            if started:
                self._warm_up_cohort(started)

    def next(self) -> tuple[int, Meter, list[str]]:
        """The next draw in which enough contenders take part: connected, recorded, and warmed up.

        Returns its number in this boot, its meter, and the names of those that take part. Raises
        `TooFewLeft`.
        """
        plan = self._session.plan
        for _ in range(LOST_MAX + len(self._cohorts)):
            # The last draw's connections and new processes end.
            self._session.disconnect()
            for running in self._fresh.values():
                self._session.instances.stop(running)
            self._fresh.clear()
            if not plan.enough(self.alive):
                break
            number = self._next
            self._next += 1
            chosen = self._chosen(number)
            names = [each.entry.name for each in chosen]
            if plan.enough(names):
                meter = Meter(self._session)
                for each in names:
                    self._warm_up(meter, each)
                return number, meter, names
        out = self.died or {name: hows[-1] for name, hows in self._lost.items()}
        raise TooFewLeft([name for name in plan.contenders if name in self.alive], out)

    def _warm_up(self, meter: Meter, name: str) -> None:
        """Load a process until a request costs as much as in the steady state of its contender's
        first one, and as long again if this takes more than a slice.

        A process may be new. A lasting one may have thrown away code that was compiled for closed
        connections: Vert.x fell from 130,000 requests/s to 20,000, and needed a second under load
        to recover.
        """
        duration_ms, loaded_ms = self._redrawn(name).warm_up_ms, 0
        best, in_vain = inf, 0
        while loaded_ms < WARMING_MS_MAX and in_vain < PATIENCE:
            measured = meter.slice(name, 0, ramp_ms=0, duration_ms=duration_ms)
            if name in meter.died or self._session.context.time_is_up:
                return
            if is_warm(self._warmup, measured):
                if loaded_ms:
                    meter.slice(name, 0, ramp_ms=0, duration_ms=loaded_ms)
                loaded_ms += loaded_ms + duration_ms
                break
            cost_us = measured.server_cpu_us_per_request or inf
            in_vain = 0 if cost_us < BETTER * best else in_vain + 1
            best = min(best, cost_us)
            loaded_ms += duration_ms
            duration_ms = WARM_UP_MS
        self._loaded_ms.setdefault(name, []).append(loaded_ms)

    def _chosen(self, number: int) -> list[Running]:
        """The processes that take part in a draw, connected and recorded."""
        session, plan = self._session, self._session.plan
        chosen: list[Running] = []
        processes: dict[str, int] = {}
        out: dict[str, str] = {}
        for name in draw_order(plan, session.boot, number, self.alive):
            try:
                processes[name], running = self._drawn(name, number)
            except ContenderOut as error:
                first = None
                if self._redrawn(name).what == "processes":
                    first = self._cohorts[0].get(name)
                    self._failed[name] += 1
                    self._lose(name, f"a new process of it did not come up: {error}")
                if not first:
                    out[name] = str(error)
                    continue
                processes[name], running = 0, first
            chosen.append(running)
        opened: dict[str, int] = {}
        if chosen:
            session.connect(chosen)
            opened = session.connections_open
        record = Draw(
            boot=session.boot,
            draw=number,
            processes={name: processes[name] for name in opened},
            connections_open=opened,
            out=out,
        )
        session.context.store.append(record)
        return chosen

    def remember(self) -> None:
        """Keep for later runs how long processes were loaded before a draw."""
        for name, loaded_ms in self._loaded_ms.items():
            self._session.keep(name, warming_ms=median(loaded_ms))

    def end(self, meter: Meter, took_part: list[str]) -> None:
        """Finish a draw, and record the contenders whose process died in it."""
        for name in took_part:
            if name in meter.died:
                self._forget(name)
                self._lose(name, meter.died[name])
            else:
                self._in_a_row[name] = 0

    def _redrawn(self, name: str) -> Redrawn:
        return self._rule.redrawn[name]

    def _drawn(self, name: str, number: int) -> tuple[int, Running]:
        """The process that takes part in a draw, and its number. Raises `ContenderOut`."""
        session, plan = self._session, self._session.plan
        redrawn = self._redrawn(name)
        if redrawn.what == "processes":
            alone = self._failed[name] >= FAILED_MAX
            if name in self._cohorts[0] and (
                alone or has_first_process(plan, session.boot, number)
            ):
                return 0, self._cohorts[0][name]
            self._fresh[name] = session.instances.start(plan.entry(name))
            return number + 1, self._fresh[name]
        place = cohort(plan, session.boot, number, redrawn.instances)
        if name not in self._cohorts[place]:
            raise ContenderOut("its process of this draw is lost")
        return place, self._cohorts[place][name]

    def _forget(self, name: str) -> None:
        for each in self._session.running:
            if each.entry.name == name:
                self._session.instances.stop(each)
                self._fresh.pop(name, None)
                for others in self._cohorts:
                    if others.get(name) is each:
                        del others[name]

    def _lose(self, name: str, how: str) -> None:
        self._in_a_row[name] += 1
        lost = self._lost.setdefault(name, [])
        if not lost:
            self._session.context.watch.note(f"{name} lost a process: {how}")
        lost.append(how)
        if self._redrawn(name).what == "processes":
            lost = lost[-self._in_a_row[name] :]
            last = len(lost) >= LOST_MAX
        else:
            last = not any(name in each for each in self._cohorts)
        if last:
            # The first of them explains more than those that followed.
            self.died[name] = lost[0]

    def _warm_up_cohort(self, cohort: Mapping[str, Running]) -> None:
        """As many slices each as its contender's first process needed, and more until it is warm.

        Raises `NotAsPlanned` in the first boot if a process stops answering.
        """
        session = self._session
        session.connect(list(cohort.values()))
        meter = Meter(session)
        measured: dict[str, list[Slice]] = {name: [] for name in cohort}
        while waiting := [
            (name, had)
            for name, had in measured.items()
            if name not in meter.died and not self._is_as_first(name, had)
        ]:
            for name, had in waiting:
                session.context.check_time(f"warming up another process of {name}")
                had.append(meter.warm_up(name))
                if session.boot == 0:
                    leave_out_held_up({name: had}, session, "another process was warmed up")
        for name, how in meter.died.items():
            self._forget(name)
            self._lose(name, how)

    def _is_as_first(self, name: str, had: Sequence[Slice]) -> bool:
        """Whether a further process has been loaded until it is as its contender's first one."""
        slices = max(1, slices_again(self._warmup, name))
        if len(had) < slices:
            return False
        return is_warm(self._warmup, had[-1]) or len(had) >= AGAIN_MAX * slices
