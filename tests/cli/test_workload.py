"""`bakeoff workload`: what it writes, what it says, and what it leaves alone."""

from pathlib import Path

import pytest

from bakeoff.model.errors import BadUsage
from bakeoff.plan.workloads import read_workload
from tests.traffic.recorded import bakeoff, binary, combined, entry, har, log

OPENAPI = '{"openapi": "3.1.0", "paths": {"/items": {"get": {"operationId": "items"}}}}'


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def refused(*words: str, given: str | None = None) -> str:
    """What a command is refused with."""
    done = bakeoff(*words, given=given)
    assert isinstance(done.exception, BadUsage), done.output
    assert done.exception.exit_status == 2
    return str(done.exception)


def test_each_source_becomes_a_workload(here: Path) -> None:
    har(here, entry("https://shop.example/a"))
    log(here, combined("/a"))
    (here / "My API.json").write_text(OPENAPI)
    for words, name in (
        (("har", "shop.har"), "shop"),
        (("access-log", "access.log"), "access"),
        (("curl", "curl https://www.shop.example/a"), "www-shop-example"),
        (("openapi", "My API.json"), "my-api"),
    ):
        done = bakeoff("from", *words)
        assert done.exit_code == 0, done.output
        assert f"wrote {name}.toml: 1 request, " in done.output
        assert f"bakeoff workload show {name}.toml" in done.output
        assert read_workload(here / f"{name}.toml").name == name
    assert "items: GET /items" in bakeoff("show", "my-api.toml").output


def test_what_was_left_out_is_said_and_stands_in_the_file(here: Path) -> None:
    log(here, combined("/users/1?token=x"), combined("/users/2?token=y"), "garbage")
    done = bakeoff("from", "access-log", "access.log")
    said = "left out: secrets (`token` in 2); answers may differ without"
    assert said in done.output and "line 3" in done.output
    assert "wrote access.csv, beside it" in done.output
    text = (here / "access.toml").read_text()
    assert f"# {said}" in text and "token=LEFT-OUT" in text
    bakeoff("from", "access-log", "access.log", "--with-secrets", "--apart", "--out", "b.toml")
    assert "/users/1?token=x" in (here / "b.toml").read_text()


def test_assets_are_left_out_where_that_is_asked_for(here: Path) -> None:
    log(here, combined("/"), combined("/logo.png"), combined("/app.js?v=1"))
    assert (
        "2 requests for static assets"
        in bakeoff(*("from", "access-log", "access.log", "--no-assets")).output
    )
    assert [each.path for each in read_workload(here / "access.toml").by_name.values()] == ["/"]


def test_what_is_there_is_overwritten_only_by_force(here: Path) -> None:
    har(here, binary("https://a.example/", b"\xff"))
    (here / "shop-1.bin").write_text("mine")
    words = ("from", "har", "shop.har")
    assert refused(*words) == "shop-1.bin: can't be overwritten without --force"
    assert not (here / "shop.toml").exists()
    assert bakeoff(*words, "--force").exit_code == 0
    assert (here / "shop-1.bin").read_bytes() == b"\xff"


def test_standard_output_takes_what_is_one_file(here: Path) -> None:
    done = bakeoff("from", "curl", "-", "--out", "-", given="curl -b a=b http://a.example/x")
    assert done.stdout.startswith("# left out: secrets (Cookie in 1)")
    assert 'path = "/x"' in done.stdout
    assert "left out: secrets" in done.stderr
    har(here, entry("https://a.example/1"), entry("https://a.example/2"))
    assert "the workload needs shop.csv beside it" in refused(
        "from", "har", "shop.har", "--out", "-"
    )
    assert [path.name for path in here.iterdir()] == ["shop.har"]


def test_show_has_shares_requests_and_right_answers(here: Path) -> None:
    (here / "mine.toml").write_text(
        """
name = "mine"
title = "Mine"
[[once]]
method = "POST"
path = "/login"
body = "x"
take = { token = "json /token" }
[[request]]
name = "search"
weight = 3
path = "/search?q={{hex 4}}"
headers = { X-Token = "{{token}}" }
[request.expect]
length_between = [10, 2000]
body_contains = ["[b]a[/b]"]
[[request]]
path = "/empty"
[request.expect]
status = 204
body = ""
"""
    )
    lines = bakeoff("show", "mine.toml").output.splitlines()
    assert lines[0] == "Mine"
    shown = [" ".join(line.split()) for line in lines[1:]]
    assert shown == [
        "share request right answer",
        "once POST /login 200",
        "with a body of 1 byte {{token}} from json /token",
        "75.0% search: GET /search?q={{hex 4}} 200, 10 to 2,000 bytes, with '[b]a[/b]'",
        "with 1 header",
        "25.0% GET /empty 204, no body",
    ]
    assert "Hello, World!" in bakeoff("show", "hello").output


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("ws-echo-64k", "100.0% WebSocket /ws, binary of 65,536 bytes the same message"),
        ("grpc-hello", "100.0% gRPC helloworld.Greeter/SayHello grpc-status 0, a given message"),
        (
            "grpc-stream",
            "100.0% gRPC helloworld.Greeter/SayHelloStreamReply grpc-status 0, messages: 10",
        ),
    ],
)
def test_show_says_what_is_sent_in_place_of_requests(name: str, row: str) -> None:
    assert " ".join(bakeoff("show", name).output.splitlines()[-1].split()) == row
