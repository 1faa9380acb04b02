"""The pictures, as far as they can be judged without looking: scales, colours, words."""

import json
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Iterator

import pytest

from bakeoff.model.entry import PerRequest
from bakeoff.model.ratio import DrawRatio
from bakeoff.report.charts import race_charts, speed, theme
from bakeoff.report.charts.palette import PALETTE, TWIN
from bakeoff.report.charts.race import Race, split
from bakeoff.report.charts.steadiness import steadiness
from bakeoff.report.document import Block, Chart, Charts, Section
from tests.report import sample
from tests.report.documents import DOCUMENTS

RACE = Race.of(sample.verdict(), sample.records())


FRAMES = pytest.mark.parametrize("frame", [theme.WIDE, theme.NARROW], ids=["wide", "narrow"])


def drawn(chart: Chart, frame: theme.Frame) -> ET.Element:
    return ET.fromstring(theme.to_svg(chart.draw(frame), frame, chart.slug, chart.alt_text))


def texts(root: ET.Element) -> list[str]:
    return ["".join(node.itertext()) for node in root.iter() if node.tag.endswith("text")]


def charts_of(blocks: Iterable[Block]) -> Iterator[Chart]:
    for block in blocks:
        if isinstance(block, Section):
            yield from charts_of(block.blocks)
        elif isinstance(block, Charts):
            yield from (chart for chart in block.make() if chart)


@FRAMES
@pytest.mark.parametrize("name", ["race", "capacity", "grid", "replay-of-many-rows"])
def test_a_picture_keeps_to_the_schema_and_to_its_frame(name: str, frame: theme.Frame) -> None:
    document = DOCUMENTS[name]()
    for chart in charts_of((*document.summary, *document.detail)):
        chart.draw(frame).to_dict()  # altair checks every piece here, and raises
        root = drawn(chart, frame)
        assert float(root.attrib["width"]) == pytest.approx(frame.width, abs=12)
        assert root.attrib["role"] == "img"
        assert root.attrib["aria-label"] == chart.alt_text
        assert not {"NaN", "undefined", "null"} & set(" ".join(texts(root)).split())


def test_every_contender_has_one_colour_and_the_twin_is_grey() -> None:
    colours = theme.colours(["a", "b", "a (twin)"], "a (twin)")
    assert colours == {"a": PALETTE[0], "b": PALETTE[1], "a (twin)": TWIN}


def test_thirty_lines_are_told_apart_by_colour_and_dash() -> None:
    names = [f"contender {number}" for number in range(30)]
    signs = zip(theme.colours(names, None).values(), map(tuple, theme.dashes(names)), strict=True)
    assert len(set(signs)) == 30


@pytest.mark.parametrize("sketch_of", [speed.percentiles, speed.weather])
def test_dashes_come_where_the_colours_begin_anew(sketch_of) -> None:  # type: ignore[no-untyped-def]
    verdict = sample.verdict()
    first = next(entry for entry in verdict.entries if entry.valid)
    many = tuple(first.model_copy(update={"name": f"{first.name}{n}"}) for n in range(30))
    crowded = Race(verdict.model_copy(update={"entries": (*verdict.entries, *many)}), RACE.blocks)
    for race, dashed in ((RACE, False), (crowded, True)):
        drawing = json.dumps(sketch_of(race).draw(theme.NARROW).to_dict())
        assert ('"strokeDash": {"field": "name"' in drawing) == dashed


def test_the_axis_of_percentiles_counts_nines() -> None:
    assert [round(speed.nines(p), 3) for p in (0, 0.9, 0.99, 0.999)] == [0, 1, 2, 3]


def test_user_and_system_are_fitted_to_their_finer_sum() -> None:
    cost = PerRequest(server=10, server_user=6, server_system=2, client=1)
    assert split(cost) == [7.5, 2.5]
    unsplit = cost.model_copy(update={"server_user": None, "server_system": None})
    assert split(unsplit) == [10]
    assert split(cost.model_copy(update={"server": None})) == []


def test_a_run_without_records_has_the_verdicts_own_pictures() -> None:
    slugs = [chart.slug for chart in race_charts(sample.verdict()) if chart]
    assert slugs == ["ratios", "percentiles", "cpu", "memory", "bytes", "steadiness"]


def test_a_race_without_a_valid_contender_has_no_pictures_of_ratios() -> None:
    verdict = sample.verdict()
    entries = tuple(entry for entry in verdict.entries if not entry.valid)
    alone = verdict.model_copy(update={"entries": entries, "noise_floor": None})
    assert {"ratios", "steadiness"}.isdisjoint(chart.slug for chart in race_charts(alone) if chart)


def test_steadiness_has_a_stroke_for_each_draw_where_there_are_draws() -> None:
    verdict = sample.race.verdict()
    draws = tuple(DrawRatio(boot=0, draw=n, process=n, ratio=0.5 + n / 100, n=9) for n in range(7))
    cut = [
        each.model_copy(update={"draws": draws if each.boots else ()}) for each in verdict.entries
    ]
    with_draws = Race(verdict.model_copy(update={"entries": tuple(cut)}), ())
    whole, plain = steadiness(with_draws), steadiness(Race(verdict, ()))
    assert whole and plain
    assert "draw by draw" in whole.title and "boot by boot" in plain.title
