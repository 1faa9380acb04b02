"""The shelf: all runs, the newest first, by contender, workload, machine, kind or words."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import ClassVar

from bakeoff.explore.address import Address
from bakeoff.explore.page import Page
from bakeoff.history.index import Index
from bakeoff.model.history import RunLine
from bakeoff.report import figures
from bakeoff.report.document import DataRow
from bakeoff.report.flat import zulu

ASKED = ("q", "contender", "workload", "machine", "kind")
PICTURED = 6
"""The number of races whose pictures are on the first page."""
PER_PAGE = 50
"""Runs on a page, up to twice as many on the first: some 40 KB of HTML."""


@dataclass(frozen=True, kw_only=True)
class ShelfPage(Page):
    """`pictured` are the newest races with a picture of their ratios.

    `choices` finds the possible values of the query, by key, as value and words.
    """

    template: ClassVar[str] = "shelf.html"

    runs: tuple[RunLine, ...]
    pictured: tuple[RunLine, ...]
    total: int
    asked: Mapping[str, str]
    choices: Callable[[], Mapping[str, tuple[tuple[str, str], ...]]]
    first: Address | None
    next: Address | None


def shelf(index: Index, address: Address) -> ShelfPage:
    asked = {key: address.asked(key) for key in ASKED}
    before = address.asked("before")
    found = index.runs(
        text=asked["q"],
        contender=asked["contender"],
        workload=asked["workload"],
        machine=asked["machine"],
        kind=asked["kind"],
        before=before or None,
        limit=PER_PAGE,
        steady=True,
    )
    return ShelfPage(
        address=address,
        title="Runs",
        data=lambda: _rows(found.runs),
        runs=found.runs,
        pictured=() if address.query else _pictured(index, found.runs),
        total=found.total,
        asked=asked,
        choices=lambda: _choices(index),
        first=address.asking(before="") if before else None,
        next=address.asking(before=found.before) if found.before else None,
    )


def _pictured(index: Index, runs: Sequence[RunLine]) -> tuple[RunLine, ...]:
    def has_picture(line: RunLine) -> bool:
        run = index.run(line.id) if line.kind == "race" and Path(line.path).exists() else None
        return bool(run and sum(bool(it.ratio) for race in run.races for it in race.figures) > 1)

    return tuple(islice(filter(has_picture, runs), PICTURED))


def _choices(index: Index) -> Mapping[str, tuple[tuple[str, str], ...]]:
    choices = index.choices()
    machines = (
        (machine.machine_class, f"{machine.cpu_model}, {figures.plural(machine.cpus, 'processor')}")
        for machine in choices.machines
    )
    return {
        "contender": tuple((name, name) for name in choices.contenders),
        "workload": tuple((name, name) for name in choices.workloads),
        "machine": tuple(machines),
        "kind": tuple((name, name) for name in choices.kinds),
    }


def _rows(runs: Sequence[RunLine]) -> list[DataRow]:
    return [
        {
            "run": run.id,
            "name": run.name,
            "kind": run.kind,
            "began_at": zulu(run.began_at),
            "headline": run.headline,
            "valid": run.valid,
            "complete": run.complete,
            "machine_class": run.machine_class,
            "cpu_model": run.cpu_model,
            "cpus": run.cpus,
            "contenders": " ".join(run.contenders),
            "workloads": " ".join(run.workloads),
        }
        for run in runs
    ]
