"""Which runs go on, how each stands, and how often it is judged."""

import os
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import Literal

from bakeoff.explore.live.judge import Judge, LiveState, Stood
from bakeoff.history.index import Index
from bakeoff.history.place import HistoryAway
from bakeoff.history.results import id_of, indexed_or_why
from bakeoff.model.errors import BadUsage, BakeoffError
from bakeoff.model.history import IndexedRun
from bakeoff.runs import AnyRun, open_run
from bakeoff.runs.holder import FILE, Holder, holder_of
from bakeoff.runs.store import PLAN_FILE

EVERY_S = 3.0
"""At least this many seconds from one judging to the next, if nothing is measured on the judge's
core."""
EVERY_SHARED_S = 10.0
"""The same if it takes its time from cores on which the run is measured."""
SHARE, SHARE_SHARED = 0.25, 0.01
"""The share of one core that the judge takes at most, by the same distinction."""
GROWTH = 1.15
"""A state is kept for the picture whenever this many times as much is measured: intervals narrow
with the root of that, and a day leaves at most some seventy moments."""
DEPTH = 2
"""The depth of folders in which runs are looked for: `bakeoff explore .` finds those in ./runs."""

Stage = Literal["measuring", "ending", "concluding", "ended", "cut off", "nothing"]
"""`ending`: its end was requested. `concluding`: all is measured, and the report is being made.
`cut off`: it was killed. `nothing`: it ended before anything was measured."""


@dataclass
class Watched:
    """A run that goes on, or did at the last look; `holder` is the process that measures.

    `first` is its state at the first judging, `state` that at `judged_at`; `past` has the ratios of
    moments between them. `kept`: something was measured; None: it goes on. `page` is the id of its
    page, once it exists, and `headline` the page's headline.
    """

    path: Path
    holder: Holder
    asked_to_end: bool = False
    first: LiveState | None = None
    past: tuple[Stood, ...] = ()
    state: LiveState | None = None
    judged_at: datetime | None = None
    due_s: float = 0.0
    judging: "Future[None] | None" = None
    kept: bool | None = None
    page: str = ""
    headline: str = ""

    @property
    def name(self) -> str:
        return self.path.name

    @property
    def began_at(self) -> datetime:
        return datetime.fromtimestamp((self.path / PLAN_FILE).stat().st_mtime, UTC)


class Live(AbstractContextManager["Live"]):
    """The runs that go on in `folders`, for a `with`. `adds`: ended runs are put into `index`;
    otherwise they do that themselves."""

    def __init__(self, folders: Sequence[Path], index: Index, *, adds: bool) -> None:
        self._folders, self._index, self._adds = folders, index, adds
        self._seen: dict[str, Watched] = {}
        self._changing = Lock()
        self._judge = Judge()
        self._threads = ThreadPoolExecutor(1, "judging")

    def __exit__(self, *_: object) -> None:
        self._judge.__exit__()
        self._threads.shutdown(cancel_futures=True)

    def running(self) -> list[Watched]:
        found = [self._watched(path, holder) for path, holder in _running(self._folders)]
        return sorted(found, key=lambda run: run.name, reverse=True)

    def find(self, name: str) -> Watched | None:
        """The run whose folder has that name: one that goes on, or was seen to go on."""
        return next((run for run in self.running() if run.name == name), self._seen.get(name))

    def stage(self, run: Watched) -> Stage:
        if holder := holder_of(run.path):
            if holder != run.holder:
                run.holder, run.asked_to_end = holder, False
            run.kept = None
            return "ending" if run.asked_to_end else "measuring"
        try:
            opened = open_run(run.path)
            if _is_judged(opened):
                return "ended"
            if run.kept is None:
                run.kept = opened.has_samples()
        except (BakeoffError, OSError):
            run.kept = False
        if not run.kept:
            return "nothing"
        return "concluding" if run.holder.is_there else "cut off"

    def page_of(self, run: Watched) -> str:
        """The id of the page of a run that has ended; empty: the history has none yet."""
        if not run.page:
            with suppress(OSError, HistoryAway):
                id_ = id_of(run.path)
                if self._adds and isinstance(ended := indexed_or_why(run.path), IndexedRun):
                    self._index.add(ended)
                if indexed := self._index.run(id_):
                    run.page, run.headline = id_, indexed.headline
        return run.page

    def look(self, run: Watched, wait_s: float = 0.0) -> LiveState | None:
        """Its current state, judged again if that is due, for which this waits `wait_s`.

        None: it was not judged yet.
        """
        with self._changing:
            if time.monotonic() >= run.due_s and (run.judging is None or run.judging.done()):
                with suppress(RuntimeError):
                    run.judging = self._threads.submit(self._judged, run)
        if wait_s and run.judging and not run.state:
            with suppress(TimeoutError):
                run.judging.result(wait_s)
        return run.state

    def end(self, run: Watched, holder: Holder) -> None:
        """End it as Ctrl-C does, if it is still `holder` that measures, once. Raises `BadUsage`."""
        with self._changing:
            if run.asked_to_end:
                return
            if holder_of(run.path) != holder:
                raise BadUsage(f"{run.name}: has ended by itself")
            holder.interrupt()
            run.asked_to_end = True

    def _watched(self, path: Path, holder: Holder) -> Watched:
        with self._changing:
            seen = self._seen.get(path.name)
            if seen is None or seen.path != path or seen.holder != holder:
                seen = self._seen[path.name] = Watched(path, holder)
            return seen

    def _judged(self, run: Watched) -> None:
        state = self._judge.ask(run.path, run.past)
        now_s = time.monotonic()
        # The first time, modules are imported and contracts built, which is paid once.
        is_first = run.state is None and not state.trouble
        run.due_s = now_s + pause_s(0.0 if is_first else state.cpu_s, state.shares)
        if run.first is None and state.half_width is not None:
            run.first = state
        if state.now and is_news(run.past, state.now):
            run.past += state.now
        if run.state and run.state.standings and not state.standings:
            run.state = run.state.model_copy(update={"trouble": state.trouble})
            return
        run.judged_at = datetime.now(UTC)
        # Last: a reader of it finds the others.
        run.state = state


def is_news(past: Sequence[Stood], now: Sequence[Stood]) -> bool:
    """Whether enough was measured since the last moment of `past` to keep this one, too."""
    return not past or now[0].measured_s >= GROWTH * past[-1].measured_s


def pause_s(cpu_s: float, shares: bool) -> float:
    """Seconds until it is judged again, after a time that took `cpu_s` of a core."""
    every_s, share = (EVERY_SHARED_S, SHARE_SHARED) if shares else (EVERY_S, SHARE)
    return max(every_s, cpu_s / share)


def _is_judged(run: AnyRun) -> bool:
    """Whether its result covers all of its measurements: an earlier result may be there."""
    result, log = run.path / run.result_file, run.path / "samples.jsonl"
    return result.exists() and result.stat().st_mtime_ns >= log.stat().st_mtime_ns


def _running(folders: Sequence[Path]) -> Iterator[tuple[Path, Holder]]:
    for folder in folders:
        for path in _runs_below(str(folder.absolute()), DEPTH):
            if holder := holder_of(Path(path)):
                yield Path(path), holder


def _runs_below(folder: str, depth: int) -> Iterator[str]:
    """Folders of runs that may go on. Each of ten thousand runs is checked, so only by its name."""
    if os.path.exists(f"{folder}/{PLAN_FILE}"):  # noqa: PTH110
        if os.path.exists(f"{folder}/{FILE}"):  # noqa: PTH110
            yield folder
        return
    if depth:
        with suppress(OSError), os.scandir(folder) as inside:
            for entry in inside:
                if entry.is_dir(follow_symlinks=False):
                    yield from _runs_below(entry.path, depth - 1)
