"""Slices in which all connections waited together."""

from dataclasses import replace

import pytest

from bakeoff.judge.history import history
from bakeoff.judge.stalls import stalls, stood_still
from bakeoff.model.engine import SliceEvent
from tests.judge.races import CONNECTIONS, MS, Race, encoded, event

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


def found(*changed: dict[str, object]) -> tuple[int, tuple[float, ...]]:
    """How often a server stood still whose slices are good but for these, and for how long."""
    given: list[SliceEvent] = [*USUAL, *(event(**each) for each in changed)]
    seen = stalls(given, CONNECTIONS)
    return seen.times, seen.lengths_us


def test_a_stall_has_its_length() -> None:
    times, lengths_us = found(waited(200, CONNECTIONS))
    assert times == 1 and list(lengths_us) == pytest.approx([200_000], rel=0.01)


def test_a_slice_that_began_within_one_counts_without_a_length() -> None:
    assert found(silent(150)) == (1, ())


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
    assert found(changed) == (0, ())


def test_half_of_the_connections_are_enough() -> None:
    assert found(waited(200, CONNECTIONS // 2))[0] == 1


def test_of_a_slow_server_a_wait_is_no_stall_unless_it_is_ten_times_the_usual() -> None:
    slow = event(latency=encoded(((30 * MS, 60),)), latency_count=60, latency_mean_us=30_000.0)
    late = event(
        latency=encoded(((30 * MS, 20), (200 * MS, 40))),
        latency_count=60,
        latency_mean_us=143_000.0,
    )
    assert stalls([slow] * 20 + [late], CONNECTIONS).times == 0


def raced(**still: dict[str, object]) -> Race:
    return Race({"a": 1.0, "b": 1.0, "c": 1.0}, boots=1, blocks=10, events=still)


def sentence(race: Race, name: str) -> str:
    return stood_still(race.plan(), name, history(race.records()))


def test_the_one_that_stands_still_is_named() -> None:
    race = raced(b=silent(150))
    assert sentence(race, "b") == (
        "it stood still, in 10 of its 10 slices: at least half of its connections waited together"
    )
    assert sentence(race, "a") == sentence(race, "c") == ""


def test_where_the_machine_stood_still_nobody_is() -> None:
    race = raced(a=silent(150), b=silent(150), c=silent(150))
    assert sentence(race, "a") == sentence(race, "b") == ""


def test_a_connection_per_request_has_a_signature_of_its_own() -> None:
    assert sentence(replace(raced(b=silent(150)), connection="close"), "b") == ""
