"""From a URL and options to the plan of a crosscheck."""

from typing import Any, get_args

from bakeoff.model.crosscheck import CrosscheckPlan
from bakeoff.model.load import Loader
from bakeoff.plan.crosscheck import CrosscheckOptions, plan_crosscheck
from tests.plan.places import environment


def plan(url: str = "http://127.0.0.1:8080/a", **options: Any) -> CrosscheckPlan:
    return plan_crosscheck(url, CrosscheckOptions(**options), environment())


def test_all_tools_take_part_or_the_engine_and_those_that_are_named() -> None:
    assert plan().loaders == get_args(Loader)
    assert plan(tools="wrk, volley-wrk").loaders == ("engine", "wrk", "volley-wrk")
    assert plan(tools=["wrk", "engine"]).loaders == ("engine", "wrk")


def test_the_url_is_split_and_the_generators_core_is_the_last() -> None:
    made = plan(duration="3s", connection="close")
    assert (made.address, made.path, made.cpus) == ("127.0.0.1:8080", "/a", (1,))
    assert (made.duration_s, made.rounds, made.connection) == (3, 12, "close")


def test_a_url_is_checked_over_http_3_too() -> None:
    made = plan("https://localhost:8443/", protocol="h3", insecure=True, streams=4)
    assert (made.protocol, made.streams, made.connection) == ("h3", 4, "keep-alive")
    assert plan("https://localhost/", protocol="h3", insecure=True, connection="close")
