"""Building several contenders at a time."""

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from threading import Event
from typing import NamedTuple, Protocol

from bakeoff.build.builder import build
from bakeoff.model.contender import Contender
from bakeoff.model.errors import ContenderOut
from bakeoff.model.receipt import Receipt


class Wanted(NamedTuple):
    """A contender to build, in its folder; `name` is the caller's name of it."""

    name: str
    contender: Contender
    folder: Path


class BuildProgress(Protocol):
    """Called for each build, from any thread."""

    def began(self, name: str) -> None:
        """A contender that isn't built yet is being built."""

    def ended(self, name: str, built: bool, seconds_s: float | None) -> None:
        """A contender was built, or failed; `seconds_s` is None if it was built before."""


def build_several(
    wanted: Sequence[Wanted], jobs: int, progress: BuildProgress
) -> list[Receipt | ContenderOut]:
    """Build `wanted`, `jobs` at a time, in their order.

    Returns a receipt for each, or the reason why it can't be built. Ctrl-C, and any other exception
    here, ends the running commands before it propagates.
    """
    stop = Event()
    with ThreadPoolExecutor(jobs) as pool:
        try:
            builds = [pool.submit(_built, contender, stop, progress) for contender in wanted]
            for done in as_completed(builds):
                done.result()  # Raises a fault of bakeoff's at once.
        except BaseException:
            stop.set()
            pool.shutdown(cancel_futures=True)
            raise
    return [done.result() for done in builds]


def _built(wanted: Wanted, stop: Event, progress: BuildProgress) -> Receipt | ContenderOut:
    began_s: list[float] = []

    def begins() -> None:
        began_s.append(time.monotonic())
        progress.began(wanted.name)

    result: Receipt | ContenderOut
    try:
        result = build(wanted.contender, wanted.folder, begins=begins, stop=stop)
    except ContenderOut as error:
        result = error
    seconds_s = time.monotonic() - began_s[0] if began_s else None
    progress.ended(wanted.name, isinstance(result, Receipt), seconds_s)
    return result
