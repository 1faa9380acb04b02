"""What the races on a cluster and on one machine say together."""

from pathlib import Path
from typing import Any

from tests.cluster_bench.__main__ import Bench, options
from tests.judge_bench.live import append
from tests.judge_bench.planted import Timing
from tests.judge_bench.test_record import race


def bench(kept: Path) -> Bench:
    """One that has kept two turns: in the second the cluster says otherwise."""
    for arm, ratios in (("cluster", (1.001, 1.05)), ("alone", (0.999, 1.0))):
        for ratio in ratios:
            append(kept / f"{arm}.jsonl", race(ratio))
    timing = Timing(alone_ns=1, alone_error_ns=0.01, beside_ns=1, beside_error_ns=0.01, n=12)
    append(kept / "timings.jsonl", timing)
    append(kept / "cluster.jsonl", race(1 / 1.03, part="planted", subject="0.03", loops=300))
    return Bench(options(["--kept", str(kept), "--duration", "20"]))


def test_intervals_agree_that_overlap(tmp_path: Path) -> None:
    agreed = bench(tmp_path).agreement("equal")
    assert isinstance(agreed, dict)
    assert (agreed["count"], agreed["n"]) == (1, 2)
    assert bench(tmp_path / "other").agreement("planted") is None


def test_of_each_arm_it_is_told_how_often_equals_cover_1_and_what_is_planted_is_found(
    tmp_path: Path,
) -> None:
    found: dict[str, Any] = bench(tmp_path).of_arm("cluster")
    assert (found["covers_1"]["count"], found["covers_1"]["n"]) == (1, 2)
    (planted,) = found["planted"]
    assert planted["right_sign"]["count"] == planted["covered"]["count"] == 1
    assert bench(tmp_path / "other").of_arm("poor")["covers_1"] is None


def test_races_of_another_length_are_kept_apart(tmp_path: Path) -> None:
    bench(tmp_path)
    longer = Bench(options(["--kept", str(tmp_path), "--duration", "60"]))
    assert longer.of_arm("cluster")["races"] == []
