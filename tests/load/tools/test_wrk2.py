"""wrk2: what it is told, and what it says."""

from typing import Any

import pytest

from bakeoff.load.tools.output import Unreadable
from bakeoff.load.tools.wrk2 import parse, words
from bakeoff.model.errors import BadUsage
from bakeoff.model.load import LoadResult
from bakeoff.model.verdict import Latency
from tests.load.tools.given import asked, printed

RATED = asked(rate=2000)
RECORDED = Latency(
    mean=6178, p50=6210, p75=7370, p90=8460, p99=10520, p99_9=11190, max=11312, stdev=1836
)
UNCORRECTED = Latency(
    mean=2757, p50=2680, p75=3710, p90=4470, p99=5430, p99_9=6690, max=7012, stdev=1254
)


def read(output: str) -> LoadResult:
    return parse(output, RATED)


def test_the_command() -> None:
    line = words(asked(rate=2000, threads=2, connections=100, duration_s=30.0))
    url = "http://127.0.0.1:8080/"
    assert " ".join(line) == f"wrk2 -t 2 -c 100 -d 30s -R 2000 --u_latency {url}"


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"rate": None}, "wrk2 needs a rate"),
        ({"http": "1.0"}, r"wrk2 speaks HTTP/1\.1 only"),
        ({"requests": 5000, "duration_s": None}, "wrk2 counts no requests"),
        ({"threads": 8, "connections": 4}, "8 threads can't share 4 connections"),
    ],
)
def test_what_wrk2_can_not_do_is_refused(changes: dict[str, Any], why: str) -> None:
    with pytest.raises(BadUsage, match=why):
        words(asked(**{"rate": 2000, **changes}))


def test_a_run_is_an_open_loop_with_two_latencies() -> None:
    result = read(printed("published-wrk2-uncorrected"))
    assert (result.tool, result.mode, result.rate) == ("wrk2", "open", 2000)
    assert (result.requests, result.duration_s, result.requests_per_s) == (60031, 30.01, 2000.67)
    assert result.bytes_per_s == 676.32 * 1024
    assert (result.latency_us, result.service_us) == (RECORDED, UNCORRECTED)


def test_the_recorded_latency_alone() -> None:
    result = read(printed("published-wrk2-latency"))
    assert result.latency_us == Latency(
        mean=6602, p50=6670, p75=7780, p90=9140, p99=11180, p99_9=12300, max=12496, stdev=1919
    )
    assert result.service_us is None


def test_without_a_distribution_there_are_no_percentiles() -> None:
    result = read(printed("published-wrk2"))
    assert result.latency_us == Latency(
        mean=6460, p50=None, p75=None, p90=None, p99=None, p99_9=None, max=12340, stdev=1930
    )


def test_of_a_run_in_which_nothing_was_measured_there_is_no_latency() -> None:
    counted = printed("published-wrk2-uncorrected")
    none = counted.replace("39500]", "0]").replace("6.178,", "-nan,").replace("6.18ms", "-nanus")
    assert (read(none).latency_us, read(none).service_us) == (None, None)
    plain = printed("published-wrk2").replace("6.46ms    1.93ms", "-nanus    -nanus")
    assert read(plain).latency_us is None


def test_minutes_of_latency_and_errors_are_read_as_wrks_are() -> None:
    output = printed("published-wrk2-latency").replace(" 11.18ms", " 19.29m")
    output = output.replace(
        "Requests/sec", "  Socket errors: connect 0, read 1, write 0, timeout 2\nRequests/sec"
    )
    result = read(output)
    assert result.latency_us and result.latency_us.p99 == pytest.approx(19.29 * 60e6)
    assert result.errors == {"read": 1, "timeout": 2}


def test_a_distribution_that_was_cut_off_is_not_read() -> None:
    output = printed("published-wrk2-uncorrected").replace("-" * 58, "")
    with pytest.raises(Unreadable):
        read(output)


def test_its_usage_is_no_result() -> None:
    with pytest.raises(Unreadable, match="Throughput MUST be specified"):
        read("Throughput MUST be specified with the --rate or -R option\nUsage: wrk ...\n")
