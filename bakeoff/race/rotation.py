"""One boot of a rotation: all contenders up at once, one slice each in random order."""

from collections.abc import Sequence
from typing import Literal

from bakeoff.model.errors import NoVerdict
from bakeoff.model.plan import Plan
from bakeoff.model.samples import Block, Warmup
from bakeoff.plan import block_order
from bakeoff.race.boot import Boot
from bakeoff.race.deeds import Deeds
from bakeoff.race.folder import measured_s
from bakeoff.race.meter import Meter, block_of
from bakeoff.race.offered import offered
from bakeoff.race.up import Up


def run_boot(boot: Boot) -> None:
    """Run a boot of the rotation; its records are in the folder.

    The first boot has chosen the slices' lengths: the blocks of one race are alike. Raises
    `FirstBootOut`, `NoVerdict`.
    """
    folder, earlier = boot.setting.folder, boot.earlier
    with boot.up() as up:
        if not earlier:
            boot.step("comparing what they do")
            up.audit()
        given = earlier[0].lengths if earlier else {}
        meter, warmup = boot.warm_up(up, given)
        warmup = offered(boot.plan, warmup, given)
        folder.add(warmup)
        deeds = Deeds(up)
        _rotate(boot, up, meter, warmup)
        end = deeds.end()
    folder.add(end.model_copy(update={"stopped": tuple(up.stopped), "died": meter.died}))


def _rotate(boot: Boot, up: Up, meter: Meter, warmup: Warmup) -> None:
    plan, lengths = boot.plan, warmup.lengths
    spent_s = {"short": 0.0, "long": 0.0}
    block = 0
    while (total_s := sum(spent_s.values())) < boot.budget_s:
        alive = [name for name in lengths if name not in meter.died]
        if not alive:
            raise NoVerdict(f"every contender died: {'; '.join(meter.died.values())}")
        long_block_s = sum(lengths[name].long_ms for name in alive) / 1000
        share = plan.long_share if plan.mode == "closed" else 1.0
        kind = _kind(spent_s, long_block_s, share)
        measured = _block(up, meter, alive, warmup, kind, block)
        boot.setting.folder.add(measured)
        spent_s[kind] += measured_s([measured])
        boot.measured(total_s, _rates(measured, plan))
        block += 1


def _kind(
    spent_s: dict[str, float], long_block_s: float, long_share: float
) -> Literal["short", "long"]:
    """A long block whenever long ones have had less than their share."""
    total_s = spent_s["short"] + spent_s["long"] + long_block_s
    return "long" if spent_s["long"] + long_block_s <= long_share * total_s else "short"


def _block(
    up: Up,
    meter: Meter,
    alive: Sequence[str],
    warmup: Warmup,
    kind: Literal["short", "long"],
    block: int,
) -> Block:
    lengths = warmup.lengths
    slices = [
        meter.slice(
            name,
            block,
            ramp_ms=lengths[name].ramp_ms,
            duration_ms=lengths[name].long_ms if kind == "long" else lengths[name].short_ms,
            rate=warmup.rates.get(name),
        )
        for name in block_order(up.plan, up.boot, block, alive)
    ]
    return block_of(slices, up.boot, block, kind, up.setting.stages)


def _rates(block: Block, plan: Plan) -> str:
    """What the progress line shows: the throughputs of a block."""
    rates = {one.entry: one.event.requests_per_s for one in block.slices}
    return ", ".join(
        f"{entry.name} {rates[entry.name] / 1000:.1f}k/s"
        for entry in plan.entries
        if entry.name in rates and not entry.twin_of
    )
