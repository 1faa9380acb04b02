"""Whether the network between two machines was the limit of a race."""

from statistics import median

from bakeoff.judge.about_race import network_findings
from bakeoff.judge.history import History
from bakeoff.model.machine import Cluster, ClusterNode, Route
from bakeoff.model.workload import RequestSection, Workload
from tests.judge.races import Race


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
    """The records of a race, sorted."""
    return History.of(race.records())
