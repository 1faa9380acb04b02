"""Slices count where the cores of servers and generator were as far apart as in most of them."""

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.judge.calm import calm, cores_moved, kept_disturbed, one_distance, usual_trip_ns
from bakeoff.model.samples import Block, Record, Slice
from tests.judge.races import Race, altered, codes, judged, row, says, with_event
from tests.ratios import known

CPUS = frozenset({0})
NEAR_NS, APART_NS = 85, 400


def blocks_of(records: Iterable[Record]) -> list[Block]:
    return [record for record in records if isinstance(record, Block)]


def away(records: Iterable[Record], places: Iterable[int], names: str = "abc") -> list[Record]:
    """The records with near cores, but for the slices of `names` in the blocks at `places`."""
    gone = set(places)

    def timed(block: Block, each: Slice) -> Slice:
        apart = block.block in gone and each.entry in names
        return with_event(each, core_trip_ns=APART_NS if apart else NEAR_NS)

    return altered(records, timed)


def race(names: str, blocks: int = 40) -> Race:
    return Race(dict.fromkeys(names, 1.0), boots=1, blocks=blocks)


def with_trips(trips: Iterable[int | None]) -> list[Block]:
    given = list(trips)
    (block,) = blocks_of(race("a", 1).records())
    slices = tuple(with_event(block.slices[0], core_trip_ns=trip) for trip in given)
    return [block.model_copy(update={"slices": slices})]


TRIPS = st.lists(st.integers(20, 2000), min_size=1, max_size=40)


@given(TRIPS)
def test_the_usual_distance_does_not_depend_on_the_order(trips: list[int]) -> None:
    assert usual_trip_ns(with_trips(trips)) == usual_trip_ns(with_trips(sorted(trips)))


@given(TRIPS, st.integers(1, 20))
def test_the_usual_distance_has_the_unit_of_the_trips(trips: list[int], factor: int) -> None:
    usual_ns = known(usual_trip_ns(with_trips(trips)))
    assert usual_trip_ns(with_trips([factor * trip for trip in trips])) == factor * usual_ns


@pytest.mark.parametrize(
    ("trips", "usual_ns"),
    [
        ([NEAR_NS] * 3 + [APART_NS] * 2, NEAR_NS),
        ([NEAR_NS] * 2 + [APART_NS] * 3, APART_NS),
        # Trips at one distance differ, and none needs to be twice the same.
        ([70, 75, 85, 90, 390, 400], 80),
        # Where nobody knows which is usual, the nearer one is.
        ([APART_NS, NEAR_NS], NEAR_NS),
        ([None, None, APART_NS], APART_NS),
        ([None], None),
    ],
)
def test_the_usual_distance_is_that_of_most_slices(
    trips: list[int | None], usual_ns: float | None
) -> None:
    assert usual_trip_ns(with_trips(trips)) == usual_ns


@pytest.mark.parametrize(
    ("trip_ns", "other_ns", "one"),
    [(60, 110, True), (100, 200, True), (100, 201, False), (110, 360, False), (None, 360, True)],
)
def test_two_distances_are_one_up_to_twice_the_trip(
    trip_ns: int | None, other_ns: int | None, one: bool
) -> None:
    assert one_distance(trip_ns, other_ns) is one
    assert one_distance(other_ns, trip_ns) is one


def test_slices_at_another_distance_are_left_out_and_two_keep_their_block() -> None:
    blocks = blocks_of(away(race("abc").records(), [5], "b"))
    kept = calm(blocks, CPUS)
    assert [each.entry for each in kept[5].slices] == ["a", "c"]
    assert all(one is other for one, other in zip(kept[6:], blocks[6:], strict=True))


def test_a_block_of_which_one_slice_would_remain_is_left_out_as_a_whole() -> None:
    blocks = blocks_of(away(race("ab").records(), [5], "b"))
    assert [block.block for block in calm(blocks, CPUS)] == [n for n in range(40) if n != 5]


def test_a_slice_without_a_trip_stays() -> None:
    blocks = blocks_of(
        altered(
            away(race("ab").records(), []),
            lambda block, each: with_event(each, core_trip_ns=None) if block.block == 5 else each,
        )
    )
    assert calm(blocks, CPUS) == tuple(blocks)
    none = blocks_of(race("ab").records())
    assert calm(none, CPUS) == tuple(none) and not list(cores_moved(none))


def test_server_cpu_is_compared_at_one_distance_too() -> None:
    """Unlike company, a distance changes what a request costs the server."""
    pair = Race({"a": 1.0, "b": 1.2}, boots=1, blocks=80)
    b = row(judged(pair, away(pair.records(), range(30))), "b")
    assert (known(b.ratio).n, known(b.cpu_ratio).n) == (50, 50)


def test_nothing_is_left_out_where_too_little_would_remain() -> None:
    blocks = blocks_of(away(race("ab").records(), range(11)))
    assert calm(blocks, CPUS) == tuple(blocks)
    (finding,) = kept_disturbed(blocks, blocks, CPUS)
    assert (finding.code, finding.values["n"]) == ("blocks_kept", 11)
    assert len(calm(blocks_of(away(race("ab").records(), range(10))), CPUS)) == 30


def test_where_the_cores_moved_it_is_said_how_far() -> None:
    blocks = blocks_of(away(race("abc").records(), [5, 6, 7], "b"))
    (finding,) = cores_moved(blocks)
    assert finding.code == "cores_moved"
    assert finding.values == {
        "n": 3,
        "blocks": 40,
        "usual_trip_ns": NEAR_NS,
        "trip_ns": APART_NS,
    }


def test_a_verdict_says_that_cores_moved_where_blocks_are_left_out_for_it() -> None:
    equals = race("ab", 60)
    moved = judged(equals, away(equals.records(), range(10)))
    assert moved.disturbed_blocks == 10
    assert says(moved.warnings, "cores_moved", n=10, blocks=60)
    assert "cores_moved" not in codes(judged(equals, away(equals.records(), [])).warnings)
    few = race("ab", 35)
    kept = codes(judged(few, away(few.records(), range(10))).warnings)
    assert "blocks_kept" in kept and "cores_moved" not in kept


def test_each_pair_has_the_distance_at_which_it_was_compared() -> None:
    three = race("abc", 60)
    verdict = judged(three, away(three.records(), range(10)))
    assert [pair.core_trip_ns for pair in verdict.pairs] == [NEAR_NS] * 3
    assert judged(three).pairs[0].core_trip_ns is None


def test_a_ratio_is_that_of_the_usual_distance() -> None:
    """Near, b does 0.8 of what a does; apart, 0.9, since the same time is added to each request."""
    pair = Race({"a": 1.0, "b": 0.8}, boots=10, blocks=40)

    def apart(block: Block, each: Slice) -> Slice:
        if block.boot > 2:
            return with_event(each, core_trip_ns=NEAR_NS)
        kept = {"a": 0.7, "b": 0.7 * 0.9 / 0.8}[each.entry]
        requests = round(kept * each.event.requests)
        return with_event(each, requests=requests, core_trip_ns=APART_NS)

    records = altered(pair.records(), apart)
    low, high = known(row(judged(pair, records), "b").ratio).ends
    assert low < 0.8 < high < 0.81
    unseen = altered(records, lambda _, each: with_event(each, core_trip_ns=None))
    assert known(row(judged(pair, unseen), "b").ratio).ratio > 0.82
