"""oha: what it is told, and what it says."""

import json
from typing import Any

import pytest

from bakeoff.load.tools.oha import parse, words
from bakeoff.load.tools.output import Unreadable
from bakeoff.model.errors import BadUsage
from bakeoff.model.load import LoadResult
from tests.load.tools.given import asked, printed


def read(name: str) -> LoadResult:
    return parse(printed(name), asked())


def test_the_command() -> None:
    line = " ".join(words(asked(threads=2, duration_s=1.5)))
    assert line == (
        "oha --no-tui --output-format json -c 10 -z 1.5s --worker-threads 2 --http-version 1.1"
        " --disable-compression http://127.0.0.1:8080/"
    )


def test_a_number_of_requests_and_a_rate() -> None:
    assert words(asked(requests=500, duration_s=None))[6:8] == ("-n", "500")
    assert words(asked(rate=100))[8:11] == ("-q", "100", "--latency-correction")


def test_close_over_http_1_0_to_another_host() -> None:
    line = words(asked(connection="close", http="1.0", host="example.org"))
    assert line[10:-1] == (
        *("--http-version", "1.0", "--disable-keepalive"),
        *("--disable-compression", "-H", "Host: example.org"),
    )


def test_keep_alive_over_http_1_0_is_refused() -> None:
    with pytest.raises(BadUsage, match=r"asks for no keep-alive over HTTP/1\.0"):
        words(asked(http="1.0"))


def test_a_run() -> None:
    output = json.loads(printed("oha-keep-alive"))
    result = read("oha-keep-alive")
    assert result.tool == "oha" and result.errors == {}
    assert result.requests == output["statusCodeDistribution"]["200"]
    assert result.duration_s == output["summary"]["total"]
    assert result.requests_per_s == result.requests / result.duration_s
    assert result.bytes_per_s == output["summary"]["sizePerSec"]
    assert result.latency_us is not None
    percentiles = output["latencyPercentiles"]
    for ours, its in (("p50", "p50"), ("p90", "p90"), ("p99", "p99"), ("p99_9", "p99.9")):
        assert getattr(result.latency_us, ours) == 1e6 * percentiles[its]
    assert result.latency_us.max == 1e6 * output["summary"]["slowest"]
    assert result.latency_us.stdev is None


@pytest.mark.parametrize(
    ("name", "requests", "errors"),
    [
        ("oha-close", 1000, {}),
        ("oha-mixed", 1000, {"status": 333}),
        ("oha-resets", 980, {"status": 140, "failed": 20}),
    ],
)
def test_errors_are_wrong_answers_and_missing_ones(
    name: str, requests: int, errors: dict[str, int]
) -> None:
    result = read(name)
    assert (result.requests, result.errors) == (requests, errors)


def test_what_was_in_flight_at_the_end_is_no_failure() -> None:
    result = read("oha-never")
    assert (result.requests, result.errors, result.latency_us) == (0, {}, None)


def test_what_failed_is_no_throughput() -> None:
    result = read("oha-refused")
    assert result.requests_per_s == 0 and result.errors["failed"] > 1000


@pytest.mark.parametrize(
    "change",
    [
        {"statusCodeDistribution": {"200": -1}},
        {"statusCodeDistribution": None},
        {"latencyPercentiles": {"p50": "fast"}},
        {"summary": {"total": 0}},
    ],
    ids=str,
)
def test_figures_that_can_not_be_are_not_read(change: dict[str, Any]) -> None:
    output = json.loads(printed("oha-keep-alive"))
    for key, value in change.items():
        output[key] = {**output[key], **value} if isinstance(value, dict) else value
    with pytest.raises(Unreadable):
        parse(json.dumps(output, indent=2), asked())


def test_nesting_without_end_is_not_read() -> None:
    with pytest.raises(Unreadable):
        parse('{\n"summary": ' + "[" * 100_000, asked())
