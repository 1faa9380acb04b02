"""A branch as a folder: made where there is none, and the working tree is left alone."""

import subprocess
from pathlib import Path

import pytest

from bakeoff.build.repository import Repository, branch_folder, commit_all
from bakeoff.model.errors import BadUsage


def git(folder: Path, *words: str) -> str:
    done = subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_NAME", "somebody")
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "somebody@example.org")
    folder = tmp_path / "a repository"
    folder.mkdir()
    git(folder, "init", "--quiet", "--initial-branch", "main")
    (folder / "own.txt").write_text("mine")
    git(folder, "add", "own.txt")
    git(folder, "commit", "--quiet", "--message", "Begin")
    (folder / "own.txt").write_text("mine, changed")
    return Repository.around(folder)


def publish(repository: Repository, name: str, text: str) -> bool:
    with branch_folder(repository, "pages") as folder:
        (folder / name).write_text(text)
        return commit_all(folder, f"Publish {name}")


def test_a_branch_begins_empty_grows_and_knows_when_nothing_changed(
    repository: Repository,
) -> None:
    assert publish(repository, "a", "1")
    assert publish(repository, "b", "2")
    assert not publish(repository, "b", "2")
    assert git(repository.top, "ls-tree", "--name-only", "pages").split() == ["a", "b"]
    assert git(repository.top, "rev-list", "--count", "pages") == "2"


def test_the_working_tree_is_left_alone(repository: Repository) -> None:
    publish(repository, "a", "1")
    assert git(repository.top, "branch", "--show-current") == "main"
    assert git(repository.top, "status", "--porcelain") == "M own.txt"
    assert len(git(repository.top, "worktree", "list").splitlines()) == 1


def test_a_branch_that_is_checked_out_is_refused(repository: Repository) -> None:
    with pytest.raises(BadUsage, match="main"), branch_folder(repository, "main"):
        pass
