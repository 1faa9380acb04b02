"""The pictures of a report, as SVG. Importing this takes altair along: most of a second."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from altair.utils.schemapi import debug_mode

from bakeoff.model.samples import Record
from bakeoff.model.verdict import Verdict
from bakeoff.report import series
from bakeoff.report.charts import blocks, cores, costs, ratios, speed
from bakeoff.report.charts.race import Race, Sketch
from bakeoff.report.charts.theme import NARROW, WIDE, to_svg

__all__ = ["Picture", "drawn", "pictures"]

# In the order of the page: the headline's picture first.
_SKETCHES = (
    ratios.forest,
    speed.percentiles,
    costs.cpu,
    costs.memory,
    blocks.blocks,
    ratios.boots,
    speed.weather,
    cores.cores,
    costs.response_bytes,
)


@dataclass(frozen=True)
class Picture:
    """A drawn picture. `wide` and `narrow` are SVG elements of 976 and 340 px."""

    slug: str
    title: str
    reading: str
    wide: str
    narrow: str


def pictures(verdict: Verdict, records: Sequence[Record]) -> list[Picture]:
    """Every picture that the run has figures for."""
    race = Race(verdict, tuple(series.blocks_of(records)))
    return drawn(sketch_of(race) for sketch_of in _SKETCHES)


def drawn(sketches: Iterable[Sketch | None]) -> list[Picture]:
    """The sketches that there are, each in both frames.

    Without altair's check of each piece against its schema, which takes longer than the drawing;
    the tests draw the same pieces with it.
    """
    with debug_mode(False):
        return [_picture(sketch) for sketch in sketches if sketch]


def _picture(sketch: Sketch) -> Picture:
    wide, narrow = (
        to_svg(sketch.draw(frame), frame, sketch.slug, sketch.alt_text) for frame in (WIDE, NARROW)
    )
    return Picture(sketch.slug, sketch.title, sketch.reading, wide, narrow)
