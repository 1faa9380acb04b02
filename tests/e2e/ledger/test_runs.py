"""Every request of a run is the workload's: its servers end at any other one.

What the checks send, and how often, is in tests/verify/test_sent.py.
"""

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tests.e2e.conftest import Place
from tests.e2e.ledger.workloads import KEYED, POSTED, TRAFFIC, TYPED, Traffic, furnish, request

pytestmark = pytest.mark.e2e
RECORDER = Path(__file__).with_name("recorder.py")
RACE = ("race", "-d", "2", "-c", "8", "--warm-up", "1s", "--no-probes")


def raced(place: Place, traffic: Traffic, command: Sequence[str], *options: str) -> None:
    """Two recorders, whose processes live to the end of a run of this kind."""
    expected = furnish(place.path, traffic)
    server = f"'{sys.executable}' '{RECORDER}' '{expected}'"
    name, *more = command
    words = (name, f"a={server}", f"b={server}", *more, *traffic.options, *options)
    done = place.bakeoff(*words, timeout_s=400)
    refused = expected.with_suffix(".refused")
    assert not refused.exists(), refused.read_text() + done.err
    # Recorders are slow: too little may be measured for a verdict, but neither of them is out.
    assert done.status in (0, 3) and " is out" not in done.err, done.err


@pytest.mark.parametrize("kind", ["post", "chain"])
def test_a_race(place: Place, kind: str) -> None:
    raced(place, TRAFFIC[kind], RACE)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["header", "upload", "mix"])
def test_a_race_of_other_traffic(place: Place, kind: str) -> None:
    raced(place, TRAFFIC[kind], RACE)


@pytest.mark.slow
@pytest.mark.parametrize("protocol", ["h1-tls", "h2c", "h2"])
@pytest.mark.parametrize("kind", sorted(TRAFFIC))
def test_over_other_protocols(place: Place, protocol: str, kind: str) -> None:
    raced(place, TRAFFIC[kind], RACE, "--protocol", protocol)


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        (*RACE, "--solo"),
        (*RACE, "--rate", "200"),
        (*RACE, "--load", "50%"),
        (*RACE, "--pipeline", "4"),
        (*RACE, "--boots", "2"),
        (*RACE, "--confirm"),
        (*RACE, "-c", "1,4"),
        ("capacity", "--slo", "p99=50ms", "--boots", "1", "-c", "8"),
        ("contenders", "--audit", "-c", "8"),
    ],
    ids=lambda words: " ".join(words[-2:]),
)
def test_other_kinds_of_run(place: Place, command: Sequence[str]) -> None:
    raced(place, POSTED if command[0] != "contenders" else hello(), command)


def hello() -> Traffic:
    """An audit has a workload of the catalogue."""
    return Traffic(("--workload", "get"), [request("GET", "/", TYPED)])


@pytest.mark.slow
def test_draws(place: Place) -> None:
    raced(place, POSTED, ("draws", "--quick", "-d", "2", "-c", "8", "--processes", "2"))


@pytest.mark.slow
def test_a_connection_for_each_request(place: Place) -> None:
    raced(place, replace(POSTED, closes=True), (*RACE, "--close"))


@pytest.mark.slow
def test_a_day(place: Place) -> None:
    """In a storm each connection has one request, and says so."""
    raced(place, replace(KEYED, closes=True), ("day", "-d", "70s", "-c", "8"))


def test_what_is_no_request_of_the_workload_is_refused(place: Place) -> None:
    """The recorder can refuse: with probes, the process that gets them ends."""
    expected = furnish(place.path, POSTED)
    server = f"'{sys.executable}' '{RECORDER}' '{expected}'"
    words = [each for each in RACE if each != "--no-probes"]
    done = place.bakeoff(words[0], f"a={server}", f"b={server}", *words[1:], *POSTED.options)
    assert expected.with_suffix(".refused").exists()
    assert "its probed process exited with status 9" in done.err
    assert done.status in (0, 3) and " is out" not in done.err, done.err
