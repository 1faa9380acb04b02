"""How a run gets on, for people: a bar in a terminal or a notebook, plain lines in a log."""

import html
import sys
import time
from collections.abc import Callable
from typing import Any, Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Column

REDRAW_S = 0.25


class Watch:
    """A watch that shows nothing. Every watch is a context in which a run is measured.

    `live`: it shows how contenders stand while they are measured.
    """

    live = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Leave nothing behind on the screen."""

    def step(self, text: str) -> None:
        """Something begins that may take a while."""

    def measured(self, done: float, of: float, text: str) -> None:
        """So much of the measuring is done."""

    def stands(self, text: str) -> None:
        """So the contenders stand by now."""

    def out(self, name: str, reason: str) -> None:
        """A contender can't take part."""

    def judged(self, run: Any) -> None:
        """The run has its result; its reports are still to be drawn."""


class LineWatch(Watch):
    """One line for each step; none for the measuring: a log has no use for a moving figure.

    `show` prints the result of a run.
    """

    def __init__(self, console: Console, show: Callable[[Any], None] = lambda _run: None) -> None:
        self._console, self._show = console, show

    def step(self, text: str) -> None:
        """Print the step."""
        self._console.print(text, markup=False, soft_wrap=True)

    def out(self, name: str, reason: str) -> None:
        """Print who is out, and why."""
        self._console.print(f"{name} is out: {reason}", markup=False, soft_wrap=True)

    def judged(self, run: Any) -> None:
        """Show the result at once: the report takes seconds."""
        self._show(run)


class BarWatch(LineWatch):
    """A bar over the measuring, with the step beside it, or how contenders stand and their latest
    throughputs."""

    live = True

    def __init__(self, console: Console, show: Callable[[Any], None] = lambda _run: None) -> None:
        super().__init__(console, show)
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
            console=console,
            transient=True,
            expand=True,
            # A redraw costs CPU on the generator's core: it happens between slices alone.
            auto_refresh=False,
        )
        self._task = self._progress.add_task("", total=None)
        self._drawn_at_s = 0.0
        self._stands = ""

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def step(self, text: str) -> None:
        """Show the step beside the bar."""
        self._progress.update(self._task, description=text)
        self._progress.refresh()

    def stands(self, text: str) -> None:
        """Show it before the throughputs from now on."""
        self._stands = text

    def measured(self, done: float, of: float, text: str) -> None:
        """Move the bar, a few times a second at most."""
        said = f"{self._stands}; {text}" if self._stands else text
        self._progress.update(self._task, completed=done, total=of, description=said)
        if time.monotonic() - self._drawn_at_s > REDRAW_S:
            self._progress.refresh()
            self._drawn_at_s = time.monotonic()

    def judged(self, run: Any) -> None:
        """Show the result in the bar's place."""
        self._progress.stop()
        super().judged(run)


class NotebookWatch(Watch):
    """A bar below the cell that measures; contenders that are out stay there when it is done."""

    def __init__(self, display: Any) -> None:
        self._handle = display({"text/plain": ""}, raw=True, display_id=True)
        self._out: list[str] = []
        self._drawn_at_s = 0.0

    def __exit__(self, *_: object) -> None:
        self._draw("", "\n".join(self._out))

    def step(self, text: str) -> None:
        """Show the step."""
        self._draw("<progress></progress> ", text)

    def measured(self, done: float, of: float, text: str) -> None:
        """Move the bar, a few times a second at most."""
        if time.monotonic() - self._drawn_at_s > REDRAW_S:
            self._draw(f'<progress value="{done:g}" max="{of:g}"></progress> ', text)

    def out(self, name: str, reason: str) -> None:
        """Show who is out, and why."""
        self._out.append(f"{name} is out: {reason}")

    def _draw(self, bar: str, text: str) -> None:
        page = f"<div>{bar}<span>{html.escape(text)}</span></div>" if bar or text else ""
        self._handle.update({"text/html": page, "text/plain": text}, raw=True)
        self._drawn_at_s = time.monotonic()


def terminal_watch(console: Console, show: Callable[[Any], None] = lambda _run: None) -> Watch:
    """A bar where `console` is a terminal, and lines elsewhere; `show` prints a run's result."""
    return (BarWatch if console.is_terminal else LineWatch)(console, show)


def suitable_watch() -> Watch:
    """A bar in a notebook, or where standard error is a terminal; elsewhere nothing is shown."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if shell is not None and hasattr(shell, "kernel"):
        from IPython.display import display

        return NotebookWatch(display)
    console = Console(stderr=True, highlight=False)
    return BarWatch(console) if console.is_terminal else Watch()
