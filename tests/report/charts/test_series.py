"""From records to points."""

from itertools import groupby, pairwise

import pytest

from bakeoff.report.charts import series
from tests.report import sample

BLOCKS = series.blocks_of(sample.records())


def test_a_dot_is_the_slice_over_the_references_slice_of_the_same_block() -> None:
    block = BLOCKS[7]
    rates = {s.entry: s.event.requests / (s.event.end_ns - s.event.start_ns) for s in block.slices}
    for dot in series.dots([block], "nginx"):
        assert dot.ratio == pytest.approx(rates[dot.entry] / rates["nginx"])
        assert dot.requests_per_s == pytest.approx(rates[dot.entry] * 1e9)


def test_a_slice_without_an_answer_has_no_ratio() -> None:
    block = BLOCKS[0]
    silent = tuple(
        s.model_copy(update={"event": s.event.model_copy(update={"requests": 0})})
        if s.entry == "nginx"
        else s
        for s in block.slices
    )
    found = series.dots([block.model_copy(update={"slices": silent})], "nginx")
    assert [dot.ratio for dot in found] == [None] * len(found)


def test_few_dots_are_all_drawn() -> None:
    kept, stride = series.thinned(BLOCKS[:50], per_block=5)
    assert (len(kept), stride) == (50, 1)


def test_many_dots_are_thinned_and_both_kinds_stay() -> None:
    kept, stride = series.thinned(BLOCKS * 40, per_block=6)
    assert len(kept) * 6 <= series.MAX_DOTS * 1.1
    assert stride == 20
    share = sum(block.kind == "long" for block in kept) / len(kept)
    assert share == pytest.approx(0.1, abs=0.02)


def test_core_shares_are_stacked_from_0_to_at_most_1_and_skip_the_pauses() -> None:
    shares = series.core_shares(BLOCKS, [0, 1])
    by_bin = groupby(shares, key=lambda share: (share.start_s, share.cpu))
    for _, parts in by_bin:
        stacked = list(parts)
        assert [part.part for part in stacked] == list(series.PARTS)
        assert stacked[0].low == 0
        assert all(a.high == b.low for a, b in pairwise(stacked))
        assert stacked[-1].high <= 1
    assert max(share.end_s - share.start_s for share in shares) < 5
    assert len(shares) <= 2 * len(series.PARTS) * (series.CORE_BINS + 6)


def test_a_processor_that_wasnt_read_has_no_shares() -> None:
    assert series.core_shares(BLOCKS, [9]) == []
    assert series.core_shares([], [0]) == []
