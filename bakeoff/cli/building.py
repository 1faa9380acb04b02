"""How building gets on, for people: a live line on a terminal, two plain lines each elsewhere."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Column

from bakeoff.build import build_several
from bakeoff.cli.console import err
from bakeoff.model.contender import Contender
from bakeoff.model.errors import ContenderOut
from bakeoff.model.receipt import Receipt
from bakeoff.plan import available_cores

Wanted = Sequence[tuple[Contender, Path]]

JOBS_MAX = 4
"""Each build takes memory and network too; compilers use several cores by themselves."""


def default_jobs() -> int:
    """How many are built at a time where nobody says."""
    return min(JOBS_MAX, len(available_cores()))


def build_watched(wanted: Wanted, jobs: int) -> list[Receipt | ContenderOut]:
    """`build_several`, with its progress on standard error."""
    with LiveBuilding(len(wanted)) if err.is_terminal else Building(_print) as watch:
        return build_several(wanted, jobs, watch)


def build_for_race(wanted: Wanted, say: Callable[[str], None]) -> list[Receipt | ContenderOut]:
    """The build stage of a race: `say` is told what begins and ends."""
    return build_several(wanted, default_jobs(), Building(say))


def _print(text: str) -> None:
    err.print(text, markup=False, soft_wrap=True)


class Building:
    """A line when a build begins, and one when it ends; none where nothing has to be built."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say

    def __enter__(self) -> "Building":
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def began(self, name: str) -> None:
        """Say that a build begins."""
        self._say(f"building {name}")

    def ended(self, name: str, built: bool, seconds_s: float | None) -> None:
        """Say how a build ended."""
        if seconds_s is not None:
            self._say(f"{name}: {'built' if built else 'could not be built'}, {seconds_s:.0f} s")


class LiveBuilding(Building):
    """A bar over all that are wanted, with what is being built beside it, and for how long."""

    def __init__(self, count: int) -> None:
        super().__init__(_print)
        self._under_way: dict[str, float] = {}
        self._progress = Progress(
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TextColumn(
                "{task.fields[building]}",
                markup=False,
                table_column=Column(no_wrap=True, overflow="ellipsis", ratio=1),
            ),
            console=err,
            transient=True,
            expand=True,
            refresh_per_second=2,
        )
        self._task = self._progress.add_task("", total=count, building=self)

    def __enter__(self) -> "LiveBuilding":
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def began(self, name: str) -> None:
        """Show that it is under way."""
        self._under_way[name] = time.monotonic()

    def ended(self, name: str, built: bool, seconds_s: float | None) -> None:
        """Count it, and keep a line of it where it was built."""
        super().ended(name, built, seconds_s)
        self._under_way.pop(name, None)
        self._progress.advance(self._task)

    def __str__(self) -> str:
        """What is under way; the bar asks anew for each redraw."""
        now_s = time.monotonic()
        under_way = [
            f"{name} {now_s - began_s:.0f} s" for name, began_s in self._under_way.copy().items()
        ]
        return f"building {', '.join(under_way)}" if under_way else ""
