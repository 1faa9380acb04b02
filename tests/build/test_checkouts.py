"""Revisions as folders: one for each commit, kept while they are of use."""

import os
import shutil
import signal
import time
from pathlib import Path

import pytest

from bakeoff.build import Repository, check_out
from bakeoff.build.checkouts import KEPT, cache_folder
from bakeoff.keeper.sweep import sweep
from bakeoff.model.errors import MissingPiece
from tests.repositories import commit, git, new_repository


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """Two commits; the cache is in a folder of this test's own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "a cache"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "a state"))
    top = new_repository(tmp_path / "a shop", {"server.py": "1"})
    commit(top, {"server.py": "2"}, "second")
    return Repository.around(top)


def at(repository: Repository, name: str) -> Path:
    return check_out(repository, repository.revision(name))


def test_each_revision_has_its_own_files(repository: Repository) -> None:
    old, new = at(repository, "HEAD~1"), at(repository, "HEAD")
    assert [(each / "server.py").read_text() for each in (old, new)] == ["1", "2"]
    assert cache_folder() in old.parents
    assert git(repository.top, "status", "--porcelain") == ""


def test_what_a_build_leaves_stays_and_what_it_changed_is_put_back(repository: Repository) -> None:
    folder = at(repository, "HEAD")
    (folder / "node_modules").mkdir()
    (folder / "server.py").write_text("changed by a build")
    assert at(repository, "HEAD") == folder
    assert (folder / "node_modules").exists()
    assert (folder / "server.py").read_text() == "2"


@pytest.mark.parametrize("harm", ["lost", "half", "forgotten"])
def test_a_checkout_that_is_not_whole_is_made_again(repository: Repository, harm: str) -> None:
    folder = at(repository, "HEAD")
    if harm == "lost":
        shutil.rmtree(folder)
    elif harm == "half":
        (folder / ".git").unlink()
    else:  # A cache that outlived the clone, as on a CI system.
        shutil.rmtree(repository.common / "worktrees")
    assert (at(repository, "HEAD") / "server.py").read_text() == "2"


def test_a_checkout_in_which_we_were_killed_is_made_again(
    repository: Repository, tmp_path: Path
) -> None:
    """git is in the middle of it: the worktree is locked, and so is its index."""
    begun, goes_on = tmp_path / "begun", tmp_path / "goes on"
    waits = f"touch '{begun}'; while [ ! -e '{goes_on}' ]; do sleep 0.05; done; cat"
    git(repository.top, "config", "filter.slow.smudge", waits)
    commit(repository.top, {".gitattributes": "*.py filter=slow\n"}, "slow")
    if (child := os.fork()) == 0:
        try:
            at(repository, "HEAD")
        finally:
            os._exit(1)
    while not begun.exists():
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    assert "ended" in sweep()[0]
    goes_on.touch()
    folder = at(repository, "HEAD")
    assert (folder / "server.py").read_text() == "2"
    assert git(folder, "status", "--porcelain") == ""
    assert git(repository.top, "worktree", "list").count("\n") == 1


def test_two_repositories_of_one_name_share_nothing(repository: Repository, tmp_path: Path) -> None:
    other = Repository.around(new_repository(tmp_path / "other" / "a shop", {"server.py": "x"}))
    assert at(repository, "HEAD").parent != at(other, "HEAD").parent


def test_those_used_last_stay(repository: Repository) -> None:
    first = at(repository, "HEAD")
    for number in range(KEPT):
        os.utime(first, (number, number))
        commit(repository.top, {"server.py": f"more {number}"}, f"{number}")
        at(repository, "HEAD")
    assert not first.exists()
    assert len(list(first.parent.iterdir())) == KEPT
    assert git(repository.top, "worktree", "list").count("\n") == KEPT, "those and the top's own"


def test_submodules_come_along(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, (key, value) in enumerate({"protocol.file.allow": "always"}.items()):
        monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
        monkeypatch.setenv(f"GIT_CONFIG_KEY_{number}", key)
        monkeypatch.setenv(f"GIT_CONFIG_VALUE_{number}", value)
    library = new_repository(tmp_path / "library", {"code.py": "1"})
    git(repository.top, "submodule", "--quiet", "add", str(library), "lib")
    commit(repository.top, {}, "with a library")
    assert (at(repository, "HEAD") / "lib" / "code.py").exists()


def test_a_cache_that_cannot_be_written_is_named(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(MissingPiece, match="XDG_CACHE_HOME"):
        at(repository, "HEAD")


def test_a_full_disk_leaves_nothing_behind(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    revision = repository.revision("HEAD")
    # A git that finds no room once it has begun; all else is the real one.
    real, full = shutil.which("git"), tmp_path / "bin" / "git"
    full.parent.mkdir()
    full.write_text(
        f'#!/bin/sh\n[ "$1 $2" = "worktree add" ] || exec {real} "$@"\n'
        f'{real} "$@"\necho "fatal: cannot write: No space left on device" >&2\nexit 128\n'
    )
    full.chmod(0o755)
    monkeypatch.setenv("PATH", f"{full.parent}:{os.environ['PATH']}")
    with pytest.raises(MissingPiece, match="No space left on device"):
        check_out(repository, revision)
    (shop,) = cache_folder().iterdir()
    assert list(shop.iterdir()) == []
    assert git(repository.top, "worktree", "list").count("\n") == 0
