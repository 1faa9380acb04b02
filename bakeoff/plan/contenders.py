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

from bakeoff.model.contender import Contender
from bakeoff.model.errors import BadFile, BadUsage
from bakeoff.model.plan import Attached
from bakeoff.model.protocol import PROTOCOLS, Protocol, Tls
from bakeoff.plan.catalogue import CONTENDER_FILE, Catalogue, read_contender

NAME_LENGTH_MAX = 48


@dataclass(frozen=True)
class Trust:
    """By which roots, PEM, a URL's certificate is believed; `insecure`: any is taken."""

    ca_pem: str | None = None
    insecure: bool = False

    @classmethod
    def of(cls, ca: str | None, directory: Path, *, insecure: bool) -> "Trust":
        """By the file `ca`. Raises `BadUsage` where it has no certificates."""
        if ca and insecure:
            raise BadUsage(
                "--ca and --insecure: any certificate is taken, or those that roots sign"
            )
        if ca is None:
            return cls(insecure=insecure)
        try:
            pem = (directory / ca).read_bytes().decode("ascii", "replace")
        except OSError as error:
            raise BadUsage(f"--ca {ca}: can't be read: {error.strerror}") from None
        try:
            # Of no text at all it would believe the system's roots.
            ssl.create_default_context(cadata=pem or "none")
        except (ssl.SSLError, ValueError, TypeError):
            raise BadUsage(
                f"--ca {ca}: has no certificates; it takes PEM, as in -----BEGIN CERTIFICATE-----"
            ) from None
        return cls(ca_pem=pem)


@dataclass(frozen=True)
class ResolvedContender:
    """What one operand stands for. `folder` is the working directory of what we start."""

    name: str
    origin: Literal["catalogue", "folder", "command", "url"]
    contender: Contender | None = None
    folder: Path | None = None
    attached: Attached | None = None
    fixed_port: int | None = None

    def asked(self, protocols: Sequence[Protocol] | None) -> Sequence[Protocol]:
        """What it is to be asked over: those that were named, or what it is as a rule."""
        usual: Protocol = "h1-tls" if self.attached and self.attached.tls else "h1"
        return protocols or (usual,)

    @property
    def own_answer(self) -> bool:
        """Whether it may answer anything: no contender.toml says what it serves."""
        return self.origin in ("command", "url")


def resolve_contenders(
    operands: Sequence[str],
    catalogue: Catalogue,
    directory: Path,
    ports: Sequence[int] = (),
    pids: Sequence[int] = (),
    trust: Trust | None = None,
) -> list[ResolvedContender]:
    """The contenders that `operands` stand for; a name that comes again gets `#2`.

    `ports` go to the commands and `pids` to the URLs, in their order; `trust` is for those that
    are https. Raises `BadUsage`.
    """
    trust = trust or Trust()
    unused_ports, unused_pids = list(ports), list(pids)
    resolved: list[ResolvedContender] = []
    for operand in operands:
        contender = _resolve(operand, catalogue, directory, trust)
        if contender.origin == "command" and unused_ports:
            contender = replace(contender, fixed_port=unused_ports.pop(0))
        if contender.attached and unused_pids:
            pid = unused_pids.pop(0)
            if not Path(f"/proc/{pid}").exists():
                raise BadUsage(f"--pid {pid}: there is no such process")
            attached = contender.attached.model_copy(update={"pid": pid})
            contender = replace(contender, attached=attached)
        name = unique_name(contender.name, [other.name for other in resolved])
        resolved.append(replace(contender, name=name))
    if unused_ports:
        raise BadUsage(f"--port {unused_ports[0]}: there is no command that it could belong to")
    if unused_pids:
        raise BadUsage(f"--pid {unused_pids[0]}: there is no URL that it could belong to")
    if trust != Trust() and not any(each.attached and each.attached.tls for each in resolved):
        option = "--insecure" if trust.insecure else "--ca"
        raise BadUsage(
            f"{option}: there is no https:// URL that it could belong to; what bakeoff starts "
            "has a certificate that the run makes"
        )
    return resolved


def unique_name(name: str, taken: Sequence[str]) -> str:
    """`name`, or `name#2`, `name#3`… where it is taken."""
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
    if operand.startswith(("http://", "https://")):
        return ResolvedContender(operand, "url", attached=parse_url(operand, trust))
    path = directory / operand
    if path.is_dir() and (os.sep in operand or (path / CONTENDER_FILE).exists()):
        if not (path / CONTENDER_FILE).exists():
            raise BadUsage(
                f"{operand}: the folder has no {CONTENDER_FILE}; CONTRIBUTING.md shows one, or "
                'quote the command that starts the server: bakeoff race "node app.js"'
            )
        folder = path.resolve()
        contender = Contender.read_toml(folder / CONTENDER_FILE)
        return ResolvedContender(folder.name, "folder", contender=contender, folder=folder)
    if len(operand.split()) > 1 or (path.is_file() and os.access(path, os.X_OK)):
        return _command(operand, directory)
    if os.sep in operand:
        raise BadUsage(f"{operand}: there is no such folder or program here")
    folder = catalogue.folder(operand)
    return ResolvedContender(operand, "catalogue", contender=read_contender(folder), folder=folder)


def _command(text: str, directory: Path) -> ResolvedContender:
    """A server as a command: PORT, HOST and PROTOCOL are in its environment; {port} is filled in.

    Whether it speaks a protocol is believed until it is asked over it.
    """
    try:
        program = shlex.split(text)[0]
    except ValueError as error:
        raise BadUsage(f'"{text}": cannot be split into words: {error}') from None
    is_path = os.sep in program and (directory / program).exists()
    if not is_path and shutil.which(program, path=os.environ.get("PATH")) is None:
        raise BadUsage(f'"{text}": there is no program called {program} here')
    try:
        contender = Contender.checked(
            {
                "name": "command",
                "title": text,
                "language": "",
                "kind": "server",
                "protocols": PROTOCOLS,
                "run": {"command": text.replace("$PORT", "{port}").replace("${PORT}", "{port}")},
                "serves": {"get": "/"},
            },
            f'"{text}"',
        )
    except BadFile as error:
        raise BadUsage(f'"{text}": {error.fault}') from None
    name = text if len(text) <= NAME_LENGTH_MAX else f"{text[: NAME_LENGTH_MAX - 1]}…"
    return ResolvedContender(name, "command", contender=contender, folder=directory.resolve())


def parse_url(url: str, trust: Trust) -> Attached:
    """The server and path that a URL names. Raises `BadUsage` for one that can't be loaded."""
    if not url.startswith(("http://", "https://")):
        raise BadUsage(f"{url}: is no URL; it takes http://host:port/path")
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port or (443 if parts.scheme == "https" else 80)
    except ValueError as error:
        raise BadUsage(f"{url}: is no URL: {error}") from None
    if parts.scheme == "https" and trust == Trust():
        raise BadUsage(
            f"{url}: by whom is its certificate to be believed? Give --ca FILE with the roots "
            "(PEM), or --insecure to take any"
        )
    if not host:
        raise BadUsage(f"{url}: names no host; it takes http://host:port/path")
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
        if parts.scheme == "https"
        else None,
    )
