"""The pictures of all kinds of run: in their frame, legible, with a colour for each contender."""

import re
from collections.abc import Iterable, Iterator

import pytest

from bakeoff.model.entry import PerRequest
from bakeoff.model.ratio import DrawRatio
from bakeoff.report import figures
from bakeoff.report.charts import race as pictures
from bakeoff.report.charts import race_charts, series, speed
from bakeoff.report.charts.cores import cores
from bakeoff.report.charts.race import Race, split
from bakeoff.report.charts.scale import legend, looks
from bakeoff.report.charts.steadiness import steadiness
from bakeoff.report.charts.svg import PALETTE, TWIN, colours, rect
from bakeoff.report.document import NARROW, WIDE, Block, Chart, Charts, Frame, Section
from tests.ratios import known
from tests.report import sample
from tests.report.charts.drawn import marks, overlapping, placed, root, texts
from tests.report.documents import DOCUMENTS

RACE = Race.of(sample.verdict(), sample.records())
FRAMES = pytest.mark.parametrize("frame", [WIDE, NARROW], ids=["wide", "narrow"])


def charts_of(blocks: Iterable[Block]) -> Iterator[Chart]:
    for block in blocks:
        if isinstance(block, Section):
            yield from charts_of(block.blocks)
        elif isinstance(block, Charts):
            yield from (chart for chart in block.make() if chart)


@FRAMES
@pytest.mark.parametrize(
    "name", ["race", "capacity", "grid", "replay", "replay-of-many-rows", "comparison"]
)
def test_a_picture_is_named_and_its_words_are_legible_and_in_its_frame(
    name: str, frame: Frame
) -> None:
    document = DOCUMENTS[name]()
    for chart in charts_of((*document.summary, *document.detail)):
        picture = root(chart, frame)
        assert float(picture.attrib["width"]) == frame.width
        assert picture.attrib["aria-label"] == chart.alt_text
        assert overlapping(chart, frame) == [], chart.slug
        for word in placed(picture, "text"):
            left, top, right, bottom = word.box
            assert left >= -1 and right <= frame.width + 1, word.text
            assert top >= 0 and bottom <= float(picture.attrib["height"]), word.text
        assert not {"nan", "inf", "None"} & set(" ".join(texts(chart, frame)).split())


def test_every_contender_has_one_colour_and_the_twin_is_grey() -> None:
    found = colours(["a", "b", "a (twin)"], "a (twin)")
    assert found == {"a": PALETTE[0], "b": PALETTE[1], "a (twin)": TWIN}


def test_thirty_lines_are_told_apart_by_colour_and_dash() -> None:
    found = looks(colours([f"contender {number}" for number in range(30)]))
    assert len({tuple(look.items()) for look in found.values()}) == 30
    assert [look["stroke_dasharray"] for look in found.values()][:9] == [""] * 9


@FRAMES
def test_a_legend_goes_on_in_the_next_row(frame: Frame) -> None:
    signs = dict.fromkeys(
        (f"contender {number}" for number in range(30)), lambda x, y: rect(x, y - 6, 12, 12)
    )
    chart = Chart("", "", "", "", lambda frame: legend(signs, frame))
    assert overlapping(chart, frame) == []
    assert max(each.box[2] for each in placed(root(chart, frame), "text")) <= frame.width


def test_a_race_s_picture_says_what_its_standings_say() -> None:
    verdict = sample.verdict()
    chart = pictures.ratios(RACE)
    assert chart
    said = marks(chart)
    for entry in RACE.ranked:
        if entry.name != verdict.reference:
            ratio = known(entry.ratio)
            expected = f"{entry.name}: {figures.ratio_of(ratio)}, {ratio.n} paired blocks"
            assert expected in said
    assert verdict.noise_floor
    twin = verdict.noise_floor
    assert said[-1] == f"{twin.name}: {figures.ratio_of(twin)}, {twin.n} paired blocks"


def test_a_bar_is_as_long_as_its_figure() -> None:
    chart = pictures.memory(RACE)
    assert chart
    drawn = [each for each in placed(root(chart), "rect") if "fill-opacity" in each.node.attrib]
    mib = [
        value for entry in RACE.ranked for value in (entry.memory_mib.idle, entry.memory_mib.loaded)
    ]
    px_per_mib = [bar["width"] / each for bar, each in zip(drawn, mib, strict=True) if each]
    assert px_per_mib == pytest.approx([px_per_mib[0]] * len(px_per_mib), rel=0.05)


def test_what_is_faster_is_higher_over_the_run() -> None:
    chart = speed.weather(RACE)
    assert chart
    lines = placed(root(chart), "polyline")
    heights: dict[str, list[float]] = {}
    for line in lines:
        points = [float(each.split(",")[1]) for each in line.node.attrib["points"].split()]
        heights.setdefault(line.node.attrib["stroke"], []).append(sum(points) / len(points))
    by_height = sorted(heights, key=lambda colour: min(heights[colour]))
    by_rate = sorted(RACE.ranked, key=lambda entry: -(entry.requests_per_s or 0))
    expected = [RACE.colours[entry.name] for entry in by_rate]
    assert by_height[2:] == expected[2:], "the first two are a tie"


@FRAMES
def test_a_single_percentile_is_drawn_too(frame: Frame) -> None:
    first, *_ = RACE.ranked
    alone = first.model_copy(update={"percentiles_us": ((0.0, 120.0),)})
    chart = speed.percentiles(Race(RACE.verdict.model_copy(update={"entries": (alone,)}), ()))
    assert chart
    assert {"0 %", "90 %"} <= set(texts(chart, frame))


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


@FRAMES
def test_a_boot_that_was_faster_than_its_race_has_its_stroke_further_right(frame: Frame) -> None:
    chart = steadiness(RACE)
    assert chart
    lines = placed(root(chart, frame), "line")
    strokes = [each["x1"] for each in lines if each.node.attrib.get("stroke-width") == "2.5"]
    (zero,) = (each["x1"] for each in lines if "stroke-dasharray" in each.node.attrib)
    apart = [
        boot.ratio / each.ratio.ratio - 1
        for each in RACE.standings
        if each.name != RACE.reference
        for boot in each.boots
    ]
    px_per_share = [(x - zero) / by for x, by in zip(strokes, apart, strict=True)]
    assert px_per_share == pytest.approx([px_per_share[0]] * len(apart), rel=0.05)
    assert px_per_share[0] > 0


def test_a_processor_s_share_is_as_high_as_it_is_large() -> None:
    chart = cores(RACE)
    assert chart
    found = sorted(
        float(bottom) - float(top)
        for path in placed(root(chart), "path")
        for top, bottom in re.findall(r"M[\d.]+,([\d.]+)H[\d.]+V([\d.]+)", path.node.attrib["d"])
    )
    shares = sorted(
        each.high - each.low
        for each in series.core_shares(RACE.blocks, [0, 1])
        if each.high > each.low
    )
    assert found == pytest.approx([share * found[-1] / shares[-1] for share in shares], abs=0.15)


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
