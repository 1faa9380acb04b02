"""Recorded samples stay readable, and are judged as they were."""

from pathlib import Path

import pytest

from bakeoff.runs import open_run
from bakeoff.runs.kinds.race import RaceRun

RECORDS = Path(__file__).parents[2] / "records"


@pytest.mark.parametrize("path", [path.parent for path in RECORDS.glob("*/samples.jsonl")])
def test_a_record_is_judged_as_it_was(path: Path) -> None:
    run = open_run(path)
    assert isinstance(run, RaceRun)
    kept, found = run.result, run.judge()
    assert found.noise_floor and kept.noise_floor
    assert kept.noise_floor.low < found.noise_floor.ratio < kept.noise_floor.high
    for pair, before in zip(found.pairs, kept.pairs, strict=True):
        assert (pair.a, pair.b, pair.ratio.n) == (before.a, before.b, before.ratio.n)
        # Each boot has the same weight now, and three of them an interval of their own: wider.
        (low, high), (least, most) = (each.ratio.ends for each in (pair, before))
        assert low < before.ratio.ratio < high and least < pair.ratio.ratio < most
        assert pair.finding in (before.finding, "can't tell")
    for now, then in zip(found.entries, kept.entries, strict=True):
        assert now.errors == then.errors
        # The deviation is younger than these records.
        latency_us = now.latency_us and now.latency_us.model_copy(update={"stdev": None})
        assert latency_us == then.latency_us
        assert now.cpu_us_per_request == then.cpu_us_per_request
