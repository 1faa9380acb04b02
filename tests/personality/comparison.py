"""One command line, given to the real program and to ours: what was said, sent and written."""

import shlex
import shutil
import ssl
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.personality import differences, masks
from tests.personality.programs import Program, ours, real, run
from tests.personality.server import Answer, Connection, Steps, always, ordinary, serving


@dataclass(frozen=True)
class Case:
    """A command line, where `@` is the server, and what the server does.

    `exact`: what is counted must be equal. Else only who said what, in which form. `prints`:
    standard output is compared.
    """

    line: str
    note: str = ""
    answer: Answer = field(default_factory=ordinary)
    greet: Callable[[int], Steps] = lambda index: ()
    tls: tuple[ssl.TLSVersion, ssl.TLSVersion] | None = None
    exact: bool = True
    prints: bool = True
    interrupted_after_s: float | None = None
    files: Mapping[str, str] = field(default_factory=dict)
    written: tuple[str, ...] = ()

    @property
    def program(self) -> str:
        return self.line.split()[0]

    def __str__(self) -> str:
        return self.line + (f" ({self.note})" if self.note else "")


@dataclass(frozen=True)
class Seen:
    """What a run showed, without its measurements."""

    status: int
    out: list[str]
    err: list[str]
    requests: set[object]
    connections: object
    files: dict[str, list[str]]


def table(*cases: list[Case]) -> pytest.MarkDecorator:
    """A test for each command line of these tables."""
    return pytest.mark.parametrize("case", [case for group in cases for case in group], ids=str)


def commands(line: str, words: str, **more: Any) -> list[Case]:
    """A case for each of the words, which `|` divides, in the place of `{}` in the line."""
    return [Case(line.replace("{}", word.strip()).strip(), **more) for word in words.split("|")]


def answered(line: str, answers: Mapping[str, Answer | bytes], **more: Any) -> list[Case]:
    """A case for each of the answers, by its note; bytes are the answer to every request."""
    return [
        Case(line, note, always(answer) if isinstance(answer, bytes) else answer, **more)
        for note, answer in answers.items()
    ]


def assert_same(case: Case, folder: Path, certificate: Path | None = None) -> None:
    """The two runs can't be told apart, but for what `differences` names.

    `certificate`: of a server with TLS; the programs find it in their folder, too.
    """
    programs = {"real": real(case.program), "ours": ours(case.program)}
    with ThreadPoolExecutor(2) as pool:
        runs = {
            which: pool.submit(observe, program, case, folder / which, certificate)
            for which, program in programs.items()
        }
    theirs, own = runs["real"].result(), runs["ours"].result()
    if differences.are_meant(case.program, case.note):
        are_two = programs["ours"] != programs["real"]
        assert not are_two or own != theirs, "differences.py says that these differ"
        return
    if case.prints:
        assert own.out == theirs.out
    assert own.err == theirs.err
    assert own.status == theirs.status
    assert own.requests == theirs.requests
    assert own.connections == theirs.connections
    assert own.files == theirs.files


def observe(program: Program, case: Case, folder: Path, certificate: Path | None) -> Seen:
    """Run one of the two, against a server of its own."""
    folder.mkdir()
    for name, text in case.files.items():
        (folder / name).write_text(text)
    if certificate:
        shutil.copy(certificate, folder)
    with ExitStack() as stack:
        words = shlex.split(case.line)[1:]
        port = ""
        if "@" in case.line:
            context = _context(case, certificate)
            server = stack.enter_context(serving(case.answer, case.greet, context))
            port = str(server.port)
            words = [word.replace("@", f"127.0.0.1:{port}") for word in words]
        ended = run(program, words, folder, case.interrupted_after_s)
        connections = []
        if port:
            server.settle()
            connections = server.connections
        mask = MASKS[program.name]
        hide = _hide(port)
        out, err = differences.settled(program, hide(ended.out), hide(ended.err))
        return Seen(
            ended.status,
            mask(out, case.exact),
            mask(err, case.exact),
            REQUESTS[program.name](connections, port),
            CONNECTIONS[program.name](connections, case),
            {
                name: mask((folder / name).read_text(), case.exact)
                for name in case.written
                if (folder / name).exists()
            },
        )


def _hide(port: str) -> Callable[[str], str]:
    return lambda text: text.replace(port, "<port>") if port else text


def _context(case: Case, certificate: Path | None) -> ssl.SSLContext | None:
    if case.tls is None:
        return None
    assert certificate, "a server with TLS needs a certificate"
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    context.minimum_version, context.maximum_version = case.tls
    return context


def _ab_requests(connections: list[Connection], port: str) -> set[object]:
    """Byte for byte: the distinct ones, and what came beside whole requests."""
    sent = {request for connection in connections for request in connection.requests}
    sent |= {connection.rest for connection in connections if connection.rest}
    return {request.replace(port.encode(), b"<port>") for request in sent}


def _ab_connections(connections: list[Connection], case: Case) -> object:
    """How many requests each had, and which side ended it; which had how many is luck with -k.

    ab may begin up to `-c` connections too many, and leave them without a word.
    """
    if not case.exact:
        return None
    asked = [
        connection
        for connection in connections
        if connection.requests or connection.ended_by != "client"
    ]
    if "-k" in shlex.split(case.line):
        return sum(len(connection.requests) for connection in asked), {
            connection.ended_by for connection in asked
        }
    return Counter((len(connection.requests), connection.ended_by) for connection in asked)


def _wrk_requests(connections: list[Connection], port: str) -> set[object]:
    """Byte for byte, but for the order of headers.

    wrk takes it from a Lua table, whose order is another in each of its threads.
    """
    sent = {request for connection in connections for request in connection.requests}
    return {_unordered(request.replace(port.encode(), b"<port>")) for request in sent}


def _unordered(request: bytes) -> tuple[bytes, tuple[bytes, ...], bytes]:
    head, end, body = request.partition(b"\r\n\r\n")
    first, *headers = head.split(b"\r\n")
    return first, tuple(sorted(headers)), end + body


def _wrk_connections(connections: list[Connection], case: Case) -> object:
    """How many asked, where that is no matter of speed."""
    return sum(1 for connection in connections if connection.requests) if case.exact else None


MASKS: dict[str, masks.Mask] = {"ab": masks.ab, "wrk": masks.wrk}
REQUESTS = {"ab": _ab_requests, "wrk": _wrk_requests}
CONNECTIONS = {"ab": _ab_connections, "wrk": _wrk_connections}
