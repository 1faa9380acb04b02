"""webbench: what it is told, and what it says."""

from typing import Any

import pytest

from bakeoff.load.tools.output import Unreadable
from bakeoff.load.tools.webbench import parse, words
from bakeoff.model.errors import BadUsage
from tests.load.tools.given import asked, printed


def test_the_command() -> None:
    line = words(asked(connection="close", http="1.0", connections=200, duration_s=30.0))
    assert " ".join(line) == "webbench -c 200 -t 30 http://127.0.0.1:8080/"


def test_http_1_1_is_asked_for() -> None:
    assert words(asked(connection="close", http="1.1"))[5] == "--http11"


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"requests": 5000, "duration_s": None}, "webbench counts no requests"),
        ({"rate": 100}, "webbench keeps no rate"),
        ({"connection": "keep-alive"}, "a connection per request"),
        ({"headers": (("Accept", "*/*"),)}, "no headers of ours"),
        ({"host": "example.org:8080"}, "nor another Host"),
    ],
)
def test_what_webbench_can_not_do_is_refused(changes: dict[str, Any], why: str) -> None:
    with pytest.raises(BadUsage, match=why):
        words(asked(**{"connection": "close", "http": "1.0", **changes}))


def test_a_published_output() -> None:
    result = parse(printed("published-webbench"), asked())
    assert result.tool == "webbench"
    assert (result.requests, result.duration_s) == (231562, 30)
    assert result.requests_per_s == pytest.approx(463124 / 60, rel=1e-6)
    assert result.bytes_per_s == 849060
    assert result.latency_us is None and result.errors == {}


def test_what_failed_is_no_throughput() -> None:
    output = printed("published-webbench").replace(" 0 failed", " 231562 failed")
    result = parse(output, asked())
    assert (result.requests, result.errors) == (231562, {"failed": 231562})
    assert result.requests_per_s == 231562 / 30


def test_into_a_pipe_each_client_prints_the_head_again() -> None:
    head, figures = printed("published-webbench").split("\n\n")
    assert parse(head * 200 + "\n\n" + figures, asked()).requests == 231562


@pytest.mark.parametrize(
    ("figure", "other"),
    [("849060 bytes", "-849060 bytes"), ("running 30 sec", "running 0 sec")],
)
def test_figures_that_can_not_be_are_not_read(figure: str, other: str) -> None:
    """Its bytes are an int of 32 bits."""
    with pytest.raises(Unreadable):
        parse(printed("published-webbench").replace(figure, other), asked())
