"""The pictures of all kinds of run, and the parts of which every picture is drawn."""

from collections.abc import Sequence

from bakeoff.model.samples import Record
from bakeoff.model.verdict import Verdict
from bakeoff.report.charts import race as race_pictures
from bakeoff.report.charts import speed
from bakeoff.report.charts.cores import cores
from bakeoff.report.charts.race import Race
from bakeoff.report.charts.steadiness import steadiness
from bakeoff.report.document import Chart

RACE_CHARTS = (
    race_pictures.ratios,
    speed.percentiles,
    race_pictures.cpu,
    race_pictures.memory,
    race_pictures.response_bytes,
    steadiness,
    speed.weather,
    cores,
)
"""In the order of the page: the headline's picture first."""


def race_charts(verdict: Verdict, records: Sequence[Record] = ()) -> list[Chart | None]:
    race = Race.of(verdict, records)
    return [draw(race) for draw in RACE_CHARTS]
