"""A server is checked in the protocol that it is loaded in, and told what it speaks instead."""

import base64
from collections.abc import Callable
from pathlib import Path

import pytest
from h2.settings import SettingCodes

from bakeoff.model.protocol import OVER_UDP, PROTOCOLS, Certificate, Protocol, Tls
from bakeoff.model.receipt import Verification
from bakeoff.model.request import ExpectSection, RequestSection
from bakeoff.model.workload import Workload
from bakeoff.start.certificate import make_certificate
from bakeoff.verify import answers, audit, verify
from bakeoff.verify.audit import REQUESTS
from tests.verify.protocols import (
    FIELDS,
    HELLO,
    Http2Server,
    a_server,
    asked,
    expired,
    of_another_name,
    of_another_root,
    serve_http_1,
)

OVER_TCP = [each for each in PROTOCOLS if each not in OVER_UDP]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    return make_certificate(tmp_path_factory.mktemp("tls"))


def checked(port: int, protocol: Protocol, tls: Tls, workload: Workload = HELLO) -> Verification:
    handle, entry = asked(port, protocol, tls)
    return verify(handle, entry, workload)


@pytest.mark.parametrize("protocol", OVER_TCP)
def test_a_right_answer_is_right_over_each_protocol(protocol: Protocol, run: Certificate) -> None:
    with a_server(protocol, run) as port:
        tls = run.client if protocol in ("h1-tls", "h2") else None
        assert answers("127.0.0.1", port, protocol, tls) is None
        found = checked(port, protocol, run.client)
    assert found.problems == () and found.warnings == ()
    assert (found.status, found.keeps_alive) == (200, True)
    assert base64.b64decode(found.expected_body_base64 or "") == b"Hello"
    assert ("content-type", "text/plain") in found.headers


@pytest.mark.parametrize("protocol", OVER_TCP)
def test_a_wrong_answer_is_wrong_over_each_protocol(protocol: Protocol, run: Certificate) -> None:
    wrong = HELLO.model_copy(update={"expect": ExpectSection(body="Jello")})
    with a_server(protocol, run) as port:
        found = checked(port, protocol, run.client, wrong)
    assert found.problems == ('GET /: answered "Hello", not "Jello"',)


SPEAKS_HTTP_1 = "it speaks HTTP/1 alone: it answered HTTP/2's preface (prior knowledge) with "


@pytest.mark.parametrize(
    ("speaks", "asked_for", "says"),
    [
        ("h1", "h2c", SPEAKS_HTTP_1 + "`HTTP/1.1 400 Bad Request`"),
        ("h1", "h1-tls", "its port speaks plain HTTP; "),
        ("h1", "h2", "its port speaks plain HTTP; "),
        ("h2c", "h1", "it answers HTTP/1.1 with HTTP/2: use --protocol h2c or h2"),
        ("h2c", "h2", "its port speaks plain HTTP; "),
        ("h1-tls", "h1", "its port speaks TLS; "),
        ("h1-tls", "h2c", "its port speaks TLS; "),
        ("h1-tls", "h2", "offered h2 by ALPN"),
        ("h2", "h1-tls", "it answers HTTP/1.1 with HTTP/2: use --protocol h2c or h2"),
    ],
)
def test_one_that_speaks_something_else_is_told_what(
    speaks: Protocol, asked_for: Protocol, says: str, run: Certificate
) -> None:
    with a_server(speaks, run) as port:
        (problem,) = checked(port, asked_for, run.client).problems
        fault = answers("127.0.0.1", port, asked_for, run.client)
    assert problem.startswith(f"GET /: {says}")
    assert (fault or "").startswith(says)


@pytest.mark.parametrize(
    ("agrees_on", "says"), [(("http/1.1", "h2"), ""), (("http/1.1",), "none"), ((), "none")]
)
def test_alpns_choice_is_asked_for(agrees_on: tuple[str, ...], says: str, run: Certificate) -> None:
    with a_server("h2", run, serve_http_1 if says else None, alpn=agrees_on) as port:
        problems = checked(port, "h2", run.client).problems
    if says:
        (problem,) = problems
        assert f"offered h2 by ALPN, it selected {says}" in problem
        assert problem.endswith("does it speak h2?")
    else:
        assert problems == ()


def test_http_1_over_tls_needs_no_alpn(run: Certificate) -> None:
    with a_server("h1-tls", run, alpn=()) as port:
        assert checked(port, "h1-tls", run.client).problems == ()


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (expired, "certificate has expired"),
        (of_another_name, "Hostname mismatch, certificate is not valid for 'example.org'"),
        (of_another_root, ""),
    ],
)
@pytest.mark.parametrize("protocol", ["h1-tls", "h2"])
def test_a_certificate_that_is_not_believed_says_why_and_insecure_takes_it(
    protocol: Protocol,
    make: Callable[[Path, pytest.MonkeyPatch], tuple[Certificate, Tls]],
    says: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made, tls = make(tmp_path, monkeypatch)
    with a_server(protocol, made) as port:
        (problem,) = checked(port, protocol, tls).problems
        assert problem.startswith(f"GET /: its certificate is not trusted: {says}")
        insecure = Tls(server_name="example.org", insecure=True)
        assert checked(port, protocol, insecure).problems == ()


def test_a_request_larger_than_the_servers_windows_arrives_whole(run: Certificate) -> None:
    body = "a" * 200_000
    server = Http2Server(settings={SettingCodes.INITIAL_WINDOW_SIZE: 1000})
    request = RequestSection(method="POST", body=body, headers={"Connection": "close"})
    with a_server("h2c", run, server.serve) as port:
        workload = HELLO.model_copy(update={"request": request})
        assert checked(port, "h2c", run.client, workload).problems == ()
    assert server.seen[0] == body.encode()


def test_the_audit_has_settings_and_what_hpack_makes_of_heads(run: Certificate) -> None:
    server = Http2Server(
        settings={SettingCodes.MAX_CONCURRENT_STREAMS: 128, SettingCodes.HEADER_TABLE_SIZE: 2048}
    )
    with a_server("h2c", run, server.serve) as port:
        found = audit([asked(port, "h2c", None)], HELLO, sleep=lambda _: None)["x"]
        verified = checked(port, "h2c", run.client)
    assert found.kept == REQUESTS
    assert found.keeps_http_1_0 is None and found.closes_when_asked is None
    assert found.tls is None and found.http2
    assert (found.http2.max_concurrent_streams, found.http2.header_table_size) == (128, 2048)
    plain = sum(len(f"{name}: {value}\r\n") for name, value in FIELDS[1:])
    assert found.http2.head_bytes == plain
    # A frame's own head, and an index for each field that HPACK knows by then.
    assert found.http2.next_head_bytes == 9 + len(FIELDS)
    assert found.http2.next_head_bytes < found.http2.first_head_bytes < plain
    assert verified.head_bytes == found.http2.next_head_bytes
    assert verified.body_bytes == 9 + len(b"Hello")


@pytest.mark.parametrize("protocol", ["h1-tls", "h2"])
@pytest.mark.parametrize("tickets", [0, 2])
def test_the_audit_has_what_tls_came_to(protocol: Protocol, tickets: int, run: Certificate) -> None:
    with a_server(protocol, run, tickets=tickets) as port:
        found = audit([asked(port, protocol, run.client)], HELLO, sleep=lambda _: None)["x"]
    assert found.tls
    assert (found.tls.version, found.tls.key) == ("1.3", "EC secp256r1")
    assert found.tls.cipher.startswith("TLS_") and found.tls.alpn in ("h2", "http/1.1")
    assert found.tls.resumes == bool(tickets)
    assert (found.http2 is not None) == (protocol == "h2")
    assert found.kept == REQUESTS


def test_a_port_that_says_nothing_to_a_handshake_is_named(run: Certificate) -> None:
    def silent(connection: object) -> None:
        assert connection

    with a_server("h1", run, silent) as port:
        fault = answers("127.0.0.1", port, "h2", run.client)
    assert fault and "TLS handshake" in fault and "does its port speak TLS?" in fault
