"""What is known of programs from earlier runs: by their builds and what they are sent."""

from pathlib import Path
from typing import Any

import pytest

from bakeoff.model.cut import WARM_UP_S_MIN, Warmup
from bakeoff.model.history import Program
from bakeoff.model.plan import Entry
from bakeoff.model.receipt import Receipt
from bakeoff.plan.schedule import KNOWN_FLAT_S_MIN
from bakeoff.runs.stages import Programs, program_key
from tests.judge.facts import SOUND_AUDIT
from tests.runs.conftest import Measure
from tests.runs.test_race import SPEEDS
from tests.runs.world import World

RECEIPT = Receipt(
    name="fast",
    version="1",
    tools={"cc": "12"},
    source_sha256="0",
    commands=(("cc", "fast.c"),),
    log="",
    built_s=1.0,
)


def slices(measure: Measure, world: World, **options: Any) -> int:
    """How many slices the warm-up of `slow` had in a race."""
    run = measure.race(world, "fast", "slow", twin=False, duration=20.0, **options)
    (warmup,) = (record for record in run.records() if isinstance(record, Warmup))
    return len(warmup.requests_per_s["slow"])


def test_a_program_is_audited_once_and_its_warm_up_is_short_from_then_on(measure: Measure) -> None:
    world = World(SPEEDS, noise=0.001)
    first, again = slices(measure, world), slices(measure, world)
    assert world.audited == [{"fast", "slow"}]
    assert again == first * KNOWN_FLAT_S_MIN / WARM_UP_S_MIN


def test_one_that_warmed_up_is_warmed_up_as_long_again(measure: Measure) -> None:
    world = World(SPEEDS, warmth={"slow": lambda loaded_s: 1.0 if loaded_s > 1 else 0.5})
    assert slices(measure, world) == slices(measure, world)


def test_what_a_draw_costs_is_remembered_and_draws_are_longer_then(measure: Measure) -> None:
    """A process needs 0.4 s of load that its contender's first one did not show."""
    world = World(SPEEDS, noise=0.001, forgets=frozenset({"slow"}), forgets_again=True)
    world.warmth = {"slow": lambda loaded_s: 1.0 if loaded_s > 0.4 else 0.5}
    runs = [measure.race(world, "fast", "slow", twin=False, duration=20.0) for _ in range(2)]
    first, again = (next(r for r in run.records() if r.type == "draw-rule") for run in runs)
    (known,) = {each.warming_ms for each in world.programs.values() if each.warming_ms != 75}
    assert known and known > 400
    assert again.draw_s > first.draw_s


def test_what_is_known_is_in_the_log_of_each_run(measure: Measure) -> None:
    world = World(SPEEDS)
    for _ in range(2):
        run = measure.race(world, "fast", "slow")
        (boot,) = (record for record in run.records() if record.type == "boot")
        assert all(each.audit for each in boot.started)


@pytest.mark.parametrize(
    "changed",
    [
        {"source_sha256": "1"},
        {"version": "2"},
        {"tools": {"cc": "13"}},
        {"commands": (("cc", "-O2", "fast.c"),)},
    ],
)
def test_another_build_is_another_program(measure: Measure, changed: dict[str, Any]) -> None:
    plan = measure.plan("fast", "slow")
    entry = plan.entry("fast")
    rebuilt = RECEIPT.model_copy(update=changed)
    assert program_key(plan, entry, rebuilt) != program_key(plan, entry, RECEIPT)


@pytest.mark.parametrize("options", [{"workers": (2,)}, {"probes": False}])
def test_other_requests_make_another_program(measure: Measure, options: dict[str, Any]) -> None:
    plan, other = measure.plan("fast", "slow"), measure.plan("fast", "slow", **options)
    keys = {program_key(each, each.entries[0], RECEIPT) for each in (plan, other)}
    assert len(keys) == 2


def test_nothing_is_kept_of_a_command_or_of_one_that_is_not_built(measure: Measure) -> None:
    plan = measure.plan("fast", "slow")
    entry = plan.entry("fast")
    typed = Entry(**{**dict(entry), "origin": "command"})
    assert program_key(plan, typed, RECEIPT) is program_key(plan, entry, None) is None


def test_what_is_kept_is_read_again(tmp_path: Path) -> None:
    programs = Programs(tmp_path / "a cache")
    assert programs.program("key") == Program()
    known = Program(audit=SOUND_AUDIT, flat=True)
    programs.keep_program("key", known)
    assert programs.program("key") == known
    assert [path.name for path in (tmp_path / "a cache").iterdir()] == ["key"]


def test_a_cache_that_cannot_be_read_or_written_is_none(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("{torn")
    assert Programs(tmp_path).program("key") == Program()
    file = tmp_path / "file"
    file.touch()
    Programs(file).keep_program("key", Program(flat=True))
    assert Programs(file).program("key") == Program()
