"""What the bench's races say together."""

from pathlib import Path

import pytest

from tests.judge_bench.live import Live, add_race, races
from tests.judge_bench.planted import Truth
from tests.judge_bench.record import half_width, of_null, of_planted

TRUTH = Truth(per_loop=1e-4, standard_error=1e-7, per_loop_by_cpu=1e-4, bend=0, calibrations=4)


def race(ratio: float, half: float = 0.005, loops: int = 0, valid: bool = True) -> Live:
    low, high = ratio / (1 + half), ratio * (1 + half)
    return Live(
        contender="it",
        effect=loops * 1e-4,
        loops=loops,
        duration_s=20,
        valid=valid,
        why_not=() if valid else ("it died",),
        ratio=ratio,
        low=low,
        high=high,
        finding="slower" if high < 1 else "faster" if low > 1 else "can't tell",
        blocks=400,
        boot_ratios=(ratio, ratio),
        requests_per_s=(100.0, 100.0 * ratio),
        server_us=(10.0, 10.0 / ratio),
        server_busy=(0.98, 0.98),
        client_busy=(0.5, 0.5),
        steal_share=0.01,
        load_average=1.0,
        warnings=("some",),
    )


def test_findings_between_equal_servers_are_false_positives_and_invalid_races_none() -> None:
    found = of_null([race(1.0), race(1.02), race(0.999), race(0.5, valid=False)])
    assert (found["n"], found["invalid"]) == (4, 1)
    assert _count(found["false_positives"]) == (1, 3)


def test_a_planted_difference_is_found_with_its_sign_and_its_truth_covered() -> None:
    true = TRUTH.ratio(300)
    given = [race(each, loops=300) for each in (true, true * 1.004, true * 1.02, true * 1.05)]
    found = of_planted(given, TRUTH)
    assert found["true_ratio"] == pytest.approx(1 / 1.03)
    assert _count(found["right_sign"]) == (3, 4)
    assert _count(found["wrong_sign"]) == (1, 4)
    assert _count(found["covered"]) == (2, 4)


def test_the_half_width_is_a_share_of_the_ratio() -> None:
    assert half_width(race(0.8, half=0.005)) == pytest.approx(0.005)


def test_a_finished_race_is_kept_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "null.jsonl"
    assert races(path) == []
    for each in (race(1.0), race(0.97, loops=300)):
        add_race(path, each)
    assert races(path) == [race(1.0), race(0.97, loops=300)]


def _count(rate: object) -> tuple[int, int]:
    assert isinstance(rate, dict)
    return rate["count"], rate["n"]
