"""The action, and the examples of docs/CI.md, step by step on a repository of two commits.

What is raced takes seconds, and gates are such as no machine's speed decides.
"""

import json
import os
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Mapping
from pathlib import Path
from xml.etree import ElementTree as ET

import flask
import pytest
import yaml

from bakeoff import __repository__, __version__
from bakeoff.model.ci import ProjectFile
from bakeoff.plan import CiOptions
from tests.action.runner import Ran, run_steps
from tests.docs.conftest import blocks
from tests.judge.test_ci import decided, verdict
from tests.repositories import WHO, commit, git, new_repository

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "action"
ACTION, COMMENTING = (
    yaml.safe_load(path.read_text())
    for path in (FOLDER / "action.yml", FOLDER / "comment" / "action.yml")
)
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
START = f"import runpy, sys; sys.path.insert(0, {str(ROOT)!r}); runpy.run_module('bakeoff')"
MODULE = f"import os, sys; os.execv({sys.executable!r}, [{sys.executable!r}, '-I', '-c', " + (
    f"{START!r}, *sys.argv[1:]])\n"
)
"""A module that is the same."""
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
    """What pip calls bakeoff is a wheel of this version that runs the bakeoff of this checkout."""
    for name in ("GITHUB_BASE_REF", "GITHUB_STEP_SUMMARY", "VIRTUAL_ENV"):
        monkeypatch.delenv(name, raising=False)
    about = f"bakeoff-{__version__}.dist-info"
    wheel = tmp_path / "wheels" / f"bakeoff-{__version__}-py3-none-any.whl"
    wheel.parent.mkdir()
    with zipfile.ZipFile(wheel, "w") as file:
        script = zipfile.ZipInfo(f"bakeoff-{__version__}.data/scripts/bakeoff")
        script.external_attr = 0o100755 << 16  # A file that pip makes executable.
        file.writestr(script, PROGRAM)
        file.writestr("bakeoff/__main__.py", MODULE)
        file.writestr(
            f"{about}/METADATA", f"Metadata-Version: 2.1\nName: bakeoff\nVersion: {__version__}\n"
        )
        file.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\n"
                      "Tag: py3-none-any\n")  # fmt: skip
        file.writestr(f"{about}/RECORD", "")
    return {
        **WHO,
        "GITHUB_ACTION_PATH": str(FOLDER),
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(wheel.parent),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
    }


@pytest.fixture
def installed(clone: Path) -> None:
    """What the first step leaves, without pip's seconds: with it, `act` begins with the second."""
    place = clone.parent / "temp" / "bakeoff"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", place], check=True)
    (packages,) = place.glob("lib/python3.*/site-packages")
    (packages / "bakeoff").mkdir()
    (packages / "bakeoff" / "__main__.py").write_text(MODULE)


def act(clone: Path, env: Mapping[str, str], **inputs: str) -> Ran:
    """The action's steps, with its defaults where no input is given."""
    assert set(inputs) <= {name.replace("-", "_") for name in ACTION["inputs"]}
    given = {
        name: inputs.get(name.replace("-", "_"), each["default"])
        for name, each in ACTION["inputs"].items()
    }
    install, *others = ACTION["runs"]["steps"]
    temp = clone.parent / "temp"
    steps = others if temp.exists() else [install, *others]
    return run_steps(steps, {"inputs": given}, clone, temp, env)


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
    ((used, given),) = done.used
    assert used.startswith("actions/upload-artifact@")
    assert given == {"name": "bakeoff", "path": race["report"]}
    kept = {path.name for path in Path(race["report"]).iterdir()}
    assert {"summary.md", "junit.xml", "ci.json", "latest"} <= kept


FLASK = """
import os
from flask import Flask
app = Flask(__name__)
app.get("/")(lambda: "Hi")
app.run(port=int(os.environ["PORT"]), threaded=True)
"""


@pytest.mark.e2e
def test_servers_have_the_python_and_the_packages_of_the_job(
    clone: Path, env: dict[str, str], tmp_path: Path
) -> None:
    """A Flask application, in a virtual environment that the job made and activated."""
    job = tmp_path / "job's own"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", job], check=True)
    (packages,) = job.glob("lib/python3.*/site-packages")
    (packages / "flask.pth").write_text(str(Path(flask.__file__).parents[1]))
    commit(clone, {"server.py": FLASK}, "Flask")
    commit(clone, {"server.py": f"# A comment.\n{FLASK}"}, "a comment")
    # A folder of the project that has the name of a package of ours.
    (clone / "rich").mkdir()
    (clone / "rich" / "__init__.py").write_text("raise SystemExit('not this one')")
    activated = {
        "VIRTUAL_ENV": str(job),
        "PATH": f"{job / 'bin'}{os.pathsep}{os.environ['PATH']}",
    }
    done = act(clone, {**env, **activated}, base="HEAD~1", duration="3s", cant_tell="pass")
    assert done.status == 0, done.log
    assert done.outputs["race"]["outcome"] in ("not slower", "can't tell")
    assert done.paths == []


@pytest.mark.e2e
@pytest.mark.alone
@pytest.mark.slow
@pytest.mark.usefixtures("installed")
def test_the_action_fails_with_a_gate(clone: Path, env: dict[str, str]) -> None:
    done = act(clone, env, base="HEAD", gates="head >= 100 * base\nhead >= 0.001 * base\n")
    assert done.status == 1, done.log
    assert done.outputs["race"] | {"report": ""} == {
        "outcome": "slower",
        "status": "1",
        "report": "",
    }
    suite = ET.parse(Path(done.outputs["race"]["report"]) / "junit.xml").getroot()
    counts = (suite.attrib["tests"], suite.attrib["failures"])
    assert counts == ("4", "2"), "each gate by throughput and by server CPU"
    assert done.used[-1][0].startswith("actions/upload-artifact"), "its report is kept all the same"


@pytest.mark.e2e
@pytest.mark.usefixtures("installed")
def test_the_action_says_why_nothing_was_raced(clone: Path, env: dict[str, str]) -> None:
    done = act(clone, env, base="no-such-branch", artifact="")
    assert (done.status, done.outputs["race"]["outcome"]) == (2, "not raced")
    assert "**Not raced: there is no revision no-such-branch" in done.summary
    assert done.skipped == ["Keep the report"]


@pytest.mark.e2e
@pytest.mark.usefixtures("installed")
def test_an_input_is_never_a_command(clone: Path, env: dict[str, str]) -> None:
    for harm in ("$(touch harm)", "'; touch harm; '", "--junit=harm", "a b"):
        done = act(clone, env, base=harm, head=harm, workload=harm, gates=harm, duration=harm)
        assert done.status == 2, done.log
        assert not (clone / "harm").exists()


def test_the_workflows_use_the_actions_as_they_are() -> None:
    checkout, action, say = GITHUB["jobs"]["bakeoff"]["steps"]
    assert checkout["with"] == {"fetch-depth": 0}
    assert action["uses"] == f"{__repository__}/action@v{__version__}"
    assert set(action.get("with", {})) <= set(ACTION["inputs"])
    assert "steps.bakeoff.outputs.outcome" in say["env"]["OUTCOME"]
    assert "outcome" in ACTION["outputs"]
    assert COMMENT[True]["workflow_run"]["workflows"] == [GITHUB["name"]]
    (commenting,) = COMMENT["jobs"]["comment"]["steps"]
    assert commenting["uses"] == f"{__repository__}/action/comment@v{__version__}"
    assert COMMENTING["inputs"]["artifact"]["default"] == ACTION["inputs"]["artifact"]["default"]


GH = """#!/bin/sh
echo "gh $*"
case "$1 $2" in
  "pr view") echo 12 >&3 ;;
  "api repos"*) if [ "$3" = --paginate ]; then cat earlier >&3; fi ;;
esac
"""
"""What it was called with goes to standard error; what it answers, to standard output."""


def commented(
    tmp_path: Path, env: dict[str, str], kept: str, owner: str = "them", earlier: str = ""
) -> Ran:
    """The action that comments, after a run for the branch `fix` of `owner`, which kept that."""
    temp = tmp_path / "temp"
    (temp / "bakeoff-kept").mkdir(parents=True)
    (temp / "bakeoff-kept" / "ci.json").write_text(kept)
    (tmp_path / "earlier").write_text(earlier)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "gh").write_text(GH.replace("sh\n", "sh\nexec 3>&1 1>&2\n", 1))
    (tmp_path / "bin" / "gh").chmod(0o755)
    run = {
        "id": 7,
        "html_url": "https://example.org/7",
        "head_branch": "fix",
        "head_repository": {"owner": {"login": owner}},
    }
    github = {"repository": "me/shop", "repository_owner": "me", "event": {"workflow_run": run}}
    given = {name: each["default"] for name, each in COMMENTING["inputs"].items()}
    context = {"github": github, "inputs": given, "runner": {"temp": str(temp)}}
    env["GITHUB_ACTION_PATH"] = str(FOLDER / "comment")
    env["PATH"] = f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return run_steps(COMMENTING["runs"]["steps"], context, tmp_path, temp, env)


@pytest.mark.parametrize(
    ("owner", "branch"), [("them", "them:fix"), ("me", "fix")], ids=["a fork's", "its own"]
)
def test_a_second_workflow_comments_on_a_pull_request(
    tmp_path: Path, env: dict[str, str], owner: str, branch: str
) -> None:
    result = decided(verdict("fails", ratio=0.9))
    done = commented(tmp_path, env, result.to_json(), owner)
    assert done.status == 0, done.log
    assert done.used[0][1]["run-id"] == "7"
    assert f"gh pr view {branch} " in done.log
    assert "gh pr comment 12 --body-file " in done.log
    text = (tmp_path / "temp" / "comment.md").read_text()
    assert text.startswith("<!-- bakeoff -->\n**bakeoff: slower**\n")
    assert "](https://example.org/7)" in text


def test_it_changes_its_own_earlier_comment(tmp_path: Path, env: dict[str, str]) -> None:
    done = commented(tmp_path, env, decided(verdict("holds")).to_json(), earlier="5\n9\n")
    assert done.status == 0, done.log
    assert "--method PATCH repos/me/shop/issues/comments/9 " in done.log
    assert "gh pr comment" not in done.log


@pytest.mark.parametrize("harm", [{"outcome": "[faster](https://evil.example)"}, {"more": "@all"}])
def test_it_comments_nothing_where_the_result_breaks_its_schema(
    tmp_path: Path, env: dict[str, str], harm: dict[str, str]
) -> None:
    kept = json.loads(decided(verdict("holds")).to_json())
    done = commented(tmp_path, env, json.dumps(kept | harm))
    assert done.status == 2
    assert "gh " not in done.log


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
def test_the_plain_shell_runs_as_it_is(clone: Path, env: dict[str, str], tmp_path: Path) -> None:
    program = tmp_path / "bin" / "bakeoff"
    program.parent.mkdir()
    program.write_text(PROGRAM)
    program.chmod(0o755)
    (commands,) = blocks("docs/CI.md", "sh")
    path = {"PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}"}
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
