"""A contender in a published repository: its folder, cloned into the user's cache.

It stays there with its builds, and each command that names it brings it up to date.
"""

import hashlib
import re
from pathlib import Path

from bakeoff import command, installation
from bakeoff.model.errors import BadUsage, MissingPiece

TIMEOUT_S = 600.0
_PAGE = re.compile(
    r"(?P<url>https://github\.com/[\w.-]+/(?P<name>[\w.-]+?))(\.git)?"
    r"(/tree/(?P<ref>[^/]+)(/(?P<folder>.+?))?)?/?"
)
_GIT = re.compile(
    r"(?P<url>(https?|ssh|file)://[^\s#]*/(?P<name>[^\s#/]+)\.git)"
    r"(#(?P<ref>[^:]*)(:(?P<folder>.+))?)?"
)


def clone_of(operand: str) -> Path | None:
    """The folder that a repository's page or URL names, brought up to date; None: it is another
    kind of operand.

    `https://github.com/OWNER/NAME[/tree/REF/FOLDER]`, or any `…/NAME.git[#REF[:FOLDER]]`. Raises
    `BadUsage`, and `MissingPiece` where it can't be cloned.
    """
    found = _PAGE.fullmatch(operand) or _GIT.fullmatch(operand)
    if found is None:
        return None
    url, ref, inner = found["url"], found["ref"] or "HEAD", found["folder"] or ""
    if ref.startswith("-"):
        raise BadUsage(f"{operand}: {ref} is not the name of a revision")
    key = hashlib.sha256(f"{url}#{ref}".encode()).hexdigest()[:12]
    clone = installation.user_cache() / "clones" / key / found["name"]
    try:
        clone.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise MissingPiece(
            f"{operand}: can't be cloned into {installation.user_cache()}: {error.strerror}; set "
            "XDG_CACHE_HOME to a folder that can be written"
        ) from None
    for words in (
        ("init", "--quiet"),
        ("fetch", "--quiet", "--depth", "1", "--no-tags", url, ref),
        ("reset", "--quiet", "--hard", "FETCH_HEAD"),
    ):
        _git(operand, clone, *words)
    folder = (clone / inner).resolve()
    if not folder.is_dir() or not folder.is_relative_to(clone.resolve()):
        raise BadUsage(f"{operand}: the repository has no folder {inner}")
    return folder


def _git(operand: str, clone: Path, *words: str) -> None:
    env = {"GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C", "GIT_SSH_COMMAND": "ssh -o BatchMode=yes"}
    try:
        ended = command.run(["git", *words], timeout_s=TIMEOUT_S, folder=clone, env=env)
    except FileNotFoundError:
        raise MissingPiece(
            f"{operand}: is a repository, and git is not installed; as root: apt-get install git"
        ) from None
    if ended.status:
        said = ended.stderr.partition("fatal: ")[2] or ended.stderr or str(ended.status)
        raise MissingPiece(f"{operand}: can't be cloned; git says: {said.splitlines()[0]}")
