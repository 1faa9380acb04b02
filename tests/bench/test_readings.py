"""What the generators' own words are read as. The words are from real runs."""

import json
from importlib import import_module

import pytest

readings = import_module("readings")

WRK = """\
Running 1s test @ http://127.0.0.1:44949/
  1 threads and 8 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency    12.20ms   25.16ms 131.09ms   86.55%
    Req/Sec    42.60k    33.66k   85.43k    55.56%
  40534 requests in 1.09s, 3.02MB read
Requests/sec:  37017.39
Transfer/sec:      2.75MB
"""
H2LOAD = """\
starting benchmark...
finished in 1.00s, 36614.00 req/s, 2.72MB/s
requests: 36614 total, 36622 started, 36614 done, 36614 succeeded, 0 failed, 0 errored, 0 timeout
status codes: 36614 2xx, 0 3xx, 0 4xx, 0 5xx
req/s           :    4554.95     4599.09     4575.71       16.23    50.00%
"""
OHA = {
    "summary": {"total": 1.25, "requestsPerSec": 15881.4},
    "statusCodeDistribution": {"200": 20000},
    "errorDistribution": {"aborted due to deadline": 8},
}
VOLLEY = {
    "requests": 500,
    "requests_per_s": 250.0,
    "latency_us": {"mean": 31.5, "p50": 30.0},
    "send_lag_us": None,
    "errors": {},
    "misses": 0,
    "duration_s": 2.0,
    "client": {"cpu_us_per_request": 9.0, "busy": 0.5, "threads": 1},
}


def test_wrk() -> None:
    found = readings.wrk(WRK)
    assert (found.requests, found.figures) == (40534, {"requests_per_s": 37017.39})


def test_h2load() -> None:
    found = readings.h2load(H2LOAD)
    assert (found.requests, found.figures) == (36614, {"requests_per_s": 36614.0})


def test_oha_without_what_was_in_flight_at_the_end() -> None:
    found = readings.oha(json.dumps(OHA))
    assert (found.requests, found.figures) == (20000, {"requests_per_s": 16000.0})


def test_volley_in_closed_and_in_open_loop() -> None:
    closed = readings.volley(json.dumps(VOLLEY)).figures
    assert closed == {
        "requests_per_s": 250.0,
        "latency_mean_us": 31.5,
        "work_us_per_request": 9.0,
    }
    lag = {"send_lag_us": {"p50": 1.5, "p99": 9.0, "max": 70.0}}
    opened = readings.volley(json.dumps(VOLLEY | lag)).figures
    assert opened == closed | {"send_lag_p50_us": 1.5, "send_lag_p99_us": 9.0}


WRK2 = """\
Running 20s test @ http://127.0.0.1:8080/
  1 threads and 64 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     1.46ms  702.00us  40.00ms   71.42%
    Req/Sec       -nan      -nan   0.00      0.00%
  Latency Distribution (HdrHistogram - Recorded Latency)
 50.000%  980.00us
 75.000%    1.89ms
 90.000%    2.36ms
 99.000%    3.07ms
 99.900%    1.20s
 99.990%    1.30s
 99.999%    1.30s
100.000%    1.30s

  1199424 requests in 20.00s, 89.23MB read
Requests/sec:  59971.20
Transfer/sec:      4.46MB
"""


def test_the_tail_runs_from_the_moment_when_a_request_was_due() -> None:
    # It pads a unit of one letter.
    found = readings.wrk2(WRK2.replace("1.20s", "1.20s "))
    tail = {"latency_p50_us": 980, "latency_p99_us": 3070, "latency_p99_9_us": 1_200_000}
    assert (found.requests, found.figures) == (1199424, {"requests_per_s": 59971.2} | tail)
    report = {"send_lag_us": {"p50": 1.5, "p99": 9.0}}
    report["latency_us"] = {"mean": 31.5, "p50": 30.0, "p99": 90.0, "p99_9": 200.0}
    ours = readings.volley_tail(json.dumps(VOLLEY | report)).figures
    assert {name: ours[name] for name in tail} == dict(zip(tail, (30, 90, 200), strict=True))


def test_what_volley_polls_is_no_work() -> None:
    # Busy for a hundredth of 2 s with 500 requests: 40 µs each, and 60 µs of polling.
    client = {"cpu_us_per_request": 100.0, "busy": 0.01, "threads": 1}
    figures = readings.volley(json.dumps(VOLLEY | {"client": client})).figures
    assert figures["work_us_per_request"] == pytest.approx(40)


def test_failures_are_figures_where_they_are_the_question() -> None:
    report = VOLLEY | {"errors": {"address_exhausted": 3, "reset": 1}}
    figures = readings.volley_failures(json.dumps(report)).figures
    assert figures == {"requests_per_s": 250.0, "address_exhausted": 3, "errors": 4}


@pytest.mark.parametrize(
    ("name", "output"),
    [
        ("wrk", WRK + "  Socket errors: connect 0, read 3, write 0, timeout 0\n"),
        ("wrk", WRK + "  Non-2xx or 3xx responses: 9\n"),
        ("wrk", "unable to connect\n"),
        ("h2load", H2LOAD.replace("0 failed", "2 failed")),
        ("h2load", H2LOAD.replace("0 timeout", "2 timeout")),
        ("oha", json.dumps(OHA | {"errorDistribution": {"Connection refused": 1}})),
        ("oha", json.dumps(OHA | {"statusCodeDistribution": {"200": 1, "404": 1}})),
        ("oha", json.dumps(OHA | {"statusCodeDistribution": {}})),
        ("volley", json.dumps(VOLLEY | {"errors": {"reset": 1}})),
        ("volley", json.dumps(VOLLEY | {"misses": 1})),
        ("wrk2", WRK2.replace("Recorded", "Uncorrected")),
        ("wrk2", WRK2 + "  Non-2xx or 3xx responses: 9\n"),
    ],
)
def test_an_error_ends_the_comparison(name: str, output: str) -> None:
    with pytest.raises(SystemExit):
        getattr(readings, name)(output)


def test_events_of_volley_and_of_other_clients() -> None:
    events = {"count": 5000, "per_s": 2500.0, "lost": 0, "doubled": 0, "out_of_order": 0}
    streams = VOLLEY | {"events": events | {"altered": 0}}
    found = readings.volley_events(json.dumps(streams))
    assert (found.requests, found.figures) == (
        5000,
        {"requests_per_s": 2500.0, "work_us_per_request": pytest.approx(0.9)},
    )
    lossy = VOLLEY | {"events": events | {"altered": 1}}
    with pytest.raises(SystemExit, match="altered"):
        readings.volley_events(json.dumps(lossy))
    others = readings.counted_events(json.dumps({"events": 900, "seconds": 2.0}))
    assert (others.requests, others.figures) == (900, {"requests_per_s": 450.0})


def test_echoes() -> None:
    none = {"connect": 0, "read": 0, "timeout": 0}
    report = {"responses": 10380, "rps": 5128.1, "reconnects": 0, "errors": none}
    found = readings.gcannon(json.dumps(report))
    assert (found.requests, found.figures) == (10380, {"requests_per_s": 5128.1})
    with pytest.raises(SystemExit, match="reconnects"):
        readings.gcannon(json.dumps(report | {"reconnects": 2}))
    whole = readings.load_test("Msg/sec: 1000.000000\nMsg/sec: 4536.500000\n")
    assert whole.figures == {"requests_per_s": 4536.5}
    assert whole.requests == 4536.5 * readings.LOAD_TEST_S
    with pytest.raises(SystemExit, match="load_test"):
        readings.load_test("Msg/sec: 1000.000000\n")


def test_calls_of_ghz() -> None:
    report = {"count": 800, "rps": 400.5, "statusCodeDistribution": {"OK": 800}}
    found = readings.ghz(json.dumps(report))
    assert (found.requests, found.figures) == (800, {"requests_per_s": 400.5})
    with pytest.raises(SystemExit, match="Unavailable"):
        readings.ghz(json.dumps(report | {"statusCodeDistribution": {"OK": 1, "Unavailable": 1}}))
