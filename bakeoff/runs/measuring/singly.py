"""Blocks of a mix in which one request is under way at a time: what each takes by itself.

At full load requests wait for each other: one that costs more makes all of them slower, and none of
them shows which it is. So a part of a race of several requests is measured with one connection.
"""

from collections.abc import Sequence

from bakeoff.model.cut import Warmup
from bakeoff.model.plan import Plan
from bakeoff.model.samples import SingleBlock, Slice
from bakeoff.plan import block_order, single_ms
from bakeoff.runs.measuring.boot import Boot
from bakeoff.runs.measuring.meter import Meter
from bakeoff.runs.measuring.session import Session

SINGLE_SHARE = 0.25
"""Of the measured time of a race of several requests."""
RAMP_MS = 2
"""One connection has no queue to fill."""


def single_share(plan: Plan) -> float:
    """The share of a race's time in which one request is under way at a time.

    None where all of it is so, or where the user said what is to be under way: in an open loop.
    """
    alone = all(plan.places_of(entry.name) == 1 for entry in plan.entries)
    return SINGLE_SHARE if plan.workload.is_mix and plan.mode == "closed" and not alone else 0.0


class Singly:
    """These blocks of one boot, for `budget_s` in all; `spent_s` of it is measured."""

    def __init__(self, boot: Boot, session: Session, warmup: Warmup, budget_s: float) -> None:
        self._boot, self._session, self._budget_s = boot, session, budget_s
        self._lengths_ms = {
            name: single_ms(level or 0.0, len(boot.plan.workload.by_name), boot.plan.slice_ms_min)
            for name in warmup.lengths
            for level in [warmup.level(boot.plan.entry(name).twin_of or name)]
        }
        self._block = 0
        self.spent_s = 0.0

    def run(self, draw: int, share: float, meter: Meter, names: Sequence[str]) -> None:
        """The blocks of a draw after its others, until `share` of the budget is spent.

        Its connections end. Who dies is in `meter`'s `died`.
        """
        if self.spent_s >= share * self._budget_s or not set(names) - meter.died.keys():
            return
        session = self._session
        # A server that serves one connection at a time would wait for the others.
        session.disconnect()
        load = session.new_load(singly=True)
        try:
            single = Meter(session, load)
            while self.spent_s < share * self._budget_s:
                alive = [each for each in names if each not in (meter.died | single.died)]
                if not alive or self._boot.context.time_is_up:
                    break
                self._run_block(draw, single, alive)
            meter.died |= single.died
        finally:
            load.close()

    def _run_block(self, draw: int, meter: Meter, names: Sequence[str]) -> None:
        boot, number = self._boot, self._block
        self._block += 1
        slices: list[Slice] = []
        for name in block_order(boot.plan, boot.number, number, names):
            measured = meter.slice(
                name, number, ramp_ms=RAMP_MS, duration_ms=self._lengths_ms[name]
            )
            self.spent_s += measured.event.window_ns / 1e9
            if name not in meter.died:
                slices.append(measured)
        if slices:
            at_ns = boot.context.stages.clock.now_ns()
            block = SingleBlock(
                boot=boot.number, draw=draw, block=number, slices=tuple(slices), at_ns=at_ns
            )
            boot.context.store.append(block)
