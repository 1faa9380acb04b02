"""What every picture is drawn from, and what a picture is."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from bakeoff.model.samples import Block
from bakeoff.model.verdict import Verdict, VerdictEntry
from bakeoff.report import words
from bakeoff.report.charts import theme


@dataclass(frozen=True)
class Race:
    """A judged run: the verdict and its blocks."""

    verdict: Verdict
    blocks: tuple[Block, ...]

    @cached_property
    def rows(self) -> list[VerdictEntry]:
        """The entries that are drawn: the ranked ones, fastest first, then the twin."""
        twin = words.twin(self.verdict)
        return [*words.ranked(self.verdict), *((twin,) if twin else ())]

    @cached_property
    def ranked(self) -> list[VerdictEntry]:
        """The entries without the twin, which costs what the reference costs."""
        return words.ranked(self.verdict)

    @cached_property
    def colours(self) -> dict[str, str]:
        """Each drawn entry's colour, by the name that is shown."""
        twin = words.twin(self.verdict)
        names = [shown(entry) for entry in self.rows]
        return theme.colours(names, shown(twin) if twin else None)


@dataclass(frozen=True)
class Sketch:
    """A picture before it is drawn: `reading` says how to read it, in a sentence or two."""

    slug: str
    title: str
    reading: str
    alt_text: str
    draw: Callable[[theme.Frame], theme.Drawing]


def shown(entry: VerdictEntry) -> str:
    """An entry's name as pictures write it."""
    return words.printable(entry.name)
