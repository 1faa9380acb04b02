"""One boot of a rotation: all contenders up at once, one slice each in random order."""

from collections.abc import Sequence
from typing import Literal

from bakeoff.load import job
from bakeoff.model.errors import NoVerdict
from bakeoff.model.plan import Plan
from bakeoff.model.samples import Block, Warmup
from bakeoff.plan import block_order, start_order
from bakeoff.race.deeds import Deeds
from bakeoff.race.folder import measured_s
from bakeoff.race.meter import Meter, block_of
from bakeoff.race.offered import offered
from bakeoff.race.up import Setting, Up
from bakeoff.race.warmup import warm_up


class FirstBootOut(Exception):
    """Contenders that can't take part, found before anything was measured: plan again without."""

    def __init__(self, out: dict[str, str]) -> None:
        self.out = out


def run_boot(
    plan: Plan,
    boot: int,
    budget_s: float,
    earlier: Sequence[Warmup],
    setting: Setting,
    done_s: float,
) -> None:
    """Run boot `boot` for `budget_s` of measured time; its records are in the folder.

    `earlier` are the warm-ups of the boots before, of which the first has chosen the slices'
    lengths: the blocks of one race are alike. Raises `FirstBootOut`, `NoVerdict`.
    """
    order = start_order(plan, boot)
    setting.watch.step(f"boot {boot + 1} of {plan.boots}: starting {', '.join(order)}")
    with Up(plan, boot, order, setting) as up:
        if up.out and not earlier:
            raise FirstBootOut(up.out)
        if not up.running:
            raise NoVerdict("no contender came up again")
        if not earlier:
            setting.watch.step(f"boot {boot + 1} of {plan.boots}: comparing what they do")
            up.audit()
        up.connect(job(plan, [(one.handle, one.verification) for one in up.running]))
        setting.folder.add(up.record())
        meter = Meter(up)
        given = earlier[0].lengths if earlier else {}
        setting.watch.step(f"boot {boot + 1} of {plan.boots}: warming up")
        warmup = warm_up(
            meter,
            up,
            earlier,
            given,
            budget_s,
            lambda text: setting.watch.measured(
                done_s, plan.duration_s, f"boot {boot + 1}/{plan.boots}: {text}"
            ),
        )
        warmup = offered(plan, warmup, given)
        setting.folder.add(warmup)
        deeds = Deeds(up)
        _rotate(up, meter, warmup, budget_s, done_s)
        end = deeds.end()
    setting.folder.add(end.model_copy(update={"stopped": tuple(up.stopped), "died": meter.died}))


def _rotate(up: Up, meter: Meter, warmup: Warmup, budget_s: float, done_s: float) -> None:
    setting, lengths = up.setting, warmup.lengths
    spent_s = {"short": 0.0, "long": 0.0}
    block = 0
    while (total_s := sum(spent_s.values())) < budget_s:
        alive = [name for name in lengths if name not in meter.died]
        if not alive:
            raise NoVerdict(f"every contender died: {'; '.join(meter.died.values())}")
        long_block_s = sum(lengths[name].long_ms for name in alive) / 1000
        share = up.plan.long_share if up.plan.mode == "closed" else 1.0
        kind = _kind(spent_s, long_block_s, share)
        measured = _block(up, meter, alive, warmup, kind, block)
        setting.folder.add(measured)
        spent_s[kind] += measured_s([measured])
        setting.watch.measured(
            done_s + total_s, up.plan.duration_s, _rates(measured, up.boot, up.plan)
        )
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


def _rates(block: Block, boot: int, plan: Plan) -> str:
    """What the progress line shows: the throughputs of a block."""
    rates = {one.entry: one.event.requests_per_s for one in block.slices}
    shown = ", ".join(
        f"{entry.name} {rates[entry.name] / 1000:.1f}k/s"
        for entry in plan.entries
        if entry.name in rates and not entry.twin_of
    )
    return f"boot {boot + 1}/{plan.boots}: {shown}"
