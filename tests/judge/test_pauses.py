"""What pauses take, and the ratio of mean speeds beside the typical one."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from bakeoff.judge.compare import compare
from bakeoff.judge.history import History
from bakeoff.judge.pauses import Lost, Speeds, with_cost
from bakeoff.model.finding import Finding
from bakeoff.model.ratio import Interval
from bakeoff.model.samples import Block, Record, Slice
from bakeoff.model.verdict import Verdict
from tests.judge.races import CONNECTIONS, MS, Race, altered, codes, judged, row, with_event
from tests.ratios import known

QUIET = Race({"a": 1.0, "b": 1.0, "c": 1.0}, boots=10, blocks=20)
WINDOW_MS = 20


def pausing(race: Race, pauses_ms: Mapping[str, float], every: int = 5) -> list[Record]:
    """In each `every`th block those contenders pause, from the middle of their window on."""

    def pause(block: Block, slice_: Slice) -> Slice:
        pause_ms = pauses_ms.get(slice_.entry, 0)
        if not pause_ms or block.block % every:
            return slice_
        event = slice_.event
        within_ms = min(pause_ms, WINDOW_MS / 2)
        count = round(event.latency_count * (1 - within_ms / WINDOW_MS))
        waited_us = event.latency_mean_us * count + CONNECTIONS * pause_ms * 1000
        return with_event(
            slice_,
            requests=count,
            latency_count=count,
            latency_mean_us=waited_us / count,
            drained_ns=event.drained_ns + round((pause_ms - within_ms) * MS),
        )

    return altered(race.records(), pause)


def lost(pauses_ms: Mapping[str, float], race: Race = QUIET, every: int = 5) -> Mapping[str, Lost]:
    return lost_in(race, pausing(race, pauses_ms, every))


def lost_in(race: Race, records: list[Record]) -> Mapping[str, Lost]:
    history = History.of(records)
    return Speeds.of(race.plan(), history, race.names).lost(compare(history, race.names))


def test_pauses_that_typical_slices_do_not_have_are_in_the_mean_ratio() -> None:
    """6 ms in one window of five of 20 ms are 6 %."""
    verdict = judged(QUIET, pausing(QUIET, {"b": 6}))
    typical, mean = row(verdict, "b"), row(verdict, "b").mean_ratio
    assert known(known(typical.ratio).low) > 0.99
    assert mean and mean.low < 0.94 < mean.high < 0.96
    assert (mean.draws, mean.n) == (10, 10)
    pair = verdict.pair("a", "b")
    assert pair and pair.mean_ratio and pair.mean_ratio.ratio == pytest.approx(1 / mean.ratio)


def test_the_one_that_pauses_is_named_with_the_share_it_lost() -> None:
    found = lost({"b": 6})
    assert found["b"].own and found["b"].low < 0.06 < found["b"].high < 0.08
    assert not found["a"].own and not found["c"].own


def test_a_pause_that_outlasts_its_window_counts_in_whole() -> None:
    """200 ms in one window of twenty: 200 of 20 × 20 + 190 ms."""
    assert lost({"b": 200}, every=20)["b"].share == pytest.approx(200 / 590, abs=0.02)


def test_a_pause_that_was_under_way_before_the_window_is_not_counted() -> None:
    records = altered(
        QUIET.records(),
        lambda block, each: (
            with_event(each, requests=0, latency_count=0, latency_mean_us=0.0)
            if each.entry == "b" and block.block % 5 == 0
            else each
        ),
    )
    assert lost_in(QUIET, records)["b"].share == pytest.approx(0, abs=0.01)


@pytest.mark.parametrize(
    ("pauses_ms", "named"),
    [
        ({"b": 1}, False),
        ({"a": 6, "b": 6, "c": 6}, False),
        ({"a": 4, "b": 6, "c": 4}, False),
        ({"a": 2, "b": 9, "c": 2}, True),
    ],
    ids=["too little", "all alike", "less than twice the others'", "far more than the others"],
)
def test_what_the_machine_takes_from_all_is_not_its_own(
    pauses_ms: Mapping[str, float], named: bool
) -> None:
    assert lost(pauses_ms)["b"].own is named


@pytest.mark.parametrize(
    "race",
    [
        replace(QUIET, rate=1000.0),
        replace(QUIET, connection="close"),
        replace(QUIET, boots=1),
        replace(QUIET, verified={"b": {"keeps_alive": False}}),
        replace(QUIET, events={"b": {"busy": 0.99}}, busy={"b": 0.3}),
    ],
    ids=["open loop", "no connection is kept", "one draw", "it keeps none", "generator's limit"],
)
def test_where_mean_speeds_are_not_known_there_is_no_ratio_of_them(race: Race) -> None:
    verdict = judged(race)
    pair = verdict.pair("a", "b")
    assert pair and pair.mean_ratio is None
    assert row(verdict, "b").mean_ratio is None


def test_where_long_slices_count_the_mean_of_short_ones_is_not_shown() -> None:
    race = replace(QUIET, long_blocks=8, long_ratios={"b": 0.7})
    assert row(judged(race), "b").mean_ratio is None
    assert row(judged(race), "c").mean_ratio


STILL = Finding.of("stood_still", length_us=2e5, times=4, slices=200)
DRIFT = Finding.of("faster_while_measured", after_share=0.5, after_ratio=1.2)
MEAN = Interval(ratio=0.9, low=0.8, high=1.01, n=10, boots=1)


def test_what_pauses_took_stands_in_the_place_of_the_stillness() -> None:
    said = with_cost([STILL, DRIFT], Lost(0.08, 0.0, 0.27, own=False), "a", MEAN)
    assert codes(said) == ["faster_while_measured", "pauses_cost"]
    assert said[1].because == (STILL,)
    assert said[1].values == {
        "share": 0.08,
        "share_low": 0.0,
        "share_high": 0.27,
        "reference": "a",
        "ratio": 0.9,
        "low": 0.8,
        "high": 1.01,
    }


@pytest.mark.parametrize(
    ("said", "of"),
    [
        ([STILL], Lost(0.01, 0.0, 0.03, own=False)),
        ([STILL], None),
        ([DRIFT], Lost(0.08, 0.0, 0.27, own=False)),
    ],
    ids=["stillness that cost little", "nothing is known", "it may be chance"],
)
def test_else_what_was_said_stays(said: list[Finding], of: Lost | None) -> None:
    assert list(with_cost(said, of, "a", MEAN)) == said


def test_the_verdict_says_it_of_the_contender() -> None:
    verdict: Verdict = judged(QUIET, pausing(QUIET, {"b": 6}))
    (cost,) = (each for each in row(verdict, "b").warnings if each.code == "pauses_cost")
    mean = row(verdict, "b").mean_ratio
    assert mean and cost.values["ratio"] == mean.ratio
    assert "pauses_cost" not in codes(row(verdict, "a").warnings)
