"""A branch of a repository as a temporary folder, for generated files."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bakeoff.build.repository import Repository, git
from bakeoff.keeper.scratch import scratch_folder
from bakeoff.model.errors import BadUsage


@contextmanager
def branch_folder(repository: Repository, name: str) -> Iterator[Path]:
    """The files of branch `name`; a new branch has none.

    The working tree, the index and the current branch stay as they are. Raises `BadUsage`.
    """
    if git(repository.top, "check-ref-format", "--branch", name).status:
        raise BadUsage(f"git:{name}: git doesn't take {name} as the name of a branch")
    git(repository.top, "worktree", "prune")
    there = git(repository.top, "rev-parse", "--verify", "--quiet", f"refs/heads/{name}")
    with scratch_folder("branch") as scratch:
        folder = scratch / "site"
        if there.status:
            _git(repository.top, "worktree", "add", "--quiet", "--detach", "--no-checkout",
                 str(folder), "HEAD")  # fmt: skip
        else:
            _git(repository.top, "worktree", "add", "--quiet", str(folder), name)
        try:
            if there.status:
                _git(folder, "switch", "--quiet", "--orphan", name)
            yield folder
        finally:
            git(repository.top, "worktree", "remove", "--force", str(folder))


def commit_all(folder: Path, message: str) -> bool:
    """Commit all that is in a branch's folder; False: nothing changed. Raises `BadUsage`."""
    _git(folder, "add", "--all")
    if git(folder, "diff", "--cached", "--quiet").status == 0:
        return False
    _git(folder, "commit", "--quiet", "--message", message)
    return True


def _git(folder: Path, *words: str) -> None:
    done = git(folder, *words)
    if done.status:
        raise BadUsage(f"git {words[0]}: {done.stderr.strip().splitlines()[-1]}")
