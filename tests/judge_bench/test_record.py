"""What the bench's races say together."""

from pathlib import Path
from typing import Any

import pytest

from tests.judge_bench.live import Compared, Live, append, lines
from tests.judge_bench.planted import Truth
from tests.judge_bench.record import half_width, of_equals, of_planted, true_ratio

TRUTH = Truth(alone_ns=1.0, beside_ns=1.0, error=0.001, timings=4)


def compared(ratio: float, half: float = 0.005, a: str = "b", b: str = "a") -> Compared:
    low, high = ratio / (1 + half), ratio * (1 + half)
    finding = "slower" if high < 1 else "faster" if low > 1 else "can't tell"
    return Compared(a=a, b=b, ratio=ratio, low=low, high=high, finding=finding)


def race(ratio: float | None, half: float = 0.005, **changed: Any) -> Live:
    usual = {
        "part": "equal",
        "subject": "it",
        "duration_s": 20,
        "took_s": 30,
        "at": "now",
        "pairs": [] if ratio is None else [compared(ratio, half)],
        "why_not": [] if ratio else ["it died"],
        "entries": ["a", "b"],
        "requests_per_s": [100.0, 100.0],
        "server_us": [11.0, 11.0],
        "typical_us": [10.0, 10.0],
        "server_busy": [0.98, 0.98],
        "client_busy": [0.5, 0.5],
        "steal_share": 0.01,
        "load_average": 1.0,
        "warnings": ["some"],
    }
    return Live.checked({**usual, **changed}, "a test")


def test_findings_between_equals_are_false_and_races_without_a_ratio_none() -> None:
    found = of_equals([race(1.0), race(1.02), race(0.999, subject="other"), race(None)])
    whole = _dict(found["all"])
    assert (whole["n"], whole["without_ratio"]) == (4, 1)
    assert _count(whole["false_findings"]) == (1, 3)
    programs = found["programs"]
    assert isinstance(programs, list)
    assert [(each["program"], each["n"]) for each in programs] == [("it", 3), ("other", 1)]


def test_the_spread_of_ratios_is_held_against_what_their_intervals_claim() -> None:
    # Each is as far from 1 as its interval's standard error says.
    claim = 0.01 / 1.96
    found = _dict(of_equals([race(1 + sign * claim, half=0.01) for sign in (1, -1, 1, -1)])["all"])
    against = _dict(found["sd_over_claim"])
    assert against["ratio"] == pytest.approx(1, rel=0.01)
    assert against["low"] < 1 < against["high"]
    assert found["sd_of_ln_ratio"] == pytest.approx(claim, rel=0.01)


def test_a_planted_difference_is_found_with_its_sign_and_its_truth_covered() -> None:
    true = TRUTH.ratio(300, 10.0, 0.5)
    assert true == pytest.approx(1 / 1.03)
    ratios = (true, true * 1.004, true * 1.02, true * 1.05)
    given = [race(each, part="planted", subject="0.03", loops=300) for each in ratios]
    (found,) = of_planted(given, TRUTH)
    assert found["true_ratio"] == pytest.approx(true)
    assert _count(found["right_sign"]) == (3, 4)
    assert _count(found["wrong_sign"]) == (1, 4)
    assert _count(found["covered"]) == (2, 4)
    assert found["bias"] == pytest.approx(0.0182, rel=0.02)


def test_each_race_has_its_own_truth() -> None:
    slow = race(0.98, part="planted", subject="0.03", loops=300, typical_us=[20.0, 20.3])
    assert true_ratio(slow, TRUTH) == pytest.approx(1 / 1.015)


def test_the_half_width_is_a_share_of_the_ratio() -> None:
    assert half_width(compared(0.8, half=0.005)) == pytest.approx(0.005)


def test_a_finished_race_is_kept_as_it_was_and_a_torn_line_is_none(tmp_path: Path) -> None:
    path = tmp_path / "races.jsonl"
    assert lines(path, Live) == []
    raced = [race(1.0), race(0.97, loops=300)]
    for each in raced:
        append(path, each)
    with path.open("a") as file:
        file.write('{"part": "eq')
    assert lines(path, Live) == raced
    append(path, raced[0])
    assert lines(path, Live) == [*raced, raced[0]]


def _count(rate: object) -> tuple[int, int]:
    return _dict(rate)["count"], _dict(rate)["n"]


def _dict(value: object) -> dict[str, Any]:
    assert isinstance(value, dict)
    return value
