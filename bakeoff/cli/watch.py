"""How a race gets on, for people: a live line on a terminal, a few plain lines elsewhere."""

import time

from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Column

from bakeoff.cli.console import err

REDRAW_S = 0.25


class PlainWatch:
    """One line for each step; none for the measuring itself."""

    def __enter__(self) -> "PlainWatch":
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def step(self, text: str) -> None:
        """Say that something begins."""
        err.print(text, markup=False, soft_wrap=True)

    def measured(self, done_s: float, of_s: float, text: str) -> None:
        """Say nothing: a log has no use for a moving figure."""

    def out(self, name: str, reason: str) -> None:
        """Say that a contender is out, and why."""
        err.print(f"{name} is out: {reason}", markup=False, soft_wrap=True)


class LiveWatch(PlainWatch):
    """A bar over the measured time, with the step or the latest throughputs beside it."""

    def __init__(self) -> None:
        self._progress = Progress(
            BarColumn(bar_width=24),
            TaskProgressColumn(),
            TimeRemainingColumn(compact=True),
            # Of thirty names or throughputs the first few: several lines would jump about.
            TextColumn(
                "{task.description}",
                markup=False,
                table_column=Column(no_wrap=True, overflow="ellipsis", ratio=1),
            ),
            console=err,
            transient=True,
            expand=True,
            # A redraw costs CPU on the generator's core: it is asked for between slices alone.
            auto_refresh=False,
        )
        self._task = self._progress.add_task("", total=None)
        self._drawn_at_s = 0.0

    def __enter__(self) -> "LiveWatch":
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def step(self, text: str) -> None:
        """Show the step beside the bar."""
        self._progress.update(self._task, description=text)
        self._progress.refresh()

    def measured(self, done_s: float, of_s: float, text: str) -> None:
        """Move the bar, a few times a second at most."""
        self._progress.update(self._task, completed=done_s, total=of_s, description=text)
        if time.monotonic() - self._drawn_at_s > REDRAW_S:
            self._progress.refresh()
            self._drawn_at_s = time.monotonic()


def watch() -> PlainWatch:
    """What fits where standard error leads."""
    return LiveWatch() if err.is_terminal else PlainWatch()
