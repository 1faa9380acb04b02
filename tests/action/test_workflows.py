"""The workflows of .github: their shell lines, run here as far as they can be."""

import os
import platform
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from bakeoff import __repository__, __version__
from tests.action.runner import Ran, run_steps

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
ACTIONS = sorted((ROOT / "action").rglob("action.yml"))
WORKFLOWS: dict[str, Any] = {path.stem: yaml.safe_load(path.read_text()) for path in FILES}
PREPARES = "it installs Debian packages into a container that is thrown away"
# By workflow, job and step: what no test here runs, and why.
NOT_RUN = {
    ("ci", "gate", "Prepare"): PREPARES,
    ("ci", "gate", "Test and lint"): "it is the gate that this test is a part of",
    ("release", "build", "Prepare"): PREPARES,
    ("release", "build", "Build sdist and wheels"): "`make dist` takes minutes; test-all begins so",
    ("site", "build", "Prepare"): PREPARES,
    ("site", "build", "Make the site"): "`make site` has tests of its own",
}
RUN = {
    ("release", "build", "Check the tag and the repository"),
    ("release", "build", "Collect the notes"),
    ("release", "try", "Install the wheel and race with it"),
    ("release", "announce", "Make the release"),
}


def step(workflow: str, job: str, name: str) -> dict[str, Any]:
    (found,) = (
        each for each in WORKFLOWS[workflow]["jobs"][job]["steps"] if each.get("name") == name
    )
    return dict(found)


def ran(name: str, job: str, folder: Path, temp: Path, **env: str) -> Ran:
    """The step of that name of the release."""
    github = {"repository": __repository__, "token": "a token"}
    return run_steps([step("release", job, name)], {"github": github}, folder, temp, env)


def test_each_script_is_run_here_or_has_a_reason_why_not() -> None:
    scripts = {
        (workflow, job, each["name"])
        for workflow, content in WORKFLOWS.items()
        for job, work in content["jobs"].items()
        for each in work["steps"]
        if "run" in each
    }
    assert scripts == RUN | NOT_RUN.keys()
    assert not RUN & NOT_RUN.keys()


@pytest.mark.parametrize(
    ("tag", "repository", "status"),
    [
        (f"v{__version__}", __repository__, 0),
        ("v0.0.1", __repository__, 1),
        (f"v{__version__}", "somebody/bakeoff", 1),
    ],
)
def test_a_release_is_of_this_version_and_of_this_repository(
    tmp_path: Path, tag: str, repository: str, status: int
) -> None:
    name = "Check the tag and the repository"
    env = {"GITHUB_REF_NAME": tag, "GITHUB_REPOSITORY": repository}
    assert ran(name, "build", ROOT, tmp_path, **env).status == status


def test_its_notes_are_the_changelogs_of_this_version(tmp_path: Path) -> None:
    for name in ("Makefile", "bench.mk", "CHANGELOG.md", "bakeoff/__init__.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "engine").mkdir()
    done = ran("Collect the notes", "build", tmp_path, tmp_path / "temp")
    assert done.status == 0, done.log
    notes = (tmp_path / "dist-notes.md").read_text()
    assert notes.strip() and notes.strip() in (ROOT / "CHANGELOG.md").read_text()
    assert "## " not in notes


@pytest.mark.e2e
@pytest.mark.slow
def test_the_wheel_races_in_an_environment_that_has_nothing_else(tmp_path: Path) -> None:
    """With the wheel of `make dist`."""
    wheels = list((ROOT / "dist").glob(f"*_{platform.machine()}.whl"))
    if not wheels:
        pytest.skip("there is nothing in dist/: `make dist` builds what is tested here")
    (tmp_path / "dist").mkdir()
    shutil.copy(wheels[0], tmp_path / "dist")
    name = "Install the wheel and race with it"
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = ran(name, "try", tmp_path, tmp_path / "temp", PATH=path)
    assert done.status == 0, done.log
    assert f"bakeoff {__version__}" in done.log


def test_the_release_has_the_notes_and_all_that_was_built(tmp_path: Path) -> None:
    (tmp_path / "dist").mkdir()
    for name in ("a.whl", "b.whl", "c.tar.gz"):
        (tmp_path / "dist" / name).touch()
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "gh").write_text('#!/bin/sh\necho "gh $*"\n')
    (tmp_path / "bin" / "gh").chmod(0o755)
    done = ran(
        "Make the release",
        "announce",
        tmp_path,
        tmp_path / "temp",
        PATH=f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}",
        GITHUB_REF_NAME=f"v{__version__}",
    )
    assert done.status == 0
    given = done.log.split()
    assert given[:4] == ["gh", "release", "create", f"v{__version__}"]
    assert given[-3:] == ["dist/a.whl", "dist/b.whl", "dist/c.tar.gz"]
    assert given[given.index("--notes-file") + 1] == "notes/dist-notes.md"


def test_actions_of_others_are_pinned_to_a_commit_with_its_version() -> None:
    pinned = re.compile(r"uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+")
    lines = [
        line.strip(" -")
        for path in (*FILES, *ACTIONS)
        for line in path.read_text().splitlines()
        if re.match(r"[\s-]*uses:", line)
    ]
    assert lines
    assert [line for line in lines if not pinned.fullmatch(line)] == []


def test_a_job_has_the_rights_that_it_needs_and_an_end() -> None:
    writing = {
        (workflow, job): {right for right, level in work["permissions"].items() if level == "write"}
        for workflow, content in WORKFLOWS.items()
        for job, work in content["jobs"].items()
        if "permissions" in work
    }
    assert writing == {
        ("release", "publish"): {"attestations", "id-token"},
        ("release", "announce"): {"contents"},
        ("site", "deploy"): {"id-token", "pages"},
    }
    for content in WORKFLOWS.values():
        assert content["permissions"] == {"contents": "read"}
        assert all("timeout-minutes" in work for work in content["jobs"].values())


def test_no_script_has_an_expression_in_it() -> None:
    """What stands in a branch's name would be run."""
    works = [work for content in WORKFLOWS.values() for work in content["jobs"].values()]
    works += [yaml.safe_load(path.read_text())["runs"] for path in ACTIONS]
    assert not any("${{" in each.get("run", "") for work in works for each in work["steps"])
