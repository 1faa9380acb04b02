"""Of a whole race: one cause is one warning, and what intervals, machines and network are worth."""

from statistics import median
from types import SimpleNamespace
from typing import Any, cast

import pytest

from bakeoff.judge import judge
from bakeoff.judge.about_race import Stolen, gather, grounds, network_findings
from bakeoff.judge.history import History
from bakeoff.model.finding import Finding
from bakeoff.model.machine import Cluster, ClusterNode, Route
from bakeoff.model.plan import Plan
from bakeoff.model.request import RequestSection
from bakeoff.model.samples import Block, Slice
from bakeoff.model.verdict import Verdict
from bakeoff.model.workload import Workload
from bakeoff.report.kinds import shared
from bakeoff.report.kinds.race_trust import machines, noise_floor
from tests.judge.facts import MACHINE
from tests.judge.races import Race, altered, codes, judged, row, says, with_event

STOLEN = Stolen(all=0.14, server=0.16, client=0.12)


def limit(server: float = 0.6, client: float = 0.7) -> Finding:
    values = {"server_busy": server, "client_busy": client, "client_core": None}
    return Finding.of("limit_unknown", **values)


def lost(quantile: str) -> Finding:
    return Finding.of("packets_lost", quantile=quantile, value_us=204_000.0, retransmits=3)


def changed(*names: str, at: float = 0.5, ratio: float = 0.7, boot: int = 0) -> Finding:
    return Finding.of(
        "machine_changed", boot=boot, after_share=at, after_ratio=ratio, names=list(names)
    )


def test_the_same_warning_of_several_is_one_of_the_race() -> None:
    own = {"a": (limit(0.5),), "b": (), "c": (limit(0.6),)}
    said, kept = gather(own)
    assert said == (Finding.of("several", limit(0.5), limit(0.6), names=["a", "c"]),)
    assert kept == own, "who reads one entry alone finds its warnings there"
    assert said[0].tells("a", limit(0.5)) and said[0].tells("c", limit(0.6))
    assert not said[0].tells("b", limit(0.5)) and not said[0].tells("a", limit(0.6))


def test_what_one_alone_has_stays_with_it() -> None:
    own = {"a": (limit(),), "b": (Finding.of("cpu_leak", share=0.1),)}
    assert gather(own) == ((), own)


def test_one_code_has_several_causes() -> None:
    said, _ = gather({"a": (lost("p99"),), "b": (lost("p99.9"),), "c": (lost("p99"),)})
    assert [each.values["names"] for each in said] == [["a", "c"]]


def test_a_limit_that_the_host_hides_is_its_doing() -> None:
    own = {"a": (limit(0.8, 0.5),), "b": (limit(0.5, 0.8),), "c": (limit(0.3, 0.3),)}
    said, kept = gather(own, STOLEN)
    hidden = Finding.of("host_hides_limits", *own["a"], *own["b"], share=0.14, names=["a", "b"])
    assert said == (hidden,) and kept == own


def test_a_change_of_the_machine_is_said_once_and_of_no_contender() -> None:
    leak = Finding.of("cpu_leak", share=0.1)
    own = {
        "a": (changed("a", "b", "c"), leak),
        "b": (changed("a", "b", "d", "e", at=0.55),),
        "c": (changed("a", "c", "e", at=0.9),),
    }
    said, kept = gather(own)
    assert said == (changed("a", "b", "d", "e", "c", at=0.55), changed("a", "c", "e", at=0.9))
    assert kept == {"a": (leak,), "b": (), "c": ()}


@pytest.mark.parametrize("other", [{"boot": 1}, {"ratio": 1.4}, {"at": 0.7}])
def test_changes_of_other_boots_moments_and_directions_are_others(other: dict[str, float]) -> None:
    second = changed("a", "b", "c").model_copy(
        update={
            "values": {
                **changed("a", "b", "c").values,
                **{
                    {"ratio": "after_ratio", "at": "after_share"}.get(key, key): value
                    for key, value in other.items()
                },
            }
        }
    )
    said, _ = gather({"a": (changed("a", "b", "c"),), "b": (second,)})
    assert len(said) == 2


def twenty(**race: object) -> Race:
    given: dict[str, object] = {
        "ratios": {f"s{n:02}": 1.0 for n in range(20)},
        "boots": 1,
        "blocks": 40,
        "busy": {f"s{n:02}": 0.7 + n / 200 for n in range(17)},
    }
    return Race(**(given | race))  # type: ignore[arg-type]


def test_a_race_of_twenty_has_a_sentence_for_each_cause() -> None:
    verdict = judged(twenty())
    assert codes(verdict.warnings) == ["one_boot", "several"]
    assert sum("limit_unknown" in codes(each.warnings) for each in verdict.entries) == 17
    assert len(shared.warnings(verdict)) == 2


def test_the_host_that_took_the_cores_is_the_cause_and_is_said_once() -> None:
    verdict = judged(twenty(steal_s=0.3))
    assert codes(verdict.warnings) == ["one_boot", "blocks_kept", "host_hides_limits"]
    assert len(shared.warnings(verdict)) == 3


def test_five_that_change_at_one_moment_have_one_sentence() -> None:
    changes = dict.fromkeys(["s00", "s01", "s02", "s03", "s04"], (20, 1.4))
    verdict = judged(twenty(changes=changes, busy={}))
    assert codes(verdict.warnings) == ["one_boot", "several"]
    assert codes(row(verdict, "s03").warnings) == ["faster_while_measured"]
    assert len(shared.warnings(verdict)) == 2


def test_a_machine_that_changed_for_most_is_no_contenders_fault() -> None:
    changes = {f"s{n:02}": (20, 1.6) for n in range(10)}
    verdict = judged(twenty(changes=changes, busy={}))
    (changed,) = (each for each in verdict.warnings if each.code == "machine_changed")
    assert set(changes) <= set(changed.values["names"] or ())  # type: ignore[arg-type]
    assert not any(each.warnings for each in verdict.entries)
    assert says(verdict.warnings, "machine_changed", boot=0)


def said(boots: int, draws: int, processes: int) -> list[str]:
    """The findings of a race in which one contender had so many processes."""
    history: Any = SimpleNamespace(
        boots=range(boots), draws=range(draws), processes=lambda _name: processes
    )
    return codes(tuple(grounds(cast("History", history), ["a"])))


@pytest.mark.parametrize(
    ("boots", "draws", "processes", "found"),
    [
        (1, 0, 1, ["one_boot"]),
        (1, 20, 1, ["one_process"]),
        (1, 20, 3, ["few_processes"]),
        (1, 20, 8, []),
        (2, 20, 2, ["one_process"]),
        (2, 20, 4, ["few_processes"]),
        (2, 20, 16, []),
        (3, 3, 3, ["few_boots"]),
        (8, 8, 8, []),
    ],
    ids=str,
)
def test_too_few_processes_or_boots_alone_are_told(
    boots: int, draws: int, processes: int, found: list[str]
) -> None:
    assert said(boots, draws, processes) == found


def cluster(bytes_per_s: float | None) -> Cluster:
    """Two machines between which one connection carried so much."""
    node = ClusterNode(
        address="10.0.0.1",
        host="one",
        roles=("server",),
        kernel="Linux",
        python="3.11",
        ray="2.60.0",
        bakeoff="0.2.0",
    )
    way = Route(
        load="10.0.0.2",
        server="10.0.0.1",
        exchanges=40,
        rtt_us=100,
        rtt_median_us=120,
        offset_ns=0,
        error_ns=50_000,
        bytes_per_s=bytes_per_s,
    )
    return Cluster(address="10.0.0.1:6379", server=node, loads=(), routes=(way,), slice_ms_min=100)


def test_answers_that_fill_the_way_are_named() -> None:
    race = Race({"a": 1.0, "b": 2.0})
    history = race_history(race)
    most = max(each.bytes / each.window_ns * 1e9 for each in history.events("a"))
    plan = race.plan().model_copy(update={"cluster": cluster(1.1 * most)})
    (found,) = network_findings(plan, history, ["a"])
    assert found.code == "network_full"
    assert found.values["names"] == ["a"]
    shares = found.values["shares"]
    assert isinstance(shares, list)
    assert 0.8 <= float(shares[0]) <= 1 / 1.1


def test_requests_that_fill_the_way_are_as_much_as_answers() -> None:
    race = Race({"a": 1.0, "b": 2.0})
    history = race_history(race)
    events = history.events("a")
    size = 10 * max(each.bytes // each.requests for each in events)
    usual = median(each.requests * size / each.window_ns * 1e9 for each in events)
    upload = Workload(name="upload", request=RequestSection(method="POST", body="x" * size))
    beside = {"cluster": cluster(1.1 * usual)}
    assert not [*network_findings(race.plan().model_copy(update=beside), history, ["a"])]
    plan = race.plan().model_copy(update={**beside, "workload": upload})
    (found,) = network_findings(plan, history, ["a"])
    assert (found.code, found.values["names"]) == ("network_full", ["a"])


def test_a_way_that_carries_more_and_one_that_nobody_measured_are_no_limit() -> None:
    race = Race({"a": 1.0, "b": 2.0})
    for carried in (1e12, None):
        plan = race.plan().model_copy(update={"cluster": cluster(carried)})
        assert not [*network_findings(plan, race_history(race), ["a", "b"])]


def race_history(race: Race) -> History:
    return History.of(race.records())


FIRST, SECOND = "10.0.0.1", "10.0.0.3"


def on_two(race: Race) -> Plan:
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
