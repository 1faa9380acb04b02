"""`bakeoff day` with two real small servers, of which one is slow to start."""

import os
import signal

import pytest

from bakeoff.model.day import Day
from tests.e2e.conftest import Place
from tests.waiting import wait_for

pytestmark = pytest.mark.e2e
SHORT = ("-d", "62", "-c", "8", "--storm", "100", "--slow-clients", "20", "--seed", "1")


@pytest.mark.slow
def test_a_day_that_was_killed_goes_on_and_tells_a_slow_start(place: Place) -> None:
    quick, sleepy = place.server("quick"), place.server("sleepy", before="time.sleep(0.5)")
    with place.begin("day", quick, sleepy, *SHORT) as process:
        wait_for(lambda: place.recorded("day-turn") > 5)
        os.kill(process.pid, signal.SIGKILL)
        process.communicate(timeout=60)
    place.wait_until_nothing_is_left()
    ended = place.bakeoff("resume", "runs/latest", "--json", "day.json")
    assert ended.status == 0, ended.err
    assert "Traceback" not in ended.err and "round 1 of 5" in ended.err
    for text in ("cold start, time", "storm, time", "slow clients, p50", "Beyond"):
        assert text in ended.out
    day = Day.read_json(place.path / "day.json")
    # A machine that is too busy for five rounds has fewer, and is told so.
    few = [each for each in day.warnings if each.code == "few_day_rounds"]
    assert day.rounds and bool(few) == (day.rounds < 5)
    start = day.line("start", "time_ms")
    first, second = (entry.name for entry in day.entries)
    pair = start.pair(first, second) if start else None
    assert few or (pair and pair.finding == "better" and day.complete)
    assert start and (start.value(second).value or 0) > 500
    # Each phase has a figure of both.
    assert len({line.phase for line in day.lines if line.main}) == 14
    assert all(value.value is not None for line in day.lines if line.main for value in line.values)
    again = place.bakeoff("report", "runs/latest", "--json", "again.json")
    assert again.status == 0
    assert Day.read_json(place.path / "again.json") == day
    for name in ("report.html", "report.md", "report.csv"):
        assert (place.path / "runs" / "latest" / name).stat().st_size > 1000
