"""Thousands of runs' folders as the history keeps them, read by several processes."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from bakeoff.history.results import found_in, indexed_or_why
from bakeoff.model.history import IndexedRun
from bakeoff.runs.stages import Watch
from bakeoff.workers import pool

FOR_A_PROCESS = 100
"""Runs that are worth a process of their own: one reads some hundred in the time that it starts."""
SAID_EACH = 25
"""Runs between two lines of progress."""


def read_all(
    folders: Iterable[Path], watch: Watch, faults: dict[Path, str]
) -> Iterator[IndexedRun]:
    """Everything below `folders`; `faults` is told why the rest can't be. Raises `BadUsage`."""
    watch.step("looking for runs")
    paths = list(found_in(folders))
    for done, (path, each) in enumerate(zip(paths, _each_read(paths), strict=True), start=1):
        if isinstance(each, IndexedRun):
            yield each
        else:
            faults[path] = each
        if done % SAID_EACH == 0:
            watch.measured(done, len(paths), f"reading {done:,} of {len(paths):,} runs")


def _each_read(paths: list[Path]) -> Iterator[IndexedRun | str]:
    jobs = min(len(os.sched_getaffinity(0)), len(paths) // FOR_A_PROCESS)
    if jobs < 2:
        yield from map(indexed_or_why, paths)
        return
    with pool(jobs) as workers:
        yield from workers.map(indexed_or_why, paths, chunksize=16)
