"""Contenders that are rotated over two machines: no ratio has a machine in it but the machines'."""

import pytest

from bakeoff.judge import judge
from bakeoff.model.machine import Cluster, ClusterNode
from bakeoff.model.plan import Plan
from bakeoff.model.samples import Block, Slice
from bakeoff.model.verdict import Verdict
from bakeoff.report.kinds.race_trust import machines, noise_floor
from tests.judge.facts import MACHINE
from tests.judge.races import Race, altered, with_event

FIRST, SECOND = "10.0.0.1", "10.0.0.3"


def on_two(race: Race) -> Plan:
    """The race's plan, on two server nodes."""
    first, second = (
        ClusterNode(
            address=address,
            host=address,
            roles=("server",),
            kernel="Linux",
            python="3.11",
            ray="2.60.0",
            bakeoff="0.2.0",
            cpus=(0,),
        )
        for address in (FIRST, SECOND)
    )
    cluster = Cluster(
        address=f"{FIRST}:6379",
        server=first,
        others=(second,),
        loads=(),
        routes=(),
        slice_ms_min=100,
    )
    return race.plan().model_copy(update={"cluster": cluster})


def rotated(race: Race, slower: float) -> Verdict:
    """The verdict where the second machine has so much of the first one's speed."""
    plan = on_two(race)

    def as_there(block: Block, slice_: Slice) -> Slice:
        if plan.host_of(slice_.entry, block.boot) == FIRST:
            return slice_
        return with_event(slice_, requests=round(slice_.event.requests * slower))

    records = altered(race.records(), as_there)
    return judge(plan, race.receipts(), records, MACHINE, complete=True)


def test_boots_take_the_machines_in_turn_and_the_twin_is_on_the_next() -> None:
    plan = on_two(Race({"a": 1.0, "b": 1.0}, twin="a"))
    assert [plan.host_of("b", boot) for boot in range(3)] == [FIRST, SECOND, FIRST]
    assert [plan.host_of("twin", boot) for boot in range(3)] == [SECOND, FIRST, SECOND]
    one = Race({"a": 1.0}).plan()
    assert [one.host_of("a", boot) for boot in range(2)] == [one.host, one.host]


def test_a_slower_machine_is_found_and_changes_no_ratio_of_contenders() -> None:
    verdict = rotated(Race({"a": 1.0, "b": 1.1}, boots=4, twin="a"), slower=0.8)
    (found,) = verdict.machines
    assert (found.contender, found.machine, found.over) == ("a", SECOND, FIRST)
    assert found.ratio == pytest.approx(0.8, rel=0.02) and found.high < 1
    assert found.boots == 4
    pair = verdict.pair("b", "a")
    assert pair and pair.ratio.ratio == pytest.approx(1.1, rel=0.02)
    assert [each.code for each in verdict.warnings].count("machines_differ") == 1
    assert "They differ. a ran on two of them" in machines(verdict)
    assert verdict.noise_floor is None
    assert "the twin was on another machine" in noise_floor(verdict)


def test_machines_that_are_alike_can_not_be_told_apart() -> None:
    verdict = rotated(Race({"a": 1.0, "b": 1.1}, boots=4, twin="a"), slower=1.0)
    (found,) = verdict.machines
    assert found.low < 1 < found.high
    codes = {each.code for each in verdict.warnings}
    assert not codes & {"machines_differ", "no_noise_floor", "twin_differs"}
    assert "Do the machines differ? Can't tell." in machines(verdict)


def test_a_race_on_one_machine_or_without_a_twin_asks_nothing_of_machines() -> None:
    one = Race({"a": 1.0, "b": 1.1}, twin="a")
    alone = judge(one.plan(), one.receipts(), one.records(), MACHINE, complete=True)
    assert alone.machines == () and alone.noise_floor and machines(alone) == ""
    assert "machines" not in alone.to_json()
    assert rotated(Race({"a": 1.0, "b": 1.1}, boots=2), slower=0.8).machines == ()
