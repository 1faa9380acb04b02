"""Standings: what is said where two entries were not always side by side, and who stands where."""

import re
from collections.abc import Sequence

import pytest

from bakeoff.judge import judge
from bakeoff.model.samples import Record, Warmup
from bakeoff.model.verdict import Verdict, VerdictEntry
from tests.judge.races import MACHINE, Race
from tests.judge.test_disturbed import stolen_from


def judged(race: Race, records: Sequence[Record] | None = None) -> Verdict:
    kept = race.records() if records is None else records
    return judge(race.plan(), race.receipts(), kept, MACHINE, True)


def entry(found: Verdict, name: str) -> VerdictEntry:
    return next(each for each in found.entries if each.name == name)


def figures(found: VerdictEntry) -> str:
    return f"{found.ratio:.3f} ({found.low:.3f} to {found.high:.3f})"


def test_blocks_that_one_of_two_missed_are_said_and_nobody_else_is_blamed() -> None:
    """The reference missed one boot, b another: of its 40 blocks 20 were shared with b."""
    out = {0: {"a": "port taken"}, 1: {"b": "port taken"}}
    found = judged(Race({"a": 1.0, "b": 0.8, "c": 0.5}, out=out))
    said = "it had its turn in {} of the 40 blocks of a; the two are compared on these"
    assert entry(found, "b").warnings[1:] == (said.format(20),)
    assert entry(found, "b").n == 20
    assert entry(found, "c").warnings == () and entry(found, "c").n == 40


def test_ten_shared_blocks_are_enough_for_a_ratio_and_are_said() -> None:
    b = entry(judged(Race({"a": 1.0, "b": 0.8}, boots=2, blocks=10, out={1: {"b": "x"}})), "b")
    assert b.ratio is not None and b.n == 10
    assert b.warnings[1:] == (
        "it had its turn in 10 of the 20 blocks of a; the two are compared on these",
    )


def test_nine_shared_blocks_give_no_ratio_and_one_sentence() -> None:
    race = Race({"a": 1.0, "b": 0.8, "c": 2.0}, boots=2, blocks=9, out={1: {"b": "x"}})
    found = judged(race)
    b = entry(found, "b")
    assert b.ratio is None and b.n == 9
    assert b.warnings[1:] == (
        "too few blocks for a ratio: it and a were measured side by side in 9, and 10 are the "
        "least",
    )
    assert [each.name for each in found.entries] == ["c", "a", "b"], "without a ratio last"
    assert b.rank == (1, 3) and set(b.letters) >= set("ab"), "it may stand anywhere"


def test_solo_entries_are_counted_in_long_blocks() -> None:
    race = Race(
        {"a": 1.0, "b": 1.1}, boots=14, blocks=0, long_blocks=1, solo=True, out={3: {"b": "x"}}
    )
    b = entry(judged(race), "b")
    assert b.n == 13
    assert (
        "it had its turn in 13 of the 14 blocks of a; the two are compared on these" in b.warnings
    )


def disagreeing() -> Race:
    """In long slices a, named before its reference b, is 11 % ahead, in short ones 13 %."""
    return Race(
        {"b": 1.0, "a": 1.13}, blocks=60, long_blocks=15, long_ratios={"a": 1.11}, noise=0.004
    )


def test_slice_lengths_that_disagree_name_both_figures_and_the_one_that_counts() -> None:
    a = entry(judged(disagreeing()), "a")
    (said,) = a.warnings
    assert said.startswith(
        "the length of a slice matters: against b, in long slices (100 ms instead of 20 ms) the "
        f"ratio is {figures(a)}, in short ones 1.1"
    )
    short = re.search(r"in short ones ([\d.]+) \(([\d.]+) to ([\d.]+)\);", said)
    assert short is not None
    ratio, low, high = map(float, short.groups())
    assert low <= ratio <= high and ratio == pytest.approx(1.13, rel=0.003)
    assert said.endswith("; the figure of the long slices counts")


def test_slices_of_unknown_length_are_only_called_long() -> None:
    race = disagreeing()
    records = [record for record in race.records() if not isinstance(record, Warmup)]
    (said,) = entry(judged(race, records), "a").warnings
    assert "against b, in long slices the ratio is 1.11" in said


def test_the_ratio_over_all_blocks_is_that_of_the_entry_over_the_reference() -> None:
    """Also of one named before its reference, and none of one that has too few blocks."""
    race = Race(
        {"b": 1.0, "a": 1.2, "c": 1.0}, boots=2, blocks=40, out={0: {"c": "x"}, 1: {"c": "x"}}
    )
    records = stolen_from(race.records(), {10, 11})
    found = judged(race, records)
    a = entry(found, "a")
    assert found.disturbed_blocks == 2 and a.all_blocks is not None
    assert a.all_blocks.ratio == pytest.approx(1.2, rel=0.01)
    assert a.all_blocks.n == 80 and a.n == 78
    assert entry(found, "b").all_blocks is None


def test_one_without_a_ratio_has_none_over_all_blocks_either() -> None:
    race = Race({"b": 1.0, "a": 1.2, "c": 1.0}, boots=2, blocks=40)
    kept = [
        record.model_copy(update={"slices": tuple(s for s in record.slices if s.entry != "c")})
        if record.type == "block" and (record.boot, record.block) >= (0, 9)
        else record
        for record in race.records()
    ]
    found = judged(race, stolen_from(kept, {10, 11}))
    c = entry(found, "c")
    assert found.disturbed_blocks == 2
    assert c.ratio is None and c.all_blocks is None


def test_pairs_are_listed_from_the_one_that_stands_higher() -> None:
    found = judged(Race({"x": 1.0, "m": 0.5, "a": 2.0}))
    assert [(each.a, each.b, each.finding) for each in found.pairs] == [
        ("a", "x", "faster"),
        ("a", "m", "faster"),
        ("x", "m", "faster"),
    ]
    for each, ratio in zip(found.pairs, (2, 4, 2), strict=True):
        assert each.ratio == pytest.approx(ratio, rel=0.01) and each.n == 60
        assert each.low < each.ratio < each.high


def test_equal_ratios_stand_in_the_order_of_their_names() -> None:
    found = judged(Race({"m": 1.0, "z": 1.0, "a": 1.0}, noise=0))
    assert [each.name for each in found.entries] == ["a", "m", "z"]
