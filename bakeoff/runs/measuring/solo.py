"""One round of a solo race: the contenders one after another, each alone on the machine."""

from collections.abc import Sequence
from typing import TypeVar

from bakeoff.model.cut import Draw, DrawRule, Redrawn, SliceLengths, Warmup
from bakeoff.model.errors import NoVerdict
from bakeoff.model.readings import PathSeen, TcpTrouble
from bakeoff.model.receipt import Stopped
from bakeoff.model.samples import BootEnd, BootStart, PlanChange, Slice
from bakeoff.plan import check_enough
from bakeoff.runs.measuring.boot import Boot
from bakeoff.runs.measuring.contenders import NotAsPlanned
from bakeoff.runs.measuring.meter import Meter, block_of
from bakeoff.runs.measuring.observation import Observation
from bakeoff.runs.measuring.queues import connect_within_limits
from bakeoff.runs.measuring.session import Session
from bakeoff.runs.measuring.warmup import warm_up

RAMP_MS = 100

_OfTurn = TypeVar("_OfTurn", BootStart, Warmup, BootEnd)


def run_solo_round(boot: Boot) -> None:
    """Run one round: each contender is started, warmed up, measured for one window, stopped.

    A round is a boot with one draw of one block of long slices. Raises `NotAsPlanned`, `NoVerdict`.
    """
    plan, context = boot.plan, boot.context
    order = boot.order()
    window_ms = max(1, round(1000 * boot.budget_s / len(order)))
    lengths = SliceLengths(short_ms=window_ms, long_ms=window_ms, ramp_ms=RAMP_MS)
    starts: list[BootStart] = []
    warmups: list[Warmup] = []
    slices: list[Slice] = []
    ends: list[BootEnd] = []
    out: dict[str, str] = {}
    died: dict[str, str] = {}
    stopped: list[Stopped] = []
    for turn, name in enumerate(order):
        context.check_time(f"measuring {name} in round {boot.number + 1} of {plan.boots}")
        context.watch.measured(
            boot.done_s + turn * window_ms / 1000,
            plan.duration_s,
            f"round {boot.number + 1}/{plan.boots}: {name}",
        )
        with Session(plan, boot.number, [name], context, audits=boot.audits) as session:
            out |= session.out
            if session.running:
                if boot.earlier:
                    session.connect()
                    meter = Meter(session)
                else:
                    meter = connect_within_limits(session)
                start = session.record()
                try:
                    warmup = warm_up(
                        meter, session, boot.earlier, {name: lengths}, window_ms / 1000
                    )
                except NoVerdict as error:
                    # The others have their turns.
                    out[name] = str(error)
                else:
                    starts.append(start)
                    warmups.append(warmup)
                    observation = Observation(session)
                    rate = warmup.rates.get(name)
                    if name not in meter.died:
                        with observation.blocks():
                            measured = meter.slice(
                                name, 0, ramp_ms=RAMP_MS, duration_ms=window_ms, rate=rate
                            )
                    # Answers of a process that was dying do not count.
                    slices += [] if name in meter.died else [measured]
                    ends.append(observation.end())
                died |= meter.died
        stopped += session.stopped
    if out and not boot.earlier:
        raise NotAsPlanned(PlanChange(out=out))
    if not starts:
        check_enough(boot.plan, (), out)
    if not boot.rule:
        alone = Redrawn(what="processes", instances=1, warm_up_ms=0, why="solo")
        redrawn = dict.fromkeys(order, alone)
        context.store.append(DrawRule(draw_s=boot.budget_s, redrawn=redrawn))
    began = {"started": tuple(each for start in starts for each in start.started), "out": out}
    # The turns of one round took equally long; TCP's events may be from any of them.
    tcp = [end.tcp for end in ends if end.tcp]
    ended = {
        "stopped": tuple(stopped),
        "died": died,
        "tcp": TcpTrouble.summed(tcp) if len(tcp) == len(ends) else None,
        "path": PathSeen.together([end.path for end in ends if end.path]),
    }
    start = _merged(starts).model_copy(update=began)
    context.store.append(start)
    context.store.append(_merged(warmups))
    processes = dict.fromkeys(start.connections_open, 0)
    context.store.append(
        Draw(
            boot=boot.number,
            draw=0,
            processes=processes,
            connections_open=start.connections_open,
            out=out,
        )
    )
    if slices:
        context.store.append(block_of(slices, boot.number, 0, "long", context.stages))
    context.store.append(_merged(ends).model_copy(update=ended))


def _merged(turns: Sequence[_OfTurn]) -> _OfTurn:
    """The record of the first turn, with the values of the others by contender."""
    first = turns[0]
    return first.model_copy(
        update={
            key: {name: of for turn in turns for name, of in getattr(turn, key).items()}
            for key, value in first
            if isinstance(value, dict)
        }
    )
