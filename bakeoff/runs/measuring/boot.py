"""One boot of a race: what it measures, and how it begins."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bakeoff.model.cut import DrawRule, SliceLengths, Warmup
from bakeoff.model.errors import BadUsage, BakeoffError, NodeLost
from bakeoff.model.plan import Plan
from bakeoff.model.samples import BootEnd, BootStart, Costs, PlanChange, Record
from bakeoff.plan import check_enough, start_order
from bakeoff.report import figures
from bakeoff.runs.measuring.contenders import NotAsPlanned
from bakeoff.runs.measuring.context import Context
from bakeoff.runs.measuring.draw_rule import Facts, Room, draw_rule, time_left_s
from bakeoff.runs.measuring.meter import Meter
from bakeoff.runs.measuring.queues import connect_within_limits
from bakeoff.runs.measuring.session import Audits, Session
from bakeoff.runs.measuring.warmup import warm_up

if TYPE_CHECKING:
    from bakeoff.runs.measuring.draws import Draws

BOOT_SHARE = 0.5
"""The share of a budget for all planned boots but the last, which takes what is needed."""
WORTH_S = 0.05
"""A rest of the plan's time of at least this length is worth another boot."""


def measured_s(records: Sequence[Record]) -> float:
    """The measured seconds in all blocks of `records`, including measurements of a request's
    cost."""
    blocks = sum(
        piece.event.window_ns / 1e9
        for record in records
        if record.type in ("block", "single-block")
        for piece in record.slices
    )
    costs = [record for record in records if isinstance(record, Costs)]
    loads_ns = sum(each.slice.event.window_ns for record in costs for each in record.slices)
    return blocks + (loads_ns + sum(record.rested.lasted_ns for record in costs)) / 1e9


def time_is_up(plan: Plan, records: Sequence[Record]) -> bool:
    return plan.duration_s - measured_s(records) <= WORTH_S


def _planned_s(plan: Plan) -> float:
    """The time that a boot measures in a race that is not cut off: the shortest of its boots."""
    share = BOOT_SHARE if plan.may_end_early and plan.boots > 1 else 1.0
    return plan.duration_s * share / plan.boots


@dataclass
class Ending:
    """The content of the record of a boot's end: its draws, and what was `observed` at its end."""

    draws: "Draws | None" = None
    observed: BootEnd | None = None


@dataclass(frozen=True)
class Boot:
    """Boot `number` of `plan` measures for `budget_s`.

    `done_s` seconds were measured in the boots before, of which `earlier` has the warm-ups; `rule`
    is how they were divided into draws, and `ended` has the contenders whose processes ended in
    them.
    """

    plan: Plan
    number: int
    budget_s: float
    done_s: float
    earlier: Sequence[Warmup]
    context: Context
    rule: DrawRule | None = None
    ended: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def next(cls, plan: Plan, context: Context) -> "Boot":
        """The boot after those in the log, with its share of the rest of the plan's time."""
        records = context.store.records()
        starts = [record.boot for record in records if isinstance(record, BootStart)]
        number = 1 + max(starts, default=-1)
        done_s = measured_s(records)
        missing_s = plan.duration_s - done_s
        budget_s = missing_s / max(1, plan.boots - number)
        if plan.may_end_early and number + 1 < plan.boots:
            budget_s = min(missing_s, _planned_s(plan))
        earlier = [record for record in records if isinstance(record, Warmup)]
        rule = next((record for record in records if isinstance(record, DrawRule)), None)
        ends = (record for record in records if isinstance(record, BootEnd))
        ended = {name: how for end in ends for name, how in end.died.items()}
        return cls(plan, number, budget_s, done_s, earlier, context, rule, ended)

    def order(self) -> list[str]:
        """The contenders that are started, in their order, without those that ended in an earlier
        boot.

        Raises `TooFewLeft`.
        """
        left = [
            name
            for name in start_order(self.plan, self.number)
            if not {name, self.plan.entry(name).twin_of} & self.ended.keys()
        ]
        check_enough(self.plan, left, self.ended)
        return left

    @property
    def is_last(self) -> bool:
        return self.number + 1 >= self.plan.boots

    @contextmanager
    def ending(self) -> Iterator[Ending]:
        """For a `with` around the boot's session: the boot's end is recorded, with the contenders
        whose processes ended in it, even where an error cuts it short."""
        ending = Ending()
        try:
            yield ending
        except (BadUsage, NodeLost):
            raise
        except BakeoffError:
            self._record(ending, cut_short=True)
            raise
        self._record(ending, cut_short=False)

    def _record(self, ending: Ending, *, cut_short: bool) -> None:
        if not ending.draws:
            return
        observed = ending.observed or BootEnd(boot=self.number, loaded={}, stopped=())
        ended = {
            "stopped": ending.draws.stopped,
            "died": ending.draws.died,
            "lost": ending.draws.lost_processes,
            "cut_short": cut_short,
        }
        self.context.store.append(observed.model_copy(update=ended))

    @property
    def audits(self) -> Audits:
        """Which of its contenders are audited before the load: in the first boot, unknown ones."""
        return "none" if self.earlier else "unknown"

    @contextmanager
    def session(self, audits: Audits = "none") -> Iterator[Session]:
        """All contenders, running together, for a `with`. Raises `NotAsPlanned`, `NoVerdict`."""
        order = self.order()
        compared = " and comparing" if audits != "none" else ""
        self.step(f"starting{compared} {', '.join(order)}")
        with Session(self.plan, self.number, order, self.context, audits=audits) as session:
            if session.out and not self.earlier:
                raise NotAsPlanned(PlanChange(out=session.out))
            check_enough(self.plan, session.names, {**session.out, **self.ended})
            yield session

    def begin(
        self, session: Session, given: Mapping[str, SliceLengths]
    ) -> tuple[Meter, Warmup, DrawRule]:
        """Connect to all running contenders, record how the boot began, and warm them up. The race
        is divided into draws as before or, in the first boot, as decided and recorded now.

        `given` are slice lengths that do not follow from this warm-up. Raises `NoVerdict`, and in
        the first boot `NotAsPlanned`.
        """
        if self.earlier:
            session.connect()
            session.weigh_connections()
            meter = Meter(session)
        else:
            meter = connect_within_limits(session)
        self.context.store.append(session.record())
        self.step("warming up")
        began_ns = self.context.stages.clock.now_ns()
        warmup = warm_up(
            meter,
            session,
            self.earlier,
            given,
            # The rest of a race that was cut off may be short, but its processes begin as cold.
            max(self.budget_s, _planned_s(self.plan)),
            lambda text: self.measured(0.0, text),
        )
        self.context.store.append(warmup)
        warm_up_s = (self.context.stages.clock.now_ns() - began_ns) / 1e9
        rule = self.rule or self._draw_rule(session, warmup, warm_up_s)
        return meter, warmup, rule

    def _draw_rule(self, session: Session, warmup: Warmup, warm_up_s: float) -> DrawRule:
        meters = self.context.stages.meters
        facts = []
        for each in session.running:
            memory = session.instances.memory(each)
            held_mib = memory.pss_mib if memory else 0.0
            warming_ms = session.program(each.entry.name).warming_ms
            facts.append(Facts(each.entry, each.handle.time_to_ready_ms, held_mib, warming_ms))
        room = Room(meters.free_memory_mib(), meters.free_files())
        rule = draw_rule(self.plan, warmup, facts, room)
        self.context.store.append(rule)
        left_s = time_left_s(self.plan, self.budget_s, warmup, warm_up_s, rule, facts)
        if self.is_last:
            bound = "at most" if self.plan.may_end_early else "about"
            left_s = min(left_s, self.context.left_s)
            self.step(f"measuring, for {bound} {figures.time_to_wait(left_s)}")
        fits = [each.instances for each in rule.redrawn.values() if each.why == "asked"]
        if fits and (asked := self.plan.instances or 1) > fits[0]:
            self.step(f"--instances {asked}: there are draws, memory and open files for {fits[0]}")
        return rule

    def step(self, text: str) -> None:
        of = f"boot {self.number + 1} of {self.plan.boots}: " if self.plan.boots > 1 else ""
        self.context.watch.step(f"{of}{text}")

    def measured(self, spent_s: float, text: str, rates: Mapping[str, float] | None = None) -> None:
        """Say how much of this boot is over (`spent_s`), and how fast contenders were last."""
        self.context.watch.measured(
            min(self.done_s + spent_s, self.plan.duration_s),
            self.plan.duration_s,
            f"boot {self.number + 1}/{self.plan.boots}: {text}" if self.plan.boots > 1 else text,
            rates,
        )
