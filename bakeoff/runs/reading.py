"""Thousands of runs' folders as the history keeps them, read by several processes."""

import ctypes
import multiprocessing
import os
import signal
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from bakeoff.model.history import ShelvedRun
from bakeoff.runs.shelving import found_in, shelved_or_why
from bakeoff.runs.stages import Watch

FOR_A_PROCESS = 100
"""Runs that are worth a process of their own: one reads some hundred in the time that it starts."""
PR_SET_PDEATHSIG = 1


def read_all(folders: Iterable[Path], watch: Watch) -> tuple[list[ShelvedRun], dict[Path, str]]:
    """Everything below `folders`, and why the rest of it can't be read. Raises `BadUsage`."""
    watch.step("looking for runs")
    paths = list(found_in(folders))
    runs: list[ShelvedRun] = []
    faults: dict[Path, str] = {}
    for done, (path, each) in enumerate(zip(paths, _each_read(paths), strict=True), start=1):
        if isinstance(each, str):
            faults[path] = each
        else:
            runs.append(each)
        watch.measured(done, len(paths), f"reading {done:,} of {len(paths):,} runs")
    return runs, faults


def _each_read(paths: list[Path]) -> Iterator[ShelvedRun | str]:
    jobs = min(len(os.sched_getaffinity(0)), len(paths) // FOR_A_PROCESS)
    if jobs < 2:
        yield from map(shelved_or_why, paths)
        return
    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(jobs, context, initializer=_end_with_the_parent) as pool:
        try:
            yield from pool.map(shelved_or_why, paths, chunksize=16)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for worker in multiprocessing.active_children():
                worker.terminate()
            raise


def _end_with_the_parent() -> None:
    """Leave Ctrl-C to the parent, and end when the parent has ended, however it did."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for ending in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(ending, signal.SIG_DFL)
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
