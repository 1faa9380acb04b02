"""The standings: who stands where, who leads in a cell of a grid, and who changes places."""

import pytest

from bakeoff.judge import changes_of_places, leaders
from bakeoff.model.cut import Warmup
from bakeoff.model.finding import Finding
from bakeoff.model.verdict import Verdict
from tests.judge.races import Race, altered, judged, row, says
from tests.judge.test_calm import stolen_from
from tests.ratios import known


def test_blocks_that_one_of_two_missed_are_said_and_nobody_else_is_blamed() -> None:
    """The reference missed one boot, b another: of its 40 blocks 20 were shared with b."""
    out = {0: {"a": "port taken"}, 1: {"b": "port taken"}}
    verdict = judged(Race({"a": 1.0, "b": 0.8, "c": 0.5}, out=out))
    some = Finding.of("some_blocks", reference="a", n=20, blocks=40)
    assert row(verdict, "b").warnings[1:] == (some,)
    assert known(row(verdict, "b").ratio).n == 20
    assert row(verdict, "c").warnings == () and known(row(verdict, "c").ratio).n == 40


def test_ten_shared_blocks_are_enough_for_a_ratio_and_are_said() -> None:
    b = row(judged(Race({"a": 1.0, "b": 0.8}, boots=2, blocks=10, out={1: {"b": "x"}})), "b")
    assert known(b.ratio).n == 10
    assert b.warnings[1:] == (Finding.of("some_blocks", reference="a", n=10, blocks=20),)


def test_five_shared_blocks_give_no_ratio_and_one_warning() -> None:
    race = Race({"a": 1.0, "b": 0.8, "c": 2.0}, boots=2, blocks=5, out={1: {"b": "x"}})
    verdict = judged(race)
    b = row(verdict, "b")
    assert b.ratio is None
    assert b.warnings[1:] == (Finding.of("few_blocks", reference="a", n=5, least=6),)
    assert [each.name for each in verdict.entries] == ["c", "a", "b"], "without a ratio last"
    assert b.rank == (1, 3) and set(b.letters) >= set("ab"), "it may stand anywhere"


def test_solo_entries_are_counted_in_long_blocks() -> None:
    race = Race(
        {"a": 1.0, "b": 1.1}, boots=14, blocks=0, long_blocks=1, solo=True, out={3: {"b": "x"}}
    )
    b = row(judged(race), "b")
    assert known(b.ratio).n == 13
    assert says(b.warnings, "some_blocks", n=13, blocks=14)


def disagreeing() -> Race:
    """In long slices a, named before its reference b, is 11 % ahead, in short ones 13 %."""
    return Race(
        {"b": 1.0, "a": 1.13}, blocks=60, long_blocks=15, long_ratios={"a": 1.11}, noise=0.004
    )


def test_slice_lengths_that_disagree_name_both_figures_and_the_one_that_counts() -> None:
    a = row(judged(disagreeing()), "a")
    ratio = known(a.ratio)
    assert ratio.ratio == pytest.approx(1.11, rel=0.003) and ratio.n == 45
    assert ratio == a.long_slices
    assert says(
        a.warnings,
        "slice_length_matters",
        reference="b",
        long_ms=100,
        short_ms=20,
        long_ratio=ratio.ratio,
        long_low=ratio.low,
        long_high=ratio.high,
    )
    short = a.warnings[0].values
    assert short["short_ratio"] == pytest.approx(1.13, rel=0.003)


def test_slices_of_unknown_length_are_only_called_long() -> None:
    race = disagreeing()
    records = [record for record in race.records() if not isinstance(record, Warmup)]
    assert says(row(judged(race, records), "a").warnings, "slice_length_matters", long_ms=None)


def test_the_ratio_over_all_blocks_is_that_of_the_entry_over_the_reference() -> None:
    """Also of one named before its reference, and none of one that has too few blocks."""
    race = Race(
        {"b": 1.0, "a": 1.2, "c": 1.0}, boots=2, blocks=40, out={0: {"c": "x"}, 1: {"c": "x"}}
    )
    records = stolen_from(race.records(), {10, 11})
    verdict = judged(race, records)
    a = row(verdict, "a")
    assert verdict.disturbed_blocks == 2 and a.all_blocks is not None
    assert a.all_blocks.ratio == pytest.approx(1.2, rel=0.01)
    assert a.all_blocks.n == 80 and known(a.ratio).n == 78
    assert row(verdict, "b").all_blocks is None


def test_one_without_a_ratio_has_none_over_all_blocks_either() -> None:
    race = Race({"b": 1.0, "a": 1.2, "c": 1.0}, boots=2, blocks=40)
    kept = altered(
        race.records(),
        lambda block, slice_: (
            None if slice_.entry == "c" and (block.boot, block.block) >= (0, 5) else slice_
        ),
    )
    verdict = judged(race, stolen_from(kept, {10, 11}))
    c = row(verdict, "c")
    assert verdict.disturbed_blocks == 2
    assert c.ratio is None and c.all_blocks is None


def test_pairs_are_listed_from_the_one_that_stands_higher() -> None:
    verdict = judged(Race({"x": 1.0, "m": 0.5, "a": 2.0}))
    assert [(each.a, each.b, each.finding) for each in verdict.pairs] == [
        ("a", "x", "faster"),
        ("a", "m", "faster"),
        ("x", "m", "faster"),
    ]
    for each, ratio in zip(verdict.pairs, (2, 4, 2), strict=True):
        assert each.ratio.ratio == pytest.approx(ratio, rel=0.01) and each.ratio.n == 60
        low, high = each.ratio.ends
        assert low < each.ratio.ratio < high


def test_equal_ratios_stand_in_the_order_of_their_names() -> None:
    verdict = judged(Race({"m": 1.0, "z": 1.0, "a": 1.0}, noise=0))
    assert [each.name for each in verdict.entries] == ["a", "m", "z"]


def verdict(**ratios: float) -> Verdict:
    return judged(Race(ratios))


def test_the_fastest_leads_alone_where_all_are_surely_behind() -> None:
    assert leaders(verdict(a=1.0, b=1.5, c=0.5)) == ("b",)


def test_those_that_cannot_be_told_apart_share_the_lead() -> None:
    assert set(leaders(verdict(a=1.0, b=1.0, c=0.5))) == {"a", "b"}


def test_nobody_leads_where_nobody_was_compared() -> None:
    assert leaders(verdict(a=1.0)) == ()
    assert leaders(judged(Race({"a": 1.0, "b": 1.0}, died={"b": "signal 11"}))) == ()


def test_two_change_places_where_each_is_surely_ahead_somewhere() -> None:
    cells = {
        "c1": verdict(a=1.0, b=1.2, c=0.5),
        "c64": verdict(a=1.0, b=1.0, c=0.5),
        "c512": verdict(a=1.0, b=0.8, c=0.5),
    }
    (change,) = changes_of_places(cells)
    assert (change.a, change.b) in (("a", "b"), ("b", "a"))
    ahead = {change.a: change.a_ahead, change.b: change.b_ahead}
    assert ahead == {"a": ("c512",), "b": ("c1",)}


def test_a_lead_that_becomes_a_tie_is_no_change_of_places() -> None:
    assert changes_of_places({"c1": verdict(a=1.0, b=1.2), "c64": verdict(a=1.0, b=1.0)}) == ()
