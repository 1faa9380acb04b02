"""The action, and the examples of docs/CI.md, step by step on a repository of two commits.

What is raced takes seconds, and gates are such as no machine's speed decides.
"""

import os
import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
import yaml

from bakeoff.model.ci import ProjectFile
from bakeoff.plan import CiOptions
from tests.action.runner import Ran, run_steps
from tests.docs.test_documents import blocks
from tests.repositories import WHO, commit, git, new_repository

ROOT = Path(__file__).parents[2]
ACTION = yaml.safe_load((ROOT / "action" / "action.yml").read_text())
GITHUB, COMMENT, GITLAB = (yaml.safe_load(text) for text in blocks("docs/CI.md", "yaml"))
SERVER = """
import os, socketserver

class Answer(socketserver.StreamRequestHandler):
    def handle(self):
        while line := self.rfile.readline():
            if line == b"\\r\\n":
                self.wfile.write(b"HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\nHi")

class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address, daemon_threads, request_queue_size = True, True, 64

Server(("127.0.0.1", int(os.environ["PORT"])), Answer).serve_forever()
"""
PROGRAM = f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m bakeoff "$@"\n'
"""The bakeoff of this checkout."""
PROJECT = """
contender = "python3 server.py"
duration = "4s"
boots = 1
warm_up = "1s"
connections = 4
gates = ["head >= {factor} * base"]
"""


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone of a repository, on the branch `change` that left main one commit ago."""
    files = {"server.py": SERVER, "bakeoff.toml": PROJECT.format(factor="0.001")}
    origin = new_repository(tmp_path / "origin", files)
    git(tmp_path, "clone", "--quiet", str(origin), "a clone")
    git(tmp_path / "a clone", "checkout", "--quiet", "-b", "change")
    commit(tmp_path / "a clone", {"server.py": f"# A comment.\n{SERVER}"}, "a comment")
    return tmp_path / "a clone"


@pytest.fixture
def env(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """What pip calls bakeoff is a wheel whose program is the bakeoff of this checkout."""
    for name in ("GITHUB_BASE_REF", "GITHUB_STEP_SUMMARY", "VIRTUAL_ENV"):
        monkeypatch.delenv(name, raising=False)
    about = "bakeoff-0.0.dist-info"
    wheel = tmp_path / "wheels" / "bakeoff-0.0-py3-none-any.whl"
    wheel.parent.mkdir()
    with zipfile.ZipFile(wheel, "w") as file:
        script = zipfile.ZipInfo("bakeoff-0.0.data/scripts/bakeoff")
        script.external_attr = 0o100755 << 16  # A file that pip makes executable.
        file.writestr(script, PROGRAM)
        file.writestr(f"{about}/METADATA", "Metadata-Version: 2.1\nName: bakeoff\nVersion: 0.0\n")
        file.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\n"
                      "Tag: py3-none-any\n")  # fmt: skip
        file.writestr(f"{about}/RECORD", "")
    return {
        **WHO,
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(wheel.parent),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
    }


def act(clone: Path, env: Mapping[str, str], **inputs: str) -> Ran:
    """The action's steps, with its defaults where no input is given."""
    assert set(inputs) <= {name.replace("-", "_") for name in ACTION["inputs"]}
    given = {
        name: inputs.get(name.replace("-", "_"), each["default"])
        for name, each in ACTION["inputs"].items()
    }
    context = {"inputs": given, "runner": {"os": "Linux", "arch": "X64"}}
    return run_steps(ACTION["runs"]["steps"], context, clone, clone.parent / "temp", env)


@pytest.mark.e2e
def test_the_action_races_and_leaves_a_summary_outputs_and_an_artifact(
    clone: Path, env: dict[str, str]
) -> None:
    done = act(clone, {**env, "GITHUB_BASE_REF": "main"}, duration="3s", cant_tell="pass")
    assert done.status == 0, done.log
    race = done.outputs["race"]
    assert race["status"] == "0" and race["outcome"] in ("not slower", "can't tell")
    assert "base is origin/main, " in done.log
    assert "# Is HEAD slower than origin/main?" in done.summary
    assert [name.partition("@")[0] for name, _ in done.used] == [
        "actions/setup-python",
        "actions/cache",
        "actions/upload-artifact",
    ]
    assert done.used[-1][1] == {"name": "bakeoff", "path": race["report"]}
    kept = {path.name for path in Path(race["report"]).iterdir()}
    assert {"summary.md", "junit.xml", "ci.json", "latest"} <= kept


@pytest.mark.e2e
@pytest.mark.alone
@pytest.mark.slow
def test_the_action_fails_with_a_gate(clone: Path, env: dict[str, str]) -> None:
    done = act(clone, env, base="HEAD", gates="head >= 100 * base\nhead >= 0.001 * base\n")
    assert done.status == 1, done.log
    assert done.outputs["race"] | {"report": ""} == {
        "outcome": "slower",
        "status": "1",
        "report": "",
    }
    suite = ET.parse(Path(done.outputs["race"]["report"]) / "junit.xml").getroot()
    assert (suite.attrib["tests"], suite.attrib["failures"]) == ("2", "1")
    assert done.used[-1][0].startswith("actions/upload-artifact"), "its report is kept all the same"


@pytest.mark.e2e
def test_the_action_says_why_nothing_was_raced(clone: Path, env: dict[str, str]) -> None:
    done = act(clone, env, base="no-such-branch", artifact="")
    assert (done.status, done.outputs["race"]["outcome"]) == (2, "not raced")
    assert "**Not raced: there is no revision no-such-branch" in done.summary
    assert done.skipped == ["Keep the report"]


@pytest.fixture
def path(tmp_path: Path) -> dict[str, str]:
    """A PATH on which bakeoff is installed already."""
    program = tmp_path / "bin" / "bakeoff"
    program.parent.mkdir()
    program.write_text(PROGRAM)
    program.chmod(0o755)
    return {"PATH": f"{program.parent}:{os.environ['PATH']}"}


@pytest.mark.e2e
@pytest.mark.parametrize("harm", ["$(touch harm)", "'; touch harm; '", "--junit=harm", "a b"])
def test_an_input_is_never_a_command(
    clone: Path, env: dict[str, str], path: dict[str, str], harm: str
) -> None:
    (race,) = (step for step in ACTION["runs"]["steps"] if step.get("id") == "race")
    inputs = {"folder": ".", "base": harm, "duration": "3s"}
    done = run_steps([race], {"inputs": inputs}, clone, clone.parent / "temp", {**env, **path})
    assert done.status == 2, done.log
    assert not (clone / "harm").exists()


def test_no_script_has_an_expression_in_it() -> None:
    """What stands in a branch's name would be run."""
    steps = [*ACTION["runs"]["steps"], *COMMENT["jobs"]["comment"]["steps"]]
    steps += GITHUB["jobs"]["bakeoff"]["steps"]
    for step in steps:
        assert "${{" not in step.get("run", "")


def test_actions_of_others_are_pinned_and_known() -> None:
    steps = [*ACTION["runs"]["steps"], *COMMENT["jobs"]["comment"]["steps"]]
    for step in steps:
        if "uses" in step:
            assert re.fullmatch(r"actions/[a-z-]+@v\d+", step["uses"])


def test_the_workflow_uses_the_action_as_it_is() -> None:
    checkout, action, say = GITHUB["jobs"]["bakeoff"]["steps"]
    assert checkout["with"] == {"fetch-depth": 0}
    assert action["uses"].partition("@")[0] == "OWNER/bakeoff/action"
    assert set(action["with"]) <= set(ACTION["inputs"])
    assert "steps.bakeoff.outputs.outcome" in say["env"]["OUTCOME"]
    assert "outcome" in ACTION["outputs"]
    assert COMMENT[True]["workflow_run"]["workflows"] == [GITHUB["name"]]


def comment(tmp_path: Path, owner: str) -> str:
    """The comment workflow after a run for a branch of `owner`; the words that gh was given."""
    (tmp_path / "bin").mkdir()
    fake = tmp_path / "bin" / "gh"
    fake.write_text('#!/bin/sh\necho "$@"\ncat comment.md\n')
    fake.chmod(0o755)
    (tmp_path / "report").mkdir()
    (tmp_path / "report" / "summary.md").write_text("# Is HEAD slower?\n")
    run = {"id": 7, "head_branch": "fix", "head_repository": {"owner": {"login": owner}}}
    github = {"repository": "me/shop", "repository_owner": "me", "event": {"workflow_run": run}}
    job: Any = COMMENT["jobs"]["comment"]
    path = {"PATH": f"{fake.parent}:{os.environ['PATH']}"}
    done = run_steps(job["steps"], {"github": github}, tmp_path, tmp_path / "temp", path)
    assert done.status == 0, done.log
    assert done.used[0][1]["run-id"] == "7"
    return done.log


def test_a_second_workflow_comments_on_a_pull_request_of_a_fork(tmp_path: Path) -> None:
    said = comment(tmp_path, "them")
    assert said.startswith("pr comment them:fix --body-file comment.md")
    assert said.endswith("# Is HEAD slower?\n")


def test_and_on_one_of_the_repository_itself(tmp_path: Path) -> None:
    assert comment(tmp_path, "me").startswith("pr comment fix --body-file")


def shell(commands: str, clone: Path, env: Mapping[str, str]) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", commands],
        cwd=clone,
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


@pytest.mark.e2e
@pytest.mark.slow
def test_gitlabs_job_runs_as_it_is(clone: Path, env: dict[str, str]) -> None:
    job = GITLAB["bakeoff"]
    # Where GitLab has checked out a merge request there is no branch but that one.
    git(clone, "update-ref", "-d", "refs/remotes/origin/HEAD")
    git(clone, "update-ref", "-d", "refs/remotes/origin/main")
    variables = {
        key: str(value).replace("$CI_PROJECT_DIR", str(clone))
        for key, value in job["variables"].items()
    }
    target = {"CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main"}
    done = shell(
        "\n".join([*job["before_script"], *job["script"]]), clone, {**env, **variables, **target}
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "base is origin/main, " in done.stderr
    assert ET.parse(clone / job["artifacts"]["reports"]["junit"]).getroot().tag == "testsuite"
    for path in job["artifacts"]["paths"]:
        assert (clone / path).exists()


@pytest.mark.e2e
@pytest.mark.slow
def test_the_plain_shell_runs_as_it_is(
    clone: Path, env: dict[str, str], path: dict[str, str]
) -> None:
    (commands,) = blocks("docs/CI.md", "sh")
    done = shell(commands, clone, {**env, **path})
    assert done.returncode == 0, done.stdout + done.stderr
    for name in ("junit.xml", "summary.md", "ci.json"):
        assert (clone / name).stat().st_size > 100


def test_the_example_of_bakeoff_toml_keeps_its_contract() -> None:
    (text,) = blocks("docs/CI.md", "toml")
    project = ProjectFile.checked(tomllib.loads(text), "docs/CI.md")
    usual = CiOptions(seed=1)
    assert CiOptions(seed=1).over(project, Path("x")).model_dump() == usual.model_dump() | {
        "contender": "."
    }, "the example shows the defaults"
    text = (ROOT / "docs" / "CI.md").read_text()
    for key in ProjectFile.model_fields:
        assert key in text, f"docs/CI.md says nothing of {key}"
