"""Draws: processes of one program, and sets of connections to each, raced against each other."""

import random
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing

from bakeoff.model.cut import Draw, SliceLengths
from bakeoff.model.draws import Draws, DrawsPlan
from bakeoff.model.errors import ContenderOut, NoVerdict
from bakeoff.model.plan import Plan, Skipped
from bakeoff.model.samples import BootEnd, BootStart, PlanChange
from bakeoff.plan import block_order, start_order
from bakeoff.report.kinds import draws
from bakeoff.runs.measuring.boot import measured_s
from bakeoff.runs.measuring.contenders import NotAsPlanned
from bakeoff.runs.measuring.context import Context, measuring
from bakeoff.runs.measuring.meter import Meter, block_of
from bakeoff.runs.measuring.session import Session
from bakeoff.runs.measuring.warmup import warm_up
from bakeoff.runs.run import Run
from bakeoff.runs.stages import Stages, Watch

ROUNDS_AIMED_AT = 12
"""Slices of a slow contender are shortened for this many rounds; trimmed means need some."""
SLICE_MS_MIN = 20


class DrawsRun(Run[DrawsPlan, Draws]):
    """A measurement of draws. Its boots are numbered consecutively over all contenders."""

    kind = command = "draws"
    shows = "spreads"
    plan_type = DrawsPlan
    result_type = Draws
    result_file = "draws.json"
    samples = ("block",)
    reported_by = draws

    @staticmethod
    def built(plan: DrawsPlan) -> Plan:
        """One process of each contender."""
        entries = tuple(each.entries[0] for each in plan.plans)
        return plan.plans[0].model_copy(update={"entries": entries})

    def measure(self, stages: Stages, watch: Watch) -> None:
        """Every boot that is missing, one contender after another. A contender that fails is
        out."""
        with measuring(self.store, stages, watch) as context:
            for plan in self._missing():
                try:
                    while plan in self._missing():
                        _boot(plan, self.planned, len(self._starts()), context)
                except ContenderOut as error:
                    watch.out(plan.reference, str(error))
                    self.store.append(PlanChange(out={plan.reference: str(error)}))
                except NotAsPlanned as found:
                    # Its processes are equals: none can take more than the others.
                    reason = next(iter(found.change.out.values()))
                    self.store.append(PlanChange(out={plan.reference: reason}))
        if not self.has_samples():
            reasons = "".join(f"\n  {name}: {reason}" for name, reason in self.out().items())
            raise NoVerdict(f"no contender can take part:{reasons}")

    def is_complete(self) -> bool:
        return not self._missing()

    def judge(self) -> Draws:
        from bakeoff.judge.draws import draws_of

        plan, records, out = self.planned, self.records(), self.out()
        found = [draws_of(each, plan.sets, records) for each in plan.plans]
        if not any(found):
            raise NoVerdict(f"{self.path}: nothing was measured")
        skipped = (Skipped(name=name, reason=reason) for name, reason in out.items())
        return Draws(
            plan=plan,
            complete=self.is_complete(),
            contenders=tuple(each for each in found if each),
            skipped=(*plan.skipped, *skipped),
            machine=self.store.machine(),
        )

    def judged(self) -> bool:
        return any(each.spreads for each in self.result.contenders)

    def _starts(self) -> list[BootStart]:
        return [record for record in self.records() if isinstance(record, BootStart)]

    def _missing(self) -> list[Plan]:
        """The contenders that have boots left; a boot that was cut off begins anew."""
        ended = {record.boot for record in self.records() if isinstance(record, BootEnd)}
        whole = (start for start in self._starts() if start.boot in ended)
        done = Counter(self.planned.contender(start.started[0].name) for start in whole)
        out = self.out()
        return [
            plan
            for plan in self.planned.plans
            if plan.reference not in out and done[plan.reference] < plan.boots
        ]


def _boot(plan: Plan, whole: DrawsPlan, number: int, context: Context) -> None:
    """Start, connect and load all processes of one contender; its records are in the log.

    Raises `ContenderOut` where fewer than two processes can run, or be connected to.
    """
    place = [each.reference for each in whole.plans].index(plan.reference) + 1
    name = f"{plan.reference} ({place} of {len(whole.plans)})"

    def say(spent_s: float, text: str) -> None:
        context.watch.measured(spent_s, plan.duration_s / plan.boots, f"{name}: {text}")

    context.watch.step(f"{name}: starting {len(plan.entries)} processes")
    with Session(plan, number, start_order(plan, number), context) as session, ExitStack() as more:
        if len(session.running) < 2:
            reasons = dict.fromkeys(session.out.values())
            raise ContenderOut(f"fewer than two processes are up: {'; '.join(reasons)}")
        session.connect()
        context.store.append(session.record())
        meters = [Meter(session)]
        budget_s = plan.duration_s / plan.boots
        warmup = warm_up(meters[0], session, (), {}, budget_s, lambda text: say(0.0, text))
        context.store.append(warmup)
        # The slices of equals are alike, and short enough for rounds within the time of a cell.
        lengths = sorted(warmup.lengths.values(), key=lambda length: length.short_ms)
        middle, cell_s = lengths[len(lengths) // 2], budget_s / (len(session.running) * whole.sets)
        most_ms = max(SLICE_MS_MIN, round(1000 * cell_s / ROUNDS_AIMED_AT))
        length = middle.model_copy(update={"short_ms": min(middle.short_ms, most_ms)})
        _open(0, meters[0], session, length)
        for draw in range(1, whole.sets):
            load = more.enter_context(closing(session.new_load()))
            meters.append(Meter(session, load))
            _open(draw, meters[draw], session, length)
        _rotate(plan, session, meters, length, say)
    died = {each: how for meter in meters for each, how in meter.died.items()}
    context.store.append(BootEnd(boot=number, loaded={}, stopped=session.stopped, died=died))


def _open(draw: int, meter: Meter, session: Session, length: SliceLengths) -> None:
    """A set of connections begins, with a slice that doesn't count, since it pays for what later
    slices find ready. Only then is the next set opened: a server with a thread for each new
    connection (gunicorn's gthread) answers no request while many are silent."""
    names = [each.entry.name for each in session.running]
    for each in names:
        meter.slice(each, 0, ramp_ms=length.ramp_ms, duration_ms=length.short_ms)
    session.context.store.append(
        Draw(
            boot=session.boot,
            draw=draw,
            processes={each: place for place, each in enumerate(names)},
            connections_open={target.name: target.open for target in meter.load.ready.targets},
        )
    )


def _rotate(
    plan: Plan,
    session: Session,
    meters: Sequence[Meter],
    length: SliceLengths,
    say: Callable[[float, str], None],
) -> None:
    """Rounds of a block for each set of connections, in random order, until the time is up."""
    boot, context = session.boot, session.context
    names = [each.entry.name for each in session.running]
    budget_s = plan.duration_s / plan.boots
    spent_s = 0.0
    block = 0
    while spent_s < budget_s:
        order = list(enumerate(meters))
        random.Random(f"{plan.seed}/sets/{boot}/{block}").shuffle(order)
        for draw, meter in order:
            dead = {each for every in meters for each in every.died}
            alive = [each for each in names if each not in dead]
            if len(alive) < 2:
                hows = [how for every in meters for how in every.died.values()]
                raise ContenderOut(f"fewer than two of its processes are left: {hows[0]}")
            slices = [
                meter.slice(each, block, ramp_ms=length.ramp_ms, duration_ms=length.short_ms)
                for each in block_order(plan, boot, block, alive)
            ]
            record = block_of(slices, boot, block, "short", context.stages, draw)
            context.store.append(record)
            spent_s += measured_s([record])
            block += 1
        mean = sum(each.event.requests_per_s for each in slices) / len(slices)
        say(spent_s, f"{mean / 1000:.1f}k/s")
