"""A history that never was: a race a day of the same servers, one of which changes in between."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bakeoff.model.simulation import Conditions
from bakeoff.progress import Watch
from bakeoff.runs.run import create
from bakeoff.simulate.race import MACHINE, PLANTED, Size, plan_of, world_of

FIRST = datetime(2000, 1, 1, tzinfo=UTC)
"""The day of the first race: so long ago that it can't be mistaken for a real race's."""


def leave_run(
    parent: Path, size: Size, conditions: Conditions, seed: int, changed: int, day: int
) -> None:
    """Leave the race of `day`, counted from 0, as a folder of `parent`. From the day `changed` on
    the planted server is in version 2, which has the effect; version 1 is equal to all others."""
    version = "2" if day >= changed else "1"
    size = size if version == "2" else replace(size, effect=0)
    at = FIRST + timedelta(days=day)
    name = f"{at:%Y-%m-%dT%H-%M-%SZ}-simulated-{day:05}"
    plan = plan_of(size, conditions, seed + day).model_copy(update={"run": name})
    machine = MACHINE.model_copy(update={"taken_at": at.isoformat()})
    stages = world_of(plan, size, conditions, machine, {PLANTED: version}).stages
    create(plan, parent / name, stages, Watch()).go_on(stages, Watch())
