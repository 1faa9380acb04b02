"""hey: what it is told, and what it says."""

from typing import Any

import pytest

from bakeoff.load.tools.hey import parse, words
from bakeoff.load.tools.output import Unreadable
from bakeoff.model.errors import BadUsage
from bakeoff.model.load import LoadResult
from tests.load.tools.given import asked, printed


def read(name: str) -> LoadResult:
    return parse(printed(name), asked())


def test_the_command() -> None:
    line = " ".join(words(asked(threads=2, duration_s=1.5)))
    assert line == (
        "hey -c 10 -z 1.5s -cpus 2 -disable-compression -disable-redirects http://127.0.0.1:8080/"
    )


def test_everything_that_it_can_be_asked() -> None:
    line = words(
        asked(
            requests=500,
            duration_s=None,
            connection="close",
            host="example.org",
            headers=(("X-Asked", "yes"),),
        )
    )
    assert line[3:-1] == (
        *("-n", "500", "-cpus", "1", "-disable-keepalive"),
        *("-disable-compression", "-disable-redirects"),
        *("-host", "example.org", "-H", "X-Asked: yes"),
    )


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"http": "1.0"}, r"hey speaks HTTP/1\.1 only"),
        ({"rate": 100}, "hey keeps no rate"),
        ({"requests": 5, "duration_s": None}, "can't make 5 requests over 10 connections"),
    ],
)
def test_what_hey_can_not_do_is_refused(changes: dict[str, Any], why: str) -> None:
    with pytest.raises(BadUsage, match=why):
        words(asked(**changes))


def test_a_run() -> None:
    result = read("hey-keep-alive")
    assert result.tool == "hey" and result.errors == {}
    assert result.requests == 14309
    assert result.requests_per_s == result.requests / result.duration_s
    assert result.bytes_per_s == pytest.approx(13 * result.requests_per_s)
    assert result.latency_us is not None
    assert (result.latency_us.p99, result.latency_us.p99_9) == (7000, None)


@pytest.mark.parametrize(
    ("name", "requests", "errors"),
    [
        ("hey-close", 1000, {}),
        ("hey-mixed", 1000, {"status": 333}),
        ("hey-resets", 1000, {"status": 143}),
        ("hey-never", 0, {"failed": 4}),
        ("hey-refused", 0, {"failed": 1000}),
    ],
)
def test_errors_are_wrong_answers_and_missing_ones(
    name: str, requests: int, errors: dict[str, int]
) -> None:
    result = read(name)
    assert (result.requests, result.errors) == (requests, errors)
    assert (result.latency_us is None) == (requests == 0)


def test_ranks_that_no_answer_has_are_not_said() -> None:
    latency = read("hey-few").latency_us
    assert latency is not None
    assert latency.p75 is not None and (latency.p90, latency.p99) == (None, None)


def test_its_next_release_prints_two_percent_signs() -> None:
    output = printed("hey-keep-alive").replace("% in", "%% in")
    assert parse(output, asked()) == read("hey-keep-alive")


def test_beyond_a_million_answers_their_number_comes_from_the_rate() -> None:
    output = printed("hey-keep-alive").replace("[200]\t14309", "[200]\t1000000")
    rate = output.partition("Requests/sec:\t")[2].partition("\n")[0]
    total = output.partition("Total:\t")[2].partition(" ")[0]
    output = output.replace(rate, "2000000.0").replace(f"Total:\t{total}", "Total:\t2.0000")
    assert parse(output, asked()).requests == 4_000_000


def test_a_run_without_a_duration_is_not_read() -> None:
    output = printed("hey-few")
    total = output.partition("Total:\t")[2].partition(" ")[0]
    with pytest.raises(Unreadable):
        parse(output.replace(f"Total:\t{total}", "Total:\t0.0000"), asked())


def test_its_usage_is_no_result() -> None:
    with pytest.raises(Unreadable, match="-n cannot be less than -c"):
        parse("-n cannot be less than -c.\n\nUsage: hey [options...] <url>\n", asked())
