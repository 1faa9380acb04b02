"""One slice after another, each with what it cost its server."""

from collections.abc import Sequence
from typing import Literal

from bakeoff.load import Generator
from bakeoff.model.engine import SliceCommand
from bakeoff.model.errors import NoVerdict
from bakeoff.model.loaders import SliceOfSeveral
from bakeoff.model.samples import Block, CpuTime, Slice
from bakeoff.plan import arrival_seed
from bakeoff.runs.measuring.instances import Running
from bakeoff.runs.measuring.session import Session
from bakeoff.runs.stages import Stages


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
        pressure_cpu_us=stages.meters.pressure_cpu_us(),
    )


class Meter:
    """Loads the contenders of a session slice by slice, and reads their CPU time at each border.

    It is good for as long as the session's connections are.
    """

    def __init__(self, session: Session, load: Generator | None = None) -> None:
        self._session = session
        self.load = load or session.load
        """The engine; the session's where none is given."""
        self._clock = session.context.stages.clock
        self._targets = {each.entry.name: index for index, each in enumerate(session.running)}
        self._last: dict[str, tuple[CpuTime, int]] = {}
        self.died: dict[str, str] = {}

    def slice(
        self, name: str, block: int, *, ramp_ms: int, duration_ms: int, rate: float | None = None
    ) -> Slice:
        """One turn of the contender called `name`. A server that died is in `died` afterwards.

        With a `rate`, requests per second, the loop is open. The arrivals of a block have one seed
        for all contenders. Raises `NoVerdict` where the upstream has died.
        """
        target = self._targets[name]
        running = self._session.running[target]
        plan = self._session.plan
        command = SliceCommand(
            target=target,
            block=block,
            ramp_ms=ramp_ms,
            duration_ms=duration_ms,
            rate=rate,
            arrivals=plan.arrivals,
            seed=arrival_seed(plan, self._session.boot, block),
        )
        around = self._session.context.surroundings(plan)
        upstream_before = around.upstream_cpu()
        before, before_ns = self._read(running)
        event = self.load.slice(command)
        after, after_ns = self._read(running)
        upstream = around.upstream_cpu()
        last = self._last.get(name)
        if after:
            self._last[name] = (after, after_ns)
        if event.errors or not event.requests:
            self._look_for_death(running)
            if around.key and (how := self._session.context.keeper.death(around.key)):
                raise NoVerdict(f"whom the contenders ask has died: {how}")
        several = event if isinstance(event, SliceOfSeveral) else None
        return Slice(
            entry=name,
            event=several.whole if several else event,
            server_cpu=after.since(before) if after and before else None,
            leak_ns=before.since(last[0]).total_ns if before and last else None,
            leak_wall_ns=before_ns - last[1] if before and last else None,
            upstream_cpu=upstream.since(upstream_before) if upstream and upstream_before else None,
            rate=rate,
            loaders=several.loaders if several else (),
            lost=several.lost if several else {},
        )

    def _read(self, running: Running) -> tuple[CpuTime | None, int]:
        return running.cpu.read(), self._clock.now_ns()

    def _look_for_death(self, running: Running) -> None:
        death = self._session.instances.death(running)
        if death:
            self.died[running.entry.name] = death
