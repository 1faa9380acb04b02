"""How ab reads heads, and how it sees that a connection is kept alive."""

from pathlib import Path

from tests.personality.comparison import Case, assert_same, table
from tests.personality.server import Answer, Close, Pause, Step, always, response

HEAD = b"HTTP/1.1 200 OK\r\n"
KEPT = HEAD + b"Connection: Keep-Alive\r\n"
CHUNKED = b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
FIVE = b"Connection: Keep-Alive\r\nContent-Length: 5\r\n\r\nhello"


def kept(body: bytes = b"hello", status: str = "200 OK") -> bytes:
    return response(body, status, "Connection: Keep-Alive")


def each_third(*steps: Step) -> Answer:
    """The third, sixth, ninth… request has these, the others a right answer."""
    return lambda asked: steps if asked.total % 3 == 2 else (kept(),)


def growing() -> Answer:
    return lambda asked: (kept(b"x" * (1 + asked.total % 3)),)


def slowly(text: bytes) -> list[Step]:
    """Byte by byte."""
    return [step for at in range(len(text)) for step in (text[at : at + 1], Pause(0.001))]


KEPT_ALIVE = [
    Case(f"ab {words} @/", note, answer)
    for words, note, answer in (
        (
            "-n 9 -k",
            "each third closed in its body",
            each_third(KEPT + b"Content-Length: 9\r\n\r\nhe", Close()),
        ),
        ("-n 9 -k", "each third closed without an answer", each_third(Close())),
        ("-n 9 -k", "each third closed in its head", each_third(HEAD + b"Conn", Close())),
        ("-n 9 -k -r", "each third reset", each_third(Close(reset=True))),
        (
            "-n 9 -k",
            "each third not kept",
            each_third(response(b"hello", "200 OK", "Connection: close"), Close()),
        ),
        ("-n 9 -k", "each third 404", each_third(kept(status="404 N"))),
        (
            "-n 9 -k",
            "none kept",
            always(response(b"hello", "200 OK", "Connection: close"), Close()),
        ),
        (
            "-n 9 -k",
            "by the header Keep-Alive",
            always(response(b"hello", "200 OK", "Keep-Alive: timeout=5")),
        ),
        ("-n 9 -k", "lengths 1, 2, 3, 1…", growing()),
        ("-n 9 -k -l", "lengths 1, 2, 3, 1…", growing()),
        (
            "-n 4 -k",
            "204 without a length",
            always(b"HTTP/1.1 204 No Content\r\nConnection: Keep-Alive\r\n\r\n"),
        ),
        ("-n 4 -k", "no length, closed", always(response(b"hello", length=False), Close())),
        ("-n 4 -k", "no length, kept", always(KEPT + b"\r\nhello")),
        (
            "-n 4 -k",
            "chunked",
            always(HEAD + b"Connection: keep-alive\r\n" + CHUNKED),
        ),
        ("-n 2 -k", "longer than promised", always(HEAD + FIVE + b"EXTRA")),
        (
            "-n 4 -k",
            "body in pieces",
            always(HEAD + FIVE[:-5], Pause(0.03), b"he", Pause(0.03), b"llo"),
        ),
        (
            "-n 4 -k",
            "head in pieces",
            always(HEAD + FIVE[:9], Pause(0.03), FIVE[9:-6], Pause(0.03), FIVE[-6:]),
        ),
        ("-n 4 -k", "byte by byte", always(*slowly(kept(b"hi")))),
    )
]
FIELDS = [
    Case("ab -n 4 -k @/", note, always(HEAD + fields))
    for note, fields in (
        ("Content-length", b"Connection: Keep-Alive\r\nContent-length: 5\r\n\r\nhello"),
        ("capitals", b"CONNECTION: KEEP-ALIVE\r\nCONTENT-LENGTH: 5\r\n\r\nhello"),
        ("no space", b"Connection:Keep-Alive\r\nContent-Length:5\r\n\r\nhello"),
        ("Server", b"Server: My/1.0 (x) y\r\n" + FIVE),
        ("Server twice", b"Server:   A B\r\nServer: C\r\n" + FIVE),
        ("server in small letters", b"server: small\r\n" + FIVE),
        ("X-Server before", b"X-Server: no\r\nServer:none\r\n" + FIVE),
        ("a long Server", b"Server: " + b"s" * 2000 + b"\r\n" + FIVE),
        ("two lengths", b"Content-Length: 3\r\n" + FIVE),
        ("length that is none", b"Connection: Keep-Alive\r\nContent-Length: abc\r\n\r\n"),
    )
]
STRANGE = [
    Case("ab -n 4 @/", note, always(text, Close()))
    for note, text in (
        ("chunked", HEAD + CHUNKED),
        ("no HTTP", b"garbage\r\n\r\n"),
        ("no line", b"garbage"),
        ("bare line feeds", b"HTTP/1.1 200 OK\n\nhello"),
        ("line feeds, headers", b"HTTP/1.1 200 OK\nServer: x\nContent-Length: 5\n\nhello"),
        ("half a status line", b"HTTP/1.1 2"),
        ("no status", b"HTTP/1.1 \r\n\r\nhello"),
        ("status 99", b"HTTP/1.1 99 X\r\n\r\nhello"),
        ("status 2000", b"HTTP/1.1 2000 X\r\n\r\nhello"),
        ("HTTP/1.0", b"HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello"),
        ("HTTP/2.0", b"HTTP/2.0 200 OK\r\nContent-Length: 5\r\n\r\nhello"),
        ("a head of 3 KB", HEAD + b"A: " + b"a" * 3000 + b"\r\nContent-Length: 5\r\n\r\nhello"),
        ("a head of 8 KB", HEAD + b"A: " + b"a" * 8100 + b"\r\n\r\nhello"),
        ("100 Continue", b"HTTP/1.1 100 Continue\r\n\r\n" + HEAD + b"\r\nhello"),
        ("zeros", b"\0" * 20),
        ("a zero in the head", HEAD + b"A: \0b\r\nServer: x\r\n\r\nhello"),
        ("an empty line first", b"\r\n" + HEAD + b"\r\nhello"),
        ("nothing but the end of the head", b"\r\n\r\n"),
    )
]


@table([*KEPT_ALIVE, *FIELDS, *STRANGE])
def test_heads(case: Case, tmp_path: Path) -> None:
    assert_same(case, tmp_path)
