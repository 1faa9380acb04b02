"""From an operand to a contender: a catalogue name, a folder, a command, or a URL."""

import os
import shlex
import shutil
import socket
import ssl
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from bakeoff.model.contender import Contender, needs_shell
from bakeoff.model.errors import BadFile, BadUsage
from bakeoff.model.exchange import Exchange
from bakeoff.model.plan import Attached
from bakeoff.model.protocol import PROTOCOLS, Protocol, Tls
from bakeoff.plan.catalogue import CONTENDER_FILE, Catalogue, read_contender
from bakeoff.plan.clones import clone_of
from bakeoff.plan.names import command_names, cut, folder_names, short_names, split_name, url_names

HTTP, WEBSOCKET = ("http://", "https://"), ("ws://", "wss://")
"""How URLs begin."""


@dataclass(frozen=True)
class Trust:
    """The root certificates, PEM, that verify a URL; `insecure`: any certificate is accepted."""

    ca_pem: str | None = None
    insecure: bool = False

    @classmethod
    def of(cls, ca: str | None, directory: Path, *, insecure: bool) -> "Trust":
        """The trust with the certificates of the file `ca`. Raises `BadUsage` where it has none."""
        if ca and insecure:
            raise BadUsage(
                "--ca and --insecure: give one of them; --insecure accepts any certificate"
            )
        if ca is None:
            return cls(insecure=insecure)
        try:
            pem = (directory / ca).read_bytes().decode("ascii", "replace")
        except OSError as error:
            raise BadUsage(f"--ca {ca}: can't be read: {error.strerror}") from None
        try:
            # Without any text it would trust the system's roots.
            ssl.create_default_context(cadata=pem or "none")
        except (ssl.SSLError, ValueError, TypeError):
            raise BadUsage(
                f"--ca {ca}: has no certificates; it takes PEM, as in -----BEGIN CERTIFICATE-----"
            ) from None
        return cls(ca_pem=pem)


@dataclass(frozen=True)
class ResolvedContender:
    """The contender of one operand. `folder` is the server's working directory.

    `typed` is the operand without NAME=.
    """

    name: str
    origin: Literal["catalogue", "folder", "command", "url"]
    contender: Contender | None = None
    folder: Path | None = None
    attached: Attached | None = None
    fixed_port: int | None = None
    typed: str = ""

    def spoken(
        self, protocols: Sequence[Protocol] | None, exchange: Exchange | None = None
    ) -> Sequence[Protocol]:
        """The protocols in which it races: the named ones, or its usual one, which carries an
        `exchange`."""
        cleartext, over_tls = exchange.carriers if exchange else ("h1", "h1-tls")
        return protocols or (over_tls if self.attached and self.attached.tls else cleartext,)

    @property
    def own_answer(self) -> bool:
        """Whether any response is right, since no contender.toml says what it serves."""
        return self.origin in ("command", "url")


def resolve_contenders(
    operands: Sequence[str],
    catalogue: Catalogue,
    directory: Path,
    ports: Sequence[int] = (),
    pids: Sequence[int] = (),
    trust: Trust | None = None,
) -> list[ResolvedContender]:
    """The contenders of `operands`, each with its name: that of `NAME=…`, or the shortest one that
    differs from the others; a second copy gets `#2`.

    `ports` go to the commands and `pids` to the URLs, in their order; `trust` is for https URLs.
    Raises `BadUsage`.
    """
    trust = trust or Trust()
    unused_ports, unused_pids = list(ports), list(pids)
    resolved: list[ResolvedContender] = []
    given: list[str | None] = []
    for operand in operands:
        # A path may have = in it, and gives no name.
        name, rest = (None, operand) if _is_there(directory / operand) else split_name(operand)
        try:
            contender = replace(_resolve(rest, catalogue, directory, trust), typed=rest)
        except BadUsage as error:
            if name is None or not name.isupper():
                raise
            command = operand if len(rest.split()) > 1 else f"{operand} COMMAND"
            fault = str(error).splitlines()[0].partition("; the catalogue has")[0]
            raise BadUsage(
                f"{operand}: NAME=… names a contender; to set a variable, write "
                f'"env {command}"\n{fault}'
            ) from None
        given.append(name)
        if contender.origin == "command" and unused_ports:
            contender = replace(contender, fixed_port=unused_ports.pop(0))
        if contender.attached and unused_pids:
            pid = unused_pids.pop(0)
            if not Path(f"/proc/{pid}").exists():
                raise BadUsage(f"--pid {pid}: there is no such process")
            attached = contender.attached.model_copy(update={"pid": pid})
            contender = replace(contender, attached=attached)
        resolved.append(contender)
    if unused_ports:
        raise BadUsage(f"--port {unused_ports[0]}: is for a command, and no contender is one")
    if unused_pids:
        raise BadUsage(f"--pid {unused_pids[0]}: is for a URL, and no contender is one")
    if trust != Trust() and not any(one.attached and one.attached.tls for one in resolved):
        option = "--insecure" if trust.insecure else "--ca"
        raise BadUsage(
            f"{option}: is for an https:// URL, and no contender is one; for its own servers "
            "bakeoff makes a certificate"
        )
    names = _names(resolved, given)
    return [replace(contender, name=name) for contender, name in zip(resolved, names, strict=True)]


def _names(resolved: Sequence[ResolvedContender], given: Sequence[str | None]) -> list[str]:
    """The names that were `given`, and short ones for the others. Raises `BadUsage`."""
    names: list[str | None] = [None] * len(resolved)
    taken: list[str] = []
    for n, name in enumerate(given):
        if name is None:
            continue
        if any(given[m] == name and resolved[m].typed != resolved[n].typed for m in range(n)):
            raise BadUsage(f"{name}: two contenders have this name; give each its own")
        names[n] = unique_name(name, taken)
        taken.append(names[n] or "")
    for origin, shorten in (
        ("catalogue", list),
        ("folder", folder_names),
        ("command", command_names),
        ("url", url_names),
    ):
        places = [n for n, one in enumerate(resolved) if one.origin == origin and not given[n]]
        texts = [resolved[n].name for n in places]
        for n, text, short in zip(places, texts, short_names(texts, shorten), strict=True):
            # A second copy gets a number; another contender of that name is called by its words.
            again = any(names[m] == short for m in places if resolved[m].name == text)
            name = short if again or short not in taken else cut(resolved[n].typed)
            names[n] = unique_name(name, taken)
            taken.append(names[n] or "")
    return [name or "" for name in names]


def unique_name(name: str, taken: Sequence[str]) -> str:
    count, candidate = 1, name
    while candidate in taken:
        count += 1
        candidate = f"{name}#{count}"
    return candidate


def _resolve(
    operand: str, catalogue: Catalogue, directory: Path, trust: Trust
) -> ResolvedContender:
    if not operand.strip():
        raise BadUsage("a contender's name is empty")
    cloned = clone_of(operand)
    if cloned is None and operand.startswith((*HTTP, *WEBSOCKET)):
        return ResolvedContender(operand, "url", attached=parse_url(operand, trust))
    path = cloned or directory / operand
    is_there = _is_there(path)
    named = os.sep in operand or operand in (".", "..")
    if is_there and path.is_dir() and (named or (path / CONTENDER_FILE).exists()):
        if not (path / CONTENDER_FILE).exists():
            raise BadUsage(
                f"{operand}: the folder has no {CONTENDER_FILE}; `bakeoff init` writes one, or "
                'quote the command that starts the server: bakeoff race "node app.js"'
            )
        folder = path.resolve()
        contender = Contender.read_toml(folder / CONTENDER_FILE)
        return ResolvedContender(str(folder), "folder", contender=contender, folder=folder)
    if len(operand.split()) > 1 or (is_there and path.is_file() and os.access(path, os.X_OK)):
        return _command(operand, directory)
    if os.sep in operand:
        raise BadUsage(f"{operand}: there is no such folder or program here")
    folder = catalogue.folder(operand)
    return ResolvedContender(operand, "catalogue", contender=read_contender(folder), folder=folder)


def _is_there(path: Path) -> bool:
    """Whether the file or folder exists; a long command is too long for a file's name."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def _command(text: str, directory: Path) -> ResolvedContender:
    """A contender of a command, which a shell runs if it has shell syntax.

    It counts as speaking every protocol: verification checks that.
    """
    command = text.replace("${PORT}", "{port}").replace("$PORT", "{port}")
    try:
        program, shell = shlex.split(command)[0], needs_shell(command)
    except ValueError as error:
        raise BadUsage(f'"{text}": can\'t be split into words ({error})') from None
    is_path = os.sep in program and (directory / program).exists()
    if not (shell or is_path) and shutil.which(program, path=os.environ.get("PATH")) is None:
        raise BadUsage(f'"{text}": there is no program called {program} here')
    try:
        contender = Contender.checked(
            {
                "name": "command",
                "title": text,
                "language": "",
                "kind": "server",
                "protocols": PROTOCOLS,
                "run": {"command": command, "shell": shell},
                "serves": {"get": "/"},
            },
            f'"{text}"',
        )
    except BadFile as error:
        raise BadUsage(f'"{text}": {error.fault}') from None
    return ResolvedContender(text, "command", contender=contender, folder=directory.resolve())


def parse_url(url: str, trust: Trust) -> Attached:
    """The server and path of a URL. Raises `BadUsage` for one that can't be loaded."""
    if not url.startswith((*HTTP, *WEBSOCKET)):
        raise BadUsage(f"{url}: is not a URL; it takes http://host:port/path")
    try:
        parts = urlsplit(url)
        host, over_tls = parts.hostname, parts.scheme in ("https", "wss")
        port = parts.port or (443 if over_tls else 80)
    except ValueError as error:
        raise BadUsage(f"{url}: is not a URL: {error}") from None
    if over_tls and trust == Trust():
        raise BadUsage(
            f"{url}: its certificate can't be checked yet. Give --ca FILE with the CA's "
            "certificate (PEM), or --insecure to accept any"
        )
    if not host:
        raise BadUsage(f"{url}: names no host; it takes http://host:port/path")
    if "@" in parts.netloc:
        bare = url.replace(f"{parts.netloc.rpartition('@')[0]}@", "", 1)
        raise BadUsage(
            f"{bare}: has a user or a password in it, which would be kept in the run's folder and "
            "report: leave them out, and give --user NAME:PASSWORD if the server requires them"
        )
    try:
        addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise BadUsage(f"{url}: {host} can't be resolved: {error.strerror}") from None
    family, *_, address = min(addresses, key=lambda info: info[0] != socket.AF_INET)
    numeric = f"[{address[0]}]" if family == socket.AF_INET6 else str(address[0])
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Attached(
        host=parts.netloc,
        port=port,
        address=f"{numeric}:{port}",
        path=path,
        tls=Tls(server_name=host, ca_pem=trust.ca_pem, insecure=trust.insecure)
        if over_tls
        else None,
    )
