"""How ab counts what servers answer."""

from pathlib import Path

from tests.personality.comparison import Case, assert_same, table
from tests.personality.server import Answer, Asked, Close, Pause, Step, always, ordinary, response

RESET = Close(reset=True)
HEAD = b"HTTP/1.1 200 OK\r\n"


def closing(*headers: str, body: bytes = b"hello", status: str = "200 OK") -> tuple[Step, ...]:
    return response(body, status, *headers), Close()


def fifth(status: str) -> Answer:
    """This status for the first, sixth, eleventh… request."""
    return lambda asked: closing(status="200 OK" if asked.total % 5 else status)


def each_third(*steps: Step, first: int = 2) -> Answer:
    """The third, sixth, ninth… request has these, the others a right answer."""
    return lambda asked: steps if asked.total % 3 == first else closing()


def growing(asked: Asked) -> tuple[Step, ...]:
    return closing(body=b"x" * (1 + asked.total % 3))


STATUSES = [
    Case(f"ab -n 20 {words} @/", f"each fifth {status}", fifth(status))
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
    Case(
        "ab -n 3 @/",
        "longer than promised",
        always(HEAD + b"Content-Length: 5\r\n\r\nhelloEXTRA", Close()),
    ),
    Case("ab -n 3 -i @/", "HEAD", ordinary(b"")),
    Case("ab -n 3 -i @/", "HEAD with a body all the same", ordinary(b"hello")),
    Case(
        "ab -n 4 -i -k @/",
        "HEAD, Content-Length 500",
        always(HEAD + b"Connection: Keep-Alive\r\nContent-Length: 500\r\n\r\n"),
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
        (
            "each third closed in its body",
            each_third(HEAD + b"Content-Length: 9\r\n\r\nhe", Close()),
        ),
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


@table([*STATUSES, *LENGTHS, *ENDINGS, *TIMEOUTS])
def test_counts(case: Case, tmp_path: Path) -> None:
    assert_same(case, tmp_path)
