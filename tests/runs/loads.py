"""The load of a world in which no server runs."""

from functools import cache
from math import inf
from typing import TYPE_CHECKING

import numpy as np
from hdrh.histogram import HdrHistogram

from bakeoff.load import REQUEST_TIMEOUT_MS
from bakeoff.load.tools.output import result
from bakeoff.model.engine import Job, Ready, ReadyTarget, SliceCommand, SliceEvent
from bakeoff.model.load import LoadResult
from tests.judge.queues import queue_event
from tests.judge.races import event
from tests.load.tools.samples import load as spec_of
from tests.runs.mixed import Mix
from tests.runs.processes import name_of

if TYPE_CHECKING:
    from tests.runs.world import World


class FakeLoad:
    """An engine that answers at once, and moves the clock."""

    def __init__(self, world: "World", job: Job) -> None:
        self._world, self._job = world, job
        keys = {pid: key for pid, key in world.pids.items() if key in world.up}
        self._keys = [keys[int(each.address.rpartition(":")[2])] for each in job.targets]
        for key in self._keys:
            before = sum(key in each for each in world.jobs)
            if (before == 1 or (before and world.forgets_again)) and name_of(key) in world.forgets:
                world.loaded_s[key] = 0.0
        world.jobs.append(tuple(self._keys))
        self._mixes = [
            Mix.read(target.requests, world.costs.get(self._server(index), {}))
            if target.requests
            else None
            for index, target in enumerate(job.targets)
        ]
        names = [world.up[key].twin_of or world.up[key].name for key in self._keys]
        full = sum(world.queues.get(each, inf) < job.connections for each in names)
        world.overflows += full
        world.waited_ms += job.connect_timeout_ms if full else 0
        self.ready = Ready(
            type="ready",
            protocol=5,
            engine="volley fake",
            io="epoll",
            threads=job.threads,
            targets=tuple(
                ReadyTarget(
                    name=target.name,
                    open=job.connections,
                    error=None,
                    agreed=world.agreed.get(target.protocol),
                    requests=mix.names if mix else None,
                )
                for target, mix in zip(job.targets, self._mixes, strict=True)
            ),
        )

    def _server(self, target: int) -> str:
        entry = self._world.up[self._keys[target]]
        return entry.twin_of or entry.name

    def slice(self, command: SliceCommand) -> SliceEvent:
        """The slice, with its counts by request where the target has several."""
        mix = self._mixes[command.target]
        whole = self._slice(command, mix.cost if mix else 1.0)
        return mix.split(whole, _histogram) if mix else whole

    def _slice(self, command: SliceCommand, cost: float) -> SliceEvent:
        world = self._world
        world.slices += 1
        world.server_pids.add(command.server_pids)
        key = self._keys[command.target]
        world.connection, world.loading = self._job.connection, key
        world.on_slice(world, world.slices)
        original = self._server(command.target)
        rate = world.requests_per_s[original] / cost * world.chance.gauss(1, world.noise)
        warmth = world.warmth.get(key) or world.warmth.get(original, _warm)
        rate *= warmth(world.loaded_s[key])
        name, stalls_after_s = name_of(key), world.stalls.get(original)
        stalls = stalls_after_s is not None and stalls_after_s <= sum(
            s for each, s in world.loaded_s.items() if name_of(each) == name
        )
        world.loaded_s[key] += command.duration_ms / 1000
        dead = world.death(key) is not None
        broken = world.broken.get(original)
        stalls = stalls or broken == "timeout"
        if key in world.crowded:
            rate *= world.held_up.get(original, 1.0)
        if command.rate and not (dead or broken):
            return self._open(key, command, command.rate, rate)
        window_ns = command.duration_ms * 1_000_000
        requests = 0 if dead or stalls or broken else round(rate * window_ns / 1e9)
        start_ns = world.time_ns + command.ramp_ms * 1_000_000
        world.time_ns = start_ns + window_ns + 1_000_000
        if self._job.connections > world.places.get(original, self._job.connections):
            world.overflows += 1
            world.time_ns += 1_000_000_000
        if stalls:
            world.time_ns += REQUEST_TIMEOUT_MS * 1_000_000
        world.cpu_ns[key] = world.cpu_ns.get(key, 0) + window_ns + command.ramp_ms * 1_000_000
        requests_all = round(requests * (1 + command.ramp_ms / command.duration_ms))
        world.answered[key] = world.answered.get(key, 0) + requests_all
        mean_us = self._job.connections * self._job.pipeline / rate * 1e6
        if world.drains and not stalls:
            world.time_ns += round(mean_us * 1e3)
        world.time_ns += round(world.drains_s.get(original, 0.0) * 1e9)
        world.compile_after(key, original)
        missed = {"timeout": self._job.connections} if stalls else {}
        missed |= {"reset": 1} if dead else {}
        missed |= {broken: self._job.connections} if broken else {}
        return event(
            target=command.target,
            block=command.block,
            start_ns=start_ns,
            end_ns=start_ns + window_ns,
            drained_ns=world.time_ns,
            requests=requests,
            bytes=requests * 113,
            requests_all=requests_all,
            misses=sum(missed.values()),
            errors=missed,
            latency=_histogram(round(mean_us), requests),
            latency_count=requests,
            latency_mean_us=mean_us if requests else 0.0,
            in_flight_ns=round(requests * mean_us * 1e3),
            cpu_ns=round(window_ns * 0.6),
            busy=0.6,
        )

    def _open(self, key: str, command: SliceCommand, offered: float, speed: float) -> SliceEvent:
        """A queue before a server of that speed."""
        world = self._world
        rng = np.random.default_rng(world.slices)
        queued = queue_event(offered, speed, command.ramp_ms, command.duration_ms, rng)
        busy_ns = min(1.0, offered / speed) * (command.ramp_ms + command.duration_ms) * 1e6
        world.time_ns += (command.ramp_ms + command.duration_ms) * 1_000_000
        world.cpu_ns[key] = world.cpu_ns.get(key, 0) + round(busy_ns)
        world.answered[key] = world.answered.get(key, 0) + queued.requests_all
        return queued

    def begin(self, command: SliceCommand) -> None:
        """A load that is never read: it costs the server CPU time for a while."""
        self._world.cpu_ns[self._keys[command.target]] += 100_000_000

    def abort(self) -> None:
        pass

    def close(self) -> None:
        pass


def _warm(_loaded_s: float) -> float:
    return 1.0


def tool_result(requests_per_s: float) -> LoadResult:
    """What a tool prints after a second at that speed, as far as it says anything."""
    return result(
        "wrk",
        spec_of(),
        requests=round(requests_per_s),
        duration_s=1.0,
        requests_per_s=requests_per_s,
        bytes_per_s=100 * requests_per_s,
        latency_us=None,
        errors={},
    )


@cache
def _histogram(mean_us: int, requests: int) -> str:
    histogram = HdrHistogram(1, 60_000_000_000, 3)
    histogram.record_value(mean_us * 1000, requests)
    encoded: bytes = histogram.encode()
    return encoded.decode()
