"""From options with several values to a grid: one race for each combination."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Literal

from bakeoff.model.errors import BadUsage, NoVerdict
from bakeoff.model.grid import Axis, AxisName, GridPlan, PlannedCell, Settings
from bakeoff.model.plan import Connection
from bakeoff.plan.catalogue import Catalogue
from bakeoff.plan.decide import Options, contradiction, decide
from bakeoff.plan.words import Named

COUNT_MAX = 10**9
"""Past it nothing can be meant; the engine says what the machine has room for."""


@dataclass(frozen=True)
class Axes:
    """The values that were given for each setting; one alone is None where nothing was said."""

    connections: tuple[int, ...] | tuple[None] = (None,)
    workers: tuple[int, ...] | tuple[None] = (None,)
    pipeline: tuple[int, ...] = (1,)
    connection: tuple[Connection, ...] = ("keep-alive",)

    def combined(self, options: Options) -> list[Options]:
        """One set of options for each cell; the connections change fastest."""
        return [
            replace(
                options,
                connections=connections,
                workers=workers,
                pipeline=pipeline,
                connection=connection,
            )
            for connection, pipeline, workers, connections in product(
                self.connection, self.pipeline, self.workers, self.connections
            )
        ]


def parse_counts(flag: str, text: str) -> tuple[int, ...]:
    """`1,64,512` as numbers. Raises `BadUsage`."""
    counts: list[int] = []
    for word in text.split(","):
        count = int(word) if re.fullmatch(r"\s*[0-9]{1,10}\s*", word) else 0
        if not 0 < count < COUNT_MAX:
            given = f"`{word}` in {text}" if "," in text else text or "nothing"
            raise BadUsage(
                f"{flag}: is {given}; it takes a number above zero, or several: 1,64,512"
            )
        if count in counts:
            raise BadUsage(f"{flag}: has {count} twice in {text}; each value is one cell")
        counts.append(count)
    return tuple(counts)


def parse_connection(*, close: bool, keep_alive: bool) -> tuple[Connection, ...]:
    """What `--keep-alive` and `--close` ask for: both are an axis, neither is keep-alive."""
    if close and keep_alive:
        return ("keep-alive", "close")
    return ("close",) if close else ("keep-alive",)


def decide_grid(
    named: Sequence[Named],
    catalogue: Catalogue,
    cells: Sequence[Options],
    *,
    stamp: str,
    command_line: Sequence[str],
) -> GridPlan:
    """The plan of a grid of two `cells` or more.

    All have the same seed. Where a time was given, they share it evenly. A cell that can't be
    measured has its reason; raises `BadUsage` where none can be, and for what is wrong in all.
    """
    possible = sum(not contradiction(one) for one in cells)
    if not possible:
        raise BadUsage(contradiction(cells[0]))
    planned: list[PlannedCell] = []
    found = _settings(cells, named, catalogue, stamp, command_line)
    axes = _axes(found)
    run = reference = ""
    for options, settings in zip(cells, found, strict=True):
        name = _name(settings, axes)
        skipped = contradiction(options)
        plan = None
        if not skipped:
            share_s = options.duration_s and options.duration_s / possible
            options = replace(options, duration_s=share_s)
            try:
                plan = decide(named, catalogue, options, stamp=stamp, command_line=command_line)
            except NoVerdict as error:
                skipped = str(error)
        if plan:
            run = run or plan.run
            reference = reference or plan.reference
            plan = plan.model_copy(update={"run": f"{plan.run}/{name}"})
        planned.append(PlannedCell(name=name, settings=settings, plan=plan, skipped=skipped))
    if not run:
        raise NoVerdict(planned[0].skipped)
    return GridPlan(
        run=run,
        command_line=tuple(command_line),
        axes=axes,
        cells=tuple(planned),
        reference=reference,
        seed=cells[0].seed,
    )


def _settings(
    cells: Sequence[Options],
    named: Sequence[Named],
    catalogue: Catalogue,
    stamp: str,
    command_line: Sequence[str],
) -> list[Settings]:
    """Each cell's settings, with the defaults of a race where nothing was said."""
    plain = replace(cells[0], pipeline=1, connections=None, workers=None)
    usual = decide(named, catalogue, plain, stamp=stamp, command_line=command_line)
    return [
        Settings(
            connections=one.connections or usual.connections,
            workers=one.workers or usual.workers,
            pipeline=one.pipeline,
            connection=one.connection,
        )
        for one in cells
    ]


_NAMES: tuple[AxisName, ...] = ("connections", "workers", "pipeline", "connection")
_LETTERS: dict[AxisName, Literal["c", "w", "p", ""]] = {
    "connections": "c",
    "workers": "w",
    "pipeline": "p",
    "connection": "",
}


def _axes(found: Sequence[Settings]) -> tuple[Axis, ...]:
    values = {name: tuple(dict.fromkeys(one.value(name) for one in found)) for name in _NAMES}
    return tuple(Axis(name=name, values=own) for name, own in values.items() if len(own) > 1)


def _name(settings: Settings, axes: Sequence[Axis]) -> str:
    return "-".join(f"{_LETTERS[axis.name]}{settings.value(axis.name)}" for axis in axes)
