"""What every picture is drawn from, and what a picture is."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from bakeoff.model.samples import Block
from bakeoff.model.verdict import BootRatio, Verdict, VerdictEntry
from bakeoff.report import words
from bakeoff.report.charts import theme


@dataclass(frozen=True)
class Lane:
    """Whose ratio is drawn: a ranked entry, or the twin."""

    name: str
    ratio: float
    low: float
    high: float
    boots: tuple[BootRatio, ...] = ()


@dataclass(frozen=True)
class Race:
    """A judged run: the verdict and its blocks."""

    verdict: Verdict
    blocks: tuple[Block, ...]

    @cached_property
    def ranked(self) -> list[VerdictEntry]:
        """The entries that stand in the race, fastest first."""
        return words.ranked(self.verdict)

    @cached_property
    def lanes(self) -> list[Lane]:
        """The ranked entries' ratios, then the twin's."""
        lanes = [
            Lane(entry.name, entry.ratio, entry.low, entry.high, entry.boots)
            for entry in self.ranked
            if entry.ratio is not None and entry.low is not None and entry.high is not None
        ]
        floor = self.verdict.noise_floor
        return [*lanes, Lane(floor.name, floor.ratio, floor.low, floor.high)] if floor else lanes

    @cached_property
    def others(self) -> list[Lane]:
        """The lanes without the reference's, whose ratio is 1 by definition."""
        return [lane for lane in self.lanes if lane.name != self.verdict.reference]

    @cached_property
    def colours(self) -> dict[str, str]:
        """Each lane's colour, by the name that is shown."""
        floor = self.verdict.noise_floor
        return theme.colours(
            [shown(lane) for lane in self.lanes], words.printable(floor.name) if floor else None
        )


@dataclass(frozen=True)
class Sketch:
    """A picture before it is drawn: `reading` says how to read it, in a sentence or two."""

    slug: str
    title: str
    reading: str
    alt_text: str
    draw: Callable[[theme.Frame], theme.Drawing | theme.Panels]


def shown(named: VerdictEntry | Lane) -> str:
    """A name as pictures write it."""
    return words.printable(named.name)
