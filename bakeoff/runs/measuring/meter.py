"""One slice after another, each with its cost to its server."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Literal, NamedTuple

from bakeoff.load import Generator
from bakeoff.measure import CpuReader
from bakeoff.model.cut import WARM_UP_SLICE_MS
from bakeoff.model.engine import SliceCommand
from bakeoff.model.errors import NoVerdict
from bakeoff.model.loaders import SliceOfSeveral
from bakeoff.model.readings import CpuTime
from bakeoff.model.samples import Block, Slice
from bakeoff.plan import arrival_seed
from bakeoff.runs.measuring.session import Session
from bakeoff.runs.stages import Stages
from bakeoff.start import Freezer

REST_MS, REST_SHARE = 20, 0.25
"""A contender that used less than this share of a core for this long is at rest."""
REST_MS_MAX = 240
"""About as long as the slice before: a contender that is never at rest (it polls) does not delay a
race."""

BROKEN = ("connect_refused", "reset", "early_close", "write", "goaway")
"""Kinds of errors that such a process leaves, on at least half of its connections."""


def block_of(
    slices: Sequence[Slice],
    boot: int,
    number: int,
    kind: Literal["short", "long"],
    stages: Stages,
    draw: int = 0,
) -> Block:
    """Block `number` of a boot, whose `slices` have just ended, with the cores' time until now."""
    return Block(
        boot=boot,
        draw=draw,
        block=number,
        kind=kind,
        slices=tuple(slices),
        at_ns=stages.clock.now_ns(),
        cores=stages.meters.cores(),
    )


def _beside(session: Session) -> list[CpuReader]:
    """Readers of the CPU time of all that the race runs on the generator's cores."""
    plan, context, beside = session.plan, session.context, []
    around, forwarder = context.surroundings(plan), context.forwarder(plan)
    if around.cpu and {*plan.upstream_cpus} & {*plan.cores.client}:
        beside.append(around.cpu)
    if forwarder and {*plan.path_cpus} & {*plan.cores.client}:
        beside.append(context.stages.meters.cpu(forwarder.cpu))
    if plan.cores.shared:
        beside += [each.cpu for each in session.running]
    return beside


class _Reading(NamedTuple):
    """At one moment: the CPU time that a slice's contender has had, and the time of the servers'
    cores that others than contenders had. The latter is not seen on cores that the generator
    shares."""

    cpu: CpuTime | None
    others_ns: int | None
    at_ns: int


class Meter:
    """Loads the contenders of a session slice by slice, and reads their CPU time at each border.

    It is valid for as long as the connections of the session or of another engine.
    """

    def __init__(self, session: Session, load: Generator | None = None) -> None:
        self._session = session
        self.load = load or session.load
        """The engine; by default the session's."""
        self._running = list(session.running)
        self._clock = session.context.stages.clock
        self._targets = {each.entry.name: index for index, each in enumerate(self._running)}
        self._last: dict[str, tuple[CpuTime, int]] = {}
        self.died: dict[str, str] = {}
        self.doing = ""
        """The purpose of the load, for messages about a death in it: `while it was warmed up`."""
        self._freezers: dict[str, Freezer] = {}
        self._beside = _beside(session)

    @contextmanager
    def others_frozen(self) -> Iterator[None]:
        """Within it, contenders that have worked in others' turns are stopped outside of their own.

        Their remaining work (compiling, collecting) is then counted as their own.
        """
        freezer = self._session.context.stages.servers.freezer
        for each in self._running:
            if freezer and each.entry.name in self._session.leaks.held:
                held = freezer(self._session.instances.pids(each))
                self._freezers[each.entry.name] = held
        try:
            for held in self._freezers.values():
                held.freeze()
            yield
        finally:
            for held in self._freezers.values():
                held.close()
            self._freezers.clear()

    def slice(
        self, name: str, block: int, *, ramp_ms: int, duration_ms: int, rate: float | None = None
    ) -> Slice:
        """One turn of the contender `name`. A server that died is in `died` afterwards.

        With a `rate`, requests per second, the loop is open. The arrivals of a block have one seed
        for all contenders. Raises `NoVerdict` where the upstream has died.
        """
        target = self._targets[name]
        running = self._running[target]
        plan, meters = self._session.plan, self._session.context.stages.meters
        command = SliceCommand(
            target=target,
            block=block,
            ramp_ms=ramp_ms,
            duration_ms=duration_ms,
            rate=rate,
            arrivals=plan.arrivals,
            seed=arrival_seed(plan, self._session.boot, block),
            server_pids=() if plan.cores.apart else meters.counted_pids(running.handle.cpu),
        )
        around = self._session.context.surroundings(plan)
        upstream_before = around.upstream_cpu()
        freezer = self._freezers.get(name)
        beside_before_ns = self._beside_ns()
        began = self._read(target)
        if freezer:
            freezer.thaw()
        event = self.load.slice(command)
        ended = self._read(target)
        beside_ns = self._beside_ns() - beside_before_ns
        if freezer:
            freezer.freeze()
        self._session.instances.count(running, event)
        upstream = around.upstream_cpu()
        before, after = began.cpu, ended.cpu
        last = self._last.get(name)
        leak_ns = before.since(last[0]).total_ns if before and last else None
        leak_wall_ns = began.at_ns - last[1] if before and last else None
        ours = self._session.context.stages.servers.freezer and not running.entry.attached
        if ours and leak_ns is not None and leak_wall_ns is not None:
            self._session.leaks.add(name, leak_ns, leak_wall_ns)
        if after:
            self._last[name] = (after, ended.at_ns)
        if event.errors or not event.requests:
            broken = sum(event.errors.get(kind, 0) for kind in BROKEN)
            dying = 2 * broken >= plan.connections or not event.requests
            if death := self._session.instances.death(running, self.doing, dying=dying):
                self.died[name] = death
            if around.key and (how := self._session.context.keeper.death(around.key)):
                raise NoVerdict(f"the upstream that contenders request ended: {how}")
        several = event if isinstance(event, SliceOfSeveral) else None
        return Slice(
            entry=name,
            event=several.whole if several else event,
            server_cpu=after.since(before) if after and before else None,
            leak_ns=leak_ns,
            leak_wall_ns=leak_wall_ns,
            upstream_cpu=upstream.since(upstream_before) if upstream and upstream_before else None,
            rate=rate,
            others_share=self._others_share(began, ended),
            beside_ns=max(0, beside_ns),
            loaders=several.loaders if several else (),
            lost=several.lost if several else {},
        )

    def warm_up(self, name: str) -> Slice:
        """A slice of a warm-up, and until its processes are at rest.

        The remaining work of a just-in-time compiler after a slice costs others: with twelve JVMs
        on a core, each further one had half of the core in its slices.
        """
        measured = self.slice(name, 0, ramp_ms=0, duration_ms=WARM_UP_SLICE_MS)
        running = self._running[self._targets[name]]
        before = running.cpu.read()
        for _ in range(REST_MS_MAX // REST_MS):
            self._clock.wait(REST_MS / 1000)
            now = running.cpu.read()
            if not (now and before) or now.since(before).total_ns < REST_SHARE * REST_MS * 1e6:
                break
            before = now
        return measured

    def _beside_ns(self) -> int:
        return sum(time.total_ns for each in self._beside if (time := each.read()))

    def _read(self, target: int) -> _Reading:
        own, now_ns = self._running[target].cpu.read(), self._clock.now_ns()
        cores, meters = self._session.plan.cores, self._session.context.stages.meters
        used_ns = None if cores.apart or cores.shared else meters.used_ns(cores.server)
        if own is None or used_ns is None:
            return _Reading(own, None, now_ns)
        times = [each.cpu.read() for at, each in enumerate(self._running) if at != target]
        known = [each.total_ns for each in (own, *times) if each]
        others_ns = used_ns - sum(known) if len(known) == len(self._running) else None
        return _Reading(own, others_ns, now_ns)

    def _others_share(self, began: _Reading, ended: _Reading) -> float | None:
        lasted_ns = ended.at_ns - began.at_ns
        if began.others_ns is None or ended.others_ns is None or not lasted_ns:
            return None
        used_ns = ended.others_ns - began.others_ns
        return max(0.0, used_ns / lasted_ns / len(self._session.plan.cores.server))
