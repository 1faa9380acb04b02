"""Held streams: how pairs compare by their gaps, whether they keep their pace, who loses some."""

from collections.abc import Mapping

import numpy as np
import pytest

from bakeoff.judge.verdict import judge
from bakeoff.model.engine import BadExchange, HeldSlice
from bakeoff.model.request import HeldSection
from bakeoff.model.samples import Block, Record, Slice
from bakeoff.model.verdict import Verdict
from tests.judge.facts import MACHINE
from tests.judge.races import Race, altered, encoded, judged, row, with_event
from tests.ratios import known

RACE = Race({"a": 1.0, "b": 1.0}, boots=10, blocks=10, long_blocks=10)
STREAMS, GAP_MS = 100, 10.0
BAD = BadExchange(kind="reset", detail="reset by peer", request_base64="", response_base64="")


def held(gaps_us: Mapping[str, float], of: str = "", **changed: object) -> list[Record]:
    """Records whose streams had gaps of these lengths, and what is `changed` in each slice `of`
    one."""
    chance = np.random.default_rng(1)

    def hold(_: Block, slice_: Slice) -> Slice:
        ns = round(gaps_us[slice_.entry] * 1000 * np.exp(chance.normal(0, 0.02)))
        windows = slice_.event.window_ns / (GAP_MS * 1e6)
        usual: dict[str, object] = {
            "open": STREAMS,
            "opened": 0,
            "ended": 0,
            "count": round(STREAMS * windows),
            "count_all": round(STREAMS * windows) + 5,
            "gap": encoded(((ns, 50),)),
            "faults": {},
            "errors": {},
            "first_bad": None,
        }
        given = usual | (changed if slice_.entry == of else {})
        return with_event(slice_, held=HeldSlice.model_validate(given))

    return altered(RACE.records(), hold)


def verdict_of(records: list[Record]) -> Verdict:
    section = HeldSection(streams=STREAMS, path="/ticks", gap_ms=GAP_MS)
    plan = RACE.plan()
    workload = plan.workload.model_copy(update={"held": section})
    return judge(
        plan.model_copy(update={"workload": workload}),
        RACE.receipts(),
        records,
        MACHINE,
        complete=True,
    )


def test_a_pair_is_compared_by_the_gaps_of_its_held_streams() -> None:
    verdict = verdict_of(held({"a": 200.0, "b": 400.0}))
    ratios = known(known(verdict.pair("a", "b")).event_ratios)
    for ratio in (ratios.gap, ratios.gap_p99):
        assert 1.9 < known(ratio).low < 2 < known(ratio).high < 2.1
    assert ratios.first is None and ratios.later_us is None
    assert row(verdict, "a").streams is None


def test_held_streams_have_figures_of_their_own() -> None:
    verdict = verdict_of(held({"a": 200.0, "b": 2e6}, of="b", ended=2, faults={"lost": 1}))
    mine, other = (known(row(verdict, name).held_streams) for name in "ab")
    assert (mine.streams, mine.open, mine.stalls) == (STREAMS, STREAMS, 0)
    assert known(mine.pace) == pytest.approx(1, rel=0.01)
    assert known(mine.gap_us).p50 == pytest.approx(200, rel=0.05)
    assert other.stalls == 50 * 100, "those of long slices"
    assert (other.ended, other.faults) == (2 * 200, {"lost": 200})
    assert all(row(verdict, name).valid for name in "ab")


def test_events_that_do_not_come_show_in_the_pace() -> None:
    starved = verdict_of(held({"a": 200.0, "b": 200.0}, of="b", count=1))
    assert known(known(row(starved, "b").held_streams).pace) < 0.1


@pytest.mark.parametrize(
    ("changed", "reason", "warning"),
    [
        ({}, False, False),
        ({"errors": {"reset": 1}, "first_bad": BAD}, False, True),
        ({"open": 90, "errors": {"connect": 10}, "first_bad": BAD}, True, False),
        ({"open": 98}, True, False),
    ],
)
def test_who_holds_fewer_is_out_and_whose_streams_break_is_named(
    changed: dict[str, object], reason: bool, warning: bool
) -> None:
    own = row(verdict_of(held({"a": 200.0, "b": 200.0}, of="b", **changed)), "b")
    assert ([each.code for each in own.reasons] == ["streams_not_held"]) == reason
    assert own.valid != reason
    assert ("streams_broke" in [each.code for each in own.warnings]) == warning
    assert not own.errors.total, "requests have nothing of them"


def test_without_held_streams_nothing_is_said_of_them() -> None:
    assert '"held_streams"' not in judged(RACE).to_json()
