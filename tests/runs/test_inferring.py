"""What contenders are held to where nobody said which answer is right, and what is said of it."""

import base64
import json
from typing import Any

from bakeoff.model.samples import BootStart
from bakeoff.verify import AnswerSample
from tests.runs.conftest import Measure
from tests.runs.world import World
from tests.verify.test_inference import answers, sample

SPEEDS = {"fast": 20_000.0, "slow": 10_000.0, "same": 10_000.0}
IDS = [{"id": n, "time": f"t{n}"} for n in (1, 2)]


def found(*values: Any) -> AnswerSample:
    return sample(answers(*values))


def verified(run: Any) -> list[Any]:
    starts = [record for record in run.records() if isinstance(record, BootStart)]
    return [each.verification for start in starts for each in start.started]


def test_what_is_held_is_asked_once_and_is_in_verdict_and_report(measure: Measure) -> None:
    world = World(SPEEDS, samples={"fast": found(*IDS), "slow": found(*IDS)})
    run = measure.race(world, "fast", "slow", boots=2)
    # In the second boot, and of processes that are drawn, nobody is asked again.
    assert [each for each in world.sampled if each] == [{"fast", "fast (twin)", "slow"}]
    assert all(each.held and each.expected_body_base64 is None for each in verified(run))
    assert {entry.name: list(entry.held) for entry in run.result.entries}["slow"] == ["request"]
    held = {entry.name: entry.held["request"] for entry in run.result.entries}
    assert {name: (each.varied, each.answers) for name, each in held.items()} == dict.fromkeys(
        ("fast", "slow"), (("id", "time"), 2)
    )


def test_a_body_that_stays_is_held_as_a_whole(measure: Measure) -> None:
    run = measure.race(World(SPEEDS, samples={"fast": found({"a": 1}, {"a": 1})}), "fast", "slow")
    bodies = {each.name: each.expected_body_base64 for each in verified(run)}
    assert json.loads(base64.b64decode(bodies["fast"])) == {"a": 1}
    assert not any(entry.held for entry in run.result.entries)


def test_who_answers_otherwise_is_warned_of_with_a_diff(measure: Measure) -> None:
    other = found(*({"id": str(n), "more": 1} for n in (1, 2)))
    world = World(SPEEDS, samples={"fast": found(*IDS), "slow": other, "same": found(*IDS)})
    verdict = measure.race(world, "fast", "slow", "same").result
    warned = {
        entry.name: each.values
        for entry in verdict.entries
        for each in entry.warnings
        if each.code == "answers_unlike"
    }
    differences = "id is string, not number; time is missing; more is its own"
    assert warned == {"slow": {"reference": "fast", "differences": differences}}


def test_with_same_answers_it_is_out_and_the_diff_is_the_reason(measure: Measure) -> None:
    other = found(*({"id": n} for n in (1, 2)))
    world = World(SPEEDS, samples={"fast": found(*IDS), "slow": other, "same": found(*IDS)})
    verdict = measure.race(world, "fast", "slow", "same", same_answers=True).result
    assert {each.name for each in verdict.skipped} == {"slow"}
    assert verdict.skipped[0].reason == (
        "its answers differ from those of fast (--same-answers): time is missing"
    )
    assert {entry.name for entry in verdict.entries} == {"fast", "same"}


def test_of_one_that_ends_at_its_verification_its_end_is_the_reason(measure: Measure) -> None:
    world = World(
        SPEEDS, wrong={"slow": "no connection"}, dead={"slow": "exited with status 7 after 0.2 s"}
    )
    verdict = measure.race(world, "fast", "slow", "same", keep_going=True).result
    assert [each.reason for each in verdict.skipped] == ["exited with status 7 after 0.2 s"]
