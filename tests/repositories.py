"""Git repositories of a test's own."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

WHO = {
    **{f"GIT_{role}_NAME": "A Tester" for role in ("AUTHOR", "COMMITTER")},
    **{f"GIT_{role}_EMAIL": "tester@example.org" for role in ("AUTHOR", "COMMITTER")},
    # Nobody's own settings, such as signing, matter here.
    "GIT_CONFIG_GLOBAL": os.devnull,
}


def git(folder: Path, *words: str) -> str:
    """Run git there; what it says."""
    done = subprocess.run(
        ["git", *words],
        cwd=folder,
        env={**os.environ, **WHO},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def new_repository(folder: Path, files: Mapping[str, str], subject: str = "first") -> Path:
    """A repository with one commit of `files` on its branch main."""
    folder.mkdir(parents=True)
    git(folder, "init", "--quiet", "--initial-branch", "main")
    commit(folder, files, subject)
    return folder


def commit(folder: Path, files: Mapping[str, str], subject: str) -> str:
    """Commit these files on top of what is there; the commit."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", subject)
    return git(folder, "rev-parse", "HEAD")
