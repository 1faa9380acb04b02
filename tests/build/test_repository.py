"""Which revisions a change lies between."""

from collections.abc import Callable
from pathlib import Path

import pytest

from bakeoff.build import Repository
from bakeoff.model.errors import BadUsage, MissingPiece
from tests.repositories import commit, git, new_repository


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """main has two commits; change left it after the first, and is checked out."""
    top = new_repository(tmp_path / "a shop", {"server.py": "1"})
    git(top, "branch", "change")
    commit(top, {"other.py": "1"}, "somebody else's")
    git(top, "checkout", "--quiet", "change")
    commit(top, {"server.py": "2"}, "mine")
    return top


def test_a_revision_is_named_by_anything_that_git_takes(top: Path) -> None:
    repository = Repository.around(top)
    head = repository.revision("HEAD")
    assert (head.commit, head.subject) == (git(top, "rev-parse", "change"), "mine")
    assert repository.revision(head.commit[:8]).commit == head.commit
    assert repository.revision("main~1").subject == "first"


def test_a_folder_of_it_leads_to_its_top(top: Path) -> None:
    (top / "sub").mkdir()
    assert Repository.around(top / "sub").top == top


def test_a_change_is_held_against_where_it_left_its_branch(top: Path) -> None:
    repository = Repository.around(top)
    fork = repository.fork("main", repository.revision("HEAD"))
    assert (fork.name, fork.subject) == ("main", "first"), "not against what others did since"


def test_origins_branch_comes_before_ours(top: Path, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "--quiet", str(top), str(clone))
    git(clone, "branch", "main", "HEAD")
    repository = Repository.around(clone)
    fork = repository.fork("main", repository.revision("HEAD"))
    assert (fork.name, fork.subject) == ("origin/main", "first")


def test_without_a_branch_it_is_origins_default(top: Path, tmp_path: Path) -> None:
    git(top, "branch", "--move", "main", "trunk")
    git(top, "checkout", "--quiet", "trunk")
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "--quiet", str(top), str(clone))
    git(clone, "checkout", "--quiet", "-b", "mine", "origin/change")
    repository = Repository.around(clone)
    assert repository.fork(None, repository.revision("HEAD")).name == "origin/trunk"


def test_on_the_branch_itself_a_commit_is_held_against_its_parent(top: Path) -> None:
    git(top, "checkout", "--quiet", "main")
    repository = Repository.around(top)
    fork = repository.fork(None, repository.revision("HEAD"))
    assert (fork.name, fork.subject) == ("the parent of HEAD", "first")


def test_the_working_tree_has_what_no_commit_has(top: Path) -> None:
    repository = Repository.around(top)
    assert not repository.revision(".").uncommitted
    (top / "server.py").write_text("3")
    (top / "untracked.txt").write_text("")
    tree = repository.revision(".")
    assert tree.uncommitted and repository.uncommitted() == 1
    assert tree.full_name.endswith("and uncommitted changes")
    git(top, "checkout", "--quiet", "-B", "main")
    assert repository.fork("main", tree).commit == tree.commit, "the last commit is its base"


@pytest.mark.parametrize(
    ("name", "about"),
    [
        ("chnage", r"chnage .* change\?"),
        ("--all", "--all "),
        ("", "revision ''"),
        ("HEAD:server.py", "HEAD:"),
    ],
)
def test_a_revision_that_is_not_there_is_refused(top: Path, name: str, about: str) -> None:
    with pytest.raises(BadUsage, match=about):
        Repository.around(top).revision(name)


def test_a_branch_that_is_not_there_is_refused(top: Path) -> None:
    repository = Repository.around(top)
    with pytest.raises(BadUsage, match=r" release .*--base REV"):
        repository.fork("release", repository.revision("HEAD"))


def test_a_shallow_clone_is_told_how_to_become_whole(top: Path, tmp_path: Path) -> None:
    shallow = tmp_path / "shallow"
    git(tmp_path, "clone", "--quiet", "--depth", "1", f"file://{top}", str(shallow))
    repository = Repository.around(shallow)
    head = repository.revision("HEAD")
    lookups: list[Callable[[], object]] = [
        lambda: repository.revision("main"),
        lambda: repository.fork("main", head),
        lambda: repository.fork("change", head),
    ]
    for look_up in lookups:
        with pytest.raises(MissingPiece, match="`fetch-depth: 0`"):
            look_up()


def test_the_first_commit_has_nothing_to_be_held_against(tmp_path: Path) -> None:
    repository = Repository.around(new_repository(tmp_path / "new", {"a": "1"}))
    with pytest.raises(BadUsage, match="HEAD"):
        repository.fork(None, repository.revision("HEAD"))


def test_histories_without_a_common_commit_have_no_fork(top: Path) -> None:
    git(top, "checkout", "--quiet", "--orphan", "island")
    commit(top, {"b": "1"}, "alone")
    repository = Repository.around(top)
    with pytest.raises(BadUsage, match="HEAD and main "):
        repository.fork("main", repository.revision("HEAD"))


def test_a_folder_outside_of_any_repository_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    with pytest.raises(BadUsage, match=str(tmp_path)):
        Repository.around(tmp_path)


def test_without_git_it_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingPiece, match="git "):
        Repository.around(tmp_path)
