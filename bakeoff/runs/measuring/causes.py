"""The look for causes: contenders at one rate, plainly and while profilers see what they do."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping
from functools import partial
from itertools import chain
from math import inf
from typing import Literal

from bakeoff.model.errors import BadUsage, BakeoffError, NodeLost, NoVerdict
from bakeoff.model.finding import Finding
from bakeoff.model.plan import Plan
from bakeoff.model.samples import Slice, WhyBlock, WhyCalls, WhyEnd, WhyStacks
from bakeoff.model.why import Layer
from bakeoff.plan import block_order, start_order
from bakeoff.runs.measuring.contenders import NotAsPlanned
from bakeoff.runs.measuring.context import Context
from bakeoff.runs.measuring.instances import Running
from bakeoff.runs.measuring.meter import Meter
from bakeoff.runs.measuring.observation import Observation
from bakeoff.runs.measuring.session import Session
from bakeoff.runs.measuring.warmup import warm_up
from bakeoff.why import Profiler, ProfilerFailed, Sample

RATE_SHARE = 0.6
"""Of the lowest peak: all contenders hold it, and who is profiled holds it too."""
ROUNDS, BLOCKS = 2, 8
"""Plain and sampled blocks alternate so many times, so many each."""
SLICE_MS, SLICE_MS_MAX, REQUESTS_MIN, RAMP_MS = 100, 500, 30, 25
"""Slices of slow servers last as long as so many requests take, up to a bound."""


class Causes:
    """One look for causes: from the start of the contenders to their end, in the log."""

    def __init__(self, plan: Plan, context: Context) -> None:
        self._plan, self._context = plan, context
        self._clock = context.stages.clock
        made = context.stages.servers.profiler
        self._profiler: Profiler | None = made() if made else None
        elsewhere = dict[Layer, Finding].fromkeys(
            ("stacks", "kernel", "calls"), Finding.of("servers_elsewhere")
        )
        self._missing = dict(self._profiler.missing) if self._profiler else elsewhere
        self._steps = 0

    def measure(self) -> None:
        """All of it. What ends it early is in the record of its end, not raised, but for bad usage,
        an interrupt, and nodes that are lost."""
        began_ns, given_up = self._clock.now_ns(), ""
        try:
            self._measure()
        except NotAsPlanned as found:
            given_up = "; ".join(f"{name}: {why}" for name, why in found.change.out.items())
        except (BadUsage, NodeLost):
            raise
        except BakeoffError as error:
            given_up = str(error)
        lasted_s = (self._clock.now_ns() - began_ns) / 1e9
        end = WhyEnd(lasted_s=lasted_s, missing=self._missing, given_up=given_up)
        self._context.store.append(end)

    def _measure(self) -> None:
        plan, context = self._plan, self._context
        if self._profiler:
            context.surroundings(plan).environment.update(self._profiler.environment)
        context.watch.step("looking for causes: starting and warming up")
        with Session(plan, 0, start_order(plan, 0), context) as session:
            self._session = session
            if session.out:
                raise NoVerdict("; ".join(f"{name}: {why}" for name, why in session.out.items()))
            session.audit()
            session.connect()
            self._meter = Meter(session)
            context.store.append(session.record())
            self._running = {each.entry.name: each for each in session.running}
            self._check_seen()
            warmup = warm_up(self._meter, session, (), {}, plan.duration_s)
            context.store.append(warmup)
            self._offer({name: rates[-1] for name, rates in warmup.requests_per_s.items()})
            observation = Observation(session)
            try:
                self._blocks(observation)
                self._count()
                context.store.append(observation.end())
            finally:
                if self._profiler:
                    self._profiler.forget(self._pids())

    def _check_seen(self) -> None:
        unseen = [name for name, each in self._running.items() if each.cpu.read() is None]
        if unseen:
            raise NoVerdict(f"the processes of {', '.join(unseen)} can't be seen; name one: --pid")

    def _offer(self, peaks: Mapping[str, float]) -> None:
        self._rate = min(self._plan.rate or inf, RATE_SHARE * min(peaks.values()))
        if self._rate <= 0:
            raise NoVerdict("a contender answered nothing at the end of its warm-up")
        self._slice_ms = min(SLICE_MS_MAX, max(SLICE_MS, round(1000 * REQUESTS_MIN / self._rate)))

    def _blocks(self, observation: Observation) -> None:
        for number in range(ROUNDS):
            blocks = range(number * BLOCKS, (number + 1) * BLOCKS)
            with observation.blocks():
                for block in blocks:
                    self._block("plain", block)
            if self._profiler and "stacks" not in self._missing:
                try:
                    self._sample(self._profiler, blocks)
                except ProfilerFailed as error:
                    self._missing["stacks"] = self._missing["kernel"] = Finding.of(
                        "profiler_fails", failure=str(error)
                    )

    def _block(self, kind: Literal["plain", "sampled"], block: int) -> list[tuple[int, str]]:
        """A slice of each: when each began, and whose it is."""
        slices: list[Slice] = []
        usages = {}
        turns: list[tuple[int, str]] = []
        with self._meter.others_frozen():
            for name in block_order(self._plan, 0, block, list(self._running)):
                self._context.check_time(f"looking for what {name} does")
                pids = self._session.instances.pids(self._running[name])
                usage = self._context.stages.meters.at(self._running[name].handle.address).usage
                before = usage(pids)
                turns.append((self._clock.now_ns(), name))
                slices.append(self._slice(name, block, self._rate))
                usages[name] = usage(pids).since(before)
        record = WhyBlock(kind=kind, block=block, slices=tuple(slices), usages=usages)
        self._context.store.append(record)
        self._steps += 1
        done, whole_s = self._steps / (2 * ROUNDS * BLOCKS), self._plan.duration_s
        self._context.watch.measured(done * whole_s, whole_s, "looking for causes")
        return turns

    def _slice(self, name: str, block: int, rate: float) -> Slice:
        measured = self._meter.slice(
            name, block, ramp_ms=RAMP_MS, duration_ms=self._slice_ms, rate=rate
        )
        if how := self._meter.died.get(name):
            raise NoVerdict(f"{name} {how}")
        return measured

    def _sample(self, profiler: Profiler, blocks: range) -> None:
        """Blocks while all are sampled, and the stacks of each in its own slices."""
        file = self._context.folder / "logs" / "why.perf"
        try:
            turns: list[tuple[int, int, str]] = []
            with profiler.sampling(self._pids(), file) as sampling:
                for block in blocks:
                    turns += [(at, block, name) for at, name in self._block("sampled", block)]
                running = self._running.items()
                owners = {pid: name for name, each in running for pid in self._of(each)}
            found = sampling.samples()
        finally:
            file.unlink(missing_ok=True)
        if not found:
            raise ProfilerFailed("perf saw nobody at work")
        for name in self._running:
            stacks = _stacks(name, found, sorted(turns), owners)
            rows = {
                stack: tuple(counted[block] for block in blocks)
                for stack, counted in stacks.items()
            }
            self._context.store.append(WhyStacks(entry=name, blocks=tuple(blocks), stacks=rows))

    def _count(self) -> None:
        """The system calls of each, during a slice of its own."""
        profiler, file = self._profiler, self._context.folder / "logs" / "why.calls"
        if not profiler or "calls" in self._missing:
            return
        try:
            for number, (name, each) in enumerate(self._running.items()):
                rate = self._rate * profiler.calls_share
                turn = partial(self._slice, name, number, rate)
                calls, measured = profiler.calls(self._of(each), file, turn)
                if requests := measured.event.requests_all:
                    record = WhyCalls(entry=name, requests=requests, calls=calls)
                    self._context.store.append(record)
        except ProfilerFailed as error:
            self._missing["calls"] = Finding.of("profiler_fails", failure=str(error))
        finally:
            file.unlink(missing_ok=True)

    def _of(self, running: Running) -> tuple[int, ...]:
        return self._session.instances.pids(running)

    def _pids(self) -> list[int]:
        return list(chain.from_iterable(map(self._of, self._running.values())))


def _stacks(
    name: str,
    found: list[Sample],
    turns: list[tuple[int, int, str]],
    owners: Mapping[int, str],
) -> dict[str, Counter[int]]:
    """Stack → how often it was seen in each block, in the slices of the contender `name`.

    What another contender does meanwhile is not its own; a process that nobody knows has come and
    gone, and belongs to whose turn it was.
    """
    begins = [at for at, _, _ in turns]
    stacks: dict[str, Counter[int]] = {}
    for sample in found:
        place = bisect_right(begins, sample.at_ns) - 1
        if place < 0:
            continue
        _, block, whose = turns[place]
        if whose == name == owners.get(sample.pid, name):
            stacks.setdefault(sample.stack, Counter())[block] += 1
    return stacks
