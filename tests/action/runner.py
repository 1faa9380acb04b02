"""What GitHub's runner does with the steps of an action or a job, as far as ours use it.

Expressions are replaced first: names (`inputs.x`, `steps.race.outputs.y`, `github.event.z`), texts,
`==`, `!=`, `&&`, `||`, `always()` and `format()`. Then each `run:` is a script for its shell, with
the files that $GITHUB_OUTPUT, $GITHUB_PATH and $GITHUB_STEP_SUMMARY name. A `uses:` is not done,
only listed with what it was given. After a failure only steps with `always()` run.
"""

import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

EXPRESSION = re.compile(r"\$\{\{(.*?)\}\}", re.DOTALL)
_TOKEN = re.compile(r"\s*('(?:[^']|'')*'|==|!=|&&|\|\||[(),]|[A-Za-z_][\w.-]*)")
# As GitHub's "workflow syntax" has them, under jobs.<job_id>.steps[*].shell.
SHELLS = {
    "bash": ["bash", "--noprofile", "--norc", "-eo", "pipefail"],
    "": ["bash", "-e"],
    "sh": ["sh", "-e"],
}


@dataclass
class Ran:
    """What the steps did: `used` has the name and inputs of each `uses:`, `paths` what they put on
    the PATH of later steps.
    """

    status: int = 0
    log: str = ""
    summary: str = ""
    outputs: dict[str, dict[str, str]] = field(default_factory=dict)
    used: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)


def run_steps(
    steps: Sequence[Mapping[str, Any]],
    context: Mapping[str, Any],
    workspace: Path,
    temp: Path,
    env: Mapping[str, str],
    timeout_s: float = 300,
) -> Ran:
    """Run steps one after another in `workspace`; `context` has `inputs`, `github` and the like."""
    ran = Ran()
    temp.mkdir(parents=True, exist_ok=True)
    names = {key: temp / key.lower() for key in ("GITHUB_OUTPUT", "GITHUB_PATH")}
    summary = temp / "github_step_summary"
    for number, step in enumerate(steps):
        name = step.get("name") or step.get("uses") or f"step {number}"
        known = {**context, "steps": {key: {"outputs": each} for key, each in ran.outputs.items()}}
        condition = str(step.get("if", "success()"))
        if not _is_true(condition, known, failed=ran.status != 0):
            ran.skipped.append(name)
            continue
        if "uses" in step:
            given = {key: filled(str(value), known) for key, value in step.get("with", {}).items()}
            ran.used.append((step["uses"], given))
            continue
        for path in (*names.values(), summary):
            path.touch()
        script = temp / f"step-{number}.sh"
        script.write_text(filled(step["run"], known))
        own = {key: filled(str(value), known) for key, value in step.get("env", {}).items()}
        inherited = {**os.environ, **env}
        done = subprocess.run(
            [*SHELLS[step.get("shell", "")], str(script)],
            cwd=workspace / filled(str(step.get("working-directory", ".")), known),
            env={
                **inherited,
                "PATH": os.pathsep.join([*reversed(ran.paths), inherited["PATH"]]),
                "RUNNER_TEMP": str(temp),
                "GITHUB_STEP_SUMMARY": str(summary),
                **{key: str(path) for key, path in names.items()},
                **own,
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=timeout_s,
            check=False,
        )
        ran.log += done.stdout
        ran.status = ran.status or done.returncode
        ran.paths += names["GITHUB_PATH"].read_text().splitlines()
        if "id" in step:
            lines = names["GITHUB_OUTPUT"].read_text().splitlines()
            ran.outputs[step["id"]] = dict(line.split("=", 1) for line in lines)
        for path in names.values():
            path.unlink()
        ran.summary = summary.read_text()
    return ran


def filled(text: str, context: Mapping[str, Any]) -> str:
    """The text with its expressions replaced."""
    return EXPRESSION.sub(lambda match: _shown(evaluated(match[1], context)), text)


def evaluated(expression: str, context: Mapping[str, Any], *, failed: bool = False) -> Any:
    """The value of an expression, which differs from one of Python in its names and signs."""
    tokens = _TOKEN.findall(expression)
    assert "".join(tokens) == re.sub(r"\s(?=(?:[^']*'[^']*')*[^']*$)", "", expression), expression
    functions = {
        "always": lambda: True,
        "success": lambda: not failed,
        "failure": lambda: failed,
        "format": lambda text, *values: re.sub(r"\{(\d)\}", lambda m: values[int(m[1])], text),
    }

    def python(token: str, following: str) -> str:
        if token.startswith("'"):
            return repr(token[1:-1].replace("''", "'"))
        if not token[0].isalpha():
            return _SIGNS.get(token, token)
        assert following != "(" or token in functions, token
        return token if following == "(" else repr(_found(token, context))

    words = map(python, tokens, [*tokens[1:], ""])
    return eval(" ".join(words), {"__builtins__": {}, **functions})


_SIGNS = {"&&": "and", "||": "or"}


def _found(name: str, context: Any) -> Any:
    """What `a.b.c` is; what isn't there is empty, as GitHub has it."""
    for part in name.split("."):
        context = context.get(part, "") if isinstance(context, Mapping) else ""
    return context


def _is_true(condition: str, context: Mapping[str, Any], *, failed: bool) -> bool:
    inner = EXPRESSION.fullmatch(condition.strip())
    text = inner[1] if inner else condition
    value = bool(evaluated(text, context, failed=failed))
    says_when = re.search(r"\b(always|failure|success)\(", text)
    return value and (bool(says_when) or not failed)


def _shown(value: Any) -> str:
    return {True: "true", False: "false"}[value] if isinstance(value, bool) else str(value)
