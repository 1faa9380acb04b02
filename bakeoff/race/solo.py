"""One round of a solo race: the contenders one after another, each alone on the machine."""

from collections.abc import Sequence
from typing import TypeVar

from bakeoff.model.errors import NoVerdict
from bakeoff.model.receipt import Stopped
from bakeoff.model.samples import (
    BootEnd,
    BootStart,
    Slice,
    SliceLengths,
    TcpTrouble,
    Warmup,
)
from bakeoff.plan import start_order
from bakeoff.race.boot import Boot, FirstBootOut
from bakeoff.race.deeds import Deeds
from bakeoff.race.meter import Meter, block_of
from bakeoff.race.offered import offered
from bakeoff.race.up import Up
from bakeoff.race.warmup import warm_up

RAMP_MS = 100

_OfTurn = TypeVar("_OfTurn", BootStart, Warmup, BootEnd)


def run_round(boot: Boot) -> None:
    """Run one round: each contender is started, warmed up, measured for one window, stopped.

    A round is a boot with one block of long slices. Raises `FirstBootOut`, `NoVerdict`.
    """
    plan, setting, earlier = boot.plan, boot.setting, boot.earlier
    order = start_order(plan, boot.number)
    window_ms = max(1, round(1000 * boot.budget_s / len(order)))
    lengths = SliceLengths(short_ms=window_ms, long_ms=window_ms, ramp_ms=RAMP_MS)
    starts: list[BootStart] = []
    warmups: list[Warmup] = []
    slices: list[Slice] = []
    out: dict[str, str] = {}
    died: dict[str, str] = {}
    stopped: list[Stopped] = []
    ends: list[BootEnd] = []
    for turn, name in enumerate(order):
        setting.watch.measured(
            boot.done_s + turn * window_ms / 1000,
            plan.duration_s,
            f"round {boot.number + 1}/{plan.boots}: {name}",
        )
        with Up(plan, boot.number, [name], setting) as up:
            out |= up.out
            if up.running:
                if not earlier:
                    up.audit()
                up.connect()
                starts.append(up.record())
                meter = Meter(up)
                given = {name: lengths}
                warmup = offered(plan, warm_up(meter, up, earlier, given, window_ms / 1000), given)
                warmups.append(warmup)
                deeds = Deeds(up)
                slices.append(
                    meter.slice(
                        name,
                        0,
                        ramp_ms=RAMP_MS,
                        duration_ms=window_ms,
                        rate=warmup.rates.get(name),
                    )
                )
                ends.append(deeds.end())
                died |= meter.died
        stopped += up.stopped
    if out and not earlier:
        raise FirstBootOut(out)
    if not slices:
        raise NoVerdict("no contender came up again")
    began = {"started": tuple(one for start in starts for one in start.started), "out": out}
    setting.folder.add(_merged(starts).model_copy(update=began))
    setting.folder.add(_merged(warmups))
    setting.folder.add(block_of(slices, boot.number, 0, "long", setting.stages))
    # The turns of one round took equally long; what TCP met, it met in any of them.
    tcp = [end.tcp for end in ends if end.tcp]
    ended = {
        "stopped": tuple(stopped),
        "died": died,
        "tcp": TcpTrouble.summed(tcp) if len(tcp) == len(ends) else None,
    }
    setting.folder.add(_merged(ends).model_copy(update=ended))


def _merged(turns: Sequence[_OfTurn]) -> _OfTurn:
    """The record of the first turn with what the others' have by contender."""
    first = turns[0]
    return first.model_copy(
        update={
            key: {name: of for turn in turns for name, of in getattr(turn, key).items()}
            for key, value in first
            if isinstance(value, dict)
        }
    )
