"""A run of the history, opened: its document from the folder, or only from the result's file."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from threading import Lock

from bakeoff.explore.page import NotThere
from bakeoff.history.results import result_of
from bakeoff.model.base import Contract
from bakeoff.model.errors import BadUsage
from bakeoff.model.history import IndexedRun
from bakeoff.model.receipt import Receipt
from bakeoff.model.verdict import Verdict
from bakeoff.report.document import Document
from bakeoff.runs import open_run
from bakeoff.runs.kinds.race import RaceRun

KEPT = 64
"""The number of recently judged families that are kept: the judge takes seconds for thirty
contenders."""
_JUDGING = Lock()
"""One family is judged at a time: a second core is for users who only read."""


@dataclass(frozen=True)
class Opened:
    """The available parts of a run, or of one part of it.

    `entries` are its contenders in the plan's order; a family is chosen by their numbers. They are
    empty if nothing can be judged again. `parts` have pages of their own. Parts that a view may not
    need are made on request.
    """

    result: Contract
    written: Callable[[], Document]
    entries: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    built: Callable[[], Mapping[str, Receipt]] = dict

    @cached_property
    def document(self) -> Document:
        return self.written()

    @cached_property
    def receipts(self) -> Mapping[str, Receipt]:
        return self.built()

    @property
    def verdict(self) -> Verdict | None:
        return self.result if isinstance(self.result, Verdict) else None


def opened(run: IndexedRun, part: str = "", of: tuple[int, ...] = (), against: int = -1) -> Opened:
    """The run or its `part`; of a race, only the entries `of`, with `against` as their reference.

    Raises `NotThere` where the part or an entry doesn't exist, and `BadUsage` where the run is
    gone, can't be read, or can't be judged again.
    """
    path = Path(run.path)
    if path.is_dir():
        return _of_folder(path, part, of, against, _stamp(path))
    if not path.is_file():
        raise BadUsage(f"{path}: is gone; the history still has its figures")
    if of or against >= 0:
        raise BadUsage(
            f"{path.name}: is a result without its samples; only a run’s folder can be judged anew"
        )
    return _of_file(path, part)


def _stamp(path: Path) -> tuple[int, ...]:
    """A value that changes when a run goes on, or is judged again."""
    files = [*path.glob("*.json*"), *path.glob("*/*.json")]
    return tuple(sorted(file.stat().st_mtime_ns for file in files))


@lru_cache(maxsize=KEPT)
def _of_folder(
    path: Path, part: str, of: tuple[int, ...], against: int, _stamp: tuple[int, ...]
) -> Opened:
    run = open_run(path)
    if part:
        found = run.begun_parts().get(part)
        if found is None:
            raise NotThere(f"this run has no part called {part}")
        run = found
    parts, built = tuple(run.parts), run.store.receipts
    if not isinstance(run, RaceRun):
        if of or against >= 0:
            raise BadUsage(f"{path.name}: is a {run.kind}; only a race is judged anew")
        return Opened(run.result, run.document, parts=parts, built=built)
    names = tuple(entry.name for entry in run.plan.entries if not entry.twin_of)
    if of or against >= 0:
        document, verdict = _judged(run, names, of, against)
        return Opened(verdict, lambda: document, names, built=built)
    return Opened(run.result, run.document, names, parts, built)


def _judged(
    run: RaceRun, names: Sequence[str], of: tuple[int, ...], against: int
) -> tuple[Document, Verdict]:
    if any(not 0 <= number < len(names) for number in (*of, max(against, 0))):
        raise NotThere(
            f"this run has no such contender; its contenders have the numbers 0 to {len(names) - 1}"
        )
    chosen = [names[number] for number in of or range(len(names))]
    if against >= 0 and names[against] not in chosen:
        raise NotThere(f"{names[against]} is not among the chosen contenders")
    with _JUDGING:
        return run.judged_among(chosen, names[against] if against >= 0 else "")


def _of_file(path: Path, part: str) -> Opened:
    kind, result = result_of(path)
    verdicts = kind.verdicts(result)
    parts = tuple(name for name in verdicts if name)
    if part:
        if part not in parts:
            raise NotThere(f"this run has no part called {part}")
        kind, result, parts = RaceRun, verdicts[part], ()
    return Opened(result, lambda: kind.document_of(result), parts=parts)
