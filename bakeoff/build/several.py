"""Building several contenders at a time."""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from pathlib import Path
from threading import Event
from typing import Protocol

from bakeoff.build.builder import build
from bakeoff.model.contender import Contender
from bakeoff.model.errors import ContenderOut
from bakeoff.model.receipt import Receipt


class Watch(Protocol):
    """Who is told how the building gets on, from any thread."""

    def began(self, name: str) -> None:
        """The build of one that isn't built yet begins."""

    def ended(self, name: str, built: bool, seconds_s: float | None) -> None:
        """One is done with, well or not. `seconds_s`: None where nothing had to be built."""


def build_several(
    wanted: Sequence[tuple[Contender, Path]], jobs: int, watch: Watch
) -> list[Receipt | ContenderOut]:
    """Build `wanted` (contender, folder), `jobs` at a time, begun in their order.

    The receipts in the order of `wanted`, and for each that can't be built the reason. Ctrl-C, or
    whatever else is raised here, ends the commands that run before it goes on.
    """
    stop = Event()
    with ThreadPoolExecutor(jobs) as pool:
        try:
            running = [pool.submit(_built, *each, stop, watch) for each in wanted]
            _all_done(running)
        except BaseException:
            stop.set()
            pool.shutdown(cancel_futures=True)
            raise
    return [each.result() for each in running]


def _all_done(running: Sequence["Future[Receipt | ContenderOut]"]) -> None:
    """Wait for all, or for the first that fails by a fault of ours."""
    for each in as_completed(running):
        each.result()


def _built(contender: Contender, folder: Path, stop: Event, watch: Watch) -> Receipt | ContenderOut:
    began_s: list[float] = []

    def begins() -> None:
        began_s.append(time.monotonic())
        watch.began(contender.name)

    result = _receipt_or_reason(contender, folder, stop, begins)
    seconds_s = time.monotonic() - began_s[0] if began_s else None
    watch.ended(contender.name, isinstance(result, Receipt), seconds_s)
    return result


def _receipt_or_reason(
    contender: Contender, folder: Path, stop: Event, begins: Callable[[], None]
) -> Receipt | ContenderOut:
    try:
        return build(contender, folder, begins=begins, stop=stop)
    except ContenderOut as error:
        return error
