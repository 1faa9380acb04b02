"""One boot: what it is to measure, and how it begins."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from bakeoff.model.errors import NoVerdict
from bakeoff.model.plan import Plan
from bakeoff.model.samples import SliceLengths, Warmup
from bakeoff.plan import start_order
from bakeoff.race.folder import measured_s
from bakeoff.race.meter import Meter
from bakeoff.race.up import Setting, Up
from bakeoff.race.warmup import warm_up

BOOT_SHARE = 0.5
"""Of a budget, for the planned boots: whether more are needed is known when half of it is spent."""


class FirstBootOut(Exception):
    """Contenders that can't take part, found before anything was measured: plan again without."""

    def __init__(self, out: dict[str, str]) -> None:
        self.out = out


@dataclass(frozen=True)
class Boot:
    """Boot `number` of `plan` is to measure for `budget_s`.

    `done_s` were measured in the boots before, of which `earlier` has the warm-ups.
    """

    plan: Plan
    number: int
    budget_s: float
    done_s: float
    earlier: Sequence[Warmup]
    setting: Setting

    @classmethod
    def next(cls, plan: Plan, setting: Setting) -> "Boot":
        """The one after those in the folder: its share of what is left of the plan's time."""
        records = setting.folder.records()
        number = 1 + max((record.boot for record in records), default=-1)
        done_s = measured_s(records)
        missing_s = plan.duration_s - done_s
        budget_s = missing_s / max(1, plan.boots - number)
        if plan.precision:
            budget_s = min(missing_s, plan.duration_s * BOOT_SHARE / plan.boots)
        earlier = [record for record in records if record.type == "warmup"]
        return cls(plan, number, budget_s, done_s, earlier, setting)

    @contextmanager
    def up(self) -> Iterator[Up]:
        """All contenders, up at once, for a `with`. Raises `FirstBootOut`, `NoVerdict`."""
        order = start_order(self.plan, self.number)
        self.step(f"starting {', '.join(order)}")
        with Up(self.plan, self.number, order, self.setting) as up:
            if up.out and not self.earlier:
                raise FirstBootOut(up.out)
            if not up.running:
                raise NoVerdict("no contender came up again")
            yield up

    def warm_up(self, up: Up, given: Mapping[str, SliceLengths]) -> tuple[Meter, Warmup]:
        """Connect to all that are up, record how the boot began, and warm them up.

        `given` are slice lengths that do not follow from this warm-up. Raises `NoVerdict`.
        """
        up.connect()
        self.setting.folder.add(up.record())
        meter = Meter(up)
        self.step("warming up")
        return meter, warm_up(
            meter, up, self.earlier, given, self.budget_s, lambda text: self.measured(0.0, text)
        )

    def step(self, text: str) -> None:
        """Say what begins."""
        self.setting.watch.step(f"boot {self.number + 1} of {self.plan.boots}: {text}")

    def measured(self, spent_s: float, text: str) -> None:
        """Say how far the race is, `spent_s` of this boot."""
        self.setting.watch.measured(
            min(self.done_s + spent_s, self.plan.duration_s),
            self.plan.duration_s,
            f"boot {self.number + 1}/{self.plan.boots}: {text}",
        )
