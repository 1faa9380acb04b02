"""Slices in which all connections waited."""

from dataclasses import replace

import pytest

from bakeoff.judge.history import History
from bakeoff.judge.steadiness import fell_silent, stalls, stood_still
from bakeoff.model.engine import SliceEvent
from bakeoff.model.finding import Finding
from tests.judge.races import CONNECTIONS, MS, Race, altered, encoded, event, with_event

QUICK = (1 * MS, 900)


def waited(ms: float, count: int) -> dict[str, object]:
    """900 answers after 1 ms each, and some that waited long."""
    total_us = 900 * 1e3 + count * ms * 1e3
    return {
        "latency": encoded((QUICK, (round(ms * MS), count))),
        "latency_count": 900 + count,
        "latency_mean_us": total_us / (900 + count),
        "drained_ns": round((1020 + ms) * MS),
    }


def silent(ms: float) -> dict[str, object]:
    """Every answer came after the window."""
    nothing = {"requests": 0, "latency": "", "latency_count": 0, "latency_mean_us": 0.0}
    return {**nothing, "drained_ns": round((1020 + ms) * MS)}


USUAL = [event(latency=encoded((QUICK,)), latency_mean_us=1000.0)] * 20


def stalled(*changed: dict[str, object]) -> tuple[int, tuple[float, ...]]:
    """How often a server stood still whose slices are good but for these, and for how long."""
    given: list[SliceEvent] = [*USUAL, *(event(**each) for each in changed)]
    seen = stalls(given, CONNECTIONS)
    return seen.times, seen.lengths_us


def test_a_stall_has_its_length() -> None:
    times, lengths_us = stalled(waited(200, CONNECTIONS))
    assert times == 1 and list(lengths_us) == pytest.approx([200_000], rel=0.01)


def test_a_slice_that_began_within_one_counts_without_a_length() -> None:
    assert stalled(silent(150)) == (1, ())


@pytest.mark.parametrize(
    "changed",
    [
        waited(200, CONNECTIONS // 2 - 1),
        waited(40, CONNECTIONS),
        silent(20),
        {**silent(5000), "errors": {"timeout": 64}, "misses": 64},
    ],
    ids=["a few connections", "too short", "late by a little", "never answered"],
)
def test_what_is_no_stall(changed: dict[str, object]) -> None:
    assert stalled(changed) == (0, ())


def test_half_of_the_connections_are_enough() -> None:
    assert stalled(waited(200, CONNECTIONS // 2))[0] == 1


def test_of_a_slow_server_a_wait_is_no_stall_unless_it_is_ten_times_the_usual() -> None:
    slow = event(latency=encoded(((30 * MS, 60),)), latency_count=60, latency_mean_us=30_000.0)
    late = event(
        latency=encoded(((30 * MS, 20), (200 * MS, 40))),
        latency_count=60,
        latency_mean_us=143_000.0,
    )
    assert stalls([slow] * 20 + [late], CONNECTIONS).times == 0


def raced(**events: dict[str, object]) -> Race:
    return Race({"a": 1.0, "b": 1.0, "c": 1.0}, boots=1, blocks=10, events=events)


def still(race: Race, name: str) -> list[Finding]:
    return list(stood_still(race.plan(), name, History.of(race.records())))


def test_the_one_that_stands_still_is_named() -> None:
    race = raced(b=silent(150))
    assert still(race, "b") == [Finding.of("stood_still", length_us=None, times=10, slices=10)]
    assert still(race, "a") == still(race, "c") == []


def test_where_most_stood_still_as_often_it_was_the_machine() -> None:
    race = raced(a=silent(150), b=silent(150), c=silent(150))
    machine = [Finding.of("machine_stood_still", length_us=None, names=["a", "b", "c"])]
    assert still(race, "a") == still(race, "b") == machine


def test_two_of_three_are_not_most() -> None:
    race = raced(a=silent(150), b=silent(150))
    assert still(race, "a") == still(race, "c") == []


def test_a_connection_per_request_has_a_signature_of_its_own() -> None:
    assert still(replace(raced(b=silent(150)), connection="close"), "b") == []


def quiet_slices(race: Race, **counts: int) -> History:
    """The race, each of whose entries answers nothing in so many of its first slices."""
    records = altered(
        race.records(),
        lambda block, each: (
            with_event(each, requests=0) if block.block < counts.get(each.entry, 0) else each
        ),
    )
    return History.of(records)


@pytest.mark.parametrize(
    ("counts", "silent"),
    [
        ({"b": 3}, True),
        ({"b": 2}, False),
        ({"a": 1, "b": 3, "c": 1}, False),
        ({"a": 1, "b": 4, "c": 1}, True),
        ({"a": 4, "b": 4, "c": 4}, False),
    ],
    ids=["thrice", "twice", "thrice as often", "more often", "the machine"],
)
def test_one_is_silent_where_it_is_so_more_often_than_the_others(
    counts: dict[str, int], silent: bool
) -> None:
    race = raced()
    assert fell_silent(race.plan(), "b", quiet_slices(race, **counts)) is silent
