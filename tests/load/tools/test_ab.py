"""ab: what it is told, and what it says."""

import pytest

from bakeoff.load.tools.ab import parse, words
from bakeoff.load.tools.output import Unreadable
from bakeoff.model.errors import BadUsage
from bakeoff.model.load import LoadResult
from bakeoff.model.verdict import Latency
from tests.load.tools.given import asked, printed

OLD = asked(http="1.0", connection="close")


def read(name: str) -> LoadResult:
    return parse(printed(name), OLD)


def test_a_number_of_requests() -> None:
    line = words(asked(http="1.0", connection="close", requests=5000, duration_s=None))
    assert " ".join(line) == "ab -n 5000 -c 10 -s 10 -r http://127.0.0.1:8080/"


def test_a_duration_is_followed_by_more_requests_than_it_can_use() -> None:
    line = words(asked(http="1.0", duration_s=2.5))
    assert " ".join(line) == "ab -t 3 -n 600000 -c 10 -k -s 10 -r http://127.0.0.1:8080/"


def test_headers_and_a_host_of_its_own() -> None:
    line = words(asked(http="1.0", host="example.org", headers=(("Accept", "text/html"),)))
    assert line[-5:-1] == ("-H", "Host: example.org", "-H", "Accept: text/html")


def test_http_1_1_is_refused() -> None:
    with pytest.raises(BadUsage, match=r"ab speaks HTTP/1\.0 only"):
        words(asked(http="1.1"))


def test_more_connections_than_requests_are_refused() -> None:
    with pytest.raises(BadUsage, match="5 requests over 10 connections"):
        words(asked(http="1.0", requests=5, duration_s=None))


def test_a_run_with_a_connection_per_request() -> None:
    result = read("ab-close")
    assert (result.tool, result.url) == ("ab", "http://127.0.0.1:8080/")
    assert (result.requests, result.duration_s) == (2000, 0.671)
    assert result.requests_per_s == 2978.98
    assert result.bytes_per_s == 453.83 * 1024
    assert result.errors == {}
    assert (result.limited_by, result.mode, result.connections) == ("unknown", "closed", 10)
    assert result.client is None and result.first_bad is None and result.ceiling is None


def test_latencies_are_the_tables_milliseconds() -> None:
    assert read("ab-close").latency_us == Latency(
        mean=3000, p50=1000, p75=5000, p90=8000, p99=19000, p99_9=None, max=25000, stdev=4000
    )


def test_a_rate_is_refused() -> None:
    with pytest.raises(BadUsage, match="ab keeps no rate"):
        words(asked(http="1.0", rate=100))


@pytest.mark.parametrize(
    ("name", "requests", "requests_per_s"),
    [("ab-keep-alive", 5000, 13361.91), ("ab-duration", 12471, 12424.06), ("ab-slow", 4, 0.55)],
)
def test_other_runs(name: str, requests: int, requests_per_s: float) -> None:
    result = read(name)
    assert (result.requests, result.requests_per_s) == (requests, requests_per_s)
    assert result.errors == {}


def test_a_single_request_has_a_median_and_no_other_percentile() -> None:
    latency = read("ab-one-request").latency_us
    assert latency is not None
    assert (latency.p50, latency.p99, latency.max) == (4000, None, 4000)


def test_a_wrong_status_is_an_error_though_ab_finds_it_right() -> None:
    result = read("ab-non-2xx")
    assert (result.requests, result.errors) == (500, {"status": 500})


@pytest.mark.parametrize(("name", "times"), [("ab-length", 250), ("ab-half", 200)])
def test_another_length_than_the_first_answers_is_an_error(name: str, times: int) -> None:
    assert read(name).errors == {"length": times}


def test_a_request_whose_connection_was_reset_is_no_answer() -> None:
    result = read("ab-resets")
    assert result.errors == {"read": 100, "length": 99, "exception": 100}
    assert result.requests == 300 - 100
    assert result.requests_per_s == pytest.approx(1562.20 * 2 / 3)


def test_a_server_that_is_not_there_answers_nothing_however_fast_ab_finds_it() -> None:
    result = read("ab-refused")
    assert (result.requests, result.requests_per_s, result.latency_us) == (0, 0, None)
    assert result.errors == {"read": 500, "exception": 250}


def test_a_run_that_ab_gave_up() -> None:
    with pytest.raises(Unreadable, match=r"ab printed nothing that can be read: .*expired \(70007"):
        read("ab-never")


@pytest.mark.parametrize(
    ("name", "requests", "requests_per_s", "kib_per_s"),
    [
        ("published-ab", 5000, 8427.78, 905.33),
        ("published-ab-without-head", 100_000, 13377.66, 2233.96),
    ],
)
def test_outputs_of_2012_which_their_articles_left_without_tables(
    name: str, requests: int, requests_per_s: float, kib_per_s: float
) -> None:
    result = read(name)
    assert (result.requests, result.requests_per_s) == (requests, requests_per_s)
    assert result.bytes_per_s == kib_per_s * 1024
    assert result.latency_us is None and result.errors == {}


def test_an_excerpt_does_not_say_enough() -> None:
    with pytest.raises(Unreadable, match=r"Requests per second: 12925\.33"):
        read("published-ab-excerpt")


def test_a_failed_write_is_an_error() -> None:
    output = printed("published-ab").replace("Write errors: 0", "Write errors: 3")
    assert parse(output, OLD).errors == {"write": 3}


def test_failures_of_no_kind_are_no_output_of_ab() -> None:
    with pytest.raises(Unreadable):
        parse(printed("published-ab").replace("Failed requests: 0", "Failed requests: 3"), OLD)
