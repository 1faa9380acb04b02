"""Events of streams: how pairs compare by them, what an entry had, and who holds them back."""

from collections.abc import Mapping

import numpy as np
import pytest

from bakeoff.judge.verdict import judge
from bakeoff.model.engine import EventsSlice
from bakeoff.model.request import EventsSection
from bakeoff.model.samples import Block, Record, Slice
from tests.judge.facts import MACHINE
from tests.judge.races import Race, altered, encoded, judged, row, with_event
from tests.ratios import known

RACE = Race({"a": 1.0, "b": 1.0}, boots=10, blocks=10, long_blocks=10)
GAP_MS = 20


def streamed(gaps_us: Mapping[str, tuple[float, ...]], **changed: object) -> list[Record]:
    """Records whose streams had gaps of these lengths, as many of each, a first event at half the
    first, and what is `changed` of each slice."""
    chance = np.random.default_rng(1)

    def stream(_: Block, slice_: Slice) -> Slice:
        given = [round(us * 1000 * np.exp(chance.normal(0, 0.02))) for us in gaps_us[slice_.entry]]
        of: dict[str, object] = {
            "count": 110,
            "count_all": 130,
            "first": encoded(((round(given[0] / 2), slice_.event.latency_count),)),
            "gap": encoded(tuple((ns, 100) for ns in given)),
            "open": 0,
            "faults": {},
        }
        return with_event(slice_, events=EventsSlice.model_validate(of | changed))

    return altered(RACE.records(), stream)


def test_each_pair_is_compared_by_first_event_and_gaps() -> None:
    verdict = judged(RACE, streamed({"a": (200.0,), "b": (400.0,)}))
    pair = known(verdict.pair("a", "b"))
    ratios = known(pair.event_ratios)
    for ratio in (ratios.first, ratios.gap, ratios.gap_p99):
        assert 1.9 < known(ratio).low < 2 < known(ratio).high < 2.1
    own = known(row(verdict, "b").event_ratios)
    assert known(own.gap).ratio == pytest.approx(1 / known(ratios.gap).ratio)
    assert row(verdict, "a").event_ratios is None, "the reference"
    turned = known(known(verdict.pair("b", "a")).event_ratios)
    assert known(turned.gap_p99).ratio == pytest.approx(1 / known(ratios.gap_p99).ratio)


def test_a_later_first_event_is_a_difference_with_an_interval_from_either_side() -> None:
    verdict = judged(RACE, streamed({"a": (200.0,), "b": (400.0,)}))
    own = known(known(row(verdict, "b").event_ratios).later_us)
    assert 98 < own.low < own.more < own.high < 102, "half of 400 µs is later than half of 200"
    pair = known(known(verdict.pair("a", "b")).event_ratios)
    assert known(pair.later_us).more == pytest.approx(-own.more)
    turned = known(known(verdict.pair("b", "a")).event_ratios)
    assert turned.later_us == own
    assert pair.inverted().inverted() == pair


def test_what_an_entry_had_is_summed_up_over_its_slices() -> None:
    gaps = {"a": (200.0,), "b": (400.0, 2e6)}
    verdict = judged(RACE, streamed(gaps, faults={"lost": 2}, open=1))
    slices = 200
    had = known(row(verdict, "b").streams)
    assert (had.count, had.open, had.faults) == (110 * slices, slices, {"lost": 2 * slices})
    assert had.stalls == 100 * 100, "those of long slices"
    assert known(had.gap_us).p99 == pytest.approx(2e6, rel=0.1)
    assert known(had.cpu_us_per_event) > 0
    assert known(row(verdict, "a").streams).stalls == 0


def test_events_that_came_at_once_have_no_ratio_of_gaps() -> None:
    verdict = judged(RACE, streamed({"a": (0.0,), "b": (400.0,)}))
    ratios = known(verdict.pair("a", "b")).event_ratios
    assert ratios is None or ratios.gap is None


def test_streams_that_never_began_are_infinitely_late() -> None:
    verdict = judged(RACE, streamed({"a": (200.0,), "b": (400.0,)}, open=10**6))
    assert known(known(row(verdict, "a").streams).first_us).p50 is None


def test_where_no_events_were_asked_for_nothing_is_said() -> None:
    verdict = judged(RACE)
    assert row(verdict, "a").streams is None and known(verdict.pair("a", "b")).event_ratios is None
    assert "streams_first" not in verdict.to_json() and "event_ratios" not in verdict.to_json()


@pytest.mark.parametrize(
    ("gaps_ms", "is_named"),
    [
        ((20, 20, 20), False),
        ((0.1, 0.1, 0.1, 80), True),
        # Two of four are late: a slow reader, or a busy machine.
        ((0.1, 0.1, 40, 40), False),
        ((2.5, 2.5, 2.5, 72), False),
    ],
)
def test_who_holds_events_back_is_named(gaps_ms: tuple[float, ...], is_named: bool) -> None:
    gaps = {"a": (20_000.0,), "b": tuple(ms * 1000 for ms in gaps_ms)}
    for section in (EventsSection(count=5, gap_ms=GAP_MS), EventsSection(count=5)):
        plan = RACE.plan()
        expect = plan.workload.expect.model_copy(update={"events": section})
        workload = plan.workload.model_copy(update={"expect": expect})
        plan = plan.model_copy(update={"workload": workload})
        verdict = judge(plan, RACE.receipts(), streamed(gaps), MACHINE, complete=True)
        codes = [found.code for found in row(verdict, "b").warnings]
        assert ("buffered_stream" in codes) == (is_named and section.gap_ms is not None)
        assert "buffered_stream" not in [found.code for found in row(verdict, "a").warnings]
