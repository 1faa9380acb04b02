"""What each check sends, and how often: the workload's requests, byte for byte.

A whole run of each kind is in tests/e2e/ledger.
"""

import socket
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from bakeoff.model.plan import Entry
from bakeoff.model.receipt import Handle
from bakeoff.model.request import RequestSection
from bakeoff.model.workload import Workload
from bakeoff.verify import (
    answers,
    audit,
    connections_at_a_time,
    opening,
    probe,
    rendered,
    sample_answers,
    verify,
)
from tests.verify.serving import handle_and_entry, serving

Check = Callable[[Handle, Entry, Workload], Any]
ORDER = Workload(
    name="order",
    request=RequestSection(method="POST", path="/", headers={"X-Key": "k"}, body='{"a": 1}'),
)
SENT = b'POST / HTTP/1.1\r\nHost: HOST\r\nX-Key: k\r\nContent-Length: 8\r\n\r\n{"a": 1}'
CLOSED = SENT.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n", 1)


def sent_by(check: Check, workload: Workload = ORDER, **of_handle: str) -> Counter[bytes]:
    """What a server received from a check, by its bytes."""
    seen: Counter[bytes] = Counter()

    def serve(connection: socket.socket) -> None:
        with connection, suppress(OSError):
            while data := connection.recv(65536):
                seen[data.replace(f"127.0.0.1:{port}".encode(), b"HOST")] += 1
                connection.sendall(b"HTTP/1.1 200 OK\r\nDate: x\r\nContent-Length: 2\r\n\r\nHi")
                if b"Connection: close" in data:
                    return

    with serving(serve) as port:
        handle, entry = handle_and_entry("x", port)
        check(handle.model_copy(update=of_handle), entry, workload)
    return seen


def ready(handle: Handle, entry: Entry, workload: Workload) -> None:
    close = handle.connection == "close"
    assert not answers("127.0.0.1", handle.port, request=opening(entry, workload), close=close)


def verified(handle: Handle, entry: Entry, workload: Workload) -> None:
    assert not verify(handle, entry, workload).problems


def looked(handle: Handle, entry: Entry, workload: Workload) -> None:
    assert not sample_answers([(handle, entry)], workload, lambda _: None)[1]


def audited(handle: Handle, entry: Entry, workload: Workload) -> None:
    assert audit([(handle, entry)], workload, sleep=lambda _: None)["x"].kept


def at_a_time(handle: Handle, entry: Entry, workload: Workload) -> None:
    assert connections_at_a_time(handle, entry, workload, 64) is None


@pytest.mark.parametrize(
    ("check", "times"),
    [(ready, 1), (verified, 3), (looked, 6), (audited, 22), (at_a_time, 64)],
    ids=lambda given: getattr(given, "__name__", None),
)
def test_a_check_sends_the_request_as_the_load_does(check: Check, times: int) -> None:
    assert sent_by(check) == {SENT: times}
    closed = sent_by(check, connection="close")
    assert set(closed) == {CLOSED}, "where each request has a connection, it says so"


def test_probes_are_what_no_workload_sends() -> None:
    old = CLOSED.replace(b"HTTP/1.1", b"HTTP/1.0").replace(b"close", b"keep-alive")
    assert sent_by(probe) == {old: 2, CLOSED: 1, CLOSED[:-1]: 1}


def test_what_slow_clients_send_is_what_the_load_does() -> None:
    handle, entry = handle_and_entry("HOST", 80)
    handle = handle.model_copy(update={"host": "HOST"})
    assert rendered(handle, opening(entry, ORDER)) == SENT


@pytest.mark.parametrize(
    ("workload", "first"),
    [
        ({"request": [{"path": "/a"}, {"path": "/b"}]}, "/a"),
        ({"request": {"path": "/own"}}, "/"),
        ({"once": [{"path": "/login", "take": {"t": "json /t"}}]}, "/login"),
        ({"request": {"path": "/x", "body": "{{random 1 1}}"}}, "/"),
    ],
    ids=["a mix", "a path of the contender's", "a chain", "fields"],
)
def test_a_connection_begins_with_the_first_request(workload: dict[str, Any], first: str) -> None:
    _, entry = handle_and_entry("x", 80)
    assert opening(entry, Workload.checked({"name": "w", **workload}, "w.toml")).path == first
