"""wrk: what it is told, and what it says."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bakeoff.load.tools.output import Unreadable
from bakeoff.load.tools.wrk import parse, step_us, words
from bakeoff.model.errors import BadUsage
from bakeoff.model.load import LoadResult
from bakeoff.model.verdict import Latency
from tests.load.tools.given import asked, printed

US = {"us": 1, "ms": 1e3, "s": 1e6, "m": 60e6, "h": 3600e6}
BYTES = {"": 1, "K": 1024, "M": 1024**2, "G": 1024**3, "T": 1024**4}


def read(name: str) -> LoadResult:
    return parse(printed(name), asked())


def test_the_command() -> None:
    line = words(asked(threads=2, connections=100, duration_s=10.0))
    assert " ".join(line) == "wrk -t 2 -c 100 -d 10s --latency http://127.0.0.1:8080/"


def test_close_is_a_header_and_fractions_of_a_second_are_rounded_up() -> None:
    line = words(asked(connection="close", host="example.org", duration_s=0.5))
    assert line[5:-1] == (
        *("-d", "1s", "--latency"),
        *("-H", "Host: example.org", "-H", "Connection: close"),
    )


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"http": "1.0"}, r"wrk speaks HTTP/1\.1 only"),
        ({"requests": 5000, "duration_s": None}, "wrk counts no requests"),
        ({"threads": 8, "connections": 4}, "8 threads can't share 4 connections"),
        ({"rate": 100}, "wrk keeps no rate"),
    ],
)
def test_what_wrk_can_not_do_is_refused(changes: dict[str, Any], why: str) -> None:
    with pytest.raises(BadUsage, match=why):
        words(asked(**changes))


def test_a_run() -> None:
    result = read("wrk-keep-alive")
    assert result.tool == "wrk"
    assert (result.requests, result.duration_s) == (20391, 1.03)
    assert (result.requests_per_s, result.bytes_per_s) == (19707.07, 3.03 * 1024**2)
    assert result.latency_us == Latency(
        mean=3240, p50=2740, p75=4790, p90=6810, p99=10170, p99_9=None, max=12550, stdev=2510
    )
    assert result.errors == {} and result.limited_by == "unknown"


@pytest.mark.parametrize(
    ("name", "requests", "errors"),
    [
        ("wrk-close", 3177, {}),
        ("wrk-non-2xx", 20803, {"status": 20803}),
        ("wrk-resets", 836, {"read": 418}),
        ("wrk-late", 943, {"timeout": 10}),
    ],
)
def test_errors_are_of_the_kinds_that_wrk_tells_apart(
    name: str, requests: int, errors: dict[str, int]
) -> None:
    result = read(name)
    assert (result.requests, result.errors) == (requests, errors)


@pytest.mark.parametrize(("name", "requests"), [("wrk-slow", 4), ("wrk-never", 0)])
def test_without_a_latency_that_was_measured_there_is_none(name: str, requests: int) -> None:
    result = read(name)
    assert (result.requests, result.latency_us) == (requests, None)


def test_wrk_could_not_connect() -> None:
    with pytest.raises(Unreadable, match=r"unable to connect to .* Connection refused"):
        read("wrk-refused")


def test_a_published_output() -> None:
    result = read("published-wrk")
    assert (result.requests, result.requests_per_s) == (281573, 28138.64)
    assert result.latency_us is not None
    assert (result.latency_us.p50, result.latency_us.p99) == (3260, 7840)


def test_a_published_output_whose_white_space_was_lost_and_that_has_no_percentiles() -> None:
    result = read("published-wrk-socket-errors")
    assert result.errors == {"read": 794, "write": 2}
    assert result.duration_s == pytest.approx(1.67 * 60)
    assert result.bytes_per_s == 4.44 * 1024**2
    assert result.latency_us is not None
    assert (result.latency_us.mean, result.latency_us.p50) == (13030, None)


hundredths = st.integers(0, 999_99).map(lambda n: f"{n // 100}.{n % 100:02}")


@settings(deadline=None)
@given(value=hundredths, unit=st.sampled_from(sorted(US)))
def test_times_are_what_their_units_say(value: str, unit: str) -> None:
    output = printed("wrk-keep-alive").replace("10.17ms", value + unit)
    latency = parse(output, asked()).latency_us
    assert latency and latency.p99 == pytest.approx(float(value) * US[unit])


@settings(deadline=None)
@given(value=hundredths, unit=st.sampled_from(sorted(BYTES)))
def test_sizes_are_powers_of_1024(value: str, unit: str) -> None:
    output = printed("wrk-keep-alive").replace("3.03MB", f"{value}{unit}B")
    assert parse(output, asked()).bytes_per_s == pytest.approx(float(value) * BYTES[unit])


@pytest.mark.parametrize(
    ("latency_us", "step"),
    [(0, 1), (849, 1), (850, 10), (849_000, 10), (850_000, 1e4), (60e6, 6e5)],
)
def test_two_decimals_are_as_fine_as_it_gets(latency_us: float, step: float) -> None:
    assert step_us(latency_us) == step
