"""What a word on the command line names: a catalogue name, a folder, a command, or a URL."""

import os
import shlex
import shutil
import socket
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from bakeoff.model.contender import Contender
from bakeoff.model.errors import BadFile, BadUsage
from bakeoff.model.plan import Attached
from bakeoff.plan.catalogue import CONTENDER_FILE, Catalogue, read_contender

NAME_LENGTH_MAX = 48


@dataclass(frozen=True)
class Named:
    """One word, understood. `folder` is the working directory of what we start."""

    name: str
    origin: Literal["catalogue", "folder", "command", "url"]
    contender: Contender | None = None
    folder: Path | None = None
    attached: Attached | None = None
    fixed_port: int | None = None

    @property
    def own_answer(self) -> bool:
        """Whether it may answer anything: no contender.toml says what it serves."""
        return self.origin in ("command", "url")


def name_contenders(
    words: Sequence[str],
    catalogue: Catalogue,
    here: Path,
    ports: Sequence[int] = (),
    pids: Sequence[int] = (),
) -> list[Named]:
    """Each word as what it names; a name that comes again gets `#2`.

    `ports` go to the commands and `pids` to the URLs, in their order. Raises `BadUsage`.
    """
    spare_ports, spare_pids = list(ports), list(pids)
    named: list[Named] = []
    for word in words:
        one = _understood(word, catalogue, here)
        if one.origin == "command" and spare_ports:
            one = replace(one, fixed_port=spare_ports.pop(0))
        if one.attached and spare_pids:
            pid = spare_pids.pop(0)
            if not Path(f"/proc/{pid}").exists():
                raise BadUsage(f"--pid {pid}: there is no such process")
            one = replace(one, attached=one.attached.model_copy(update={"pid": pid}))
        named.append(replace(one, name=unique(one.name, [other.name for other in named])))
    if spare_ports:
        raise BadUsage(f"--port {spare_ports[0]}: there is no command that it could belong to")
    if spare_pids:
        raise BadUsage(f"--pid {spare_pids[0]}: there is no URL that it could belong to")
    return named


def unique(name: str, taken: Sequence[str]) -> str:
    """`name`, or `name#2`, `name#3`… where it is taken."""
    count, candidate = 1, name
    while candidate in taken:
        count += 1
        candidate = f"{name}#{count}"
    return candidate


def _understood(word: str, catalogue: Catalogue, here: Path) -> Named:
    if not word.strip():
        raise BadUsage("a contender's name is empty")
    if word.startswith(("http://", "https://")):
        return Named(word, "url", attached=attached(word))
    path = here / word
    if path.is_dir() and (os.sep in word or (path / CONTENDER_FILE).exists()):
        if not (path / CONTENDER_FILE).exists():
            raise BadUsage(
                f"{word}: the folder has no {CONTENDER_FILE}; CONTRIBUTING.md shows one, or quote "
                'the command that starts the server: bakeoff race "node app.js"'
            )
        folder = path.resolve()
        return Named(folder.name, "folder", contender=read_contender(folder), folder=folder)
    if len(word.split()) > 1 or (path.is_file() and os.access(path, os.X_OK)):
        return _command(word, here)
    if os.sep in word:
        raise BadUsage(f"{word}: there is no such folder or program here")
    folder = catalogue.folder(word)
    return Named(word, "catalogue", contender=read_contender(folder), folder=folder)


def _command(text: str, here: Path) -> Named:
    """A server as a command: PORT and HOST are in its environment; {port} is filled in."""
    command = text.replace("$PORT", "{port}").replace("${PORT}", "{port}")
    words = _shell_words(text)
    if shutil.which(words[0], path=os.environ.get("PATH")) is None and not (
        os.sep in words[0] and (here / words[0]).exists()
    ):
        raise BadUsage(f'"{text}": there is no program called {words[0]} here')
    try:
        contender = Contender.checked(
            {
                "name": "command",
                "title": text,
                "language": "",
                "kind": "server",
                "run": {"command": command},
                "serves": {"get": "/"},
            },
            f'"{text}"',
        )
    except BadFile as error:
        raise BadUsage(f'"{text}": {error.fault}') from None
    name = text if len(text) <= NAME_LENGTH_MAX else f"{text[: NAME_LENGTH_MAX - 1]}…"
    return Named(name, "command", contender=contender, folder=here.resolve())


def _shell_words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        raise BadUsage(f'"{text}": cannot be split into words: {error}') from None


def attached(url: str) -> Attached:
    """Where a URL leads. Raises `BadUsage` for what is none that we can ask."""
    if not url.startswith(("http://", "https://")):
        raise BadUsage(f"{url}: is no URL; it takes http://host:port/path")
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port or 80
    except ValueError as error:
        raise BadUsage(f"{url}: is no URL: {error}") from None
    if parts.scheme == "https":
        raise BadUsage(f"{url}: bakeoff speaks plain HTTP; put http:// and the plain port")
    if not host:
        raise BadUsage(f"{url}: names no host; it takes http://host:port/path")
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise BadUsage(f"{url}: {host} can't be resolved: {error.strerror}") from None
    family, *_, address = sorted(found, key=lambda one: one[0] != socket.AF_INET)[0]
    numeric = f"[{address[0]}]" if family == socket.AF_INET6 else str(address[0])
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Attached(host=parts.netloc, port=port, address=f"{numeric}:{port}", path=path)
