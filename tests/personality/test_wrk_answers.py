"""How wrk counts what servers answer. `stop.lua` ends a run after twenty: then all is exact."""

from pathlib import Path

from tests.personality.comparison import Case, answered, assert_same, table
from tests.personality.server import Answer, Close, Pause, Step, always, every, ordinary, response
from tests.personality.test_wrk_scripts import TWENTY

RESET = Close(reset=True)
HEAD = b"HTTP/1.1 200 OK\r\n"
LENGTH_TWO = b"Content-Length: 2\r\n\r\nhi"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
SLOW_HEAD: list[Step] = [b"A: b\r\n", Pause(0.05)] * 50
COUNTS = """
function done(summary, latency, requests)
  local errors = summary.errors
  print(summary.requests, summary.bytes, errors.connect, errors.read, errors.write, errors.status,
    errors.timeout)
end
"""


def third(*steps: Step) -> Answer:
    """The third, sixth, ninth… request has these, the others a right answer."""
    return every(3, *steps, others=always(response()))


def third_connection(*steps: Step) -> Answer:
    return lambda asked: steps if asked.connection % 3 == 2 else (response(), Close())


COUNTED = answered(
    "wrk -t1 -c1 -d1 -s stop.lua http://@/",
    {
        "200": ordinary(),
        "500": ordinary(status="500 Oops"),
        "302": ordinary(status="302 Found"),
        "399": ordinary(status="399 X"),
        "400": ordinary(status="400 X"),
        "199": ordinary(status="199 X"),
        "each third 404": third(response(status="404 N")),
        "an empty body": ordinary(b""),
        "300 KB": ordinary(b"x" * 300_000),
        "204": b"HTTP/1.1 204 No Content\r\nServer: x\r\n\r\n",
        "304": b"HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n",
        "chunked": CHUNKED + b"5\r\nhello\r\n0\r\n\r\n",
        "chunked with a trailer": CHUNKED + b"5;x=y\r\nhello\r\n0\r\nX-T: 1\r\n\r\n",
        "100 Continue first": b"HTTP/1.1 100 Continue\r\n\r\n" + response(),
        "two answers for each": response() + response(),
        "said to be closed, and closed": always(
            response(b"hi", "200 OK", "Connection: close"), Close()
        ),
        "said to be closed, and open": response(b"hi", "200 OK", "Connection: close"),
        "HTTP/1.0, open": b"HTTP/1.0 200 OK\r\n" + LENGTH_TWO,
        "HTTP/1.0, closed": always(b"HTTP/1.0 200 OK\r\n" + LENGTH_TWO, Close()),
        "HTTP/1.0, kept": b"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n" + LENGTH_TWO,
        "body until the end": always(
            response(b"hello", "200 OK", "Server: x", length=False), Close()
        ),
        "in three pieces": always(
            response()[:9], Pause(0.005), response()[9:-5], Pause(0.005), response()[-5:]
        ),
        "bare line feeds": b"HTTP/1.1 200 OK\nContent-Length: 2\n\nhi",
        "no reason": b"HTTP/1.1 200\r\n" + LENGTH_TWO,
        "each third closed without an answer": third(Close()),
        "each third reset": third(RESET),
        "each third closed in its head": third(HEAD + b"Conte", Close()),
        "each third closed in its body": third(response()[:-3], Close()),
        "each third is no HTTP": third(b"garbage\r\n\r\n"),
        "each third connection closed without an answer": third_connection(Close()),
        "longer than promised": HEAD + LENGTH_TWO + b"EXTRA",
        "a head of 10 KB": HEAD + b"A: " + b"a" * 10_000 + b"\r\n" + LENGTH_TWO,
    },
    files={"stop.lua": TWENTY + COUNTS},
)
ALL_WRONG = [
    *answered(
        "wrk -t1 -c2 -d1 --latency http://@/",
        {
            "no answer": always(Pause(5)),
            "no headers": b"HTTP/1.1 204 No Content\r\n\r\n",
            "closed without an answer": always(Close()),
            "reset": always(RESET),
            "no HTTP": b"garbage\r\n\r\n",
            "all 500": ordinary(status="500 Oops"),
            "two lengths": HEAD + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\nhi",
            "a length that is none": HEAD + b"Content-Length: x\r\n\r\nhi",
            "a status that is none": b"HTTP/1.1 abc\r\n\r\n",
            "a chunk size that is none": CHUNKED + b"zz\r\n",
            "an endless head": always(HEAD, *SLOW_HEAD),
        },
        exact=False,
    ),
    Case(
        "wrk -t1 -c2 -d1 http://@/",
        "closed when it connects",
        greet=lambda index: (Close(),),
        exact=False,
    ),
    Case("wrk -t1 -c2 -d1 http://@/", "most of them reset", third_connection(RESET), exact=False),
]
LATE = "answers after 1.4 s"
TOO_LATE = [
    Case("wrk -t1 -c2 -d2 -T 1 --latency http://@/", LATE, always(Pause(1.4), response())),
    Case(
        "wrk -t2 -c4 -d2 http://@/", "no answer, the limit is the test's length", always(Pause(5))
    ),
    Case("wrk -t1 -c3 -d3 -T 1 http://@/", "never an answer", always(Pause(5))),
]
INTERRUPTED = [
    *answered(
        "wrk -t1 -c2 -d30 http://@/",
        {"interrupted": ordinary()},
        exact=False,
        interrupted_after_s=0.5,
    ),
    *answered(
        "wrk -t2 -c4 -d30 -L http://@/",
        {"interrupted": always(Pause(5))},
        exact=False,
        interrupted_after_s=0.5,
    ),
]


@table(COUNTED, ALL_WRONG, TOO_LATE, INTERRUPTED)
def test_counts(case: Case, tmp_path: Path) -> None:
    assert_same(case, tmp_path)
