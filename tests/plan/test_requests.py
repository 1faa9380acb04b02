"""What is asked: typed as for curl, or a file from anywhere with all that it names."""

from pathlib import Path
from typing import Any

import pytest

from bakeoff.model.plan import Plan
from bakeoff.model.request import EventsSection
from bakeoff.model.workload import Workload
from bakeoff.plan import CapacityOptions, CiOptions, RaceOptions, plan_capacity, plan_race
from tests.plan.places import contender, environment

SHOP = """
name = "shop"
data = "users.csv"
[[request]]
path = "/"
weight = 3
[[request]]
name = "order"
path = "/orders/{{id}}"
body_file = "order.bin"
[request.expect]
status = 201
body_contains = ["{"]
"""


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A folder with a workload of two requests, and what it names."""
    (tmp_path / "shop.toml").write_text(SHOP)
    (tmp_path / "users.csv").write_text("id,name\r\n7,ann\r\n8,bob b\r\n")
    (tmp_path / "order.bin").write_bytes(b"\xff\x00binary")
    return tmp_path


def planned(folder: Path, *operands: str, **options: Any) -> Plan:
    made = plan_race(
        operands or ["python3 a.py"],
        RaceOptions(**{"seed": 1, **options}),
        environment(directory=folder),
    )
    assert isinstance(made, Plan)
    return made


def test_a_request_is_typed_as_for_curl(tmp_path: Path) -> None:
    (tmp_path / "order.json").write_text('{"n": 1}')
    made = planned(
        tmp_path,
        request="POST /orders",
        headers=("Content-Type: application/json",),
        cookies=("a=1", "b=2"),
        user="ann:secret",
        body="@order.json",
        expect_status=201,
    )
    asked = made.workload.first
    assert (asked.method, asked.path, made.entries[0].path) == ("POST", "/orders", "/orders")
    assert made.workload.body(asked) == b'{"n": 1}'
    assert asked.headers == {
        "Accept": "*/*",
        "Content-Type": "application/json",
        "Cookie": "a=1; b=2",
        "Authorization": "Basic YW5uOnNlY3JldA==",
    }
    assert "POST /orders" in made.workload.summary and "201" in made.workload.summary
    assert made.workload.is_fixed


def test_a_body_posts_and_a_method_may_be_said(tmp_path: Path) -> None:
    assert planned(tmp_path, body="x").workload.first.method == "POST"
    assert planned(tmp_path, request="/x", method="PUT", body="x").workload.name == "PUT /x"
    assert planned(tmp_path, headers=("X-A: b",)).workload.name == "GET /"


def test_the_right_answer_may_be_a_rule(tmp_path: Path) -> None:
    workload = planned(
        tmp_path,
        expect_length="10-2000",
        expect_contains=("a", "b"),
        expect_match="^<",
        expect_json='{"id": "number"}',
    ).workload
    expect = workload.expect
    assert not workload.is_fixed
    assert (expect.length_between, expect.body_contains) == ((10, 2000), ("a", "b"))
    assert (expect.body_matches, expect.json_) == ("^<", {"id": "number"})
    assert planned(tmp_path, expect_length=12).workload.expect.length == 12


def test_the_right_answer_may_be_a_stream_of_so_many_events_or_of_any_number(
    tmp_path: Path,
) -> None:
    ten = planned(tmp_path, events=10, request="POST /chat").workload
    assert (ten.name, ten.expect.events) == ("POST /chat", EventsSection(count=10))
    assert ten.first.headers["Accept"] == "text/event-stream"
    of_any = planned(tmp_path, headers=("accept: text/event-stream",)).workload
    assert of_any.expect.events == EventsSection()
    both = planned(tmp_path, events=10, headers=("Accept: */*",)).workload
    assert both.expect.events == EventsSection(count=10)
    assert both.first.headers["Accept"] == "*/*", "as it was typed"
    assert planned(tmp_path, request="/").workload.expect.events is None


def test_any_contender_is_asked_what_the_user_asks(tmp_path: Path) -> None:
    mine = str(contender(tmp_path, "mine"))
    made = planned(tmp_path, mine, "http://127.0.0.1:1/", request="/x", twin=False)
    assert [entry.path for entry in made.entries] == ["/x", "/x"]
    assert planned(tmp_path, "http://127.0.0.1:1/y", headers=("A: b",)).entries[0].path == "/y"


def test_a_file_may_be_anywhere_and_the_plan_has_what_it_names(shop: Path) -> None:
    made = planned(Path("/"), workload=str(shop / "shop.toml"))
    for file in shop.iterdir():
        file.unlink()
    kept = Plan.from_json(made.to_json(), "plan.json").workload
    assert kept == made.workload
    assert kept.table() == (["id", "name"], [["7", "ann"], ["8", "bob b"]])
    assert kept.body(kept.by_name["order"]) == b"\xff\x00binary"
    assert list(kept.by_name) == ["GET /", "order"]
    assert (kept.by_name["order"].method, kept.summary) == ("POST", "2 requests")


def test_requests_without_weights_or_names_are_even_and_told_apart() -> None:
    sections = [{"path": "/"}, {"path": "/"}, {"path": "/", "name": "GET / #2"}]
    mix = Workload.checked({"name": "x", "request": sections}, "x.toml")
    assert list(mix.by_name) == ["GET /", "GET / #3", "GET / #2"]
    assert {each.weight for each in mix.by_name.values()} == {1}


def test_capacity_and_ci_are_asked_the_same(shop: Path) -> None:
    options = CapacityOptions(slo=("p99=10ms",), workload="shop.toml")
    capacity = plan_capacity(["python3 a.py"], options, environment(directory=shop))
    assert capacity.race.workload.is_mix
    assert CiOptions(request="/x", expect_status=204).race().request_given == {
        "request": "/x",
        "expect_status": 204,
    }
