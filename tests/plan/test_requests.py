"""What is asked: typed as for curl, or a file from anywhere with all that it names."""

from pathlib import Path
from typing import Any

import pytest

from bakeoff.model.errors import BadFile, BadUsage
from bakeoff.model.plan import Plan
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
    assert made.workload.asks == "POST /orders, for status 201"
    assert made.workload.is_fixed


def test_a_body_posts_and_a_method_may_be_said(tmp_path: Path) -> None:
    assert planned(tmp_path, body="x").workload.first.method == "POST"
    assert planned(tmp_path, request="/x", method="PUT", body="x").workload.name == "PUT /x"
    assert planned(tmp_path, headers=("X-A: b",)).workload.name == "GET /"


def test_the_right_answer_may_be_a_rule(tmp_path: Path) -> None:
    asked = planned(
        tmp_path,
        expect_length="10-2000",
        expect_contains=("a", "b"),
        expect_match="^<",
        expect_json='{"id": "number"}',
    ).workload
    assert not asked.is_fixed
    assert asked.expect.length_between == (10, 2000)
    assert asked.expect.body_contains == ("a", "b")
    assert (asked.expect.body_matches, asked.expect.json_) == ("^<", {"id": "number"})
    assert planned(tmp_path, expect_length=12).workload.expect.length == 12


def test_any_contender_is_asked_what_the_user_asks(tmp_path: Path) -> None:
    mine = str(contender(tmp_path, "mine"))
    made = planned(tmp_path, mine, "http://127.0.0.1:1/", request="/x", twin=False)
    assert [entry.path for entry in made.entries] == ["/x", "/x"]
    with pytest.raises(BadUsage, match="and the workload requests /x"):
        planned(tmp_path, "http://127.0.0.1:1/y", request="/x")
    assert planned(tmp_path, "http://127.0.0.1:1/y", headers=("A: b",)).entries[0].path == "/y"


def test_a_file_may_be_anywhere_and_the_plan_has_what_it_names(shop: Path) -> None:
    made = planned(Path("/"), workload=str(shop / "shop.toml"))
    for file in shop.iterdir():
        file.unlink()
    kept = Plan.from_json(made.to_json(), "plan.json").workload
    assert kept == made.workload
    assert kept.table() == (["id", "name"], [["7", "ann"], ["8", "bob b"]])
    assert kept.body(kept.asked["order"]) == b"\xff\x00binary"
    assert list(kept.asked) == ["GET /", "order"]
    assert (kept.asked["order"].method, kept.asks) == ("POST", "2 requests")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (
            {"workload": "hello", "request": "/x"},
            "--workload and --request: a workload has requests of its own",
        ),
        ({"request": "orders"}, '--request: is "orders"; it takes a method and a path'),
        ({"request": "get /x"}, '--request: is "get"; it takes capital letters'),
        (
            {"request": "GET /x", "method": "PUT"},
            "--request GET /x and --method PUT: leave --method out",
        ),
        ({"headers": ("X-A",)}, '--header: is `X-A`; it takes "Name: value"'),
        ({"headers": ("X-A: 1", "x-a: 2")}, "--header: x-a is given twice"),
        ({"headers": ("Host: x",)}, "--header Host: is sent by the load engine itself"),
        ({"cookies": ("a",)}, "--cookie: is `a`; it takes NAME=VALUE"),
        ({"user": "ann"}, "--user: is `ann`; it takes NAME:PASSWORD"),
        ({"body": "@none.json"}, "--body: names none.json, which can't be read: No such file"),
        ({"body": "a", "body_file": "b"}, "--body and --body-file: a request has one body"),
        ({"expect_status": 99}, "--expect-status: is 99; it takes 200 or more"),
        ({"expect_length": "ten"}, "--expect-length: is ten; it takes bytes, as in 12 or 10-2000"),
        ({"expect_length": "9-2"}, "--expect-length: has the higher limit first"),
        ({"expect_json": "{"}, "--expect-json: is not JSON"),
        ({"expect_json": '{"a": "int"}'}, "--expect-json: has at /a `int`, which is not a type"),
        ({"expect_match": "("}, "--expect-match: is not a regular"),
        ({"expect_sha256": "12"}, '--expect-sha256: is "12"; it takes 64 hexadecimal digits'),
        ({"expect_body": "a", "expect_sha256": "0" * 64}, "keep one"),
        ({"request": "/{{id}}"}, "--request: has {{id}}, which is not a field"),
        ({"workload": "./none.toml"}, "none.toml: can't be read: No such file"),
    ],
)
def test_what_cannot_be_asked_is_refused_by_the_flag(
    tmp_path: Path, options: dict[str, Any], says: str
) -> None:
    with pytest.raises(BadUsage) as caught:
        planned(tmp_path, **options)
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("change", "key", "says"),
    [
        (("weight", "wait"), "request.0.wait", "is not a known key; did you mean"),
        (("weight = 3", "weight = 0"), "request.0.weight", "a number above 0"),
        (
            ("{{id}}", "{{ids}}"),
            "request.1.path",
            "has {{ids}}, which is not a field; did you mean id?",
        ),
        (("{{id}}", "{{id"), "request.1.path", "has a {{ without }}"),
        (("order.bin", "none.bin"), "request.1.body_file", "names none.bin, which can't be read"),
        (("201", "2010"), "request.1.expect.status", "599 or less"),
        (('path = "/"', 'path = "/"\nheaders = { Host = "x" }'), "request.0.headers.Host", "leave"),
        (
            ('path = "/orders', 'headers = { accept-encoding = "gzip" }\npath = "/orders'),
            "request.1.headers.accept-encoding",
            "requests compressed answers",
        ),
        (
            ('body_contains = ["{"]', "body_matches = '(?=a)'"),
            "request.1.expect.body_matches",
            "has no look-around",
        ),
        (
            ('body_contains = ["{"]', 'json = { a = "int" }'),
            "request.1.expect.json",
            "is not a type",
        ),
        (('path = "/"', 'path = "/a b"'), "request.0.path", "in a path ' ' is written %20"),
        (('path = "/"', 'path = "/ä"'), "request.0.path", "in a path 'ä' is written %C3%A4"),
        (
            ("/orders/{{id}}", "/orders/{{name}}"),
            "request.1.path",
            "is '/orders/bob b', where name is 'bob b': in a path ' ' is written %20",
        ),
        (
            ('path = "/"', 'path = "/"\nheaders = { "A B" = "" }'),
            "request.0.headers.A B",
            "not a header name",
        ),
        (
            ('path = "/"', 'path = "/"\nheaders = { A = "b\\u0001" }'),
            "request.0.headers.A",
            "has no control characters",
        ),
        (('data = "users.csv"', 'order = "random"'), None, "no `data`"),
    ],
)
def test_a_fault_of_a_file_is_named_with_file_and_key(
    shop: Path, change: tuple[str, str], key: str | None, says: str
) -> None:
    (shop / "shop.toml").write_text(SHOP.replace(*change))
    with pytest.raises(BadFile) as caught:
        planned(shop, workload="shop.toml")
    assert (caught.value.where, caught.value.key) == (shop / "shop.toml", key)
    assert says in caught.value.fault


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ("id\n", "there is no row of values below"),
        ("id,id\n1,2\n", "line 1: two columns are called id"),
        ("id,\n1,2\n", "line 1: column 2 has no name"),
        ("id,name\n1,2\n3\n", "line 3: the row has 1 of 2 values"),
        ("id,name\n1,\xff\n", "line 2: is not UTF-8"),
    ],
)
def test_a_fault_of_the_data_is_named_with_its_line(shop: Path, data: str, says: str) -> None:
    (shop / "users.csv").write_bytes(data.encode("latin-1"))
    with pytest.raises(BadFile) as caught:
        planned(shop, workload="./shop.toml")
    assert caught.value.where == shop / "users.csv"
    assert says in caught.value.fault


def test_a_mix_has_requests(tmp_path: Path) -> None:
    (tmp_path / "none.toml").write_text('name = "none"\nrequest = []\n')
    with pytest.raises(BadFile, match=r"none.toml: has no \[\[request\]\]"):
        planned(tmp_path, workload="none.toml")
    (tmp_path / "both.toml").write_text('name="b"\n[expect]\nbody = ""\n[[request]]\npath = "/"\n')
    with pytest.raises(BadFile, match=r"write \[request.expect\] in each"):
        planned(tmp_path, workload="both.toml")


def test_a_file_that_asks_nothing_is_refused(tmp_path: Path) -> None:
    (tmp_path / "idle.toml").write_text('name = "idle"\n[expect]\nstatus = 204\n')
    with pytest.raises(BadFile, match=r"idle.toml: `request` is missing; a workload has \[re"):
        planned(tmp_path, workload="idle.toml")


def test_requests_without_weights_or_names_are_even_and_told_apart() -> None:
    sections = [{"path": "/"}, {"path": "/"}, {"path": "/", "name": "GET / #2"}]
    mix = Workload.checked({"name": "x", "request": sections}, "x.toml")
    assert list(mix.asked) == ["GET /", "GET / #3", "GET / #2"]
    assert {each.weight for each in mix.asked.values()} == {1}


def test_capacity_and_ci_are_asked_the_same(shop: Path) -> None:
    options = CapacityOptions(slo=("p99=10ms",), workload="shop.toml")
    capacity = plan_capacity(["python3 a.py"], options, environment(directory=shop))
    assert capacity.race.workload.is_mix
    assert CiOptions(request="/x", expect_status=204).race().request_given == {
        "request": "/x",
        "expect_status": 204,
    }


def test_a_chain_needs_connections_that_are_kept(tmp_path: Path) -> None:
    (tmp_path / "chain.toml").write_text(
        'name = "chain"\n[[once]]\npath = "/login"\ntake = { token = "json /t" }\n'
        '[[request]]\npath = "/?{{token}}"\n'
    )
    options = {"workload": "./chain.toml", "connection": "close"}
    with pytest.raises(BadUsage, match=r"--close: a connection carries one request.* \[\[once\]\]"):
        planned(tmp_path, "python3 app.py", **options)
