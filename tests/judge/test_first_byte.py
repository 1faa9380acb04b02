"""When the first byte of a body was in: of long slices, paired, and only where it says more."""

from collections.abc import Mapping

import numpy as np
import pytest

from bakeoff.judge.latency import first_bytes, merge
from bakeoff.model.samples import Block, Record, Slice
from tests.judge.races import Race, altered, encoded, event, judged, row, with_event
from tests.ratios import known

RACE = Race({"a": 1.0, "b": 1.0}, boots=10, blocks=10, long_blocks=10)


def streamed(first_us: Mapping[str, float], race: Race = RACE) -> list[Record]:
    """Long slices have these times to the first byte, and short ones all the same."""
    chance = np.random.default_rng(1)

    def early(block: Block, slice_: Slice) -> Slice:
        us = first_us.get(slice_.entry) if block.kind == "long" else 10.0
        if us is None:
            return slice_
        ns = round(us * 1000 * np.exp(chance.normal(0, 0.02)))
        count = slice_.event.latency_count
        return with_event(slice_, first_byte=encoded(((ns, count),)), misses=0)

    return altered(race.records(), early)


def test_ratios_are_of_long_slices_and_the_sooner_one_has_the_higher() -> None:
    verdict = judged(RACE, streamed({"a": 200, "b": 400}))
    ratio = known(known(verdict.pair("a", "b")).first_byte_ratio)
    assert 1.9 < ratio.low < 2 < ratio.high < 2.1
    own = known(row(verdict, "b").first_byte_ratio)
    assert own.ratio == pytest.approx(1 / ratio.ratio)
    assert row(verdict, "a").first_byte_ratio is None, "the reference"
    assert known(row(verdict, "b").first_byte_us).p50 == pytest.approx(400, rel=0.05)


def test_an_answer_in_one_piece_has_its_latency_as_first_byte() -> None:
    verdict = judged(RACE, streamed({"a": 200}))
    latency = known(row(verdict, "b").latency_us)
    assert row(verdict, "b").first_byte_us is None
    ratio = known(known(verdict.pair("a", "b")).first_byte_ratio)
    assert ratio.ratio == pytest.approx(known(latency.p50) / 200, rel=0.02)


def test_where_all_answers_came_in_one_piece_nothing_is_said() -> None:
    verdict = judged(RACE)
    assert known(verdict.pair("a", "b")).first_byte_ratio is None
    assert "first_byte" not in verdict.to_json()


def test_of_one_that_the_generator_limited_nothing_is_known() -> None:
    limited = Race(
        RACE.ratios,
        boots=10,
        blocks=10,
        long_blocks=10,
        events={"b": {"busy": 0.99}},
        busy={"b": 0.3},
    )
    verdict = judged(limited, streamed({"a": 200, "b": 400}, limited))
    assert row(verdict, "b").at_least and row(verdict, "b").first_byte_ratio is None
    assert row(verdict, "b").first_byte_us


def test_requests_never_answered_are_infinitely_late() -> None:
    early = event(first_byte=encoded(((1_000_000, 95),)), latency_count=95, misses=5)
    merged = known(first_bytes([early, event(latency="")]))
    assert merged.quantile_us(0.9) == pytest.approx(1000, rel=1e-3)
    assert merged.quantile_us(0.99) is None
    assert merge([early]).misses == merged.misses
