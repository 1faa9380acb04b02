"""The user's history: runs are added to it when they end, and it knows earlier races."""

import os
import time
from collections.abc import Callable, Container, Iterable
from contextlib import closing, suppress
from math import sqrt
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, TypeVar

from bakeoff import history
from bakeoff.history.place import default_url, user_data
from bakeoff.history.results import id_of, indexed, indexed_or_why
from bakeoff.model.errors import BakeoffError
from bakeoff.model.history import Earlier, IndexedRun, machine_class
from bakeoff.model.machine import Machine
from bakeoff.model.verdict import Verdict
from bakeoff.runs import stages
from bakeoff.runs.run import open_run
from bakeoff.runs.store import PLAN_FILE

if TYPE_CHECKING:
    from bakeoff.history.index import Index

T = TypeVar("T")
RACES = 10
"""The number of races whose errors show what a machine reaches."""
_TOLD = "told "
"""Before a path in the list of waiting runs: the reason why it can't be added was reported."""


class UserHistory(stages.History):
    """The index that the environment names, or the user's own; none if it is switched off."""

    def add(self, folder: Path) -> str:
        url = default_url()
        if url is None:
            return ""
        lists = _taken()
        waiting = [path for taken in lists.values() for path in taken]
        told = {path.removeprefix(_TOLD) for path in waiting if path.startswith(_TOLD)}
        paths = dict.fromkeys([*(path.removeprefix(_TOLD) for path in waiting), str(folder)])
        try:
            with closing(history.open_index(url)) as index:
                read = {path: indexed_or_why(Path(path)) for path in paths}
                index.add(*(run for run in read.values() if isinstance(run, IndexedRun)))
            faults = {path: why for path, why in read.items() if isinstance(why, str)}
            trouble = _unread(faults, told)
        except BakeoffError as error:
            trouble = f"{error}; {_wait([*waiting, str(folder)])}"
        # Not before: a process that is killed here leaves them to the next one.
        for taken in lists:
            taken.unlink(missing_ok=True)
        return trouble

    def earlier(self, folder: Path, verdict: Verdict) -> Earlier | None:
        """The other races in the setting of a race, or of a run's part.

        None: the history is switched off, or can't be read; adding the run will report why.
        """
        own = set()
        for outer in (folder, *folder.parents):
            if not (outer / PLAN_FILE).exists():
                break
            own.add(id_of(outer))
        return _read(lambda index: index.earlier(indexed(open_run(folder), verdict), own))

    def block_error(self, machine: Machine) -> float | None:
        """That of the newest races on machines like this one, however they ended; None: no race is
        known."""

        def newest(index: "Index") -> list[IndexedRun | None]:
            lines = index.runs(machine=machine_class(machine), kind="race", limit=RACES)
            return [index.run(line.id) for line in lines.runs]

        found = (run for run in _read(newest) or () if run)
        races = (race for run in found for race in run.races if race.measures != "p99")
        errors = [
            error * sqrt(pair.ratio.n)
            for race in races
            for pair in race.pairs
            if (error := pair.error)
        ]
        return median(errors) if errors else None


def _unread(faults: dict[str, str], told: Container[str]) -> str:
    """Why runs can't be added, in words, each reason once. They wait until they can be added.

    Faults of a folder, or of its disk, must be fixed there; trying again whenever a run ends takes
    no time, and reports nothing.
    """
    later = _wait(f"{_TOLD}{path}" for path in faults)
    new = [why for path, why in faults.items() if path not in told]
    if not new:
        return ""
    more = f" (and {len(new) - 1} more)" if len(new) > 1 else ""
    return f"not in the history: {new[-1]}{more}; once that is fixed, {later}"


def _pending() -> Path:
    return user_data() / "pending"


def _taken() -> dict[Path, list[str]]:
    """The lists of runs that wait until the history can be reached, by their files.

    Only one of two processes takes them, by a new name with its pid, together with those of
    processes that were killed before they had added theirs.
    """
    own = _pending().with_suffix(f".{os.getpid()}-{time.time_ns()}")
    with suppress(OSError):
        _pending().rename(own)
    lists: dict[Path, list[str]] = {}
    for path in _pending().parent.glob("pending.*"):
        pid = path.suffix[1:].partition("-")[0]
        if path == own or not Path("/proc", pid).exists():
            with suppress(OSError):
                lists[path] = path.read_text().splitlines()
    return lists


def _wait(paths: Iterable[str]) -> str:
    lines = "".join(f"{path}\n" for path in paths)
    try:
        if lines:
            _pending().parent.mkdir(parents=True, exist_ok=True)
            with _pending().open("a") as pending:
                pending.write(lines)
    except OSError as error:
        again = "add this run with: bakeoff history rebuild DIR"
        return f"{_pending()} can't be written ({error.strerror}): {again}"
    return "this run will be added when the next one ends"


def _read(what: Callable[["Index"], T]) -> T | None:
    """A value of the user's index; None: it is switched off, or can't be read."""
    url = default_url()
    if url is None:
        return None
    try:
        with closing(history.open_index(url)) as index:
            return what(index)
    except BakeoffError:
        return None
