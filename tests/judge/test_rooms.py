"""Messages to rooms: how pairs compare by the last listener, and who missed some."""

from collections.abc import Mapping

import numpy as np
import pytest

from bakeoff.model.engine import RoomsSlice
from bakeoff.model.samples import Block, Record, Slice
from tests.judge.races import Race, altered, encoded, judged, row, with_event
from tests.ratios import known

RACE = Race({"a": 1.0, "b": 1.0}, boots=10, blocks=10, long_blocks=10)


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


def test_without_rooms_nothing_is_said_of_them() -> None:
    verdict = judged(RACE)
    assert row(verdict, "a").rooms is None
    assert '"rooms"' not in verdict.to_json() and '"last"' not in verdict.to_json()
