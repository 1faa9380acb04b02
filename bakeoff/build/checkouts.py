"""Revisions of a repository as folders: git worktrees in the user's cache, one for each commit.

The output of a build in such a folder stays there, so the next race of that commit is built
already, and the builds of two commits never share a file. The last used checkouts stay; older ones
are removed.
"""

import hashlib
import os
import shutil
from pathlib import Path

from bakeoff import installation
from bakeoff.build.commands import locked
from bakeoff.build.repository import Repository, git
from bakeoff.command import Ended
from bakeoff.model.ci import Revision
from bakeoff.model.errors import MissingPiece

KEPT = 6
"""Checkouts of a repository: enough for a base and the last few heads."""

ROOM_BYTES = 1 << 20
"""A checkout that failed with less free space than this failed for lack of it; git does not report
that."""


def cache_folder() -> Path:
    return installation.user_cache() / "ci"


def check_out(repository: Repository, revision: Revision) -> Path:
    """The folder with the files of `revision`, as they are in its commit.

    Raises `MissingPiece` where it can't be created.
    """
    key = hashlib.sha256(os.fsencode(repository.common)).hexdigest()[:8]
    parent = cache_folder() / f"{repository.top.name}-{key}"
    folder = parent / revision.commit[:16]
    try:
        parent.mkdir(parents=True, exist_ok=True)
        with locked(parent):
            if not _is_there(folder, revision):
                _make(repository, folder, revision)
            os.utime(folder)
            _prune(repository, parent)
    except OSError as error:
        raise MissingPiece(
            f"{revision.name} can't be checked out into {folder}: {error.strerror}; "
            "set XDG_CACHE_HOME to a folder that can be written"
        ) from None
    return folder


def _is_there(folder: Path, revision: Revision) -> bool:
    """Whether a checkout of an earlier run exists; a build's changes in it are reverted."""
    if not (folder / ".git").exists():
        return False
    found = git(folder, "rev-parse", "HEAD")
    if found.stdout.strip() != revision.commit:
        return False
    if git(folder, "reset", "--hard", "--quiet").status:
        return False
    # A kill may have come between the files and those of submodules.
    return _submodules(folder).status == 0


def _make(repository: Repository, folder: Path, revision: Revision) -> None:
    if folder.exists():
        shutil.rmtree(folder)
    # Twice: after a kill git has the worktree still, and locked.
    words = ("worktree", "add", "--force", "--force", "--detach", "--quiet")
    made = git(repository.top, *words, str(folder), revision.commit)
    if made.status == 0:
        made = _submodules(folder)
    if made.status:
        full = shutil.disk_usage(folder.parent).free < ROOM_BYTES
        _remove(repository, folder)
        said = "\n".join(f"    {line}" for line in made.stderr.strip().splitlines()[-5:])
        why = "there is no space left: set XDG_CACHE_HOME to a folder with room; " if full else ""
        raise MissingPiece(
            f"{revision.name} ({revision.short}) can't be checked out into {folder}; {why}"
            f"git says:\n{said}"
        )


def _submodules(folder: Path) -> Ended:
    if not (folder / ".gitmodules").exists():
        return Ended(0, "", "")
    return git(folder, "submodule", "update", "--init", "--recursive", "--quiet")


def _remove(repository: Repository, folder: Path) -> None:
    """Remove a checkout, and the repository's record of it."""
    if folder.exists():
        shutil.rmtree(folder)
    # git locks a worktree while it makes it: after a kill, `prune` would keep it.
    git(repository.top, "worktree", "remove", "--force", "--force", str(folder))
    git(repository.top, "worktree", "prune")


def _prune(repository: Repository, parent: Path) -> None:
    by_use = sorted(parent.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)
    for path in by_use[KEPT:]:
        _remove(repository, path)
