"""`bakeoff compare` and the gates of a race, in a world of known speeds."""

import json
from pathlib import Path

import pytest

from bakeoff.model.compare import RunsComparison
from tests.cli.conftest import bakeoff, race
from tests.runs.world import World


def raced(world: World, name: str, *arguments: str, **speeds: float) -> Path:
    """A run of its own, of these speeds."""
    world.requests_per_s = {**world.requests_per_s, **speeds}
    seed = str(sum(map(ord, name)))
    done = race("fast", "slow", "-d", "6", "--out", name, "--seed", seed, *arguments)
    assert done.exit_code == 0, done.output
    return (Path(name) / "latest").resolve()


def test_a_change_between_two_runs_is_found_in_folders_and_verdicts(world: World) -> None:
    old, new = raced(world, "old"), raced(world, "new", slow=40_000.0)
    done = bakeoff("compare", str(old), str(new / "verdict.json"), "--json", "found.json")
    assert done.exit_code == 0, done.output
    assert " fast is 0." in done.stdout
    found = RunsComparison.read_json(Path("found.json"))
    assert {each.name: each.finding for each in found.changes} == {"fast": None, "slow": "slower"}
    only = bakeoff("compare", str(old), str(new), "--json", "-")
    assert json.loads(only.stdout)["schema"] == "bakeoff.compare/3"


def test_a_gate_between_two_runs_decides_the_status(world: World) -> None:
    old, new = raced(world, "old"), raced(world, "new", slow=40_000.0)
    gate = ("compare", str(old), str(new), "--gate")
    assert bakeoff(*gate, "slow >= 0.7").exit_code == 0
    failed = bakeoff(*gate, "slow >= 98%")
    assert failed.exit_code == 1
    assert "✗ slow >= 98%: " in failed.stdout


def test_the_gates_of_a_race_decide_its_status(world: World) -> None:
    arguments = ("fast", "slow", "-d", "6", "--gate")
    assert race(*arguments, "slow >= 0.4 * fast", "--out", "one").exit_code == 0
    failed = race(*arguments, "slow >= 98% * fast", "--gate", "fast > slow", "--out", "other")
    assert failed.exit_code == 1
    assert "✗ slow >= 98% * fast: " in failed.stdout
    assert "✓ fast > slow: " in failed.stdout


@pytest.mark.parametrize(("policy", "status"), [("pass", 0), ("fail", 1)])
def test_where_nobody_can_tell_the_policy_decides(world: World, policy: str, status: int) -> None:
    world.requests_per_s["slow"] = world.requests_per_s["fast"]
    gate = ("--gate", "slow >= fast", "--cant-tell", policy)
    done = race("fast", "slow", "-d", "6", "--seed", "1", *gate)
    assert f"by --cant-tell {policy}" in done.stdout
    assert done.exit_code == status


def test_a_gate_on_one_that_is_out_fails_with_its_reason(world: World) -> None:
    done = race("fast", "slow", "broken", "-d", "6", "--gate", "broken >= 0.1 * fast")
    assert done.exit_code == 1
    assert "fails, broken did not take part: its build failed" in done.stdout
