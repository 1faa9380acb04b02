"""Messages to rooms: how pairs compare by the last listener, and who missed some."""

from collections.abc import Mapping
from math import log

import numpy as np
import pytest

from bakeoff.judge.crossing import ANSWERED, curve, hold
from bakeoff.model.engine import RoomsSlice
from bakeoff.model.samples import Block, Record, Slice
from bakeoff.plan import parse_slo
from tests.judge.races import MS, Race, altered, encoded, judged, row, with_event
from tests.ratios import known

RACE = Race({"a": 1.0, "b": 1.0}, boots=10, blocks=10, long_blocks=10)
SLICE = next(record for record in RACE.records() if isinstance(record, Block)).slices[0]


def spoken(last_us: Mapping[str, float], lost: int = 0) -> list[Record]:
    """Records with 100 messages a slice to a room of 4, whose last listeners heard them after these
    times; `lost` of the copies reached nobody, each of another message."""
    chance = np.random.default_rng(1)

    def speak(_: Block, slice_: Slice) -> Slice:
        ns = round(last_us[slice_.entry] * 1000 * np.exp(chance.normal(0, 0.02)))
        last = encoded(((ns, 100 - lost),))
        return with_event(
            slice_, rooms=RoomsSlice(messages=100, due=400, heard=400 - lost, last=last)
        )

    return altered(RACE.records(), speak)


def test_a_pair_is_compared_by_the_last_listener() -> None:
    verdict = judged(RACE, spoken({"a": 200.0, "b": 400.0}))
    pair = known(known(verdict.pair("a", "b")).event_ratios)
    assert 1.9 < known(pair.last).low < 2 < known(pair.last).high < 2.1
    assert pair.gap is None
    own = known(row(verdict, "b").event_ratios)
    assert known(own.last).ratio == pytest.approx(1 / known(pair.last).ratio)
    rooms = known(row(verdict, "b").rooms)
    assert known(known(rooms.last_us).p50) == pytest.approx(400, rel=0.05)
    assert rooms.reach == 1 and rooms.per_s > 0


def test_a_message_that_one_has_not_heard_has_no_last_listener() -> None:
    verdict = judged(RACE, spoken({"a": 200.0, "b": 400.0}, lost=4))
    rooms = known(row(verdict, "a").rooms)
    assert rooms.reach == pytest.approx(0.99)
    assert known(rooms.last_us).p50 and known(rooms.last_us).p99 is None


def test_a_message_that_was_never_sent_has_no_last_listener_either() -> None:
    def wait(_: Block, slice_: Slice) -> Slice:
        rooms = known(slice_.event.rooms)
        return with_event(slice_, rooms=rooms.model_copy(update={"unsent": 2, "due": 408}))

    records = altered(spoken({"a": 200.0, "b": 400.0}), wait)
    rooms = known(row(judged(RACE, records), "a").rooms)
    assert rooms.reach == pytest.approx(400 / 408)
    assert known(rooms.last_us).p50 and known(rooms.last_us).p99 is None


def at_a_rate(last_ms: float, messages: int = 1500, **changed: object) -> Slice:
    """A slice of a second at a rate, with these messages to rooms of 4. One is always under way."""
    event = SLICE.event.model_copy(
        update={
            "start_ns": 0,
            "end_ns": 10**9,
            "requests": 4 * messages,
            "requests_all": 4 * messages,
            "latency": encoded(((MS, 4 * messages),)),
            "latency_count": 4 * messages,
            "send_lag": encoded(((MS, messages),)),
            "service": encoded(((MS, 4 * messages),)),
            "in_flight_ns": 4 * 10**9,
            "rooms": RoomsSlice(
                messages=messages,
                due=4 * messages,
                heard=4 * messages,
                last=encoded(((round(last_ms * MS), messages),)),
            ),
            **changed,
        }
    )
    return SLICE.model_copy(update={"event": event, "rate": float(messages)})


def test_a_bound_of_last_listeners_is_held_against_messages() -> None:
    slo = parse_slo("last-p99=10ms")
    assert hold(at_a_rate(12), slo).scores["last-p99"] == pytest.approx(log(1.2), rel=0.01)
    assert "last-p99" not in hold(at_a_rate(12, 900), slo).scores, "nine are beyond it"


def test_a_message_that_waits_for_a_room_waits_for_the_server() -> None:
    assert not hold(at_a_rate(12), parse_slo("p99=10ms")).queued


def test_a_message_at_the_windows_end_is_no_growing_queue_but_many_are() -> None:
    for cut, breaks in ((1, False), (10, True)):
        held = hold(at_a_rate(2, 50, requests=4 * (50 - cut)), parse_slo("last-p50=10ms"))
        assert (held.scores[ANSWERED] > 0) is breaks


def test_rate_and_goodput_count_a_message_once() -> None:
    (point,) = curve([at_a_rate(12)], [("last", 0.5)], places=8, listeners=4)
    assert (point.rate, point.requests) == (1500, 6000)
    assert point.goodput == pytest.approx(1500)
    assert point.quantiles_us["last-p50"] == pytest.approx(12_000, rel=0.01)


def test_without_rooms_nothing_is_said_of_them() -> None:
    verdict = judged(RACE)
    assert row(verdict, "a").rooms is None
    assert '"rooms"' not in verdict.to_json() and '"last"' not in verdict.to_json()
