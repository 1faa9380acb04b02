"""What a server does with a connection, shown by servers that each have one habit."""

import socket
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from importlib import import_module
from itertools import pairwise

import pytest

from bakeoff.model.audit import Audit, Probes
from bakeoff.model.workload import Workload
from bakeoff.verify import audit, probe
from bakeoff.verify.audit import REQUESTS
from tests.verify.serving import handle_and_entry, serving

HELLO = Workload(name="hello", title="")
BODY = b"Hello"
NEVER = 10**9


@dataclass
class Habits:
    """What a server of this test does; by default what a good one does."""

    date: Callable[[], str] = lambda: f"{time.time():.0f}"
    writes: int = 1
    nodelay: bool = True
    closes_after: int = NEVER
    body: bytes = BODY
    keeps_old_clients: bool = True
    closes_when_asked: bool = True
    awaits_request: bool = True

    def serve(self, connection: socket.socket) -> None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, self.nodelay)
        answered = 0
        with connection:
            while request := connection.recv(65536):
                if self.awaits_request and not request.endswith(b"\r\n\r\n"):
                    continue
                for part in self._parts():
                    connection.sendall(part)
                answered += 1
                old = b" HTTP/1.0\r\n" in request and not self.keeps_old_clients
                asked = b"onnection: close" in request and self.closes_when_asked
                if old or asked or answered == self.closes_after:
                    return

    def _parts(self) -> list[bytes]:
        date = self.date()
        lines = ["HTTP/1.1 200 OK", f"Content-Length: {len(self.body)}"]
        head = "\r\n".join([*lines, *([f"Date: {date}"] if date else []), "", ""]).encode()
        whole = head + self.body
        cuts = [0, *range(len(head), len(head) + self.writes - 1), len(whole)]
        return [whole[start:end] for start, end in pairwise(cuts)]


class Clock:
    """A clock that moves when somebody sleeps."""

    def __init__(self) -> None:
        self.slept_s: list[float] = []

    def now_ns(self) -> int:
        return time.monotonic_ns() + round(sum(self.slept_s) * 1e9)

    def sleep(self, seconds: float) -> None:
        self.slept_s.append(seconds)


def audited(**habits: Habits) -> tuple[dict[str, Audit], Clock]:
    clock = Clock()
    with ExitStack() as stack:
        servers = [
            handle_and_entry(name, stack.enter_context(serving(each.serve)))
            for name, each in habits.items()
        ]
        return audit(servers, HELLO, clock.now_ns, clock.sleep), clock


def audit_of(habits: Habits) -> Audit:
    found, _ = audited(x=habits)
    return found["x"]


def probed(habits: Habits) -> Probes:
    with serving(habits.serve) as port:
        return probe(*handle_and_entry("x", port), HELLO)


def dates(*given: str) -> Callable[[], str]:
    """The dates of the first answers, the last one for ever."""
    left = list(given)
    return lambda: left.pop(0) if len(left) > 1 else left[0]


def counted() -> Callable[[], str]:
    """A date that is another one each time."""
    return dates(*map(str, range(1000)))


def test_a_good_server_has_no_habits() -> None:
    found = audit_of(Habits(date=counted()))
    assert (found.asked, found.kept) == (REQUESTS, REQUESTS)
    assert found.date == "moves"
    assert found.segments == 1
    assert found.apart_ms == 0 < found.answer_ms
    assert probed(Habits()) == Probes(
        keeps_http_1_0=True, closes_when_asked=True, awaits_request=True
    )


def test_the_audit_sends_the_workloads_request_and_nothing_else() -> None:
    seen: list[bytes] = []

    def serve(connection: socket.socket) -> None:
        with connection:
            while request := connection.recv(65536):
                seen.append(request)
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nDate: x\r\n\r\nHi")

    with serving(serve) as port:
        found = audit([handle_and_entry("x", port)], HELLO, sleep=lambda _: None)["x"]
    assert set(seen) == {f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode()}
    assert (found.keeps_http_1_0, found.closes_when_asked, found.awaits_request) == (None,) * 3


def test_what_ends_a_server_is_unknown_from_then_on() -> None:
    def serve(connection: socket.socket) -> None:
        with connection:
            connection.recv(65536)

    with serving(serve) as port:
        assert probe(*handle_and_entry("x", port), HELLO).closes_when_asked is None
    assert probe(*handle_and_entry("x", port), HELLO) == Probes()


@pytest.mark.parametrize("writes", [2, 3])
def test_writes_are_counted(writes: int) -> None:
    assert audit_of(Habits(writes=writes)).segments == writes


def test_two_writes_without_nodelay_meet_the_delayed_acknowledgement() -> None:
    found = audit_of(Habits(writes=2, nodelay=False))
    assert found.segments == 2
    assert found.apart_ms > 20
    assert found.answer_ms >= found.apart_ms


def test_of_an_answer_larger_than_a_segment_writes_are_unknown() -> None:
    assert audit_of(Habits(body=b"x" * 200_000)).segments is None


@pytest.mark.parametrize("closes_after", [1, 7])
def test_a_connection_that_is_closed_after_some_requests(closes_after: int) -> None:
    found = audit_of(Habits(closes_after=closes_after))
    assert found.kept == closes_after
    assert probed(Habits(closes_after=closes_after)).keeps_http_1_0 == (closes_after > 1)


def test_an_old_client_that_asks_to_be_kept_and_is_not() -> None:
    assert probed(Habits(keeps_old_clients=False)).keeps_http_1_0 is False


def test_a_server_that_does_not_close_when_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_module("bakeoff.verify.audit"), "WITHIN_S", 0.5)
    assert probed(Habits(closes_when_asked=False)).closes_when_asked is False


def test_a_server_that_answers_what_it_has_not_read() -> None:
    assert probed(Habits(awaits_request=False)).awaits_request is False


def test_no_date() -> None:
    found, clock = audited(x=Habits(date=lambda: ""))
    assert found["x"].date == "none"
    assert clock.slept_s == [], "nobody waits for a date that isn't there"


def test_a_date_that_stands_still_is_asked_again_before_it_is_called_frozen() -> None:
    found, clock = audited(frozen=Habits(date=lambda: "today"), moves=Habits(date=counted()))
    assert {name: each.date for name, each in found.items()} == {
        "frozen": "frozen",
        "moves": "moves",
    }
    assert len(clock.slept_s) == 2 and all(0 < each <= 1.2 for each in clock.slept_s)


def test_all_wait_for_their_date_together() -> None:
    _, clock = audited(**{f"s{number}": Habits(date=counted()) for number in range(5)})
    assert len(clock.slept_s) == 1


def test_one_that_is_gone_is_left_out() -> None:
    with serving(Habits().serve) as port:
        pass
    assert audit([handle_and_entry("x", port)], HELLO) == {}
