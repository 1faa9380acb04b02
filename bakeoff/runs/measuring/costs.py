"""What requests cost: each contender at rest, at half of its own peak, and at one rate for all."""

from collections.abc import Mapping, Sequence

from bakeoff.model.capacity import CostAt
from bakeoff.model.readings import CpuTime
from bakeoff.model.samples import Costs, CostSlice, Rested
from bakeoff.plan import block_order, ladder
from bakeoff.runs.measuring.boot import Boot
from bakeoff.runs.measuring.instances import Running
from bakeoff.runs.measuring.meter import Meter
from bakeoff.runs.measuring.session import Session

RAMP_MS = 50


def measure_costs(
    boot: Boot,
    session: Session,
    meter: Meter,
    draw: int,
    names: Sequence[str],
    peaks: Mapping[str, float],
) -> Costs | None:
    """What one draw says of those of `names` that have a peak; None: nobody has.

    Who dies is in `meter`'s `died`.
    """
    loaded = [name for name in names if peaks.get(name)]
    if not loaded:
        return None
    running = {each.entry.name: each for each in session.running if each.entry.name in loaded}
    rested = _rested(boot, running)
    rates: dict[CostAt, Mapping[str, float]] = {
        "share": {name: ladder.COST_SHARE * peaks[name] for name in loaded},
        "equal": dict.fromkeys(loaded, ladder.COST_SHARE * min(peaks[name] for name in loaded)),
    }
    slices: list[CostSlice] = []
    for number, (at, offered) in enumerate(rates.items()):
        for name in block_order(boot.plan, boot.number, 2 * draw + number, loaded):
            if name in meter.died:
                continue
            measured = _slice(boot, session, meter, running[name], at, offered[name], draw)
            if name not in meter.died:
                slices.append(measured)
    return Costs(boot=boot.number, draw=draw, rested=rested, slices=tuple(slices))


def _rested(boot: Boot, running: Mapping[str, Running]) -> Rested:
    """All of them idle, over the same time."""
    stages = boot.context.stages
    stages.clock.settle()
    before, before_uj = _read(running), stages.meters.energy_uj()
    began_ns = stages.clock.now_ns()
    stages.clock.wait(ladder.REST_MS / 1000)
    lasted_ns, after_uj = stages.clock.now_ns() - began_ns, stages.meters.energy_uj()
    after = _read(running)
    cpu = {name: after[name].since(before[name]) for name in before if name in after}
    return Rested(lasted_ns=lasted_ns, cpu=cpu, energy_uj=used(before_uj, after_uj))


def _read(running: Mapping[str, Running]) -> dict[str, CpuTime]:
    read = {name: each.cpu.read() for name, each in running.items()}
    return {name: cpu for name, cpu in read.items() if cpu}


def _slice(
    boot: Boot,
    session: Session,
    meter: Meter,
    running: Running,
    at: CostAt,
    rate: float,
    number: int,
) -> CostSlice:
    stages = boot.context.stages
    before_uj, began_ns = stages.meters.energy_uj(), stages.clock.now_ns()
    slice_ = meter.slice(
        running.entry.name, number, ramp_ms=RAMP_MS, duration_ms=ladder.COST_WINDOW_MS, rate=rate
    )
    lasted_ns, after_uj = stages.clock.now_ns() - began_ns, stages.meters.energy_uj()
    return CostSlice(
        at=at,
        slice=slice_,
        lasted_ns=lasted_ns,
        energy_uj=used(before_uj, after_uj),
        memory=session.instances.memory(running),
    )


def used(before: int | None, after: int | None) -> int | None:
    """What a counter has grown by; None where it can't be read, or began anew."""
    return after - before if before is not None and after is not None and after >= before else None
