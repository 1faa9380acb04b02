"""A run that goes on, seen from another process: how far it is, and where it measures."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from bakeoff.measure.machine import siblings
from bakeoff.runs.measuring.boot import measured_s
from bakeoff.runs.run import AnyRun


@dataclass(frozen=True)
class Progress:
    """`measured_s` of `planned_s` seconds, over all parts, in `steps` blocks, turns or runs of a
    tool. `planned_s` is None where what is measured decides how long it takes."""

    measured_s: float
    planned_s: float | None
    steps: int


def progress(run: AnyRun) -> Progress:
    """How far a run is, by its log and those of its parts."""
    measured, steps = measured_s(run.records()), 0
    steps += sum(record.type in run.samples for record in run.records())
    for part in run.begun_parts().values():
        inner = progress(part)
        measured, steps = measured + inner.measured_s, steps + inner.steps
    return Progress(measured, run.planned_s(), steps)


def taken_cpus(run: AnyRun) -> frozenset[int]:
    """The processors that are measured on, with those that share a core with one of them.

    Empty where the plan names none: then it may be on any.
    """
    named = frozenset(_cpus(run.planned.model_dump()))
    groups = (frozenset(group) for group in siblings())
    return named.union(*(group for group in groups if group & named))


def _cpus(value: Any) -> Iterator[int]:
    """Every processor that a plan names, wherever in it."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key == "cores" and isinstance(inner, dict):
                yield from (*inner["server"], *inner["client"])
            elif key == "upstream_cpus":
                yield from inner
            else:
                yield from _cpus(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _cpus(inner)
