"""What is said of a path, from what its process counted."""

import pytest

from bakeoff.model.plan import NetworkPath
from bakeoff.model.readings import PathSeen
from bakeoff.model.verdict import Verdict
from tests.judge import races
from tests.judge.races import Race, codes, row, says
from tests.judge.test_capacity import run as search

SEEN = PathSeen(
    lasted_ns=10**9,
    cpu_ns=10**8,
    forwarded=990,
    lost=10,
    overrun=0,
    most=20,
    late_p50_us=80,
    late_p99_us=200,
    late_max_us=900,
)


def test_over_a_path_no_note_is_of_loopback() -> None:
    verdict = judged()
    assert not verdict.on_loopback
    assert verdict.model_copy(update={"path": None}).on_loopback


def judged(delay_ms: float = 20.0, *, busy: float = 0.98, **seen: float) -> Verdict:
    """A race of two boots over a path, whose servers were `busy`."""
    race = Race({"a": 1.0, "b": 1.0}, boots=2, blocks=6, busy={"a": busy, "b": busy})
    race.end = {"path": SEEN.model_copy(update=seen)}
    path = NetworkPath(delay_ms=delay_ms, loss=0.01)
    return races.judged(race, path=path, path_cpus=(1,))


def test_figures_are_those_of_all_boots() -> None:
    path = judged().path
    assert path
    assert (path.delay_ms, path.loss, path.cpus) == (20.0, 0.01, (1,))
    assert (path.packets, path.lost, path.overrun, path.busy) == (2000, 20, 0, 0.1)
    assert path.late_p99_us == 200


@pytest.mark.parametrize(
    ("seen", "said"),
    [
        ({}, []),
        ({"cpu_ns": 8 * 10**8}, ["path_full"]),
        ({"overrun": 1}, ["path_full"]),
        ({"late_p99_us": 1_001}, ["path_late"]),
    ],
)
def test_a_path_that_was_the_limit_or_late_is_named(
    seen: dict[str, float], said: list[str]
) -> None:
    found = codes(judged(**seen).warnings)
    assert [code for code in found if code.startswith("path")] == said


def test_a_long_path_may_be_late_by_a_tenth_of_its_delay_each_way() -> None:
    assert "path_late" not in codes(judged(100.0, late_p99_us=5_000).warnings)
    assert "path_late" in codes(judged(100.0, late_p99_us=5_001).warnings)


def test_where_nobody_is_busy_the_path_is_the_limit_and_says_of_how_much() -> None:
    b = row(judged(busy=0.1), "b")
    assert says(b.warnings, "path_limit", delay_us=20_000.0, at_most_per_s=64 / 0.02)
    assert "limit_unknown" not in codes(b.warnings)
    assert "limit_unknown" in codes(row(judged(0.0, busy=0.1), "b").warnings)


def test_a_search_for_capacities_has_them_too() -> None:
    report = search({"a": 10_000.0}, path=SEEN.model_copy(update={"overrun": 1}))
    assert report.path and report.path.packets == 3 * 1001
    assert "path_full" in codes(report.warnings)
