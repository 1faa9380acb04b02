"""A server is checked over HTTP/3, and one without it is told what it offers instead."""

import base64
import socket
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path

import pytest
from aioquic.quic.packet import QuicProtocolVersion

from bakeoff.model.protocol import Certificate, Tls
from bakeoff.model.receipt import Verification
from bakeoff.model.request import ExpectSection, RequestSection
from bakeoff.model.workload import Workload
from bakeoff.start.certificate import make_certificate
from bakeoff.verify import answers, audit, verify
from bakeoff.verify.audit import REQUESTS
from bakeoff.verify.exchange import NoHandshake
from bakeoff.verify.http3 import Http3Connection
from tests.verify.http3_server import Http3, closed, http_3, of_another_alpn, silent
from tests.verify.protocols import (
    BODY,
    FIELDS,
    HELLO,
    a_server,
    asked,
    expired,
    of_another_name,
    of_another_root,
)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    return make_certificate(tmp_path_factory.mktemp("tls"))


def checked(port: int, tls: Tls, workload: Workload = HELLO) -> Verification:
    handle, entry = asked(port, "h3", tls)
    return verify(handle, entry, workload)


def test_a_right_answer_is_right(run: Certificate) -> None:
    with http_3(run) as port:
        assert answers("127.0.0.1", port, "h3", run.client) is None
        found = checked(port, run.client)
    assert found.problems == () and found.warnings == ()
    assert (found.status, found.keeps_alive) == (200, True)
    assert base64.b64decode(found.expected_body_base64 or "") == b"Hello"
    assert found.headers == FIELDS[1:]
    # The head of a frame has two bytes.
    assert found.body_bytes == 2 + len(b"Hello")
    assert 2 < found.head_bytes < sum(len(f"{name}: {value}\r\n") for name, value in FIELDS)


def test_a_frame_without_a_meaning_is_none_of_the_body(run: Certificate) -> None:
    def greasing(connection: Http3, stream: int, _: bytes) -> None:
        connection.send(stream, BODY, ending=b"\x21\x03abc")

    with http_3(run, greasing) as port:
        found = checked(port, run.client)
    assert found.problems == () and found.body_bytes == 2 + len(BODY)


def test_a_wrong_answer_is_wrong(run: Certificate) -> None:
    wrong = HELLO.model_copy(update={"expect": ExpectSection(body="Jello")})
    with http_3(run) as port:
        assert checked(port, run.client, wrong).problems == (
            'GET /: answered "Hello", not "Jello"',
        )


def test_a_large_request_arrives_whole_and_a_large_answer_too(run: Certificate) -> None:
    seen = []

    def echo(connection: Http3, stream: int, body: bytes) -> None:
        seen.append(body)
        connection.send(stream, body)

    body = "a" * 2_000_000
    # An answer's content-length is checked by the client's HTTP/3, too.
    request = RequestSection(method="POST", body=body, headers={"Connection": "close"})
    workload = Workload(name="echo", title="", request=request)
    with http_3(run, echo) as port:
        (problem,) = checked(port, run.client, workload).problems
    assert seen[0] == body.encode()
    assert problem.startswith("POST /: it ended the connection (H3_MESSAGE_ERROR")


def test_the_audit_leaves_out_what_only_tcp_or_http_2_has(run: Certificate) -> None:
    for resumes in (True, False):
        with http_3(run, resumes=resumes) as port:
            found = audit([asked(port, "h3", run.client)], HELLO, sleep=lambda _: None)["x"]
        assert found.tls and found.tls.alpn == "h3" and found.tls.version == "1.3"
        assert found.tls.key == "EC secp256r1" and found.tls.cipher.startswith("TLS_")
        assert found.tls.resumes == resumes
        assert (found.kept, found.date) == (REQUESTS, "frozen")
        assert found.segments is None and found.http2 is None


@contextmanager
def over_tcp(run: Certificate) -> Iterator[int]:
    with a_server("h2", run, alpn=("http/1.1", "h2")) as port:
        yield port


def announcing(service: str) -> Callable[[Certificate], AbstractContextManager[int]]:
    """A server of TCP whose answers have this Alt-Svc."""

    def serve(connection: socket.socket) -> None:
        with connection, suppress(OSError):
            while connection.recv(65536):
                head = f"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nAlt-Svc: {service}\r\n\r\n"
                connection.sendall(head.encode())

    return lambda run: a_server("h1-tls", run, serve=serve)


@contextmanager
def in_cleartext(run: Certificate) -> Iterator[int]:
    with a_server("h1", run) as port:
        yield port


@pytest.mark.parametrize(
    ("server", "fault"),
    [
        (closed, "nothing listens at UDP 127.0.0.1:{}; nothing listens at its TCP port either"),
        (over_tcp, "nothing listens at UDP 127.0.0.1:{}; over TCP it offers h2 and h1-tls"),
        (
            announcing('h3-29=":1", h3=":8443"; ma=86400, h2=":443"'),
            "nothing listens at UDP 127.0.0.1:{}; over TCP it offers h1-tls, and by Alt-Svc h3 at "
            "UDP 127.0.0.1:8443: give the URL https://127.0.0.1:8443/",
        ),
        (
            announcing('h3="alt.example:444"'),
            "nothing listens at UDP 127.0.0.1:{}; over TCP it offers h1-tls, and by Alt-Svc h3 at "
            "UDP alt.example:444: give the URL https://alt.example:444/",
        ),
        (
            announcing("clear"),
            "nothing listens at UDP 127.0.0.1:{}; over TCP it offers h1-tls",
        ),
        (
            in_cleartext,
            "nothing listens at UDP 127.0.0.1:{}; "
            "its TCP port takes connections, without TLS and ALPN",
        ),
        (
            of_another_alpn,
            "offered h3 by ALPN, it selected none, and refused the handshake: "
            "does it speak h3?; nothing listens at its TCP port either",
        ),
    ],
)
def test_one_without_it_is_told_what_it_offers_instead(
    server: Callable[[Certificate], AbstractContextManager[int]], fault: str, run: Certificate
) -> None:
    with server(run) as port:
        assert checked(port, run.client).problems == (f"GET /: {fault.format(port)}",)
        assert answers("127.0.0.1", port, "h3", run.client) == fault.format(port)


def test_silence_ends_with_its_time(run: Certificate) -> None:
    fault = "QUIC's handshake was not answered within 0.3 s: UDP is blocked"
    with silent(run) as port, pytest.raises(NoHandshake, match=f"^{fault}"):
        Http3Connection(f"127.0.0.1:{port}", "localhost", run.client, 0.3)


def test_a_server_of_another_version_is_named(run: Certificate) -> None:
    fault = "QUIC's handshake failed: .*Could not find a common protocol version"
    with (
        http_3(run, version=QuicProtocolVersion.VERSION_2) as port,
        pytest.raises(NoHandshake, match=f"^{fault}"),
    ):
        Http3Connection(f"127.0.0.1:{port}", "localhost", run.client, 5)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (expired, "Certificate is no longer valid"),
        (of_another_name, "hostname 'example.org' doesn't match"),
        (of_another_root, "unable to get local issuer certificate"),
    ],
)
def test_a_certificate_that_is_not_believed_says_why_and_insecure_takes_it(
    make: Callable[[Path, pytest.MonkeyPatch], tuple[Certificate, Tls]],
    says: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made, tls = make(tmp_path, monkeypatch)
    with http_3(made) as port:
        (problem,) = checked(port, tls).problems
        assert problem.startswith(f"GET /: its certificate is not trusted: {says}")
        insecure = Tls(server_name="example.org", insecure=True)
        assert checked(port, insecure).problems == ()


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (
            lambda connection, stream, _: connection.reset(stream),
            "it reset the request's stream (H3_REQUEST_REJECTED)",
        ),
        (
            lambda connection, _stream, _: connection.end("too much"),
            "it ended the connection (H3_EXCESSIVE_LOAD: too much)",
        ),
    ],
)
def test_what_ends_a_stream_or_a_connection_is_named(
    answer: Callable[[Http3, int, bytes], None], fault: str, run: Certificate
) -> None:
    with http_3(run, answer) as port:
        assert checked(port, run.client).problems == (f"GET /: {fault}",)
