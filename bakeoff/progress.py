"""The progress of a run, for people: a table in a terminal, lines in a log, a bar in a notebook."""

import html
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, Self

from rich.console import Console, ConsoleOptions, Group, RenderResult
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Column
from rich.table import Table as Grid
from rich.text import Text

from bakeoff.report import figures

if TYPE_CHECKING:
    from bakeoff.model.verdict import Verdict

REDRAW_S, REDRAW_SHARE = 0.25, 0.01
"""The least time from one redraw to the next, and the greatest share of a core's time that they
take."""
QUIET_S, QUIET_SHARE = 3.5, 1 / 12
"""A log gets a line after this long without one, and later after this share of the step's time."""
TICK_S = 1.0
BAR_WIDTH = 24
LEFT_AFTER_S = 1.0
"""Before that a step's speed does not show how long it will take."""


class Watch:
    """A watch that shows nothing. Every watch is a context in which a run is measured.

    `live`: it shows the standings while contenders are measured.
    """

    live = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Leave nothing behind on the screen."""

    def step(self, text: str) -> None:
        """A step begins that may take a while."""

    def note(self, text: str) -> None:
        """Something happened; the step goes on."""

    def measured(
        self, done: float, of: float, text: str, rates: Mapping[str, float] | None = None
    ) -> None:
        """The part of the measuring that is done; `rates` has the contenders' latest
        throughputs."""

    def stands(self, verdict: "Verdict | None") -> None:
        """The current standings; None: nothing is known yet."""

    def out(self, name: str, reason: str) -> None:
        """A contender can't take part."""

    def judged(self, run: Any) -> None:
        """The run has its result; its reports are still to be drawn."""


class LineWatch(Watch):
    """A line for each step, and another after a while without lines.

    `show` prints the result of a run. `in_slices`: a line takes so little time that it may be
    printed while a slice is measured; `measured` is called between slices.
    """

    in_slices = True

    def __init__(self, console: Console, show: Callable[[Any], None] = lambda _run: None) -> None:
        self._console, self._show = console, show
        self._doing, self._began_s, self._told_s, self._printed_s = "", 0.0, 0.0, 0.0
        self._done, self._of = 0.0, 0.0
        self._first: tuple[float, float] | None = None
        self._ended = Event()
        self._ticks = Thread(target=self._tick_on, daemon=True)
        self._measures = False

    def __enter__(self) -> Self:
        self._ticks.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()

    def step(self, text: str) -> None:
        self._begin(text)
        self._print(text)

    def note(self, text: str) -> None:
        self._print(text)

    def measured(
        self, done: float, of: float, text: str, rates: Mapping[str, float] | None = None
    ) -> None:
        del rates
        now_s = time.monotonic()
        if not self._measures:
            self._begin(text)
        self._doing, self._measures, self._told_s = text, True, now_s
        if of != self._of or done < self._done:
            self._first = None
        if done and self._first is None:
            self._first = (done, now_s)
        self._done, self._of = done, of
        self._tick(now_s)

    def out(self, name: str, reason: str) -> None:
        self._print(f"{name} is out: {reason}")

    def judged(self, run: Any) -> None:
        """Show the result at once: the report takes seconds."""
        self._show(run)
        self._begin("writing the report")

    def _begin(self, text: str) -> None:
        self._doing, self._began_s, self._measures = text, time.monotonic(), False

    def _print(self, text: str) -> None:
        self._console.print(text, markup=False, soft_wrap=True)
        self._printed_s = time.monotonic()

    def _tick_on(self) -> None:
        while not self._ended.wait(TICK_S):
            now_s = time.monotonic()
            measures = self._measures and now_s - self._told_s <= QUIET_S
            if self._doing and (self.in_slices or not measures):
                with suppress(OSError):  # The output is closed: the next step raises that.
                    self._tick(now_s)

    def _tick(self, now_s: float) -> None:
        if now_s - self._printed_s >= max(QUIET_S, QUIET_SHARE * (now_s - self._began_s)):
            self._print(f"{self._doing}: {self._how_far(now_s)}")

    def _how_far(self, now_s: float) -> str:
        """The measured share and the time for the rest or, for a step, its time."""
        if not (self._measures and self._done):
            return f"{now_s - self._began_s:.0f} s"
        assert self._first
        done, (first, since_s) = self._done, self._first
        share = f"{100 * done / self._of:.0f} %"
        if done <= first or now_s - since_s < LEFT_AFTER_S or done >= self._of:
            return share
        left_s = (now_s - since_s) / (done - first) * (self._of - done)
        return f"{share}, {figures.time_to_wait(left_s)} left"


class TableWatch(LineWatch):
    """A line for each contender, with its ratio and its latest throughput, over a bar with the
    remaining time and the current step. It leaves nothing on the screen."""

    live, in_slices = True, False

    def __init__(self, console: Console, show: Callable[[Any], None] = lambda _run: None) -> None:
        super().__init__(console, show)
        # A redraw costs CPU on the generator's core: it happens only between slices.
        self._live = Live(
            self, console=console, auto_refresh=False, transient=True, vertical_overflow="crop"
        )
        self._verdict: Verdict | None = None
        self._rates: Mapping[str, float] = {}
        self._due_s = 0.0

    def __enter__(self) -> Self:
        self._live.start()
        return super().__enter__()

    def __exit__(self, *of: object) -> None:
        super().__exit__(*of)
        self._live.stop()

    def step(self, text: str) -> None:
        if not self._live.is_started:
            super().step(text)
            return
        self._begin(text)
        self._draw()

    def note(self, text: str) -> None:
        self.step(text)

    def stands(self, verdict: "Verdict | None") -> None:
        self._verdict, self._rates = verdict, self._rates if verdict else {}

    def measured(
        self, done: float, of: float, text: str, rates: Mapping[str, float] | None = None
    ) -> None:
        self._rates = rates or self._rates
        super().measured(done, of, text)

    def judged(self, run: Any) -> None:
        self._live.stop()
        super().judged(run)

    def _tick(self, now_s: float) -> None:
        if not self._live.is_started:
            super()._tick(now_s)
        elif now_s >= self._due_s:
            self._draw()

    def _draw(self) -> None:
        began_s = time.thread_time()
        self._live.refresh()
        pause_s = (time.thread_time() - began_s) / REDRAW_SHARE
        self._due_s = time.monotonic() + min(max(REDRAW_S, pause_s), QUIET_S / 2)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The rows for which there is room, and the bar."""
        # Imported here, not above: help does not need them.
        from bakeoff.report.kinds.standings import so_far
        from bakeoff.report.render.terminal import fitted

        table, room = so_far(self._verdict, self._rates), console.height - 2
        for shown in range(min(len(table.rows), room), 0, -1):
            hidden = len(table.rows) - shown
            part = replace(table, rows=table.rows[:shown])
            lines = [*fitted(part, console, options, wide=False)]
            if hidden:
                lines.append(Text(f"and {hidden} more", "dim"))
            if len(console.render_lines(Group(*lines), options)) <= room:
                yield from lines
                break
        bar = Column(), ProgressBar(self._of, self._done, min(BAR_WIDTH, options.max_width // 5))
        far = Column(no_wrap=True), Text(self._how_far(time.monotonic()))
        # Of thirty names the first few: several lines would jump about.
        now = Column(no_wrap=True, overflow="ellipsis", ratio=1), Text(self._doing)
        parts = (bar, far, now) if self._of else (far, now)
        line = Grid.grid(*(column for column, _ in parts), padding=(0, 1, 0, 0), expand=True)
        line.add_row(*(part for _, part in parts))
        yield line


class NotebookWatch(Watch):
    """A bar below the cell that measures; contenders that are out stay there at the end."""

    def __init__(self, display: Any) -> None:
        self._handle = display({"text/plain": ""}, raw=True, display_id=True)
        self._out: list[str] = []
        self._drawn_at_s = 0.0

    def __exit__(self, *_: object) -> None:
        self._draw("", "\n".join(self._out))

    def step(self, text: str) -> None:
        self._draw("<progress></progress> ", text)

    def note(self, text: str) -> None:
        self.step(text)

    def measured(
        self, done: float, of: float, text: str, rates: Mapping[str, float] | None = None
    ) -> None:
        if time.monotonic() - self._drawn_at_s > REDRAW_S:
            said = ", ".join(
                f"{name} {figures.rate(rate)}/s" for name, rate in (rates or {}).items()
            )
            bar = f'<progress value="{done:g}" max="{of:g}"></progress> '
            self._draw(bar, f"{text}: {said}" if said else text)

    def out(self, name: str, reason: str) -> None:
        self._out.append(f"{name} is out: {reason}")

    def _draw(self, bar: str, text: str) -> None:
        page = f"<div>{bar}<span>{html.escape(text)}</span></div>" if bar or text else ""
        self._handle.update({"text/html": page, "text/plain": text}, raw=True)
        self._drawn_at_s = time.monotonic()


def terminal_watch(console: Console, show: Callable[[Any], None] = lambda _run: None) -> Watch:
    """A table if `console` is a terminal that can be drawn on, and lines elsewhere; `show` prints a
    run's result."""
    drawn = console.is_terminal and not console.is_dumb_terminal
    return (TableWatch if drawn else LineWatch)(console, show)


def suitable_watch() -> Watch:
    """A bar in a notebook, a table where standard error is a terminal, and nothing elsewhere."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if shell is not None and hasattr(shell, "kernel"):
        from IPython.display import display

        return NotebookWatch(display)
    console = Console(stderr=True, highlight=False)
    return terminal_watch(console) if console.is_terminal else Watch()
