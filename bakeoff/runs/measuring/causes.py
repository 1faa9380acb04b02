"""The look for causes: contenders at one rate, plainly and under profilers."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import nullcontext
from functools import partial
from itertools import chain
from math import inf
from pathlib import Path
from typing import Literal, NamedTuple

from bakeoff.model.errors import BadUsage, BakeoffError, NodeLost, NoVerdict
from bakeoff.model.finding import Finding
from bakeoff.model.readings import Usage
from bakeoff.model.samples import Slice, WhyBlock, WhyCounts, WhyEnd, WhyStacks
from bakeoff.model.why import LAYERS, Layer, Wait, WhyPlan
from bakeoff.plan import block_order, start_order
from bakeoff.report.sentences import sentence
from bakeoff.runs.measuring.contenders import NotAsPlanned
from bakeoff.runs.measuring.context import Context
from bakeoff.runs.measuring.instances import Running
from bakeoff.runs.measuring.meter import Meter
from bakeoff.runs.measuring.observation import Observation
from bakeoff.runs.measuring.session import Session
from bakeoff.runs.measuring.warmup import warm_up
from bakeoff.why import Profiler, ProfilerFailed, Sample, Sampling

RATE_SHARE = 0.6
"""The share of the lowest peak: all contenders hold it, even while they are profiled."""
BLOCKS, PEAK_BLOCKS = 16, 6
"""The numbers of plain blocks at one rate, and at each contender's own peak. As many are
sampled."""
EARLIER, PEAK, LATER = range(8), range(BLOCKS, BLOCKS + PEAK_BLOCKS), range(8, BLOCKS)
"""Half of the plain blocks come before the sampled ones and half after, so that a drift cancels."""
SLICE_MS, SLICE_MS_MAX, REQUESTS_MIN, RAMP_MS = 100, 500, 30, 25
"""Slices of slow servers last as long as this many requests take, up to a bound; at a peak as many
requests take less."""


class Turn(NamedTuple):
    """The start of a slice (CLOCK_MONOTONIC), its block, and its contender."""

    at_ns: int
    block: int
    name: str


class Causes:
    """One look for causes: from the start of the contenders to their end, in the log."""

    def __init__(self, plan: WhyPlan, context: Context) -> None:
        self._plan, self._known, self._context = plan.race, plan.known, context
        self._clock = context.stages.clock
        made = context.stages.servers.profiler
        self._profiler: Profiler | None = made() if made else None
        self._missing: dict[Layer, Finding] = {}
        self._seen = set[int]()
        self._steps = 0

    def measure(self) -> None:
        """All of it. An early end is in the record of its end, and not raised, except bad usage, an
        interrupt, and nodes that are lost."""
        began_ns = self._clock.now_ns()
        with ThreadPoolExecutor(1) as pool:
            # The profilers' permissions are tried while servers start and warm up.
            lacking = pool.submit(self._lacking)
            given_up = self._given_up(lacking)
        lasted_s = (self._clock.now_ns() - began_ns) / 1e9
        missing = {**lacking.result(), **self._missing}
        end = WhyEnd(lasted_s=lasted_s, missing=missing, given_up=given_up)
        self._context.store.append(end)

    def _given_up(self, lacking: "Future[Mapping[Layer, Finding]]") -> str:
        """Measure all; returns what ended it early."""
        try:
            self._measure(lacking)
        except NotAsPlanned as found:
            return "; ".join(f"{name}: {why}" for name, why in found.change.out.items())
        except (BadUsage, NodeLost):
            raise
        except BakeoffError as error:
            return str(error)
        return ""

    def _lacking(self) -> Mapping[Layer, Finding]:
        if self._profiler:
            return self._profiler.missing
        return dict.fromkeys(LAYERS, Finding.of("servers_elsewhere"))

    def _measure(self, lacking: "Future[Mapping[Layer, Finding]]") -> None:
        plan, context = self._plan, self._context
        if self._profiler:
            context.surroundings(plan).environment.update(self._profiler.environment)
        context.watch.step("looking for causes: starting and warming up")
        order = start_order(plan, 0)
        with Session(plan, 0, order, context, self._known, audits="unknown") as session:
            self._session = session
            if session.out:
                raise NoVerdict("; ".join(f"{name}: {why}" for name, why in session.out.items()))
            session.connect()
            self._meter = Meter(session)
            context.store.append(session.record())
            self._running = {each.entry.name: each for each in session.running}
            self._check_seen()
            warmup = warm_up(self._meter, session, (), {}, plan.duration_s)
            context.store.append(warmup)
            self._offer({name: rates[-1] for name, rates in warmup.requests_per_s.items()})
            refused = self._profiler.refused(self._pids()) if self._profiler else {}
            self._missing = {**lacking.result(), **refused}
            observation = Observation(session)
            try:
                with observation.blocks():
                    self._plainly(EARLIER)
                self._plainly(PEAK)
                if self._profiler:
                    self._look(self._profiler, observation)
                else:
                    with observation.blocks():
                        self._plainly(LATER)
                context.store.append(observation.end())
            finally:
                if self._profiler:
                    self._profiler.forget(self._seen)

    def _check_seen(self) -> None:
        unseen = {
            name: each.handle.unseen
            for name, each in self._running.items()
            if each.cpu.read() is None
        }
        if unseen:
            raise NoVerdict(
                "; ".join(
                    f"{name}: {sentence(why) if why else 'its processes are gone'}"
                    for name, why in unseen.items()
                )
            )

    def _offer(self, peaks: Mapping[str, float]) -> None:
        listeners = self._plan.workload.listeners
        self._rate = min(self._plan.rate or inf, RATE_SHARE * min(peaks.values()) / listeners)
        if self._rate <= 0:
            raise NoVerdict("a contender answered nothing at the end of its warm-up")
        self._slice_ms = min(
            SLICE_MS_MAX, max(SLICE_MS, round(1000 * REQUESTS_MIN / self._rate / listeners))
        )

    def _plainly(self, blocks: Iterable[int]) -> None:
        for block in blocks:
            self._block("plain", block)

    def _look(self, profiler: Profiler, observation: Observation) -> None:
        """The observations of profilers, and between them the remaining plain blocks. The output of
        perf is read while calls are counted: a busy machine does not change their number."""
        file = self._context.folder / "logs" / "why.perf"
        try:
            sampling, turns = self._sample(profiler, file)
            with observation.blocks():
                self._plainly(LATER)
            with ThreadPoolExecutor(1) as pool:
                reading = pool.submit(sampling.samples) if sampling else None
                self._count(profiler)
                if reading:
                    self._keep(reading.result(), turns)
        except ProfilerFailed as error:
            self._lacks(error, "stacks", "kernel")
        finally:
            for part in file.parent.glob(f"{file.stem}*{file.suffix}"):
                part.unlink()

    def _lacks(self, error: BakeoffError, *layers: Layer) -> None:
        self._missing |= dict.fromkeys(layers, Finding.of("profiler_fails", failure=str(error)))

    def _block(self, kind: Literal["plain", "sampled"], block: int) -> list[Turn]:
        slices: list[Slice] = []
        usages: dict[str, Usage] = {}
        waits: dict[str, dict[Wait, int]] = {}
        turns: list[Turn] = []
        watches = kind == "sampled" and "waits" not in self._missing
        profiler = self._profiler if watches else None
        with self._meter.others_frozen():
            for name in block_order(self._plan, 0, block, list(self._running)):
                self._context.check_time(f"looking for what {name} does")
                pids = self._of(self._running[name])
                usage = self._context.stages.meters.at(self._running[name].handle.address).usage
                before = usage(pids)
                with profiler.waiting(pids) if profiler else nullcontext() as waiting:
                    turns.append(Turn(self._clock.now_ns(), block, name))
                    slices.append(self._slice(name, block, self._rate if block < BLOCKS else None))
                usages[name] = usage(pids).since(before)
                if waiting:
                    waits[name] = waiting.times
        record = WhyBlock(kind=kind, block=block, slices=tuple(slices), usages=usages, waits=waits)
        self._context.store.append(record)
        self._steps += 1
        done, whole_s = self._steps / (2 * (BLOCKS + PEAK_BLOCKS)), self._plan.duration_s
        self._context.watch.measured(done * whole_s, whole_s, "looking for causes")
        return turns

    def _slice(self, name: str, block: int, rate: float | None) -> Slice:
        duration_ms = round(self._slice_ms * (1.0 if rate else RATE_SHARE))
        measured = self._meter.slice(
            name, block, ramp_ms=RAMP_MS, duration_ms=duration_ms, rate=rate
        )
        if how := self._meter.died.get(name):
            raise NoVerdict(f"{name} {how}")
        return measured

    def _sample(self, profiler: Profiler, file: Path) -> tuple[Sampling | None, list[Turn]]:
        """All blocks while stacks are sampled, or threads alone are observed, and their order."""
        if "stacks" not in self._missing:
            try:
                with profiler.sampling(self._pids(), file) as sampling:
                    return sampling, self._sampled()
            except ProfilerFailed as error:
                self._lacks(error, "stacks", "kernel")
        return None, self._sampled() if "waits" not in self._missing else []

    def _sampled(self) -> list[Turn]:
        return [
            turn for block in range(BLOCKS + PEAK_BLOCKS) for turn in self._block("sampled", block)
        ]

    def _keep(self, found: list[Sample], turns: list[Turn]) -> None:
        """The stacks of each in its own slices."""
        if not found:
            raise ProfilerFailed("perf saw no process at work")
        running = self._running.items()
        owners = {pid: name for name, each in running for pid in self._of(each)}
        for name in self._running:
            stacks = _stacks(name, found, turns, owners)
            for blocks in (range(BLOCKS), PEAK):
                rows = {
                    stack: tuple(counted[block] for block in blocks)
                    for stack, counted in stacks.items()
                    if not counted.keys().isdisjoint(blocks)
                }
                record = WhyStacks(
                    entry=name, blocks=tuple(blocks), at_peak=blocks == PEAK, stacks=rows
                )
                self._context.store.append(record)

    def _count(self, profiler: Profiler) -> None:
        """The system calls of each, and the counters of its cores, in slices of their own.

        Servers that end while they are traced have been observed in all other ways.
        """
        file = self._context.folder / "logs" / "why.counts"
        layers: tuple[Literal["calls", "counters"], ...] = ("calls", "counters")
        for layer in layers:
            if layer in self._missing:
                continue
            count = profiler.calls if layer == "calls" else profiler.counters
            rate = self._rate * (profiler.calls_share if layer == "calls" else 1.0)
            try:
                for name, each in self._running.items():
                    turn = partial(self._slice, name, 0, rate)
                    counts, measured = count(self._of(each), file, turn)
                    if requests := measured.event.requests_all:
                        self._context.store.append(
                            WhyCounts(layer=layer, entry=name, requests=requests, counts=counts)
                        )
            except (ProfilerFailed, NoVerdict) as error:
                self._lacks(error, layer)
            finally:
                file.unlink(missing_ok=True)

    def _of(self, running: Running) -> tuple[int, ...]:
        pids = self._session.instances.pids(running)
        self._seen |= {*pids}
        return pids

    def _pids(self) -> list[int]:
        return list(chain.from_iterable(map(self._of, self._running.values())))


def _stacks(
    name: str, found: list[Sample], turns: list[Turn], owners: Mapping[int, str]
) -> dict[str, Counter[int]]:
    """Stack → how often it was seen in each block, in the slices of the contender `name`.

    The work of other contenders meanwhile does not count as its own. An unknown process has come
    and gone, and belongs to the contender whose turn it was.
    """
    begins = [turn.at_ns for turn in turns]
    stacks: dict[str, Counter[int]] = {}
    for sample in found:
        place = bisect_right(begins, sample.at_ns) - 1
        if place >= 0 and turns[place].name == name == owners.get(sample.pid, name):
            stacks.setdefault(sample.stack, Counter())[turns[place].block] += 1
    return stacks
