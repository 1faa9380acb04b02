"""An echo over WebSocket is right, or its fault has a name."""

import base64
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bakeoff.model.receipt import Verification
from bakeoff.model.workload import Workload
from bakeoff.start.certificate import make_certificate
from bakeoff.verify import answers, audit, verify
from bakeoff.verify.audit import probe
from bakeoff.verify.mix import opening
from bakeoff.verify.websocket import AHEAD_BYTES_MAX
from tests.verify.protocols import a_server
from tests.verify.serving import Serve, handle_and_entry, serving
from tests.verify.websockets import echoing, frame, passing_on

HELLO = "Hello, World!"
AGREES = "Sec-WebSocket-Extensions: permessage-deflate{}\r\n"
ALONE = "; server_no_context_takeover"
DEFLATED = zlib.compress(bytes(AHEAD_BYTES_MAX + 1), wbits=-15)
BOMB = b"\xc1\x7e" + len(DEFLATED).to_bytes(2, "big") + DEFLATED
CLOSE = frame(0x88, b"\x03\xe8")
PIECES = ((0x01, 0), (0x00, 1), (0x80, 2))
"""The first byte of each frame of a message of three, and where its byte is in that."""


def workload(**websocket: Any) -> Workload:
    return Workload.checked({"name": "echo", "websocket": {"message": HELLO, **websocket}}, "")


def verified(serve: Serve, pipeline: int = 1, **websocket: Any) -> Verification:
    with serving(serve) as port:
        return verify(*handle_and_entry("a", port), workload(**websocket), pipeline)


def instead(answer: bytes) -> Serve:
    return echoing(lambda _: answer)


def test_a_compressed_echo_is_weighed_as_it_travels() -> None:
    found = verified(echoing(), compression=True, message="a" * 1000)
    assert (found.problems, found.warnings, found.head_bytes) == ((), (), 2)
    assert found.body_bytes < 20
    assert base64.b64decode(found.expected_body_base64 or "") == b"a" * 1000


@pytest.mark.parametrize(
    ("serve", "said"),
    [
        (
            echoing(agreed=AGREES.format(f"{ALONE}; server_max_window_bits=x")),
            "differs from the offer",
        ),
        (
            echoing(agreed=AGREES.format(f"{ALONE}; client_max_window_bits=15")),
            "differs from the offer",
        ),
        (
            echoing(agreed="Sec-WebSocket-Extensions: x-webkit-deflate-frame\r\n"),
            "unrecognized extension",
        ),
        (instead(frame(0xC1, b"\xff\xff\xff")), "breaks WebSocket's protocol"),
        (instead(frame(0xC1, b"\xca\x48\xcc\xc9\xc9\x07\0")), 'echoed "hallo", not'),
        (instead(BOMB), "its echo has more than 1048576 bytes"),
    ],
)
def test_what_is_wrong_with_compression_is_named(serve: Serve, said: str) -> None:
    (problem,) = verified(serve, compression=True).problems
    assert problem.startswith("GET /: ")
    assert said in problem


def test_an_echo_is_right_and_its_frame_counts_as_its_head() -> None:
    found = verified(echoing())
    assert (found.problems, found.warnings, found.status) == ((), (), 101)
    assert (found.head_bytes, found.body_bytes, found.keeps_alive) == (2, len(HELLO), True)
    response = base64.b64decode(found.response_base64)
    assert response.startswith(b"HTTP/1.1 101 ")
    assert response.partition(b"\r\n\r\n")[2] == frame(0x81, HELLO.encode())


@pytest.mark.parametrize(
    "lie",
    [
        lambda echo: b"".join(frame(first, echo[2 + at : 3 + at]) for first, at in PIECES),
        lambda echo: frame(0x89, b"ping") + echo,
    ],
)
def test_fragments_are_joined_and_pings_come_between(lie: Callable[[bytes], bytes]) -> None:
    assert verified(echoing(lie), message="abc").problems == ()


@pytest.mark.parametrize("pipeline", [2, 16])
@pytest.mark.parametrize(
    "message",
    [
        {},
        {"binary": True},
        {"message": "", "binary": True},
        {"message": None, "message_bytes": 2**16},
    ],
)
def test_as_many_messages_are_sent_ahead_as_the_load_sends(
    pipeline: int, message: dict[str, Any]
) -> None:
    assert verified(echoing(), pipeline, **message).problems == ()


def test_no_more_is_sent_ahead_than_sockets_hold() -> None:
    sent = {"message": None, "message_bytes": AHEAD_BYTES_MAX, "binary": True}
    assert verified(echoing(), 10_000, **sent).problems == ()


@pytest.mark.parametrize(
    ("serve", "said"),
    [
        (echoing(upgrade=b"HTTP/1.1 101 S\r\nUpgrade: websocket\r\n\r\n"), "Connection: Upgrade"),
        (instead(frame(0x81, b"")), "echoed an empty body"),
        (instead(frame(0x81, b"\xff\xff")), "breaks WebSocket's protocol"),
        (instead(frame(0x81, b"abcd" + HELLO.encode(), 0x80)), "breaks WebSocket's protocol"),
        (instead(frame(0x09, b"")), "breaks WebSocket's protocol"),
        (instead(frame(0x88, b"")), "closed before the echo, with no code"),
        (instead(frame(0x88, b"\x03\xed")), "breaks WebSocket's protocol"),
        (instead(b"\x81"), "closed in the middle of its echo"),
        (echoing(lambda echo: echo + frame(0x81, b"!")), "not an echo"),
    ],
)
def test_what_is_wrong_is_named(serve: Serve, said: str) -> None:
    (problem,) = verified(serve).problems
    assert problem.startswith("GET /: ")
    assert said in problem


PLAIN = b"HTTP/1.1 400 B\r\nContent-Length: 41\r\n\r\nA plain HTTP request came to an HTTPS port"


@pytest.mark.parametrize("answer", [b"\x15\x03\x01\x00\x02\x02\x46", PLAIN])
def test_a_port_that_speaks_tls_is_told_its_scheme(answer: bytes) -> None:
    (problem,) = verified(echoing(upgrade=answer)).problems
    assert "wss://" in problem and "https://" not in problem


def test_a_port_that_speaks_tls_and_says_nothing_is_told_its_scheme_too(tmp_path: Path) -> None:
    with a_server("h1-tls", make_certificate(tmp_path)) as port:
        (problem,) = verify(*handle_and_entry("a", port), workload(), 1).problems
    assert "wss://" in problem and "https://" not in problem


@pytest.mark.parametrize(
    ("serve", "waits"),
    [
        (echoing(), False),
        (instead(frame(0x81, b"?")), False),
        (instead(frame(0x88, b"\x03\xf3")), False),
        (echoing(upgrade=b"HTTP/1.1 404 N\r\ncontent-length: 0\r\n\r\n"), False),
        (echoing(upgrade=b"HTTP/1.1 503 S\r\ncontent-length: 0\r\n\r\n"), True),
        (instead(b""), True),
    ],
)
def test_a_server_is_ready_once_it_answers_rightly_or_not(serve: Serve, waits: bool) -> None:
    with serving(serve) as port:
        handle, entry = handle_and_entry("a", port)
        request = opening(entry, workload())
        assert (answers("127.0.0.1", handle.port, request=request) is not None) == waits


def test_its_work_for_an_echo_is_seen_and_probes_of_http_are_left_out() -> None:
    with serving(echoing()) as port:
        handle, entry = handle_and_entry("a", port)
        found = audit([(handle, entry)], workload(), sleep=lambda _: None)["a"]
        assert (found.asked, found.kept, found.date, found.segments) == (20, 20, "none", 1)
        assert probe(handle, entry, workload()).closes_when_asked is None


def test_a_room_is_heard_by_all() -> None:
    found = verified(passing_on(), room=4)
    assert (found.problems, found.warnings) == ((), ())
    assert base64.b64decode(found.expected_body_base64 or "") == HELLO.encode()


@pytest.mark.parametrize(
    ("serve", "said"),
    [
        (
            passing_on(lambda number, message: CLOSE if number == 2 else message),
            "hears it wrongly: it closed before the echo, with the code 1000",
        ),
        (
            passing_on(lambda number, message: message[:-1] + b"?" if number else message),
            'echoed "Hello, World?"',
        ),
        (echoing(), "hears it wrongly"),
    ],
)
def test_a_room_whose_others_hear_it_wrongly_is_refused(serve: Serve, said: str) -> None:
    (problem,) = verified(serve, room=4).problems
    assert said in problem
