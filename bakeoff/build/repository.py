"""A git repository: its revisions, their merge bases, and branches for writing."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from bakeoff import command
from bakeoff.keeper.scratch import scratch_folder
from bakeoff.model.ci import Revision
from bakeoff.model.errors import BadUsage, MissingPiece

GIT_TIMEOUT_S = 600.0
"""The limit of one command: checking out a large repository, or fetching its submodules."""
WORKING_TREE = "."
"""The `--head` that means the working tree in its current state."""


@dataclass(frozen=True)
class Repository:
    """The repository whose working tree begins at `top`."""

    top: Path
    common: Path
    """Its .git folder, which all of its working trees share."""

    @classmethod
    def around(cls, folder: Path) -> "Repository":
        """The repository of `folder`. Raises `BadUsage`, and `MissingPiece` without git."""
        found = git(folder, "rev-parse", "--show-toplevel", "--git-common-dir")
        if found.status:
            if "not a git repository" in found.stderr:
                fault = "is not in a git repository; it takes a folder of one"
                raise BadUsage(f"{folder}: {fault}")
            says = " ".join(found.stderr.removeprefix("fatal: ").split()) or "nothing"
            raise BadUsage(f"{folder}: git says: {says}")
        top, common = found.stdout.splitlines()
        return cls(Path(top), (folder / common).resolve())

    def revision(self, name: str) -> Revision:
        """The revision `name`. Raises `BadUsage`, `MissingPiece` where the clone is shallow."""
        if name == WORKING_TREE:
            return self.revision("HEAD").model_copy(
                update={"name": "the working tree", "uncommitted": self.uncommitted() > 0}
            )
        found = self._found(name, name)
        if found is None:
            fault = f"there is no revision {name}" if name else "there is no revision ''"
            self._check_depth(fault)
            raise BadUsage(f"{fault} in {self.top}{self._near(name)}")
        return found

    def fork(self, branch: str | None, head: Revision) -> Revision:
        """The merge base of `head` and `branch`, by default origin's default branch.

        If head is on that branch, it is head's parent. Raises `BadUsage` and `MissingPiece`.
        """
        tip = self._branch(branch)
        found = git(self.top, "merge-base", tip.commit, head.commit)
        if found.status:
            self._check_depth(f"where {head.name} left {tip.name} can't be seen")
            raise BadUsage(
                f"{head.name} and {tip.name} have no commit in common; name the base: --base REV"
            )
        commit = found.stdout.strip()
        if commit == head.commit and not head.uncommitted:
            parent = self._found(f"the parent of {head.name}", f"{commit}^")
            if parent is None:
                self._check_depth(f"the parent of {head.name} can't be seen")
                raise BadUsage(
                    f"{head.name} is the first commit: there is nothing to compare with; commit a "
                    "change, or race the one that is not committed yet: --head ."
                )
            return parent
        base = tip if commit == tip.commit else self._found(tip.name, commit)
        assert base, "a commit that git named"
        return base

    def uncommitted(self) -> int:
        """How many files that git tracks differ from HEAD."""
        return len(git(self.top, "status", "--porcelain", "-uno").stdout.splitlines())

    def _branch(self, name: str | None) -> Revision:
        """A branch of origin or, if origin has none, of ours."""
        if name is None:
            default = git(self.top, "rev-parse", "--abbrev-ref", "origin/HEAD")
            names = [default.stdout.strip()] if default.status == 0 else []
            there = self._names()
            usual = ("origin/main", "origin/master", "main", "master")
            names += [each for each in usual if each in there]
        else:
            names = [f"origin/{name}", name]
        for candidate in names:
            if found := self._found(candidate, candidate):
                return found
        what = f"there is no branch {name}" if name else "there is no main or master branch"
        self._check_depth(what)
        raise BadUsage(f"{what} in {self.top}; name the revision to compare with: --base REV")

    def _found(self, name: str, revision: str) -> Revision | None:
        """What `revision` means to git, called `name`; None: nothing."""
        if not revision or revision.startswith("-"):
            return None
        found = git(self.top, "log", "-1", "--format=%H%n%s", f"{revision}^{{commit}}", "--")
        if found.status:
            return None
        commit, _, subject = found.stdout.partition("\n")
        return Revision(name=name, commit=commit, subject=subject.strip())

    def _names(self) -> list[str]:
        return git(self.top, "for-each-ref", "--format=%(refname:short)").stdout.split()

    def _check_depth(self, fault: str) -> None:
        if git(self.top, "rev-parse", "--is-shallow-repository").stdout.strip() == "true":
            raise MissingPiece(
                f"{fault}: this clone is shallow, its history is cut off; fetch all of it: "
                "`fetch-depth: 0` for actions/checkout, `GIT_DEPTH: 0` for GitLab, or "
                "`git fetch --unshallow`"
            )

    def _near(self, name: str) -> str:
        near = get_close_matches(name, self._names(), n=3, cutoff=0.5)
        return f"; did you mean {' or '.join(near)}?" if near else ""


def git(folder: Path, *words: str) -> command.Ended:
    """Run git in `folder`, without prompts. Raises `MissingPiece` without git."""
    env = {"GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    try:
        return command.run(["git", *words], timeout_s=GIT_TIMEOUT_S, folder=folder, env=env)
    except FileNotFoundError:
        raise MissingPiece("git is not installed; as root: apt-get install git") from None
    except (OSError, subprocess.SubprocessError) as error:
        raise BadUsage(f"{folder}: git can't be started there: {error}") from None


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
