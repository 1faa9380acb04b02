"""What is said of a cluster that can't be used, and how long slices are on one that can."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff import __version__
from bakeoff.cluster.doctor import hindrances
from bakeoff.cluster.example import BY_HAND, RAY_UP
from bakeoff.cluster.head import Member
from bakeoff.cluster.joining import able, check_versions, serving_nodes, slice_ms_min
from bakeoff.model.machine import Cluster, ClusterNode, Route

HEAD = "10.0.0.1:6379"


def way(rtt_us: float) -> Route:
    """A way whose round trips take so long."""
    return Route(
        load="10.0.0.2",
        server="10.0.0.1",
        exchanges=40,
        rtt_us=rtt_us,
        rtt_median_us=rtt_us,
        offset_ns=0,
        error_ns=round(rtt_us * 500),
    )


def node(**changed: object) -> ClusterNode:
    """A node that lacks nothing."""
    facts: dict[str, object] = {
        "address": "10.0.0.1",
        "host": "one",
        "roles": ("server",),
        "kernel": "Linux 6.1",
        "python": "3.11.7",
        "ray": "2.60.0",
        "bakeoff": __version__,
        "cpus": (0, 1),
        "engine": "volley",
        "folder": "/home/me/.cache",
    }
    return ClusterNode.model_validate({**facts, **changed})


@given(st.floats(min_value=0, max_value=1e7))
def test_slices_are_as_short_as_the_way_allows(rtt_us: float) -> None:
    assert 100 <= slice_ms_min(way(rtt_us)) <= 500
    assert slice_ms_min(way(rtt_us)) <= slice_ms_min(way(rtt_us + 500))


@pytest.mark.parametrize(("rtt_us", "shortest_ms"), [(50, 100), (2000, 180), (50_000, 500)])
def test_what_lies_between_slices_is_a_twentieth_of_them(rtt_us: float, shortest_ms: int) -> None:
    assert slice_ms_min(way(rtt_us)) == shortest_ms


def test_nodes_are_found_by_what_they_offer() -> None:
    both = {"server": 1.0, "load": 1.0}
    members = [Member("a", "10.0.0.1", both), Member("b", "10.0.0.2", {"load": 1.0})]
    assert [each.address for each in able("server", members, HEAD)] == ["10.0.0.1"]
    assert [each.address for each in able("load", members, HEAD)] == ["10.0.0.1", "10.0.0.2"]


def test_the_first_server_nodes_serve_and_too_few_are_named() -> None:
    serves = {"server": 1.0}
    members = [Member(each, f"10.0.0.{each}", serves) for each in "123"]
    assert [each.address for each in serving_nodes(members, 2, HEAD)] == ["10.0.0.1", "10.0.0.2"]


def test_only_a_server_node_takes_an_engine_and_a_home_that_can_be_written() -> None:
    check_versions([node(), node(roles=("load",))])


def test_doctor_looks_at_the_first_server_node_and_at_all_that_only_serve() -> None:
    both, serves = {"server": 1.0, "load": 1.0}, {"server": 1.0}
    members = [Member(each, f"10.0.0.{each}", both) for each in "12"]
    members.append(Member("3", "10.0.0.3", serves))
    addresses = [each.address for each in serving_nodes(members, None, HEAD)]
    assert addresses == ["10.0.0.1", "10.0.0.3"]


def test_what_spoils_a_measurement_is_named() -> None:
    spoiled = Cluster(
        address="8.8.8.8:6379",
        server=node(niceness=15, address="8.8.8.8"),
        loads=(node(roles=("load",), kernel="Linux 5.10", address="10.0.0.2"),),
        routes=(way(9000),),
        slice_ms_min=500,
    )
    said = [each.what for each in hindrances(spoiled)]
    assert said == [
        "8.8.8.8 runs everything at niceness 15",
        "kernels differ: 8.8.8.8 Linux 6.1, 10.0.0.2 Linux 5.10",
        "a round trip from 10.0.0.2 takes 9.0 ms",
        "clocks are known to ±4.5 ms only",
        "8.8.8.8 is a public address",
    ]


def test_examples_name_both_resources() -> None:
    import yaml

    lines = BY_HAND
    assert """--resources='{"server": 1}'""" in lines
    assert """--resources='{"load": 1}'""" in lines
    types = yaml.safe_load(RAY_UP)["available_node_types"]
    assert types["server"]["resources"]["server"] == types["load"]["resources"]["load"] == 1
