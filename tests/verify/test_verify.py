"""Before anyone measures how fast an answer is, it must be the right one."""

import base64
import gzip
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from bakeoff.model.receipt import Expectation, Verification
from bakeoff.model.request import ExpectSection
from bakeoff.model.workload import Workload
from bakeoff.verify import answers, verify
from tests.verify.protocols import HELLO
from tests.verify.serving import handle_and_entry, serving

ANY = Workload(name="get", title="")
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n"
GOOD = HEAD + b"\r\nHello"


@contextmanager
def server(*responses: bytes) -> Iterator[int]:
    """A server that answers request n with response n, the last one for ever; then closes."""
    count = 0

    def serve(connection: socket.socket) -> None:
        nonlocal count
        with connection:
            while request := connection.recv(65536):
                response = responses[min(count, len(responses) - 1)]
                count += 1
                connection.sendall(response)
                if b"onnection: close" in request or b"onnection: close" in response:
                    return
                _, _, body = response.partition(b"\r\n\r\n")
                if b"Content-Length: 5" not in response or len(body) < 5:
                    return

    with serving(serve) as port:
        yield port


def verified(
    workload: Workload,
    *responses: bytes,
    pipeline: int = 1,
    held: Mapping[str, Expectation] | None = None,
) -> Verification:
    with server(*responses) as port:
        handle, entry = handle_and_entry("x", port)
        return verify(handle, entry, workload, pipeline, held)


def gzipped(body: bytes) -> bytes:
    """A whole response with a body that its head calls gzip."""
    head = f"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {len(body)}\r\n"
    return head.encode() + b"Connection: close\r\n\r\n" + body


COMPRESSED = Workload(
    name="gzip", title="", expect=ExpectSection(body="Hello", headers={"content-encoding": "gzip"})
)


def test_a_right_answer_has_no_problem_and_is_kept_byte_for_byte() -> None:
    found = verified(HELLO, GOOD)
    assert found.problems == ()
    assert base64.b64decode(found.response_base64) == GOOD
    assert (found.head_bytes, found.body_bytes) == (len(HEAD) + 2, 5)
    assert found.keeps_alive
    assert base64.b64decode(found.expected_body_base64 or "") == b"Hello"


def test_a_server_that_closes_each_time_is_right_but_said() -> None:
    found = verified(HELLO, HEAD + b"Connection: close\r\n\r\nHello")
    assert found.problems == ()
    assert not found.keeps_alive
    assert "closes the connection after each answer" in found.warnings[0]


def test_without_an_expected_body_the_first_answer_is_the_measure() -> None:
    found = verified(ANY, GOOD)
    assert base64.b64decode(found.expected_body_base64 or "") == b"Hello"
    assert found.warnings == ()


def test_a_body_that_changes_is_looked_into_by_others_or_that_it_is_not_is_said() -> None:
    found = verified(ANY, GOOD, GOOD.replace(b"Hello", b"Other"))
    assert (found.expected_body_base64, found.warnings) == (None, ())
    found = verified(ANY, GOOD, GOOD.replace(b"Hello", b"Other"), held={})
    assert "changes from answer to answer" in found.warnings[0]


def test_a_further_process_is_held_to_what_its_first_was() -> None:
    expect = ExpectSection(body_contains=("ell",), headers={"content-type": "text/plain"})
    held = {"GET /": Expectation(answers=6, expect=expect, varied=("the body",))}
    assert not verified(ANY, GOOD, GOOD.replace(b"Hello", b"Jelly"), held=held).problems
    found = verified(ANY, GOOD, GOOD.replace(b"Hello", b"Other"), held=held)
    assert found.problems == ('GET /: answered "Other", without "ell"',)


def test_nobody_there_is_said() -> None:
    with server(GOOD) as port:
        assert answers("127.0.0.1", port) is None
    fault = answers("127.0.0.1", port)
    assert fault == "Connection refused"


def test_a_compressed_answer_is_right_by_what_it_holds() -> None:
    body = gzip.compress(b"Hello", mtime=0)
    found = verified(COMPRESSED, gzipped(body))
    assert found.problems == ()
    assert base64.b64decode(found.expected_body_base64 or "") == body


def test_an_answer_that_is_compressed_anew_each_time_is_still_right() -> None:
    found = verified(COMPRESSED, *(gzipped(gzip.compress(b"Hello", mtime=when)) for when in (1, 2)))
    assert found.problems == ()
    assert found.expected_body_base64 is None and "changes" in found.warnings[0]


def test_requests_that_are_sent_ahead_are_all_answered() -> None:
    assert verified(HELLO, GOOD, GOOD, GOOD, 4 * GOOD, pipeline=4).problems == ()
    wrong = 3 * GOOD + GOOD.replace(b"Hello", b"Jello")
    found = verified(HELLO, GOOD, GOOD, GOOD, wrong, pipeline=4)
    assert found.problems == ('GET /: answered "Jello", not "Hello"',)
