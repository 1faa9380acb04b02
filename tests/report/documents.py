"""A document of each kind, and of a replay with many rows and a gap."""

import json
from collections.abc import Callable
from functools import cache
from typing import Any

from bakeoff.model.audit import AuditReport
from bakeoff.model.base import Contract
from bakeoff.model.capacity import CapacityReport
from bakeoff.model.grid import Grid
from bakeoff.model.replay import Replay
from bakeoff.model.verdict import Verdict
from bakeoff.report.document import Document
from bakeoff.report.kinds import (
    audit,
    capacity,
    comparison,
    crosscheck,
    day,
    draws,
    grid,
    race,
    replay,
    why,
)
from tests.report import sample
from tests.report.sample import capacity as capacities
from tests.report.sample import comparison as comparisons
from tests.report.sample import crosscheck as crosschecks
from tests.report.sample import day as days
from tests.report.sample import draws as drawn
from tests.report.sample import grid as grids
from tests.report.sample import replay as replays
from tests.report.sample import why as causes


def audited() -> AuditReport:
    verdict = sample.verdict()
    return AuditReport(
        workload="hello",
        connections=64,
        works={entry.name: entry.work for entry in verdict.entries if entry.work},
        unequal=verdict.fairness,
        skipped=verdict.skipped,
    )


FROM_OUTSIDE: tuple[tuple[Any, Callable[[], Contract], str, Callable[[Any], Document]], ...] = (
    (Verdict, sample.verdict, "go-nethttp", race.document),
    (CapacityReport, capacities.report, "quick", capacity.document),
    (Grid, grids.grid, "hyper", grid.document),
    (Replay, replays.brick, "go-chi", replay.document),
)
"""Contract, result, a name in it that comes from outside, and the way to a document."""


def attacked(case: int, attack: str) -> Document:
    """The document of a result with `attack` behind a name wherever that stands."""
    contract, result, name, document = FROM_OUTSIDE[case]
    text = result().to_json().replace(name, name + json.dumps(attack)[1:-1])
    return document(contract.from_json(text, "the sample"))


DOCUMENTS: dict[str, Callable[[], Document]] = {
    "race": lambda: race.document(
        sample.verdict(), sample.plan(), sample.records(), sample.receipts()
    ),
    "capacity": lambda: capacity.document(capacities.report()),
    "grid": lambda: grid.document(grids.grid()),
    "replay": lambda: replay.document(replays.cut_off()),
    "replay-of-many-rows": lambda: replay.document(replays.brick()),
    "crosscheck": lambda: crosscheck.document(crosschecks.crosscheck()),
    "day": lambda: day.document(days.day()),
    "draws": lambda: draws.document(drawn.draws()),
    "comparison": lambda: comparison.document(comparisons.compared()),
    "audit": lambda: audit.document(audited()),
    "why": lambda: why.document(causes.why(), causes.trees),
}
DOCUMENTS = {name: cache(make) for name, make in DOCUMENTS.items()}
