"""Races in an open loop: ranked by p99, and only of those that kept up."""

import pytest

from bakeoff.judge import judge
from bakeoff.model.verdict import Verdict, VerdictEntry
from tests.judge.races import MACHINE, MS, Race, encoded


def judged(race: Race) -> Verdict:
    return judge(race.plan(), race.receipts(), race.records(), MACHINE, complete=True)


def entry(verdict: Verdict, name: str) -> VerdictEntry:
    return next(each for each in verdict.entries if each.name == name)


def test_who_answers_sooner_is_ahead_by_the_ratio_of_the_p99s() -> None:
    verdict = judged(Race({"a": 1, "b": 2, "c": 1}, rate=1000))
    assert verdict.ranked_by == "p99"
    assert verdict.entries[0].name == "b"
    found = entry(verdict, "b")
    assert found.ratio == pytest.approx(2, rel=0.01)
    assert found.latency_us and found.latency_us.p50 == pytest.approx(500, rel=0.05)
    pair = verdict.pair("a", "c")
    assert pair and pair.finding == "can't tell"


def test_what_was_offered_stands_beside_the_latency() -> None:
    found = entry(judged(Race({"a": 1, "b": 1}, rate=1000)), "a").open_loop
    assert found and found.rate == pytest.approx(1000)
    assert found.answered == pytest.approx(1)
    assert found.send_lag_us and found.send_lag_us.p99 == pytest.approx(10, rel=0.01)
    assert found.service_us and found.service_us.p50 == pytest.approx(990, rel=0.03)


def test_neither_side_busy_means_that_the_rate_was_the_limit() -> None:
    race = Race({"a": 1, "b": 1}, rate=1000, busy={"a": 0.5, "b": 0.95})
    verdict = judged(race)
    assert entry(verdict, "a").limited_by == "rate"
    assert entry(verdict, "b").limited_by == "server"


def test_one_that_answers_less_than_99_percent_of_what_it_is_offered_is_out() -> None:
    verdict = judged(Race({"a": 1, "b": 1}, rate=1000, events={"b": {"requests": 240}}))
    assert entry(verdict, "a").valid
    assert entry(verdict, "b").reasons == (
        "it answered 96.0% of the 1,000 requests per second that it was offered; 99% is the least",
    )


def test_a_late_generator_spoils_the_figures() -> None:
    late: dict[str, object] = {"send_lag": encoded(((400_000, 250),))}
    (reason,) = entry(judged(Race({"a": 1, "b": 1}, rate=1000, events={"b": late})), "b").reasons
    assert reason.startswith("the load generator was late: one request in a hundred left 400 µs")


def test_requests_that_waited_for_a_connection_are_not_the_generators_fault() -> None:
    stalled: dict[str, object] = {
        "send_lag": encoded(((400_000, 250),)),
        "service": encoded(((1_000_000, 249), (100 * MS, 1))),
    }
    assert entry(judged(Race({"a": 1, "b": 1}, rate=1000, events={"b": stalled})), "b").valid


def test_a_p99_among_requests_that_were_never_answered_is_the_worst_there_is() -> None:
    race = Race({"a": 1, "b": 1}, rate=1000, events={"b": {"misses": 3}})
    found = entry(judged(race), "b")
    assert not found.valid
    assert found.latency_us and found.latency_us.p99 is None


def test_slices_that_the_host_stalled_do_not_make_a_server_slow() -> None:
    race = Race({"a": 1, "b": 1}, rate=1000)
    records = [
        record.model_copy(
            update={
                "slices": tuple(
                    each.model_copy(
                        update={"event": each.event.model_copy(update={"requests": 80})}
                    )
                    for each in record.slices
                )
            }
        )
        if record.type == "block" and record.block % 5 == 0
        else record
        for record in race.records()
    ]
    found = judge(race.plan(), {}, records, MACHINE, complete=True)
    assert [each.valid for each in found.entries] == [True, True]
    assert found.entries[0].open_loop and found.entries[0].open_loop.answered < 0.9
