"""A replay for a terminal. Where one table would be too wide, several share its columns."""

from collections.abc import Iterator

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.padding import Padding
from rich.text import Text

from bakeoff.model.replay import ClaimResult, Replay
from bakeoff.report.fitted import fitted, marked
from bakeoff.report.replay import words
from bakeoff.report.replay.parts import Part, parts, without_figures
from bakeoff.report.replay.tables import agreement_table, cost_table, in_a_row_table, speed_table
from bakeoff.report.words import printable

COLOURS = {"holds": "green", "does not hold": "red", "can't tell": "yellow"}
FOLDING = ("row", "runs in a row")
"""Columns that may fold, and between their words only: no figure is ever cut in two."""


class ReplayStandings:
    """A rich renderable of a whole replay; it fits itself to the width that it is given."""

    def __init__(self, replay: Replay) -> None:
        self.replay = replay

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The headline, each comparison's tables with what must be known, then the claims."""
        replay = self.replay
        yield Text(printable(words.headline(replay)), style="bold")
        yield Text(printable(f"{replay.article.title} ({replay.article.published})"))
        yield Text.assemble(("Measured: ", "bold"), f"{words.mode(replay)}.")
        for part in parts(replay):
            yield Text()
            yield Text(printable(part.there.title), style="bold")
            yield Text(printable(words.load(part.shape, part.measured)), style="dim")
            yield from _comparison(part, console, options)
        yield Text()
        yield Text("Claims", style="bold")
        for claim in replay.claims:
            yield from _claim(claim)


def replay_standings(replay: Replay) -> ReplayStandings:
    """The replay for a terminal of any width from 60 columns on."""
    return ReplayStandings(replay)


def _comparison(part: Part, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
    if part.skipped:
        yield marked("–", "yellow", f"skipped: {part.skipped}")
        return
    for table in (speed_table(part), cost_table(part)):
        yield from fitted(table, console, options, FOLDING)
    for name, reason in without_figures(part):
        yield marked("–", "yellow", f"{name} was skipped: {reason}")
    for table in (agreement_table(part), in_a_row_table(part)):
        if table.rows:
            yield Text()
            yield Text(table.title)
            yield from fitted(table, console, options, FOLDING)
    if part.measured:
        for warning in words.warnings(part.measured):
            yield marked("!", "bold yellow", warning)
        for change in part.measured.changes:
            yield marked("·", "dim", f"changed: {change}", "dim")


def _claim(claim: ClaimResult) -> Iterator[RenderableType]:
    colour = COLOURS[claim.finding]
    yield marked(words.MARKS[claim.finding], colour, f"{claim.finding}: {claim.text}")
    below = [(words.claim(claim), "dim"), (claim.why, "dim")]
    below += [(f"unequal work: {claim.unequal}", "yellow")] if claim.unequal else []
    for said, style in below:
        if said:
            yield Padding(Text(printable(said), style=style), (0, 0, 0, 2), expand=False)
