"""How ab counts what servers answer."""

from pathlib import Path

import pytest

from tests.personality.comparison import Case, assert_same, table
from tests.personality.server import Answer, Asked, Close, Pause, Step, always, ordinary, response

pytestmark = pytest.mark.e2e

RESET = Close(reset=True)
HEAD = b"HTTP/1.1 200 OK\r\n"


def closing(*headers: str, body: bytes = b"hello", status: str = "200 OK") -> tuple[Step, ...]:
    return response(body, status, *headers), Close()


def kept(body: bytes = b"hello", status: str = "200 OK") -> tuple[Step, ...]:
    return (response(body, status, "Connection: Keep-Alive"),)


def each_third(*steps: Step, first: int = 2) -> Answer:
    """The third, sixth, ninth… request has these, the others a right answer."""
    return lambda asked: steps if asked.total % 3 == first else closing()


def each_third_kept(*steps: Step) -> Answer:
    return lambda asked: steps if asked.total % 3 == 2 else kept()


def raw(text: bytes, *steps: Step) -> Answer:
    return always(text, *(steps or (Close(),)))


def growing(asked: Asked) -> tuple[Step, ...]:
    return closing(body=b"x" * (1 + asked.total % 3))


STATUSES = [
    Case(
        f"ab -n 20 {words} @/",
        f"each fifth {status}",
        lambda asked, status=status: closing(status="200 OK" if asked.total % 5 else status),
    )
    for words in ("", "-c 5")
    for status in ("500 Oops", "404 Not Found", "302 Found", "299 X", "300 X", "199 X")
]
LENGTHS = [
    Case("ab -n 20 @/", "lengths 1, 2, 3, 1…", growing),
    Case("ab -n 20 -c 4 @/", "lengths 1, 2, 3, 1…", growing),
    Case("ab -n 20 -l @/", "lengths 1, 2, 3, 1…", growing),
    Case(
        "ab -n 20 @/",
        "each fifth 404 and longer",
        lambda asked: closing() if asked.total % 5 else closing(status="404 N", body=b"longer"),
    ),
    Case("ab -n 3 @/", "no Content-Length", always(response(b"hello", length=False), Close())),
    Case("ab -n 3 @/", "an empty body", ordinary(b"")),
    Case("ab -n 3 @/", "300 KB", ordinary(b"x" * 300_000)),
    Case("ab -n 6 -k -c 2 @/", "300 KB", ordinary(b"x" * 300_000)),
    Case("ab -n 3 @/", "longer than promised", raw(HEAD + b"Content-Length: 5\r\n\r\nhelloEXTRA")),
    Case("ab -n 3 -i @/", "HEAD", ordinary(b"")),
    Case("ab -n 3 -i @/", "HEAD with a body all the same", ordinary(b"hello")),
    Case(
        "ab -n 4 -i -k @/",
        "HEAD, Content-Length 500",
        raw(HEAD + b"Connection: Keep-Alive\r\nContent-Length: 500\r\n\r\n", Pause(0)),
    ),
]
ENDINGS = [
    Case(f"ab -n 9 {words} @/", note, answer)
    for words in ("", "-r")
    for note, answer in (
        ("each third closed without an answer", each_third(Close())),
        ("the first closed without an answer", each_third(Close(), first=0)),
        ("each third reset", each_third(RESET)),
        ("the first reset", each_third(RESET, first=0)),
        ("each third closed in its head", each_third(HEAD + b"Content-Le", Close())),
        ("each third closed in its body", each_third(HEAD + b"Content-Length: 9\r\n\r\nhe", Close())),
        ("all closed without an answer", always(Close())),
        ("all reset", always(RESET)),
        ("all closed in their heads", always(HEAD + b"Content-Le", Close())),
    )
] + [
    Case(
        "ab -n 9 -r @/",
        "each third reset in its body",
        each_third(HEAD + b"Content-Length: 9\r\n\r\nhe", Pause(0.02), RESET),
    ),
    Case("ab -n 12 -c 12 @/", "all closed without an answer", always(Close())),
    Case("ab -n 3 @/", "reset when it connects", greet=lambda index: (RESET,)),
]
KEPT_ALIVE = [
    Case("ab -n 9 -k @/", "each third closed in its body", each_third_kept(HEAD + b"Connection: Keep-Alive\r\nContent-Length: 9\r\n\r\nhe", Close())),
    Case("ab -n 9 -k @/", "each third closed without an answer", each_third_kept(Close())),
    Case("ab -n 9 -k @/", "each third closed in its head", each_third_kept(HEAD + b"Conn", Close())),
    Case("ab -n 9 -k -r @/", "each third reset", each_third_kept(RESET)),
    Case("ab -n 9 -k @/", "each third not kept", each_third_kept(*closing("Connection: close"))),
    Case("ab -n 9 -k @/", "none kept", lambda asked: closing("Connection: close")),
    Case("ab -n 9 -k @/", "kept by the header Keep-Alive", always(response(b"hello", "200 OK", "Keep-Alive: timeout=5"))),
    Case("ab -n 9 -k @/", "lengths 1, 2, 3, 1…", lambda asked: kept(b"x" * (1 + asked.total % 3))),
    Case("ab -n 9 -k -l @/", "lengths 1, 2, 3, 1…", lambda asked: kept(b"x" * (1 + asked.total % 3))),
    Case("ab -n 9 -k @/", "each third 404", lambda asked: kept(status="200 OK" if asked.total % 3 else "404 N")),
    Case("ab -n 4 -k @/", "204 without a length", raw(b"HTTP/1.1 204 No Content\r\nConnection: Keep-Alive\r\n\r\n", Pause(0))),
    Case("ab -n 4 -k @/", "no length, closed", always(response(b"hello", length=False), Close())),
    Case("ab -n 4 -k @/", "no length, kept", always(response(b"hello", "200 OK", "Connection: Keep-Alive", length=False))),
    Case("ab -n 4 -k @/", "chunked", raw(HEAD + b"Connection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", Pause(0))),
    Case("ab -n 2 -k @/", "longer than promised", raw(HEAD + b"Connection: Keep-Alive\r\nContent-Length: 5\r\n\r\nhelloEXTRA", Pause(0))),
    Case("ab -n 4 -k @/", "body in three pieces", always(HEAD + b"Connection: Keep-Alive\r\nContent-Length: 5\r\n\r\n", Pause(0.03), b"he", Pause(0.03), b"llo")),
    Case("ab -n 4 -k @/", "head in three pieces", always(HEAD + b"Conn", Pause(0.03), b"ection: Keep-Alive\r\nContent-Length: 5\r\n\r", Pause(0.03), b"\nhello")),
    Case("ab -n 4 -k @/", "byte by byte", lambda asked: [step for byte in kept(b"hi")[0] for step in (bytes([byte]), Pause(0.001))]),
]
HEADS = [
    Case("ab -n 4 -k @/", note, raw(text, Pause(0)))
    for note, text in (
        ("Content-length", HEAD + b"Connection: Keep-Alive\r\nContent-length: 5\r\n\r\nhello"),
        ("capitals", HEAD + b"CONNECTION: KEEP-ALIVE\r\nCONTENT-LENGTH: 5\r\n\r\nhello"),
        ("no space", HEAD + b"Connection:Keep-Alive\r\nContent-Length:5\r\n\r\nhello"),
        ("Server", HEAD + b"Server: My/1.0 (x) y\r\nConnection: Keep-Alive\r\nContent-Length: 5\r\n\r\nhello"),
        ("Server twice", HEAD + b"Server:   A B\r\nServer: C\r\nConnection: Keep-Alive\r\nContent-Length: 5\r\n\r\nhello"),
        ("server in small letters", HEAD + b"server: small\r\nConnection: Keep-Alive\r\nContent-Length: 5\r\n\r\nhello"),
        ("X-Server before", HEAD + b"X-Server: no\r\nServer:none\r\nConnection: Keep-Alive\r\nContent-Length: 5\r\n\r\nhello"),
        ("a long Server", HEAD + b"Server: " + b"s" * 2000 + b"\r\nConnection: Keep-Alive\r\nContent-Length: 5\r\n\r\nhello"),
        ("two lengths", HEAD + b"Content-Length: 3\r\nConnection: Keep-Alive\r\nContent-Length: 5\r\n\r\nhello"),
        ("length that is none", HEAD + b"Connection: Keep-Alive\r\nContent-Length: abc\r\n\r\n"),
    )
] + [
    Case("ab -n 4 @/", note, raw(text))
    for note, text in (
        ("no HTTP", b"garbage\r\n\r\n"),
        ("no line", b"garbage"),
        ("bare line feeds", b"HTTP/1.1 200 OK\n\nhello"),
        ("bare line feeds with headers", b"HTTP/1.1 200 OK\nServer: x\nContent-Length: 5\n\nhello"),
        ("half a status line", b"HTTP/1.1 2"),
        ("no status", b"HTTP/1.1 \r\n\r\nhello"),
        ("status 99", b"HTTP/1.1 99 X\r\n\r\nhello"),
        ("status 2000", b"HTTP/1.1 2000 X\r\n\r\nhello"),
        ("HTTP/1.0", b"HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello"),
        ("HTTP/2.0", b"HTTP/2.0 200 OK\r\nContent-Length: 5\r\n\r\nhello"),
        ("a head of 3 KB", HEAD + b"A: " + b"a" * 3000 + b"\r\nContent-Length: 5\r\n\r\nhello"),
        ("a head of 8 KB", HEAD + b"A: " + b"a" * 8100 + b"\r\n\r\nhello"),
        ("100 Continue", b"HTTP/1.1 100 Continue\r\n\r\n" + HEAD + b"Content-Length: 5\r\n\r\nhello"),
        ("zeros", b"\0" * 20),
        ("a zero in the head", HEAD + b"A: \0b\r\nServer: x\r\n\r\nhello"),
        ("an empty line first", b"\r\n" + HEAD + b"\r\nhello"),
        ("nothing but the end of the head", b"\r\n\r\n"),
    )
]
TIMEOUTS = [
    Case("ab -s 1 -n 2 @/", "no answer", always(Pause(3))),
    Case("ab -s 1 -r -n 2 @/", "no answer", always(Pause(3))),
    Case("ab -s 1 -n 3 @/", "the second too late", lambda asked: (Pause(3.0 * (asked.total == 1)), *closing())),
    Case("ab -s 1 -n 3 -k @/", "kept without a word", always(response())),
    Case("ab -n 100 -c 2 @/", "no answer, interrupted", always(Pause(3)), interrupted_after_s=0.4),
]


@table([*STATUSES, *LENGTHS, *ENDINGS, *KEPT_ALIVE, *HEADS, *TIMEOUTS])
def test_counts(case: Case, tmp_path: Path) -> None:
    assert_same(case, tmp_path)
