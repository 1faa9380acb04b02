"""One boot of a rotation: draw after draw, and in each all contenders in turn, in random order."""

from collections.abc import Callable, Sequence
from math import inf
from typing import Literal

from bakeoff.model.cut import DrawRule, Warmup
from bakeoff.model.plan import Plan
from bakeoff.model.samples import SingleBlock, Slice
from bakeoff.plan import block_order, single_ms
from bakeoff.runs.measuring.boot import Boot, measured_s
from bakeoff.runs.measuring.draws import Draws
from bakeoff.runs.measuring.meter import Meter, block_of
from bakeoff.runs.measuring.observation import Observation
from bakeoff.runs.measuring.session import Session

Kind = Literal["short", "long"]
SINGLE_SHARE = 0.25
"""The share of the measured time of a race of several requests."""
RAMP_MS = 2
"""One connection has no queue to fill."""


def run_rotation(boot: Boot, enough: Callable[[], bool] = lambda: False) -> None:
    """Run a boot of the rotation, with its records in the log.

    The first boot has chosen the slices' lengths and the draws: the blocks of one race are alike.
    The boot ends with its budget, or with the first draw after which `enough` is true. Raises
    `NotAsPlanned`, `NoVerdict`.
    """
    with boot.ending() as ending, boot.session(boot.audits) as session:
        given = boot.earlier[0].lengths if boot.earlier else {}
        meter, warmup, rule = boot.begin(session, given)
        draws = ending.draws = Draws(session, rule, warmup, {**boot.ended, **meter.died})
        draws.start_cohorts()
        observation = Observation(session)
        share = single_share(boot.plan)
        singly = Singly(boot, session, warmup, share * boot.budget_s)
        _Rotation(boot, draws, observation, warmup, rule, singly, 1 - share).run(enough)
        draws.remember()
        also = {"held": session.leaks.held, "time_was_up": boot.context.time_is_up}
        ending.observed = observation.end().model_copy(update=also)


class Singly:
    """Blocks of a mix in which one request is under way at a time, for `budget_s` of one boot, of
    which `spent_s` are measured.

    At full load requests wait for each other: one that costs more makes all of them slower, and
    their latencies don't show which one it is.
    """

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

        Its connections end. Contenders that die are in `meter`'s `died`.
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


class _Rotation:
    """The blocks of one boot: `share` of its time, and the rest `singly`."""

    def __init__(
        self,
        boot: Boot,
        draws: Draws,
        observation: Observation,
        warmup: Warmup,
        rule: DrawRule,
        singly: Singly,
        share: float,
    ) -> None:
        self._boot, self._draws, self._warmup = boot, draws, warmup
        self._observation, self._singly = observation, singly
        self._budget_s = share * boot.budget_s
        self._long_share = boot.plan.long_share if boot.plan.mode == "closed" else 1.0
        self._number = max(1, round(boot.budget_s / rule.draw_s))
        self._spent_s: dict[Kind, float] = {"short": 0.0, "long": 0.0}
        self._took_s: dict[Kind, float] = {"short": 0.0, "long": 0.0}
        self._block = 0
        self._left_s = boot.context.left_s

    @property
    def _total_s(self) -> float:
        return sum(self._spent_s.values())

    @property
    def _passed(self) -> float:
        """The share of its permitted time that has passed: it ends then, too."""
        return 1 - self._boot.context.left_s / self._left_s if 0 < self._left_s < inf else 0.0

    def run(self, enough: Callable[[], bool]) -> None:
        """Draws until the budget is spent, all equally long."""
        while True:
            number, meter, names = self._draws.next()
            with self._observation.blocks(), meter.others_frozen():
                self._run_draw(number, meter, names)
            done = min(1.0, (number + 1) / self._number)
            self._singly.run(number, done, meter, names)
            self._draws.end(meter, names)
            if self._total_s >= self._budget_s or self._boot.context.time_is_up or enough():
                return

    def _run_draw(self, number: int, meter: Meter, names: list[str]) -> None:
        """Blocks until the draw has its share.

        Only short blocks count, if there are any: so each draw has as many as the others, whichever
        of them has a long one.
        """
        budget_s = self._budget_s
        counted: Kind = "short" if self._long_share < 1 else "long"
        share = 1 - self._long_share if counted == "short" else 1.0
        last = number + 1 >= self._number
        until_s = inf if last else share * budget_s * (number + 1) / self._number
        while True:
            alive = [name for name in names if name not in meter.died]
            if not self._boot.plan.enough(alive) or not self._run_block(number, meter, alive):
                return
            if self._total_s >= budget_s or self._spent_s[counted] >= until_s:
                return

    def _run_block(self, draw: int, meter: Meter, names: list[str]) -> bool:
        """Whether there is time for another whole block, by the time that the last of its kind
        took."""
        boot, lengths = self._boot, self._warmup.lengths
        long_block_s = sum(lengths[name].long_ms for name in names) / 1000
        kind = _kind(self._spent_s, long_block_s, self._long_share)
        began_ns = boot.context.stages.clock.now_ns()
        if boot.context.left_s <= self._took_s[kind]:
            boot.context.end_time()
            return False
        slices: list[Slice] = []
        for name in block_order(boot.plan, boot.number, self._block, names):
            if boot.context.time_is_up:
                break
            measured = meter.slice(
                name,
                self._block,
                ramp_ms=lengths[name].ramp_ms,
                duration_ms=lengths[name].long_ms if kind == "long" else lengths[name].short_ms,
                rate=self._warmup.rates.get(name),
            )
            # Answers of a process that was dying do not count.
            if name not in meter.died:
                slices.append(measured)
        if slices:
            block = block_of(slices, boot.number, self._block, kind, boot.context.stages, draw)
            boot.context.store.append(block)
            self._spent_s[kind] += measured_s([block])
            spent_s = max(self._total_s + self._singly.spent_s, self._passed * boot.budget_s)
            rates = {each.entry: each.event.requests_per_s for each in slices}
            originals = (entry.name for entry in boot.plan.entries if not entry.twin_of)
            boot.measured(
                spent_s, "measuring", {name: rates[name] for name in originals if name in rates}
            )
        self._block += 1
        self._took_s[kind] = (boot.context.stages.clock.now_ns() - began_ns) / 1e9
        return not boot.context.time_is_up


def _kind(spent_s: dict[Kind, float], long_block_s: float, long_share: float) -> Kind:
    """A long block whenever long ones have had less than their share."""
    total_s = spent_s["short"] + spent_s["long"] + long_block_s
    return "long" if spent_s["long"] + long_block_s <= long_share * total_s else "short"


def single_share(plan: Plan) -> float:
    """The share of a race's time in which one request is under way at a time.

    It is 0 where that holds for all of it, or where the user set the requests under way: in an open
    loop.
    """
    alone = all(plan.places_of(entry.name) == 1 for entry in plan.entries)
    return SINGLE_SHARE if plan.workload.is_mix and plan.mode == "closed" and not alone else 0.0
