"""Several load generators as one, each on a machine or on cores of its own.

The load is divided among them: connections evenly, and the rate of an open loop in equal parts.
Poisson arrivals of the parts have seeds of their own and uniform ones interleave, so that all
together are those of one generator. Slices begin at one moment, given ahead by each generator's own
clock. Each latency is of one clock; only starts are compared between clocks.
"""

import hashlib
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import partial
from queue import SimpleQueue
from typing import Protocol, TypeVar

from bakeoff.load.clocks import RemoteClock
from bakeoff.load.engine import GRACE_S, Engine, EngineFailed
from bakeoff.model.engine import Job, Ready, ReadyTarget, SliceCommand, SliceEvent, Target
from bakeoff.model.errors import BakeoffError
from bakeoff.model.loaders import LoaderSlice, SliceOfSeveral
from bakeoff.model.readings import CoreTime, stolen_share

LEAD_NS = 2_000_000
"""From a command to its start, beside two round trips: the time an engine needs to read it."""
LEAD_MAX_NS = 200_000_000
LATE_NS = 200_000
"""A generator that begins later than commanded needs more of a lead."""
MORE_S = 5.0
"""A generator ends overlong slices by itself; one that has not done so by then is lost."""

_T = TypeVar("_T")


class Worker:
    """A thread that does one thing after the other, called `name`."""

    def __init__(self, name: str) -> None:
        self._todo: SimpleQueue[Callable[[], None] | None] = SimpleQueue()

        def work() -> None:
            while what := self._todo.get():
                what()

        threading.Thread(target=work, name=name, daemon=True).start()

    def do(self, what: Callable[[], _T]) -> "Future[_T]":
        """Do it after everything that was requested before."""
        future: Future[_T] = Future()

        def run() -> None:
            try:
                future.set_result(what())
            except BaseException as error:
                future.set_exception(error)

        self._todo.put(run)
        return future

    def end(self) -> None:
        self._todo.put(None)


class Generator(Protocol):
    """A source of load: `Engine`, on whatever machine, or `Several`. `close` may be called
    again."""

    @property
    def ready(self) -> Ready: ...
    def slice(self, command: SliceCommand) -> SliceEvent: ...
    def begin(self, command: SliceCommand) -> None: ...
    def abort(self) -> None: ...
    def close(self) -> None: ...


@dataclass(frozen=True)
class Loader:
    """Where one generator runs.

    `connect` starts one there for a job, which will run on its `cpus` (none: those of the job);
    `ask` returns its CLOCK_MONOTONIC, ns; `cores` the use of its processors (None: it can't be
    known). They raise `BakeoffError` or OSError where it is lost.
    """

    name: str
    connect: Callable[[Job], Generator]
    ask: Callable[[], int]
    cpus: tuple[int, ...] = ()
    cores: Callable[[], Sequence[CoreTime]] | None = None


def local(name: str, cpus: tuple[int, ...] = ()) -> Loader:
    """One on this machine."""
    return Loader(name, Engine, time.monotonic_ns, cpus)


class Loaders:
    """All loaders of a run. A lost loader stays lost: the run goes on with the rest.

    `connect` stands where `Engine` does.
    """

    def __init__(self, loaders: Sequence[Loader]) -> None:
        self._loaders = {loader.name: loader for loader in loaders}
        assert len(self._loaders) == len(loaders), "names of loaders are unique"
        self.clocks: dict[str, RemoteClock] = {}
        self.lost: dict[str, str] = {}
        """Name → how it was lost."""
        self._unsaid: dict[str, str] = {}

    def connect(self, job: Job) -> "Several":
        """All remaining loaders, connected. If there are fewer connections than loaders, or fewer
        rooms, some rest.

        Raises `EngineFailed` where none remains, or all refuse the job.
        """
        while True:
            left = [each for each in self._loaders.values() if each.name not in self.lost]
            if not left:
                raise EngineFailed(f"no load generator is left: {_told(self.lost)}")
            try:
                # On several, each would hold all of the streams.
                holds = any(each.held for each in job.targets)
                most = 1 if holds else job.connections // _listeners(job)
                return Several(job, left[:most], self)
            except _SomeFailed as error:
                for name, how in error.failed.items():
                    self.lose(name, how)

    def lose(self, name: str, how: str) -> None:
        self.lost[name] = self._unsaid[name] = how

    def newly_lost(self) -> dict[str, str]:
        """The loaders that were lost since the last call."""
        unsaid, self._unsaid = self._unsaid, {}
        return unsaid


class _SomeFailed(BakeoffError):
    """Some generators could not connect, others could."""

    def __init__(self, failed: dict[str, str]) -> None:
        super().__init__(_told(failed))
        self.failed = failed


@dataclass
class _Share:
    """One loader's part: its place among all, its connections, and the thread that talks to it,
    since an engine ends with the thread that started it."""

    loader: Loader
    place: int
    of: int
    job: Job
    worker: Worker
    cores: Sequence[CoreTime] = ()
    generator: Generator = field(init=False)

    def connect(self, clocks: dict[str, RemoteClock]) -> Ready:
        """Start it, and compare clocks if that was not done yet."""
        name = self.loader.name
        if name not in clocks:
            clocks[name] = RemoteClock(self.loader.ask)
        self.cores = self._read_cores()
        self.generator = self.loader.connect(self.job)
        return self.generator.ready

    def command(self, command: SliceCommand) -> SliceCommand:
        share = {"seed": seed_of(command.seed, self.place), "phase": (self.place + 0.5) / self.of}
        rate = command.rate and command.rate / self.of
        return command.model_copy(update={**share, "rate": rate})

    def slice(self, command: SliceCommand, at_ns: int, clock: RemoteClock) -> LoaderSlice:
        """Load from `at_ns` of our clock on."""
        offset_ns, error_ns = clock.last.offset_ns, clock.error_ns()
        told = self.command(command).model_copy(update={"at_ns": clock.there_ns(at_ns)})
        event = self.generator.slice(told)
        before, self.cores = self.cores, self._read_cores()
        return LoaderSlice(
            loader=self.loader.name,
            connections=self.job.connections,
            threads=self.job.threads,
            offset_ns=offset_ns,
            clock_error_ns=error_ns,
            late_ns=max(0, event.start_ns - (told.at_ns or 0) - told.ramp_ms * 1_000_000),
            stolen=stolen_share(before, self.cores, frozenset(self.loader.cpus)),
            event=event,
        )

    def _read_cores(self) -> Sequence[CoreTime]:
        return self.loader.cores() if self.loader.cores else ()


class Several(AbstractContextManager["Several"]):
    """Generators that load together, in the role of `Engine`, over all `of` them.

    Slices are `SliceOfSeveral`, with each one's share. If some fail, the others' shares are the
    slice, which names the lost ones. Raises `EngineFailed` where none remains.
    """

    def __init__(self, job: Job, loaders: Sequence[Loader], of: Loaders) -> None:
        self._of = of
        self._request_timeout_s = job.request_timeout_ms / 1000
        self._late_ns = 0
        jobs = shared_out(job, loaders)
        self._shares = [
            _Share(loader, place, len(jobs), each, Worker(f"loader {loader.name}"))
            for place, (loader, each) in enumerate(zip(loaders, jobs, strict=True))
        ]
        connect_s = len(job.targets) * job.connect_timeout_ms / 1000
        try:
            ready, failed = self._ask(lambda share: share.connect(of.clocks), connect_s)
            if failed and ready:
                raise _SomeFailed(failed)
            if failed:
                raise EngineFailed(_told(failed))
            self.ready = all_ready(ready)
        except BaseException:
            self.close()
            raise

    def slice(self, command: SliceCommand) -> SliceOfSeveral:
        # Imported here, not above: a plan does not need numpy, which is slow to import.
        from bakeoff.load.merging import merged

        clocks = self._of.clocks
        jumped, failed = self._ask(lambda share: clocks[share.loader.name].look(), 0.0)
        self._drop(failed)
        at_ns = time.monotonic_ns() + self._lead_ns()
        timeouts_s = self._request_timeout_s * (1 if command.rate is None else 2)
        shares, failed = self._ask(
            lambda share: share.slice(command, at_ns, clocks[share.loader.name]),
            (command.ramp_ms + command.duration_ms) / 1000 + timeouts_s + LEAD_MAX_NS / 1e9,
        )
        self._drop(failed)
        if not shares:
            raise EngineFailed(_told(failed or self._of.lost))
        measured = tuple(
            share.model_copy(update={"clock_jumped": jumped[name]})
            for name, share in shares.items()
        )
        if max(share.late_ns for share in measured) > LATE_NS:
            self._late_ns = max(LEAD_NS, 2 * self._late_ns)
        return SliceOfSeveral.model_construct(
            **dict(merged(measured)), loaders=measured, lost=self._of.newly_lost()
        )

    def begin(self, command: SliceCommand) -> None:
        _, failed = self._ask(lambda share: share.generator.begin(share.command(command)), 0.0)
        self._drop(failed)

    def abort(self) -> None:
        for share in self._shares:
            # Not by its thread, which may be waiting for it.
            if hasattr(share, "generator"):
                share.generator.abort()
            share.worker.end()
        self._shares = []

    def close(self) -> None:
        self._ask(_end, 0.0)
        for share in self._shares:
            share.worker.end()
        self._shares = []

    def __exit__(self, *_: object) -> None:
        self.close()

    def _lead_ns(self) -> int:
        trips_ns = [self._of.clocks[share.loader.name].last.round_trip_ns for share in self._shares]
        return min(LEAD_MAX_NS, LEAD_NS + 2 * max(trips_ns, default=0) + self._late_ns)

    def _drop(self, failed: dict[str, str]) -> None:
        """Go on without the failed ones."""
        for share in [each for each in self._shares if each.loader.name in failed]:
            self._shares.remove(share)
            self._of.lose(share.loader.name, failed[share.loader.name])
            share.worker.do(partial(_end, share))
            share.worker.end()

    def _ask(
        self, do: Callable[[_Share], _T], lasts_s: float
    ) -> tuple[dict[str, _T], dict[str, str]]:
        """The result of each, at the same time, and the failures, by name."""
        asked = {each.loader.name: each.worker.do(partial(do, each)) for each in self._shares}
        try:
            wait(asked.values(), timeout=lasts_s + GRACE_S + MORE_S)
        except BaseException:
            self.abort()
            raise
        done: dict[str, _T] = {}
        failed: dict[str, str] = {}
        for name, future in asked.items():
            if not future.done():
                failed[name] = f"it sent nothing for {lasts_s + GRACE_S + MORE_S:.0f} s"
                continue
            try:
                done[name] = future.result()
            except (BakeoffError, OSError) as error:
                failed[name] = str(error)
        return done, failed


def _end(share: _Share) -> None:
    if hasattr(share, "generator"):
        share.generator.close()


def shared_out(job: Job, loaders: Sequence[Loader]) -> list[Job]:
    """Each loader's part of a job, which has at least as many connections, or rooms, as there are
    loaders. Each has whole rooms, of other numbers than the others'."""
    size = _listeners(job)
    whole, more = divmod(job.connections // size, len(loaders))
    jobs, first_room = [], 0
    for place, loader in enumerate(loaders):
        units = whole + (place < more)
        cpus = loader.cpus or job.cpus
        threads = max(1, min(len(cpus) if loader.cpus else job.threads, units))
        share = {"connections": units * size, "cpus": cpus, "threads": threads}
        targets = tuple(_part(target, place, first_room) for target in job.targets)
        jobs.append(job.model_copy(update={**share, "targets": targets}))
        first_room += units
    return jobs


def _listeners(job: Job) -> int:
    """How many connections can't be divided among loaders: a room's, or one."""
    rooms = (target.websocket.room for target in job.targets if target.websocket)
    return max((room for room in rooms if room), default=1)


def _part(target: Target, place: int, first_room: int) -> Target:
    """What one loader is told of a target."""
    if target.requests:
        # Loaders with equal seeds would all request the same row at the same moment.
        seed = seed_of(target.requests.seed, place)
        return target.model_copy(
            update={"requests": target.requests.model_copy(update={"seed": seed})}
        )
    if target.websocket and target.websocket.room and first_room:
        # To the server, rooms of the same number would be one.
        message = target.websocket.model_copy(update={"first_room": first_room})
        return target.model_copy(update={"websocket": message})
    return target


def seed_of(seed: int, place: int) -> int:
    """The seed of one of several generators; the first one's is that of a single generator."""
    if not place:
        return seed
    return int.from_bytes(hashlib.sha256(f"{seed} {place}".encode()).digest()[:8], "big")


def all_ready(ready: dict[str, Ready]) -> Ready:
    """All open connections together. Raises `EngineFailed` where their engines differ."""
    each = list(ready.values())
    versions = {one.engine for one in each}
    if len(versions) > 1:
        named = ", ".join(f"{one.engine} on {name}" for name, one in ready.items())
        raise EngineFailed(f"load generators have unlike engines: {named}; install one everywhere")
    targets = []
    for parts in zip(*(one.targets for one in each), strict=True):
        first = parts[0]
        errors = (part.error for part in parts if part.error)
        agreed = (part.agreed for part in parts if part.agreed)
        targets.append(
            ReadyTarget(
                name=first.name,
                open=sum(part.open for part in parts),
                error=next(errors, None),
                agreed=next(agreed, None),
                requests=first.requests,
            )
        )
    return Ready(
        type="ready",
        protocol=each[0].protocol,
        engine=each[0].engine,
        io="epoll" if any(one.io == "epoll" for one in each) else "uring",
        threads=sum(one.threads for one in each),
        targets=tuple(targets),
    )


def _told(failed: dict[str, str]) -> str:
    return "; ".join(f"{name}: {how}" for name, how in failed.items())
