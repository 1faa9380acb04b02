"""Races in an open loop: ranked by p99, and only of those that kept up."""

import pytest

from bakeoff.model.finding import Finding
from tests.judge.races import MS, Race, altered, encoded, judged, row, with_event
from tests.ratios import known


def test_who_answers_sooner_is_ahead_by_the_ratio_of_the_p99s() -> None:
    verdict = judged(Race({"a": 1, "b": 2, "c": 1}, rate=1000))
    assert verdict.ranked_by == "p99"
    assert verdict.entries[0].name == "b"
    entry = row(verdict, "b")
    assert known(entry.ratio).ratio == pytest.approx(2, rel=0.01)
    assert entry.latency_us and entry.latency_us.p50 == pytest.approx(500, rel=0.05)
    pair = verdict.pair("a", "c")
    assert pair and pair.finding == "can't tell"


def test_what_was_offered_stands_beside_the_latency() -> None:
    entry = row(judged(Race({"a": 1, "b": 1}, rate=1000)), "a").open_loop
    assert entry and entry.rate == pytest.approx(1000)
    assert entry.answered == pytest.approx(1)
    assert entry.send_lag_us and entry.send_lag_us.p99 == pytest.approx(10, rel=0.01)
    assert entry.service_us and entry.service_us.p50 == pytest.approx(990, rel=0.03)


def test_neither_side_busy_means_that_the_rate_was_the_limit() -> None:
    race = Race({"a": 1, "b": 1}, rate=1000, busy={"a": 0.5, "b": 0.95})
    verdict = judged(race)
    assert row(verdict, "a").limited_by == "rate"
    assert row(verdict, "b").limited_by == "server"


def test_one_that_answers_less_than_99_percent_of_what_it_is_offered_is_out() -> None:
    verdict = judged(Race({"a": 1, "b": 1}, rate=1000, events={"b": {"requests": 240}}))
    assert row(verdict, "a").valid
    share = Finding.of("rate_not_answered", answered_share=0.96, rate=1000.0, least=0.99)
    assert row(verdict, "b").reasons == (share,)


def test_with_a_late_generator_a_server_is_at_least_as_prompt_as_was_measured() -> None:
    late: dict[str, object] = {"send_lag": encoded(((400_000, 250),))}
    b = row(judged(Race({"a": 1, "b": 1}, rate=1000, events={"b": late})), "b")
    (why,) = b.at_least
    assert why.code == "generator_late"
    assert why.values["lag_us"] == pytest.approx(400, rel=0.01)
    ratio = known(b.ratio)
    assert b.valid and ratio.low is not None and ratio.high is None


def test_requests_that_waited_for_a_connection_are_not_the_generators_fault() -> None:
    stalled: dict[str, object] = {
        "send_lag": encoded(((400_000, 250),)),
        "service": encoded(((1_000_000, 249), (100 * MS, 1))),
    }
    assert row(judged(Race({"a": 1, "b": 1}, rate=1000, events={"b": stalled})), "b").valid


def test_a_p99_among_requests_that_were_never_answered_is_the_worst_there_is() -> None:
    race = Race({"a": 1, "b": 1}, rate=1000, events={"b": {"misses": 3}})
    entry = row(judged(race), "b")
    assert not entry.valid
    assert entry.latency_us and entry.latency_us.p99 is None


def test_slices_that_the_host_stalled_do_not_make_a_server_slow() -> None:
    race = Race({"a": 1, "b": 1}, rate=1000)
    records = altered(
        race.records(),
        lambda block, slice_: slice_ if block.block % 5 else with_event(slice_, requests=80),
    )
    verdict = judged(race, records)
    assert [entry.valid for entry in verdict.entries] == [True, True]
    open_loop = verdict.entries[0].open_loop
    assert open_loop and open_loop.answered < 0.9
