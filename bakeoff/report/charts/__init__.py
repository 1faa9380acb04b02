"""The pictures of a report, as SVG. Importing this takes altair along: most of a second."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from altair.utils.schemapi import debug_mode

from bakeoff.model.samples import Record
from bakeoff.model.verdict import Verdict
from bakeoff.report import series
from bakeoff.report.charts import blocks, cores, costs, ratios, speed
from bakeoff.report.charts.race import Race
from bakeoff.report.charts.theme import NARROW, WIDE, to_svg

__all__ = ["Picture", "pictures"]

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
    """Every picture that the run has figures for.

    Without altair's check of each piece against its schema, which takes longer than the drawing;
    the tests draw the same pieces with it.
    """
    with debug_mode(False):
        return list(_drawn(Race(verdict, tuple(series.blocks_of(records)))))


def _drawn(race: Race) -> Iterator[Picture]:
    for sketch_of in _SKETCHES:
        sketch = sketch_of(race)
        if sketch is None:
            continue
        wide, narrow = (
            to_svg(sketch.draw(frame), frame, sketch.slug, sketch.alt_text)
            for frame in (WIDE, NARROW)
        )
        yield Picture(sketch.slug, sketch.title, sketch.reading, wide, narrow)
