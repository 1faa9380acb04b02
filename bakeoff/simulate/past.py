"""A history that never was: a race a day of the same servers, one of which changes in between."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from bakeoff.judge import judge
from bakeoff.model.machine import Machine
from bakeoff.model.plan import Plan
from bakeoff.model.receipt import Receipt
from bakeoff.model.samples import Record
from bakeoff.model.simulation import Conditions
from bakeoff.model.verdict import Verdict
from bakeoff.simulate.race import MACHINE, PLANTED, Size, plan_of, records_of

FIRST = datetime(2000, 1, 1, tzinfo=UTC)
"""The day of the first race: long ago, so that nobody takes it for one that was run."""


@dataclass(frozen=True)
class SimulatedRun:
    """All that a run's folder has."""

    plan: Plan
    receipts: dict[str, Receipt]
    machine: Machine
    records: Sequence[Record]
    verdict: Verdict


def simulated_run(
    size: Size, conditions: Conditions, seed: int, day: int, changed: int
) -> SimulatedRun:
    """The race of `day`, counted from 0. From the day `changed` on the planted server is in version
    2, which has the effect; version 1 is equal to all others."""
    version = "2" if day >= changed else "1"
    size = size if version == "2" else replace(size, effect=0)
    at = FIRST + timedelta(days=day)
    name = f"{at:%Y-%m-%dT%H-%M-%SZ}-simulated-{day:05}"
    plan = plan_of(size, conditions, seed + day).model_copy(update={"run": name})
    receipts = {each: _receipt(each, version if each == PLANTED else "1") for each in size.names}
    machine = MACHINE.model_copy(update={"taken_at": at.isoformat()})
    records = records_of(plan, size, conditions)
    verdict = judge(plan, receipts, records, machine, complete=True)
    return SimulatedRun(plan, receipts, machine, records, verdict)


def _receipt(name: str, version: str) -> Receipt:
    return Receipt(
        name=name,
        version=version,
        tools={},
        source_sha256=f"{name} {version}",
        commands=(),
        log="",
        built_s=0,
    )
