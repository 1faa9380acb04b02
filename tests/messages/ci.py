"""`bakeoff ci`."""

import shutil
import tempfile
from functools import cache
from pathlib import Path

from tests.e2e.conftest import Place
from tests.messages.case import Scene, Section, Situation, case, cases
from tests.messages.worlds import world
from tests.repositories import WHO, commit, git, new_repository

CONTENDER = """\
name = "shop"
title = "Shop"
language = "C"
kind = "server"
[run]
command = "sleep 1"
[serves]
hello = "/"
"""
PROJECT = """\
contender = "./server"
gates = ["head >= 0.8 * base"]
duration = 9
"""
SPEEDS = {"base": 50_000.0, "head": 50_000.0}


_KEPT = tempfile.TemporaryDirectory(prefix="messages-ci-")
WHEN = {f"GIT_{role}_DATE": "2026-11-22T10:00:00Z" for role in ("AUTHOR", "COMMITTER")}


def _who(scene: Scene) -> None:
    for name, value in {**WHO, **WHEN}.items():
        scene.patch.setenv(name, value)


def repository(
    base: str = CONTENDER, head: str = CONTENDER, project: str = PROJECT, branch: str = "main"
) -> Situation:
    """A repository in FOLDER whose branch `change` has a commit on top of `branch`."""

    def situation(scene: Scene) -> None:
        _who(scene)
        made = _repository(base, head, project, branch)
        shutil.copytree(made, scene.folder, dirs_exist_ok=True)

    return situation


@cache
def _repository(base: str, head: str, project: str, branch: str) -> Path:
    """Made once, and copied: it takes a dozen processes."""
    folder = Path(tempfile.mkdtemp(dir=_KEPT.name))
    files = {"bakeoff.toml": project, "readme": ""}
    files |= {"server/contender.toml": base} if base else {}
    git(folder, "init", "--quiet", "--initial-branch", branch)
    commit(folder, files, "first")
    git(folder, "checkout", "--quiet", "-b", "change")
    commit(folder, {"readme": "new", "server/contender.toml": head}, "a change")
    return folder


def _no_git(scene: Scene) -> None:
    scene.patch.setenv("PATH", "/nowhere")


def _shallow(scene: Scene) -> None:
    _who(scene)
    whole = scene.folder.parent / "whole"
    new_repository(whole, {"bakeoff.toml": PROJECT, "server/contender.toml": CONTENDER})
    git(whole, "checkout", "--quiet", "-b", "change")
    commit(whole, {"readme": "new"}, "a change")
    git(scene.folder, "clone", "--quiet", "--depth", "1", f"file://{whole}", ".")


def _broken_git(scene: Scene) -> None:
    (scene.folder.parent / "bin" / "git").unlink()
    path = scene.folder.parent / "bin" / "git"
    path.write_bytes(b"\x7fELF" + bytes(60))
    path.chmod(0o755)


def _of_another(scene: Scene) -> None:
    scene.patch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")


def _outside(scene: Scene) -> None:
    folder = scene.folder.parent / "elsewhere"
    folder.mkdir()
    (folder / "contender.toml").write_text(CONTENDER)


def _no_cache(scene: Scene) -> None:
    scene.patch.setenv("XDG_CACHE_HOME", "/proc/nowhere")


def _submodule(scene: Scene) -> None:
    git(scene.folder, "update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},lib")
    commit(scene.folder, {".gitmodules": '[submodule "lib"]\npath = lib\nurl = ./nowhere\n'}, "lib")


def _nothing_measured(scene: Scene) -> None:
    Place(scene.folder).bakeoff_here("ci", "--seed", "1")
    (race,) = (scene.folder / "runs").glob("*Z-ci-*/race")
    (race / "verdict.json").unlink()
    (race / "samples.jsonl").write_text("")


def _first_commit(scene: Scene) -> None:
    _who(scene)
    git(scene.folder, "init", "--quiet", "--initial-branch", "main")
    commit(scene.folder, {"bakeoff.toml": PROJECT}, "first")


def _uncommitted(scene: Scene) -> None:
    scene.write("contender.toml", CONTENDER)


def _unrelated(scene: Scene) -> None:
    repository()(scene)
    git(scene.folder, "checkout", "--quiet", "--orphan", "other")
    git(scene.folder, "commit", "--quiet", "--message", "another beginning")


SECTION = Section(
    "Continuous integration",
    (
        *cases(
            "ci",
            ("FOLDER is not in a git repository",),
            ("git is not installed", _no_git),
            ("a repository of one commit", _first_commit),
            ("the clone is shallow", _shallow),
            ("git can't be started", _broken_git),
            ("the repository belongs to another user", repository(), _of_another),
            ("XDG_CACHE_HOME can't be written", repository(), _no_cache),
        ),
        case(
            "ci", "a submodule can't be checked out", repository(), _submodule, shows="^bakeoff: "
        ),
        case(
            "ci --head . --contender ../elsewhere",
            "../elsewhere has a contender.toml",
            repository(),
            _outside,
        ),
        case(
            "ci --seed 1",
            "base can't be built",
            repository(),
            world(
                requests_per_s=SPEEDS,
                unbuildable={
                    "base": "its build failed: `make` ended with status 2",
                    "shop": "its build failed: `make` ended with status 2",
                },
            ),
        ),
        case(
            "ci --seed 1",
            "neither starts",
            repository(),
            world(
                requests_per_s=SPEEDS,
                unstartable={"base": "exited with status 1", "head": "exited with status 1"},
            ),
            shows="^bakeoff: |^  ",
        ),
        *cases(
            "ci --workload hello",
            (
                "base doesn't serve hello",
                repository(base=CONTENDER.replace("hello", "empty")),
                world(requests_per_s=SPEEDS),
            ),
            (
                "head doesn't serve hello",
                repository(head=CONTENDER.replace("hello", "empty")),
                world(requests_per_s=SPEEDS),
            ),
        ),
        case(
            "report runs/latest",
            "nothing was measured in it",
            repository(),
            world(requests_per_s=SPEEDS),
            _nothing_measured,
        ),
        *cases(
            "ci",
            ("the current branch and main have no commit in common", _unrelated),
            ("there is no branch main", repository(branch="trunk")),
            (
                "bakeoff.toml is committed, and contender.toml beside it is not",
                repository(project='contender = "."\n'),
                _uncommitted,
            ),
        ),
        *(
            case(f"ci {words}", "", repository(), world(requests_per_s=SPEEDS))
            for words in (
                "--base v1",
                "--base chnage",
                "--base ''",
                "--head v1",
                "--contender nginx",
                "--contender ..",
                "--contender ./none",
                "--contender http://127.0.0.1:1/",
                "--contender 'nosuch --port 1'",
                "--gate 'head >= 1.5 * bse'",
                "--duration 0",
                "--summary none/x.md",
                "--junit none/x.xml",
                "--protocol h2",
                "--workload json",
            )
        ),
        *(
            case("ci", given, repository(**files), world(requests_per_s=SPEEDS))
            for given, files in (
                ("bakeoff.toml names no contender", {"project": "duration = 9\n"}),
                ("bakeoff.toml has `duration = 0`", {"project": PROJECT.replace("9", "0")}),
                ("bakeoff.toml has `durtion = 9`", {"project": PROJECT.replace("dura", "dur")}),
                ("the contender is in head alone", {"base": ""}),
                ("server/contender.toml of base has no title", {"base": 'name = "x"\n'}),
                ("server/contender.toml of head has no title", {"head": 'name = "x"\n'}),
            )
        ),
    ),
)
