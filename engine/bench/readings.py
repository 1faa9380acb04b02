"""What each program's output says: how many requests were counted, and figures by name.

An error ends the comparison: a generator that is fast at errors is not fast.
"""

from __future__ import annotations

import json
import re
import sys
from dataclasses import dataclass


@dataclass(frozen=True)
class Reading:
    """Of one run."""

    requests: float
    figures: dict[str, float]


def volley(output: str) -> Reading:
    """Of `volley load --json`. The send lag is there in open loop only.

    volley polls before it sleeps: that is CPU time too, but not work that a request cost.
    """
    report = json.loads(output)
    if report["errors"] or report["misses"]:
        sys.exit(f"volley met errors: {report['errors']}, {report['misses']} without an answer")
    client = report["client"]
    busy_us = client["busy"] * client["threads"] * report["duration_s"] * 1e6
    figures = {
        "requests_per_s": report["requests_per_s"],
        "latency_mean_us": report["latency_us"]["mean"],
        "work_us_per_request": min(client["cpu_us_per_request"], busy_us / report["requests"]),
    }
    if report["send_lag_us"]:
        figures["send_lag_p50_us"] = report["send_lag_us"]["p50"]
        figures["send_lag_p99_us"] = report["send_lag_us"]["p99"]
    return Reading(report["requests"], figures)


def volley_events(output: str) -> Reading:
    """Of `volley load --events --json`: of each event, not of each stream."""
    reading, events = volley(output), json.loads(output)["events"]
    if faults := {name: events[name] for name in EVENT_FAULTS if events[name]}:
        sys.exit(f"volley met faults: {faults}")
    work_us = reading.figures["work_us_per_request"] * reading.requests / events["count"]
    return Reading(
        events["count"],
        {"requests_per_s": events["per_s"], "work_us_per_request": work_us},
    )


EVENT_FAULTS = ("lost", "doubled", "out_of_order", "altered")
TAIL = {"p50": "50.000", "p99": "99.000", "p99_9": "99.900"}
UNITS_US = {"us": 1, "ms": 1e3, "s": 1e6, "m": 60e6}


def volley_tail(output: str) -> Reading:
    """Of `volley load --json` at a rate, where the tail is the question."""
    reading, tail = volley(output), json.loads(output)["latency_us"]
    return Reading(
        reading.requests, reading.figures | {f"latency_{name}_us": tail[name] for name in TAIL}
    )


def wrk2(output: str) -> Reading:
    """Of `wrk2 --latency`: text. Its recorded latency runs from when a request was due."""
    reading = wrk(output)
    _, _, recorded = output.partition("HdrHistogram - Recorded Latency")
    figures = {}
    for name, rank in TAIL.items():
        found = re.search(rf"^ *{re.escape(rank)}% +([\d.]+)(us|ms|s|m) *$", recorded, re.M)
        if found is None:
            sys.exit(f"no {rank} % in the output:\n{output}")
        figures[f"latency_{name}_us"] = float(found[1]) * UNITS_US[found[2]]
    return Reading(reading.requests, reading.figures | figures)


def volley_failures(output: str) -> Reading:
    """Of `volley load --json`, where the failures are the question."""
    report = json.loads(output)
    figures = {
        "requests_per_s": report["requests_per_s"],
        "address_exhausted": report["errors"].get("address_exhausted", 0),
        "errors": sum(report["errors"].values()),
    }
    return Reading(report["requests"], figures)


def bare(output: str) -> Reading:
    """Of `bare`: JSON. Like volley it polls before it sleeps."""
    report = json.loads(output)
    named = "requests_per_s", "work_us_per_request"
    return Reading(report["requests"], {name: report[name] for name in named})


def pingpong(output: str) -> Reading:
    """Of `pingpong`: JSON."""
    report = json.loads(output)
    return Reading(report["requests"], {"latency_mean_us": report["latency_us"]["mean"]})


def wrk(output: str) -> Reading:
    """Of `wrk`: text."""
    if re.search(r"Socket errors|Non-2xx", output):
        sys.exit(f"wrk met errors:\n{output}")
    rate = captured(r"^Requests/sec: +([\d.]+)", output)
    return Reading(captured(r"(\d+) requests in", output), {"requests_per_s": rate})


def ab(output: str) -> Reading:
    """Of `ab`: text."""
    if re.search(r"^(Failed requests: +[1-9]|Non-2xx|Write errors)", output, re.M):
        sys.exit(f"ab met errors:\n{output}")
    rate = captured(r"^Requests per second: +([\d.]+)", output)
    return Reading(captured(r"^Complete requests: +(\d+)", output), {"requests_per_s": rate})


def h2load(output: str) -> Reading:
    """Of `h2load`: text."""
    if any(captured(rf", (\d+) {kind}", output) for kind in ("failed", "errored", "timeout")):
        sys.exit(f"h2load met errors:\n{output}")
    rate = captured(r"^finished in .*, ([\d.]+) req/s", output)
    return Reading(captured(r", (\d+) succeeded", output), {"requests_per_s": rate})


def counted_events(output: str) -> Reading:
    """Of the clients of ours, `clients/events.*`: JSON."""
    report = json.loads(output)
    return Reading(report["events"], {"requests_per_s": report["events"] / report["seconds"]})


def gcannon(output: str) -> Reading:
    """Of `gcannon --ws --json`: the echoes."""
    report = json.loads(output)
    if any(report["errors"].values()) or report["reconnects"]:
        sys.exit(f"gcannon met errors:\n{output}")
    return Reading(report["responses"], {"requests_per_s": report["rps"]})


LOAD_TEST_S = 8.5
"""Until it is ended."""


def load_test(output: str) -> Reading:
    """Of uWebSockets' `load_test`: text. Its last step is the only whole one."""
    rates = re.findall(r"^Msg/sec: ([\d.]+)", output, re.M)
    if len(rates) < 2 or re.search(r"^Closed!|^ERROR", output, re.M):
        sys.exit(f"load_test met errors:\n{output[-2000:]}")
    rate = float(rates[-1])
    return Reading(rate * LOAD_TEST_S, {"requests_per_s": rate})


def ghz(output: str) -> Reading:
    """Of `ghz --format json`. What is in flight at the end is ignored."""
    report = json.loads(output)
    if report["statusCodeDistribution"].keys() != {"OK"}:
        sys.exit(f"ghz met errors: {report['statusCodeDistribution']}")
    return Reading(report["count"], {"requests_per_s": report["rps"]})


def oha(output: str) -> Reading:
    """Of `oha`: JSON. What is in flight at the end is aborted, and counts neither way."""
    report = json.loads(output)
    errors = report["errorDistribution"].keys() - {"aborted due to deadline"}
    statuses = report["statusCodeDistribution"]
    if errors or statuses.keys() != {"200"}:
        sys.exit(f"oha met errors {sorted(errors)} and statuses {statuses}")
    rate = statuses["200"] / report["summary"]["total"]
    return Reading(statuses["200"], {"requests_per_s": rate})


def captured(pattern: str, output: str) -> float:
    """The number in the pattern's group."""
    found = re.search(pattern, output, re.M)
    if found is None:
        sys.exit(f"nothing like {pattern!r} in the output:\n{output}")
    return float(found[1])
