"""What each tool printed, as one contract."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bakeoff.load.tools import ab, h2load, hey, oha, quic_go_load, volley, webbench, wrk
from bakeoff.load.tools.output import Unreadable
from bakeoff.model.load import Latency, LoadResult
from tests.load.tools.samples import load, printed

PARSERS = {
    "ab": ab.parse,
    "wrk": wrk.parse,
    "wrk2": wrk.parse_wrk2,
    "oha": oha.parse,
    "hey": hey.parse,
    "webbench": webbench.parse,
    "h2load": h2load.parse,
    "quic-go-load": quic_go_load.parse,
    "volley": volley.parse,
}
ENGINE_URL = "http://127.0.0.1:18395/"
US = {"us": 1, "ms": 1e3, "s": 1e6, "m": 60e6, "h": 3600e6}
BYTES = {"": 1, "K": 1024, "M": 1024**2, "G": 1024**3, "T": 1024**4}


def tool_of(name: str) -> str:
    """Whose output outputs/`name`.txt is."""
    own = f"{name.removeprefix('published-')}-"
    return next(tool for tool in PARSERS if own.startswith(f"{tool}-"))


def read(name: str, *changes: tuple[str, str], **spec: Any) -> LoadResult:
    """outputs/`name`.txt with each of `changes` made, as a result."""
    tool = tool_of(name)
    output = printed(name)
    for old, new in changes:
        assert old in output
        output = output.replace(old, new)
    usual: dict[str, dict[str, Any]] = {
        "volley": {"url": ENGINE_URL},
        "wrk2": {"rate": 2000},
        "h2load": {"protocol": "h2c"},
        "quic-go-load": {"protocol": "h3"},
        **({"oha": {"protocol": "h3"}} if name == "oha-h3" else {}),
    }
    return PARSERS[tool](output, load(**{**usual.get(tool, {}), **spec}))


@pytest.mark.parametrize(
    ("name", "requests", "errors"),
    [
        # A wrong status is an error, though ab finds it right.
        ("ab-non-2xx", 500, {"status": 500}),
        # A request whose connection was reset is no answer.
        ("ab-resets", 300 - 100, {"read": 100, "length": 99, "exception": 100}),
        ("ab-close", 2000, {}),
        ("ab-refused", 0, {"read": 500, "exception": 250}),
        ("wrk-keep-alive", 20391, {}),
        ("wrk-non-2xx", 20803, {"status": 20803}),
        ("wrk-late", 943, {"timeout": 10}),
        ("oha-resets", 980, {"status": 140, "failed": 20}),
        # What was in flight at the end is no failure.
        ("oha-never", 0, {}),
        ("hey-resets", 1000, {"status": 143}),
        ("hey-refused", 0, {"failed": 1000}),
        ("h2load-non-2xx", 100, {"status": 100}),
        ("quic-go-load-refused", 0, {"failed": 4}),
        ("volley-keep-alive", 20661, {}),
        ("volley-mismatch", 1797, {"mismatch_length": 2985}),
    ],
)
def test_requests_are_answers_and_errors_are_of_the_kinds_that_the_tool_tells_apart(
    name: str, requests: int, errors: dict[str, int]
) -> None:
    result = read(name)
    assert (result.requests, result.errors) == (requests, errors)
    assert result.tool == tool_of(name)
    if result.tool != "volley":
        unknown = (result.misses, result.limited_by, result.client, result.first_bad)
        assert unknown == (None, None, None, None)


@pytest.mark.parametrize(
    ("name", "latency"),
    [
        ("ab-close", (3000, 1000, 5000, 8000, 19000, None, 25000, 4000)),
        # A single request has a median and no other percentile.
        ("ab-one-request", (4000, 4000, None, None, None, None, 4000, 0)),
        ("published-ab", None),
        ("ab-refused", None),
        ("wrk-keep-alive", (3240, 2740, 4790, 6810, 10170, None, 12550, 2510)),
        ("wrk-never", None),
        ("published-wrk2-uncorrected", (6178, 6210, 7370, 8460, 10520, 11190, 11312, 1836)),
        ("published-wrk2", (6460, None, None, None, None, None, 12340, 1930)),
        ("oha-never", None),
        ("hey-refused", None),
        # It prints no percentiles.
        ("h2load-non-2xx", (1150, None, None, None, None, None, 3250, 1430)),
        ("quic-go-load-refused", None),
        ("published-webbench", None),
    ],
)
def test_latencies_are_in_us(name: str, latency: tuple[float | None, ...] | None) -> None:
    keys = ("mean", "p50", "p75", "p90", "p99", "p99_9", "max", "stdev")
    expected = latency and Latency.model_validate(dict(zip(keys, latency, strict=True)))
    assert read(name).latency_us == expected


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("ab-never", r"ab's output can't be read: .*expired \(70007"),
        ("published-ab-excerpt", r"Requests per second: 12925\.33"),
        ("wrk-refused", r"unable to connect to .* Connection refused"),
        ("volley-refused", r"cannot reach .* Connection refused"),
        ("h2load-refused", "h2load's output can't be read: starting benchmark"),
        ("h2load-http-1", r"it loads h2c, and the server spoke http/1\.1"),
    ],
)
def test_a_run_that_failed_is_not_read(name: str, why: str) -> None:
    with pytest.raises(Unreadable, match=why):
        read(name)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("published-ab", ("Failed requests: 0", "Failed requests: 3")),
        ("published-wrk2-uncorrected", ("-" * 58, "")),
        ("hey-few", ("Total:\t", "Total:\t0.0000 secs\n")),
        ("published-webbench", ("849060 bytes", "-849060 bytes")),  # an int of 32 bits
        ("published-webbench", ("running 30 sec", "running 0 sec")),
    ],
)
def test_figures_that_cannot_be_are_not_read(name: str, change: tuple[str, str]) -> None:
    with pytest.raises(Unreadable):
        read(name, change)


@pytest.mark.parametrize(
    ("tool", "usage", "why"),
    [
        ("wrk2", "Throughput MUST be specified with the --rate option\nUsage: wrk", "MUST be spec"),
        ("hey", "-n cannot be less than -c.\n\nUsage: hey [options...]\n", "-n cannot be less"),
    ],
)
def test_usage_is_no_result(tool: str, usage: str, why: str) -> None:
    with pytest.raises(Unreadable, match=why):
        PARSERS[tool](usage, load(rate=1))


class TestAb:
    def test_a_run(self) -> None:
        result = read("ab-close")
        assert (result.tool, result.url) == ("ab", "http://127.0.0.1:8080/")
        assert (result.requests, result.duration_s) == (2000, 0.671)
        assert (result.requests_per_s, result.bytes_per_s) == (2978.98, 453.83 * 1024)
        assert (result.mode, result.connections) == ("closed", 10)

    def test_only_answers_are_throughput(self) -> None:
        assert read("ab-resets").requests_per_s == pytest.approx(1562.20 * 2 / 3)
        assert read("ab-refused").requests_per_s == 0

    @pytest.mark.parametrize(
        ("name", "requests", "requests_per_s", "kib_per_s"),
        [
            ("published-ab", 5000, 8427.78, 905.33),
            ("published-ab-without-head", 100_000, 13377.66, 2233.96),
        ],
    )
    def test_outputs_of_2012(
        self, name: str, requests: int, requests_per_s: float, kib_per_s: float
    ) -> None:
        result = read(name)
        assert (result.requests, result.requests_per_s) == (requests, requests_per_s)
        assert result.bytes_per_s == kib_per_s * 1024
        assert result.errors == {}

    def test_a_failed_write_is_an_error(self) -> None:
        change = ("Write errors: 0", "Write errors: 3")
        assert read("published-ab", change).errors == {"write": 3}


def test_what_oha_waits_at_its_end_over_http_3_is_none_of_its_time() -> None:
    result = read("oha-h3")
    assert oha.waited_s(printed("oha-h3"), load(protocol="h3")) > 29
    assert (result.duration_s, result.requests) == (1.0, result.requests_per_s)
    assert result.bytes_per_s == pytest.approx(13 * result.requests)
    assert oha.waited_s(printed("oha-h3"), load()) == 0


class TestWrk:
    def test_a_run(self) -> None:
        result = read("wrk-keep-alive")
        assert (result.requests, result.duration_s) == (20391, 1.03)
        assert (result.requests_per_s, result.bytes_per_s) == (19707.07, 3.03 * 1024**2)

    def test_a_published_output_without_white_space_and_percentiles(self) -> None:
        result = read("published-wrk-socket-errors")
        assert result.errors == {"read": 794, "write": 2}
        assert result.duration_s == pytest.approx(1.67 * 60)
        assert result.bytes_per_s == 4.44 * 1024**2
        assert result.latency_us is not None
        assert (result.latency_us.mean, result.latency_us.p50) == (13030, None)

    hundredths = st.integers(0, 999_99).map(lambda n: f"{n // 100}.{n % 100:02}")

    @settings(max_examples=30)
    @given(value=hundredths, unit=st.sampled_from(sorted(US)))
    def test_times_are_what_their_units_say(self, value: str, unit: str) -> None:
        latency = read("wrk-keep-alive", ("10.17ms", value + unit)).latency_us
        assert latency and latency.p99 == pytest.approx(float(value) * US[unit])

    @settings(max_examples=30)
    @given(value=hundredths, unit=st.sampled_from(sorted(BYTES)))
    def test_sizes_are_powers_of_1024(self, value: str, unit: str) -> None:
        result = read("wrk-keep-alive", ("3.03MB", f"{value}{unit}B"))
        assert result.bytes_per_s == pytest.approx(float(value) * BYTES[unit])

    @pytest.mark.parametrize(
        ("latency_us", "step"),
        [(0, 1), (849, 1), (850, 10), (849_000, 10), (850_000, 1e4), (60e6, 6e5)],
    )
    def test_two_decimals_are_as_fine_as_it_gets(self, latency_us: float, step: float) -> None:
        assert wrk.step_us(latency_us) == step


class TestWrk2:
    def test_a_run_is_an_open_loop_with_two_latencies(self) -> None:
        result = read("published-wrk2-uncorrected")
        assert (result.tool, result.mode, result.rate) == ("wrk2", "open", 2000)
        assert (result.requests, result.duration_s) == (60031, 30.01)
        assert (result.requests_per_s, result.bytes_per_s) == (2000.67, 676.32 * 1024)
        assert result.service_us and (result.service_us.mean, result.service_us.p99) == (2757, 5430)
        assert read("published-wrk2").service_us is None

    def test_of_a_run_in_which_nothing_was_measured_there_is_no_latency(self) -> None:
        gone = (("39500]", "0]"), ("6.178,", "-nan,"), ("6.18ms", "-nanus"))
        result = read("published-wrk2-uncorrected", *gone)
        assert (result.latency_us, result.service_us) == (None, None)
        plain = read("published-wrk2", ("6.46ms    1.93ms", "-nanus    -nanus"))
        assert plain.latency_us is None

    def test_minutes_of_latency_and_errors_are_read_as_wrks_are(self) -> None:
        errors = "  Socket errors: connect 0, read 1, write 0, timeout 2\nRequests/sec"
        changes = ((" 10.52ms", " 19.29m"), ("Requests/sec", errors))
        result = read("published-wrk2-uncorrected", *changes)
        assert result.latency_us and result.latency_us.p99 == pytest.approx(19.29 * 60e6)
        assert result.errors == {"read": 1, "timeout": 2}


class TestOha:
    def test_a_run(self) -> None:
        output, result = json.loads(printed("oha-resets")), read("oha-resets")
        assert result.requests == sum(output["statusCodeDistribution"].values())
        assert result.duration_s == output["summary"]["total"]
        assert result.requests_per_s == result.requests / result.duration_s
        assert result.bytes_per_s == output["summary"]["sizePerSec"]
        assert result.latency_us is not None and result.latency_us.stdev is None
        percentiles = output["latencyPercentiles"]
        for ours, its in (("p50", "p50"), ("p90", "p90"), ("p99", "p99"), ("p99_9", "p99.9")):
            assert getattr(result.latency_us, ours) == 1e6 * percentiles[its]
        assert result.latency_us.max == 1e6 * output["summary"]["slowest"]

    def test_what_failed_is_no_throughput(self) -> None:
        result = read("oha-never", ("aborted due to deadline", "Connection refused"))
        assert (result.requests_per_s, result.errors) == (0, {"failed": 4})

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
    def test_figures_that_cannot_be_are_not_read(self, change: dict[str, Any]) -> None:
        output = json.loads(printed("oha-resets"))
        for key, value in change.items():
            output[key] = {**output[key], **value} if isinstance(value, dict) else value
        with pytest.raises(Unreadable):
            oha.parse(json.dumps(output, indent=2), load())

    def test_nesting_without_end_is_not_read(self) -> None:
        with pytest.raises(Unreadable):
            oha.parse('{\n"summary": ' + "[" * 100_000, load())


class TestHey:
    def test_a_run(self) -> None:
        result = read("hey-resets")
        assert result.requests_per_s == result.requests / result.duration_s
        assert result.bytes_per_s == pytest.approx(5 * result.requests_per_s)
        assert result.latency_us is not None
        assert (result.latency_us.p99, result.latency_us.p99_9) == (3800, None)

    def test_ranks_that_no_answer_has_are_unknown(self) -> None:
        latency = read("hey-few").latency_us
        assert latency is not None
        assert latency.p75 is not None and (latency.p90, latency.p99) == (None, None)

    def test_its_next_release_prints_two_percent_signs(self) -> None:
        assert read("hey-resets", ("% in", "%% in")) == read("hey-resets")

    def test_beyond_a_million_answers_their_number_comes_from_the_rate(self) -> None:
        changes = (("\t857", "\t999857"), ("13184.7356", "2000000.0"), ("0.0758", "2.0000"))
        assert read("hey-resets", *changes).requests == 4_000_000


class TestWebbench:
    def test_a_published_output(self) -> None:
        result = read("published-webbench")
        assert (result.tool, result.requests, result.duration_s) == ("webbench", 231562, 30)
        assert result.requests_per_s == pytest.approx(463124 / 60, rel=1e-6)
        assert (result.bytes_per_s, result.errors) == (849060, {})

    def test_what_failed_is_no_throughput(self) -> None:
        result = read("published-webbench", (" 0 failed", " 231562 failed"))
        assert (result.requests, result.errors) == (231562, {"failed": 231562})
        assert result.requests_per_s == 231562 / 30

    def test_into_a_pipe_each_client_prints_the_head_again(self) -> None:
        head, _ = printed("published-webbench").split("\n\n")
        assert read("published-webbench", (head, head * 200)).requests == 231562


class TestVolley:
    def test_a_wrong_status_on_another_path(self) -> None:
        result = read("volley-non-2xx", url=f"{ENGINE_URL}missing")
        assert (result.requests, result.errors) == (9805, {"status": 15688})

    def test_the_requests_of_a_file_are_told_apart(self) -> None:
        result = read("volley-mix")
        assert result.by_request
        home, missing = result.by_request
        assert (home.name, missing.name) == ("home", "GET /missing")
        assert home.requests + missing.requests == result.requests
        assert (home.errors, missing.errors) == ({}, result.errors)
        assert home.latency_us and home.latency_us.p50 == 48.255
        assert read("volley-keep-alive").by_request is None

    def test_another_urls_result_is_not_this_runs(self) -> None:
        with pytest.raises(Unreadable):
            read("volley-keep-alive", url=f"{ENGINE_URL}elsewhere")

    def test_what_a_personality_does_not_count_is_null(self) -> None:
        value = json.loads(printed("volley-keep-alive"))
        unknown = dict.fromkeys(("misses", "unsent", "redirects", "connects", "limited_by"))
        value["client"]["cpu_us_per_request"] = None
        result = volley.parse(json.dumps(value | unknown), load(url=ENGINE_URL))
        assert (result.misses, result.connects, result.limited_by) == (None, None, None)
        assert result.client and result.client.cpu_us_per_request is None
        assert LoadResult.from_json(result.to_json(), "itself") == result
