"""`bakeoff capacity` with real servers and the real engine."""

import json
import shlex
from math import sqrt

import pytest

from bakeoff.model.capacity import CapacityReport
from bakeoff.model.errors import Status
from tests.brick.conftest import program
from tests.e2e.conftest import Place
from tests.judge.queues import true_capacity

pytestmark = pytest.mark.e2e
# M/M/1: one worker, and 2 ms for a request on average. More than 500 a second it never answers, and
# theory says where p90 reaches 40 ms: at 442 a second.
CAPACITY, LIMIT_US = 500.0, 40_000.0
SERVER = f"{shlex.quote(str(program('brick-yardstick')))} --exponential 2ms --port {{port}}"
SHORT = ("-c", "16", "--boots", "1")


@pytest.mark.slow
def test_a_server_of_known_capacity_is_found(place: Place) -> None:
    words = ["capacity", SERVER, "--slo", f"p90={LIMIT_US:g}us", "-d", "15", *SHORT]
    ended = place.bakeoff(*words, "--json", "-", timeout_s=120)
    assert ended.status == 0, ended.err
    report = CapacityReport.from_json(ended.out, "stdout")
    (entry,) = report.entries
    (found,) = entry.capacities
    assert found.finding == "found"
    assert found.low is not None and found.high is not None and found.requests_per_s is not None
    assert found.low < found.requests_per_s < found.high
    # A busy machine only makes it slower. Low is above the truth one time in forty, a tenth above
    # it never.
    assert found.requests_per_s > 30
    assert found.low < true_capacity(CAPACITY, 0.9, LIMIT_US) * 1.1
    if entry.beyond is not None:
        # Service times are random: the mean of n is off by 1/√n.
        assert entry.beyond.goodput < CAPACITY * (1 + 4 / sqrt(entry.beyond.requests))
    assert report.complete
    run = place.path / "runs" / "latest"
    assert {path.name for path in (run / "charts").iterdir()} == {"goodput.svg", "latency-p90.svg"}
    again = place.bakeoff("report", "runs/latest", "--json", "-")
    assert json.loads(again.out) == json.loads(ended.out)
    refused = place.bakeoff("resume", "runs/latest")
    assert (refused.status, refused.out) == (2, "")
    assert "is complete; for its capacities: bakeoff report" in " ".join(refused.err.split())


@pytest.mark.slow
def test_an_objective_that_nobody_meets_ends_with_the_best_and_no_verdict(place: Place) -> None:
    words = ["capacity", SERVER, "--slo", "p99=1us", "-d", "8", *SHORT]
    ended = place.bakeoff(*words)
    assert ended.status == Status.NO_VERDICT, ended.err
    said = " ".join(ended.out.split())
    assert "No contender holds p99 ≤ 1.00 µs: the best was" in said
    assert "Traceback" not in ended.err
