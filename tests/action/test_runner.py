"""The runner does with a step what GitHub does."""

from pathlib import Path
from typing import Any

import pytest

from tests.action.runner import Ran, evaluated, filled, run_steps

CONTEXT = {
    "inputs": {"base": "a'b $(x)", "artifact": ""},
    "github": {"event": {"workflow_run": {"head_branch": "fix"}}},
    "steps": {"race": {"outputs": {"outcome": "slower"}}},
}


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("inputs.base", "a'b $(x)"),
        ("inputs.nothing", ""),
        ("steps.race.outputs.outcome == 'slower'", True),
        ("always() && inputs.artifact != ''", False),
        ("inputs.artifact || 'it''s empty'", "it's empty"),
        ("format('{0}:{1}', 'me', github.event.workflow_run.head_branch)", "me:fix"),
        ("inputs.artifact == 'x' && 'a' || ('b')", "b"),
    ],
)
def test_expressions_have_the_values_that_github_gives(expression: str, value: object) -> None:
    assert evaluated(expression, CONTEXT) == value


def test_an_expression_that_it_does_not_know_is_an_error() -> None:
    for unknown in ("hashFiles('x')", "inputs.base < 3"):
        with pytest.raises(AssertionError):
            evaluated(unknown, CONTEXT)


def test_expressions_are_replaced_within_a_text() -> None:
    assert filled("<${{ inputs.base }}|${{inputs.artifact}}>", CONTEXT) == "<a'b $(x)|>"


def ran(tmp_path: Path, *steps: dict[str, Any]) -> Ran:
    return run_steps(steps, CONTEXT, tmp_path, tmp_path / "temp", {"HERE": "so"})


def test_steps_hand_on_outputs_paths_and_the_summary(tmp_path: Path) -> None:
    tool = "mkdir bin; printf '#!/bin/sh\\necho a tool' > bin/tool; chmod +x bin/tool"
    done = ran(
        tmp_path,
        {"run": f'{tool}; echo "$PWD/bin" >> "$GITHUB_PATH"', "shell": "bash"},
        {"id": "one", "run": 'echo "said=$(tool), $HERE" >> "$GITHUB_OUTPUT"', "shell": "bash"},
        {"run": 'echo "# $SAID" >> "$GITHUB_STEP_SUMMARY"',
         "env": {"SAID": "${{ steps.one.outputs.said }}"}},
        {"uses": "actions/cache@v4", "with": {"path": "${{ steps.one.outputs.said }}"}},
    )  # fmt: skip
    assert done.status == 0, done.log
    assert done.outputs == {"one": {"said": "a tool, so"}}
    assert done.summary == "# a tool, so\n"
    assert done.used == [("actions/cache@v4", {"path": "a tool, so"})]


def test_after_a_failure_only_what_always_runs_does(tmp_path: Path) -> None:
    done = ran(
        tmp_path,
        {"run": "false\necho not reached", "shell": "bash"},
        {"name": "next", "run": "echo skipped"},
        {"name": "kept", "if": "${{ always() }}", "run": "echo kept"},
    )
    assert (done.status, done.log, done.skipped) == (1, "kept\n", ["next"])
