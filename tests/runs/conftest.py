"""What all tests of runs share: a catalogue of four servers, and runs of them in a world."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bakeoff.model.plan import Plan
from bakeoff.model.samples import Record
from bakeoff.plan import CapacityOptions, Environment, RaceOptions, plan_capacity, plan_race
from bakeoff.runs import AnyRun, execute
from bakeoff.runs.kinds.capacity import CapacityRun
from bakeoff.runs.kinds.grid import GridRun
from bakeoff.runs.kinds.race import RaceRun
from bakeoff.runs.run import RunPlan
from tests.plan.places import catalogue
from tests.runs.world import World


def entry_names(records: Iterable[Record]) -> set[str]:
    """Whose slices are in the blocks."""
    return {one.entry for record in records if record.type == "block" for one in record.slices}


@dataclass(frozen=True)
class Measure:
    """Runs of the catalogue's servers, in a world and a folder of the test's own."""

    environment: Environment
    parent: Path

    def plan(self, *operands: str, **options: Any) -> Plan:
        chosen = RaceOptions(**{"seed": 1, "duration": 12.0, **options})
        plan = plan_race(operands, chosen, self.environment)
        assert isinstance(plan, Plan)
        return plan

    def race(self, world: World, *operands: str, **options: Any) -> RaceRun:
        run = self.run(self.plan(*operands, **options), world)
        assert isinstance(run, RaceRun)
        return run

    def grid(self, world: World, **options: Any) -> GridRun:
        """A grid of `fast` and `slow`, over two numbers of connections or other axes."""
        usual = {"connections": (1, 64), "seed": 3, "duration": 8.0, "boots": 2}
        chosen = RaceOptions(**{**usual, **options})
        run = self.run(plan_race(["fast", "slow"], chosen, self.environment), world)
        assert isinstance(run, GridRun)
        return run

    def capacity(self, world: World, *operands: str, **options: Any) -> CapacityRun:
        chosen = CapacityOptions(**{"seed": 1, "boots": 1, "slo": ("p99=10ms",), **options})
        run = self.run(plan_capacity(operands, chosen, self.environment), world)
        assert isinstance(run, CapacityRun)
        return run

    def run(self, plan: RunPlan, world: World) -> AnyRun:
        return execute(plan, self.parent, world.stages(), world)


@pytest.fixture
def measure(tmp_path: Path) -> Measure:
    """Runs in a folder of this test's own."""
    four = catalogue(tmp_path / "a catalogue", "fast", "slow", "same", "other")
    environment = Environment(four, Path("/"), (0, 1), "t", ("bakeoff", "race"))
    return Measure(environment, tmp_path / "runs")
