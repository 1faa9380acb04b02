"""One contender's turn in one phase of a day: its load, and the readings during it."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from statistics import median
from typing import Any, Literal

from bakeoff.load import Generator, job
from bakeoff.model.day import LOADS, DayPlan, Phase
from bakeoff.model.engine import SliceCommand
from bakeoff.model.plan import Plan
from bakeoff.model.request import RequestSection
from bakeoff.model.samples import Slice
from bakeoff.plan import arrival_seed
from bakeoff.runs.measuring.context import Context
from bakeoff.runs.measuring.instances import Instances, Running
from bakeoff.verify import opening, rendered

FIRST_REQUESTS = 1000
FIRST_S_MAX = 10.0
FIRST_SLICE_MS = 10
FIRST_SLICE_MS_MAX = 250
PEAK_SLICES = 4
PRIME_MS = 50
"""A closed loop before an open one: in some servers a new connection without requests holds a
thread."""
PATIENCE_MS = 1000
"""How long a user waits, in the phases of load. Requests that are still due then are never sent."""
STORM_PATIENCE_MS = 5000
"""Long enough for a SYN that is repeated after 1 and 3 s."""
STORM_MS = 100
EQUAL_SHARE = 0.5
"""The share of the lowest peak."""
USUAL: Phase = "load_70"
RECOVERY_SLICE_MS = 50
RECOVERY_S_MAX = 3.0
CROWD_COMES: Phase = "load_300"
LONG_MS = 60_000
"""The length of a load that is ended from outside."""


@dataclass(frozen=True)
class Turn:
    """The tools of a turn. `peak` and `equal` are rates per second; 0 where they don't count."""

    plan: DayPlan
    race: Plan
    round: int
    context: Context
    instances: Instances
    running: Running
    peak: float = 0.0
    equal: float = 0.0

    @property
    def name(self) -> str:
        return self.running.entry.name

    @contextmanager
    def load(
        self,
        connections: int,
        connection: Literal["keep-alive", "close"] | None = None,
        patience_ms: int = PATIENCE_MS,
    ) -> Iterator[Generator]:
        """An engine with new connections to this contender alone, for a `with`."""
        kept = connection or self.race.connection
        plan = self.race.model_copy(update={"connections": connections, "connection": kept})
        if kept == "close":
            plan = plan.model_copy(update={"pipeline": 1, "streams": 1})
        asked = job(plan, [(self.running.handle, self.running.verification)], self.context.folder)
        bounds = {"request_timeout_ms": patience_ms, "connect_timeout_ms": max(2000, patience_ms)}
        engine = self.context.stages.loads.connect(asked.model_copy(update=bounds))
        try:
            yield engine
        finally:
            engine.close()

    def command(
        self, ms: float, rate: float | None = None, *, ramp_ms: float = 0, number: int = 0
    ) -> SliceCommand:
        """A slice; the arrivals of a round have one seed for all contenders."""
        return SliceCommand(
            target=0,
            block=number,
            ramp_ms=round(ramp_ms),
            duration_ms=max(1, round(ms)),
            rate=rate,
            arrivals=self.race.arrivals,
            seed=arrival_seed(self.race, self.round, number),
        )

    def slice(
        self,
        engine: Generator,
        ms: float,
        rate: float | None = None,
        *,
        ramp_ms: float = 0,
        number: int = 0,
    ) -> Slice:
        """One slice, and its cost to the server and its upstream."""
        around = self.context.surroundings(self.race)
        upstream_before, before = around.upstream_cpu(), self.running.cpu.read()
        event = engine.slice(self.command(ms, rate, ramp_ms=ramp_ms, number=number))
        self.instances.count(self.running, event)
        after, upstream = self.running.cpu.read(), around.upstream_cpu()
        return Slice(
            entry=self.name,
            event=event,
            server_cpu=after.since(before) if after and before else None,
            leak_ns=None,
            leak_wall_ns=None,
            upstream_cpu=upstream.since(upstream_before) if upstream and upstream_before else None,
            rate=rate,
        )

    def offered(self, engine: Generator, rate: float) -> Slice:
        """A window at a rate, once all connections have been used."""
        engine.slice(self.command(PRIME_MS))
        return self.loaded(engine, rate)

    def loaded(self, engine: Generator, rate: float) -> Slice:
        window_ms = self.plan.window_ms
        return self.slice(engine, window_ms, rate, ramp_ms=window_ms / 4)


def first(turn: Turn) -> dict[str, Any]:
    """Slices until the first thousand requests are answered, or 10 s have passed."""
    slices: list[Slice] = []
    done, spent_s, ms = 0, 0.0, float(FIRST_SLICE_MS)
    with turn.load(turn.race.connections) as engine:
        while done < FIRST_REQUESTS and spent_s < FIRST_S_MAX:
            slices.append(turn.slice(engine, ms, number=len(slices)))
            event = slices[-1].event
            done += event.requests_all
            spent_s += (event.drained_ns - event.start_ns) / 1e9
            left_ms = 1000 * spent_s * (FIRST_REQUESTS / done - 1) if done else 2 * ms
            ms = min(max(left_ms, FIRST_SLICE_MS), FIRST_SLICE_MS_MAX)
    return {"slices": tuple(slices)}


def peak(turn: Turn) -> dict[str, Any]:
    """A closed loop: a warm-up of two windows, which doesn't count, and two more in slices."""
    ms = 2 * turn.plan.window_ms / PEAK_SLICES
    with turn.load(turn.race.connections) as engine:
        engine.slice(turn.command(2 * turn.plan.window_ms))
        slices = [turn.slice(engine, ms, number=number) for number in range(PEAK_SLICES)]
        return {"slices": tuple(slices), "opened": _opened(engine)}


def peak_of(slices: tuple[Slice, ...]) -> float:
    """Requests per second of a contender's closed loop; 0: it had no answer."""
    return median(each.event.requests_per_s for each in slices) if slices else 0.0


def at(share: float) -> Callable[[Turn], dict[str, Any]]:
    """An open loop at a share of the contender's own peak; beyond it, from a crowd."""

    def offered(turn: Turn) -> dict[str, Any]:
        meters = turn.context.stages.meters
        before = meters.tcp()
        with turn.load(turn.plan.crowd if share > 1 else turn.race.connections) as engine:
            slice_, after = turn.offered(engine, share * turn.peak), meters.tcp()
            return {
                "slices": (slice_,),
                "opened": _opened(engine),
                "memory": turn.instances.memory(turn.running),
                "tcp": after.since(before) if before and after else None,
            }

    return offered


def equal(turn: Turn) -> dict[str, Any]:
    """An open loop at one rate for all, and the processors' energy."""
    with turn.load(turn.race.connections) as engine:
        engine.slice(turn.command(PRIME_MS))
        with turn.context.spent() as spent:
            loaded = turn.slice(engine, 2 * turn.plan.window_ms, turn.equal)
        return {"slices": (loaded,), "memory": turn.instances.memory(turn.running), **spent}


def recovery(turn: Turn) -> dict[str, Any]:
    """The usual load, then a crowd for a window, which leaves at once, then the usual load until
    the server is well.

    The crowd's connections close as it leaves, with unanswered requests.
    """
    from bakeoff.judge import recovered_after_ms

    clock, rate = turn.context.stages.clock, LOADS[USUAL] * turn.peak
    with turn.load(turn.race.connections) as engine:
        slices = [turn.offered(engine, rate)]
        with turn.load(turn.plan.crowd) as crowd:
            crowd.slice(turn.command(PRIME_MS))
            crowd.begin(turn.command(LONG_MS, LOADS[CROWD_COMES] * turn.peak))
            clock.wait(turn.plan.window_ms / 1000)
            since_ns = clock.now_ns()
            crowd.abort()
        while recovered_after_ms(slices, since_ns) is None:
            slices.append(turn.slice(engine, RECOVERY_SLICE_MS, rate, number=len(slices)))
            if clock.now_ns() - since_ns > RECOVERY_S_MAX * 1e9:
                break
    return {"slices": tuple(slices), "since_ns": since_ns}


def storm(turn: Turn) -> dict[str, Any]:
    newcomers, count = _newcomers(turn), turn.plan.storm
    with newcomers.load(count, "close", STORM_PATIENCE_MS) as engine:
        return {"slices": (newcomers.slice(engine, STORM_MS, 1000 * count / STORM_MS),)}


def _newcomers(turn: Turn) -> Turn:
    """The same with the first request of a new connection: the first of a chain alone."""
    workload = turn.race.workload
    if not workload.once:
        return turn
    asked = workload.once[0].model_dump(by_alias=True, exclude={"take"})
    alone = workload.model_copy(
        update={"once": (), "requests": (), "request": RequestSection.model_validate(asked)}
    )
    entries = (each.model_copy(update={"path": asked["path"]}) for each in turn.race.entries)
    race = turn.race.model_copy(update={"workload": alone, "entries": tuple(entries)})
    # What is known of its answers belongs to the requests behind it.
    unknown: dict[str, object] = {"held": {}, "bodies_base64": {}, "expected_body_base64": None}
    verification = turn.running.verification.model_copy(update=unknown)
    return replace(turn, race=race, running=replace(turn.running, verification=verification))


def slow(turn: Turn) -> dict[str, Any]:
    """The usual load without and with slow clients; every other round begins with these."""
    rate, clients = LOADS[USUAL] * turn.peak, turn.context.stages.loads.slow_clients
    count, cores = turn.plan.slow_clients, turn.race.cores.client
    first_request = opening(turn.running.entry, turn.race.workload)
    request = rendered(turn.running.handle, first_request)
    first, held = turn.round % 2 == 1, 0
    with turn.load(turn.race.connections) as engine:
        slices: dict[bool, Slice] = {}
        for beside in (first, not first):
            if not beside:
                slices[beside] = turn.offered(engine, rate)
                continue
            engine.slice(turn.command(PRIME_MS))
            with clients(turn.running.handle, request, count, cores) as many:
                slices[beside] = turn.loaded(engine, rate)
                held = many.end()
    return {"slices": (slices[False], slices[True]), "opened": held}


def after(turn: Turn) -> dict[str, Any]:
    return {"memory": turn.instances.memory(turn.running)}


def _opened(engine: Generator) -> int:
    return sum(target.open for target in engine.ready.targets)


LOADED: Mapping[Phase, Callable[[Turn], dict[str, Any]]] = {
    **{phase: at(share) for phase, share in LOADS.items()},
    "equal": equal,
    "recovery": recovery,
    "storm": storm,
    "slow": slow,
    "after": after,
}
"""The phases that follow the peak, in their order."""
