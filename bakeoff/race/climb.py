"""One boot of a search for capacities: warm up, find the neighbourhood, then climb the ladder."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import TYPE_CHECKING

from bakeoff.model.capacity import CapacityPlan, Objective
from bakeoff.model.samples import Block, BootEnd, Record, Slice
from bakeoff.plan import block_order, check_budget, ladder
from bakeoff.race.boot import Boot
from bakeoff.race.folder import measured_s
from bakeoff.race.meter import Meter, block_of
from bakeoff.race.up import Up

if TYPE_CHECKING:
    from bakeoff.judge import Held


@dataclass
class Seen:
    """What all boots so far have shown: each contender's slices, held against each objective."""

    objectives: Sequence[Objective]
    held: dict[str, list[tuple["Held", ...]]] = field(default_factory=dict)

    @classmethod
    def of(cls, asked: CapacityPlan, records: Sequence[Record]) -> "Seen":
        """What the records of earlier boots have shown."""
        seen = cls(asked.objectives)
        for record in records:
            if isinstance(record, Block):
                seen.add(record.slices)
        return seen

    def add(self, slices: Sequence[Slice]) -> None:
        """Take what a block has shown."""
        # Statistics libraries take a second to import: whoever doesn't measure doesn't wait.
        from bakeoff.judge import hold

        for piece in slices:
            held = tuple(hold(piece, objective) for objective in self.objectives)
            self.held.setdefault(piece.entry, []).append(held)

    def fitted(self, name: str) -> list[dict[int, float]]:
        """For each objective the score of each rung so far, above 0 where it breaks it."""
        from bakeoff.judge import fit

        columns = zip(*self.held.get(name, ()), strict=True)
        found = [fit(list(column)) for column in columns] or [{} for _ in self.objectives]
        return [{ladder.rung_of(rate): score for rate, score in each.items()} for each in found]

    def centres(self, name: str) -> list[int]:
        """The highest rung that holds, below the first that breaks, for each objective held."""
        found = []
        for scores in self.fitted(name):
            holds = [rung for rung, score in scores.items() if score <= 0]
            if holds:
                found.append(max(holds))
        return found


def climb_boot(asked: CapacityPlan, boot: Boot, seen: Seen) -> bool:
    """Run a boot of a search for capacities; whether there is anything to climb.

    Raises `FirstBootOut`, `NoVerdict`, `BadUsage` where the time is too little for one round.
    """
    folder = boot.setting.folder
    with boot.up() as up:
        meter, warmup = boot.warm_up(up, {})
        folder.add(warmup)
        climb = _Climb(asked, boot, up, meter, seen)
        climb.search({name: warmup.peak(name) or 0.0 for name in warmup.requests_per_s})
        worth = climb.rounds()
        loaded = up.loaded_memory()
    folder.add(BootEnd(boot=boot.number, loaded=loaded, stopped=tuple(up.stopped), died=meter.died))
    return worth


class _Climb:
    """The slices of one boot."""

    def __init__(self, asked: CapacityPlan, boot: Boot, up: Up, meter: Meter, seen: Seen) -> None:
        self._asked, self._objectives = asked, asked.objectives
        self._lowest = ladder.lowest_rung(asked.objectives)
        self._boot, self._up, self._meter, self._seen = boot, up, meter, seen
        self._spent_s, self._block = 0.0, 0

    def search(self, peaks: Mapping[str, float]) -> None:
        """Roughly where each one's capacities are; nothing where earlier boots have seen it.

        `peaks` has each one's closed-loop throughput at the end of its warm-up.
        """
        while turns := self._searching(peaks):
            self._visit(turns)

    def _searching(self, peaks: Mapping[str, float]) -> dict[str, int]:
        found = {}
        for name, peak in peaks.items():
            if peak <= 0 or name in self._meter.died:
                continue
            rungs = (ladder.probe(fit, peak, self._lowest) for fit in self._seen.fitted(name))
            rung = next((one for one in rungs if one is not None), None)
            if rung is not None:
                found[name] = rung
        return found

    def rounds(self) -> bool:
        """Round after round until the boot's time is spent; False: nobody holds an objective."""
        plan, budget_s, turn = self._boot.plan, self._boot.budget_s, 0
        while turn == 0 or self._spent_s < budget_s:
            climbing = self._ladders(turn)
            if not climbing:
                return False
            if self._boot.number == 0 and turn == 0:
                self._afford(self._spent_s + plan.boots * self._length_s(climbing))
            for rungs in zip_longest(*climbing.values()):
                turns = dict(zip(climbing, rungs, strict=True))
                self._visit({name: rung for name, rung in turns.items() if rung is not None})
                if turn > 0 and self._spent_s >= budget_s:
                    break
            turn += 1
        return True

    def _afford(self, needed_s: float) -> None:
        """A round in each boot takes `needed_s`: refuse, or take as long where nobody said how."""
        plan, setting = self._boot.plan, self._boot.setting
        if self._asked.duration_asked:
            check_budget(plan.duration_s, needed_s, plan.boots)
        elif needed_s > plan.duration_s:
            setting.watch.step(
                f"measuring for {needed_s:.0f} s in all: slow servers need long slices"
            )
            setting.folder.keep("plan.json", plan.model_copy(update={"duration_s": needed_s}))

    def _ladders(self, turn: int) -> dict[str, list[int]]:
        """Each contender's rungs of one round, in their order."""
        plan, boot = self._boot.plan, self._boot.number
        found = {}
        for name in (one.entry.name for one in self._up.running):
            centres = self._seen.centres(name)
            if centres and name not in self._meter.died:
                rungs = ladder.ladder(centres, turn, self._lowest)
                found[name] = ladder.climb(plan.seed, boot, turn, name, rungs)
        return found

    def _length_s(self, climbing: Mapping[str, Sequence[int]]) -> float:
        return sum(
            ladder.window_ms(ladder.rate_of(rung), self._objectives) / 1000
            for rungs in climbing.values()
            for rung in rungs
        )

    def _visit(self, turns: Mapping[str, int]) -> None:
        """One block: a slice for each of `turns` that still lives, at its rung."""
        boot, alive = self._boot, [n for n in turns if n not in self._meter.died]
        if not alive:
            return
        order = block_order(boot.plan, boot.number, self._block, alive)
        slices = [self._slice(name, ladder.rate_of(turns[name])) for name in order]
        block = block_of(slices, boot.number, self._block, "long", boot.setting.stages)
        boot.setting.folder.add(block)
        self._seen.add(slices)
        self._spent_s += measured_s([block])
        self._block += 1
        boot.measured(self._spent_s, _offered(slices))

    def _slice(self, name: str, rate: float) -> Slice:
        window = ladder.window_ms(rate, self._objectives)
        return self._meter.slice(
            name,
            self._block,
            ramp_ms=ladder.ramp_ms(window),
            duration_ms=window,
            rate=rate,
        )


def _offered(slices: Sequence[Slice]) -> str:
    """What the progress line shows: who was offered how much."""
    shown = ", ".join(f"{one.entry} {(one.rate or 0) / 1000:.1f}k/s" for one in slices)
    return f"offered {shown}"
