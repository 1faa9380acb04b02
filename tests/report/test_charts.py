"""The pictures, as far as they can be judged without looking: scales, colours, words."""

import itertools
import json
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.model.verdict import PerRequest
from bakeoff.report import series
from bakeoff.report.charts import _SKETCHES, costs, pictures, speed, theme
from bakeoff.report.charts.race import Race
from tests.report import sample

RACE = Race(sample.verdict(), tuple(series.blocks_of(sample.records())))


@given(
    st.floats(min_value=1e-3, max_value=1e3),
    st.floats(min_value=1.01, max_value=1e4),
    st.sampled_from([4, 8]),
)
def test_ticks_of_ratios_are_few_rising_and_inside(low: float, spread: float, most: int) -> None:
    high = low * spread
    ticks = theme.ratio_ticks(low, high, most)
    assert ticks == sorted(ticks)
    assert len(ticks) <= most + 1
    assert all(low * 0.999 <= tick <= high * 1.001 for tick in ticks)


@given(st.floats(min_value=1e-6, max_value=1e6))
def test_a_round_step_is_1_2_or_5_and_just_large_enough(least: float) -> None:
    step = theme.round_step(least)
    assert least * (1 - 1e-9) <= step <= least * 2.5 * (1 + 1e-9)


def test_every_contender_has_one_colour_and_the_twin_is_grey() -> None:
    colours = theme.colours(["a", "b", "a (twin)"], "a (twin)")
    assert colours == {"a": theme.PALETTE[0], "b": theme.PALETTE[1], "a (twin)": theme.TWIN}


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
    assert costs.split(cost) == [("user", 7.5), ("system", 2.5)]
    unsplit = cost.model_copy(update={"server_user": None, "server_system": None})
    assert costs.split(unsplit) == [("user", 10)]
    assert costs.split(cost.model_copy(update={"server": None})) == []


@pytest.mark.parametrize("sketch_of", _SKETCHES, ids=lambda sketch_of: sketch_of.__name__)
@pytest.mark.parametrize("frame", [theme.WIDE, theme.NARROW], ids=["wide", "narrow"])
def test_a_picture_keeps_to_the_schema_and_to_its_frame(sketch_of, frame) -> None:  # type: ignore[no-untyped-def]
    sketch = sketch_of(RACE)
    sketch.draw(frame).to_dict()  # altair checks every piece here, and raises
    root = ET.fromstring(theme.to_svg(sketch.draw(frame), frame, sketch.slug, sketch.alt_text))
    assert float(root.attrib["width"]) == pytest.approx(frame.width, abs=12)
    assert root.attrib["role"] == "img"
    assert root.attrib["aria-label"] == sketch.alt_text
    texts = " ".join("".join(node.itertext()) for node in root.iter() if node.tag.endswith("text"))
    assert "NaN" not in texts
    assert "undefined" not in texts


def test_a_run_without_records_has_the_verdicts_own_pictures() -> None:
    slugs = [picture.slug for picture in pictures(sample.verdict(), [])]
    assert slugs == ["ratios", "percentiles", "cpu", "memory", "boots", "bytes"]


def test_a_race_without_a_valid_contender_has_no_pictures_of_ratios() -> None:
    verdict = sample.verdict()
    entries = tuple(entry for entry in verdict.entries if not entry.valid)
    alone = verdict.model_copy(update={"entries": entries, "noise_floor": None})
    assert {"ratios", "boots", "blocks"}.isdisjoint(p.slug for p in pictures(alone, []))


def test_equal_figures_keep_their_own_rows() -> None:
    verdict = sample.verdict()
    first = verdict.entries[1]
    alike = first.model_copy(update={"name": "another"})
    race = Race(verdict.model_copy(update={"entries": (*verdict.entries, alike)}), ())
    sketch = _SKETCHES[0](race)
    assert sketch is not None
    svg = theme.to_svg(sketch.draw(theme.WIDE), theme.WIDE, sketch.slug, sketch.alt_text)
    assert svg.count(">0.998× (0.993 to 1.004)") == 2


def test_ids_of_two_pictures_differ() -> None:
    drawn = pictures(sample.verdict(), sample.records()[:12])
    svgs = itertools.chain.from_iterable((picture.wide, picture.narrow) for picture in drawn)
    ids = [
        node.attrib["id"]
        for svg in svgs
        for node in ET.fromstring(svg).iter()
        if "id" in node.attrib
    ]
    assert len(ids) == len(set(ids))
