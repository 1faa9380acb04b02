"""Samples stay readable when the engine learns to count more."""

from pathlib import Path

import pytest

from bakeoff.model.errors import BadFile
from bakeoff.model.samples import Slice
from bakeoff.runs import open_run
from bakeoff.runs.kinds.race import RaceRun
from tests.judge.races import event

RECORDS = Path(__file__).parents[2] / "records"
SLICE = {"entry": "a", "server_cpu": None, "leak_ns": None, "leak_wall_ns": None}
NEW = {"redirects", "misses", "unsent", "service", "send_lag"}


def of_protocol_1(**changed: object) -> dict[str, object]:
    return event().model_dump(exclude=NEW) | changed


def test_an_event_of_protocol_1_is_read_with_its_failures_as_misses() -> None:
    bad = {"kind": "mismatch", "detail": "body differs at byte 7", "response_base64": "eA=="}
    errors = {"timeout": 2, "reset": 1, "status": 4, "mismatch": 8}
    read = Slice.checked({**SLICE, "event": of_protocol_1(errors=errors, first_bad=bad)}, "here")
    assert (read.event.misses, read.event.unsent, read.event.redirects) == (3, 0, 0)
    assert read.event.service is None and read.event.send_lag is None
    assert read.event.first_bad and read.event.first_bad.request_base64 == ""
    assert Slice.from_json(read.to_json(), "here") == read


@pytest.mark.parametrize(
    ("wrong", "key"),
    [
        (of_protocol_1(errors=None), "event"),
        (of_protocol_1(errors={"timeout": "many"}), "event.errors.timeout"),
        (of_protocol_1(first_bad=7), "event.first_bad"),
        (of_protocol_1(surprise=1), "event.surprise"),
        (7, "event"),
    ],
)
def test_what_is_no_event_of_any_protocol_is_refused(wrong: object, key: str) -> None:
    with pytest.raises(BadFile) as caught:
        Slice.checked({**SLICE, "event": wrong}, "here")
    assert (caught.value.key or "").startswith(key)


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
