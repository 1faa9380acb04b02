"""How ab reads and counts what servers answer."""

from pathlib import Path

from tests.personality.comparison import Case, answered, assert_same, table
from tests.personality.server import (
    Answer,
    Asked,
    Close,
    Pause,
    Step,
    always,
    every,
    ordinary,
    response,
)

RESET = Close(reset=True)
HEAD = b"HTTP/1.1 200 OK\r\n"
KEPT = HEAD + b"Connection: Keep-Alive\r\n"
FIVE = b"Connection: Keep-Alive\r\nContent-Length: 5\r\n\r\nhello"
NINE = b"Content-Length: 9\r\n\r\nhe"
CHUNKED = b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"


def closing(*headers: str, body: bytes = b"hello", status: str = "200 OK") -> tuple[Step, ...]:
    return response(body, status, *headers), Close()


def kept(body: bytes = b"hello", status: str = "200 OK") -> bytes:
    return response(body, status, "Connection: Keep-Alive")


def growing(asked: Asked) -> tuple[Step, ...]:
    return closing(body=b"x" * (1 + asked.total % 3))


def growing_kept(asked: Asked) -> tuple[Step, ...]:
    return (kept(b"x" * (1 + asked.total % 3)),)


def third(*steps: Step, first: int = 2) -> Answer:
    """The third, sixth, ninth… request has these, the others an answer and the end."""
    return every(3, *steps, others=always(*closing()), first=first)


def third_kept(*steps: Step) -> Answer:
    """The same, where the others are kept alive."""
    return every(3, *steps, others=always(kept()))


def slowly(text: bytes) -> list[Step]:
    return [step for at in range(len(text)) for step in (text[at : at + 1], Pause(0.001))]


FIFTHS = {
    f"each fifth {status}": every(5, *closing(status=status), others=always(*closing()), first=0)
    for status in ("500 Oops", "404 Not Found", "302 Found", "299 X", "300 X", "199 X")
}
STATUSES = [*answered("ab -n 20  @/", FIFTHS), *answered("ab -n 20 -c 5 @/", FIFTHS)]
LENGTHS = [
    *(
        Case(f"ab -n 20 {words}@/", "lengths 1, 2, 3, 1…", growing)
        for words in ("", "-c 4 ", "-l ")
    ),
    Case(
        "ab -n 20 @/",
        "each fifth 404 and longer",
        every(5, *closing(status="404 N", body=b"longer"), others=always(*closing()), first=0),
    ),
    *answered(
        "ab -n 3 @/",
        {
            "no Content-Length": always(response(b"hello", length=False), Close()),
            "an empty body": ordinary(b""),
            "300 KB": ordinary(b"x" * 300_000),
            "longer than promised": always(HEAD + b"Content-Length: 5\r\n\r\nhelloEXTRA", Close()),
        },
    ),
    Case("ab -n 6 -k -c 2 @/", "300 KB", ordinary(b"x" * 300_000)),
    Case("ab -n 3 -i @/", "HEAD", ordinary(b"")),
    Case("ab -n 3 -i @/", "HEAD with a body all the same", ordinary(b"hello")),
    Case(
        "ab -n 4 -i -k @/",
        "HEAD, Content-Length 500",
        always(HEAD + b"Connection: Keep-Alive\r\nContent-Length: 500\r\n\r\n"),
    ),
]
ENDS = {
    "each third closed without an answer": third(Close()),
    "the first closed without an answer": third(Close(), first=0),
    "each third reset": third(RESET),
    "the first reset": third(RESET, first=0),
    "each third closed in its head": third(HEAD + b"Content-Le", Close()),
    "each third closed in its body": third(HEAD + NINE, Close()),
    "all closed without an answer": always(Close()),
    "all reset": always(RESET),
    "all closed in their heads": always(HEAD + b"Content-Le", Close()),
}
ENDINGS = [
    *answered("ab -n 9  @/", ENDS),
    *answered("ab -n 9 -r @/", ENDS),
    Case("ab -n 9 -r @/", "each third reset in its body", third(HEAD + NINE, Pause(0.02), RESET)),
    Case("ab -n 12 -c 12 @/", "all closed without an answer", always(Close())),
    Case("ab -n 3 @/", "reset when it connects", greet=lambda index: (RESET,)),
]
TIMEOUTS = [
    Case("ab -s 1 -n 2 @/", "no answer", always(Pause(3))),
    Case("ab -s 1 -r -n 2 @/", "no answer", always(Pause(3))),
    Case(
        "ab -s 1 -n 3 @/",
        "the second too late",
        lambda asked: (Pause(3.0 * (asked.total == 1)), *closing()),
    ),
    Case("ab -s 1 -n 3 -k @/", "kept without a word", always(response())),
    Case("ab -n 100 -c 2 @/", "no answer, interrupted", always(Pause(3)), interrupted_after_s=0.4),
]
KEPT_ALIVE = [
    *answered(
        "ab -n 9 -k @/",
        {
            "each third closed in its body": third_kept(KEPT + NINE, Close()),
            "each third closed without an answer": third_kept(Close()),
            "each third closed in its head": third_kept(HEAD + b"Conn", Close()),
            "each third not kept": third_kept(*closing("Connection: close")),
            "each third 404": third_kept(kept(status="404 N")),
            "none kept": always(*closing("Connection: close")),
            "by the header Keep-Alive": response(b"hello", "200 OK", "Keep-Alive: timeout=5"),
            "lengths 1, 2, 3, 1…": growing_kept,
        },
    ),
    Case("ab -n 9 -k -r @/", "each third reset", third_kept(RESET)),
    Case("ab -n 9 -k -l @/", "lengths 1, 2, 3, 1…", growing_kept),
    Case("ab -n 2 -k @/", "longer than promised", always(HEAD + FIVE + b"EXTRA")),
    *answered(
        "ab -n 4 -k @/",
        {
            "204 without a length": b"HTTP/1.1 204 No Content\r\nConnection: Keep-Alive\r\n\r\n",
            "no length, closed": always(response(b"hello", length=False), Close()),
            "no length, kept": KEPT + b"\r\nhello",
            "chunked": HEAD + b"Connection: keep-alive\r\n" + CHUNKED,
            "body in pieces": always(HEAD + FIVE[:-5], Pause(0.03), b"he", Pause(0.03), b"llo"),
            "head in pieces": always(
                HEAD + FIVE[:9], Pause(0.03), FIVE[9:-6], Pause(0.03), FIVE[-6:]
            ),
            "byte by byte": always(*slowly(kept(b"hi"))),
        },
    ),
]
FIELDS = answered(
    "ab -n 4 -k @/",
    {
        note: HEAD + fields
        for note, fields in {
            "Content-length": b"Connection: Keep-Alive\r\nContent-length: 5\r\n\r\nhello",
            "capitals": b"CONNECTION: KEEP-ALIVE\r\nCONTENT-LENGTH: 5\r\n\r\nhello",
            "no space": b"Connection:Keep-Alive\r\nContent-Length:5\r\n\r\nhello",
            "Server": b"Server: My/1.0 (x) y\r\n" + FIVE,
            "Server twice": b"Server:   A B\r\nServer: C\r\n" + FIVE,
            "server in small letters": b"server: small\r\n" + FIVE,
            "X-Server before": b"X-Server: no\r\nServer:none\r\n" + FIVE,
            "a long Server": b"Server: " + b"s" * 2000 + b"\r\n" + FIVE,
            "two lengths": b"Content-Length: 3\r\n" + FIVE,
            "length that is none": b"Connection: Keep-Alive\r\nContent-Length: abc\r\n\r\n",
        }.items()
    },
)
STRANGE = answered(
    "ab -n 4 @/",
    {
        note: always(text, Close())
        for note, text in {
            "chunked": HEAD + CHUNKED,
            "no HTTP": b"garbage\r\n\r\n",
            "no line": b"garbage",
            "bare line feeds": b"HTTP/1.1 200 OK\n\nhello",
            "line feeds, headers": b"HTTP/1.1 200 OK\nServer: x\nContent-Length: 5\n\nhello",
            "half a status line": b"HTTP/1.1 2",
            "no status": b"HTTP/1.1 \r\n\r\nhello",
            "status 99": b"HTTP/1.1 99 X\r\n\r\nhello",
            "status 2000": b"HTTP/1.1 2000 X\r\n\r\nhello",
            "HTTP/1.0": b"HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello",
            "HTTP/2.0": b"HTTP/2.0 200 OK\r\nContent-Length: 5\r\n\r\nhello",
            "a head of 3 KB": HEAD + b"A: " + b"a" * 3000 + b"\r\nContent-Length: 5\r\n\r\nhello",
            "a head of 8 KB": HEAD + b"A: " + b"a" * 8100 + b"\r\n\r\nhello",
            "100 Continue": b"HTTP/1.1 100 Continue\r\n\r\n" + HEAD + b"\r\nhello",
            "zeros": b"\0" * 20,
            "a zero in the head": HEAD + b"A: \0b\r\nServer: x\r\n\r\nhello",
            "an empty line first": b"\r\n" + HEAD + b"\r\nhello",
            "nothing but the end of the head": b"\r\n\r\n",
        }.items()
    },
)


@table(STATUSES, LENGTHS, ENDINGS, TIMEOUTS, KEPT_ALIVE, FIELDS, STRANGE)
def test_answers(case: Case, tmp_path: Path) -> None:
    assert_same(case, tmp_path)
