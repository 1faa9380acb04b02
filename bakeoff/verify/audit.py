"""How servers treat a connection: asked before the load, a few dozen requests each."""

import socket
import struct
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from statistics import median, median_low
from typing import Literal

from bakeoff.model.audit import Audit
from bakeoff.model.plan import Entry
from bakeoff.model.receipt import Handle
from bakeoff.model.workload import Workload
from bakeoff.verify.exchange import Answer, NoAnswer, connect, exchange, half_of

REQUESTS = 20
WITHIN_S = 2.0
"""For an answer, and for the end of a connection that was asked for."""
EARLY_WITHIN_S = 0.1
"""For an answer to a request that isn't complete: who reads it to its end waits."""
DATE_APART_S = 1.2
DATE_LOOKS = 2
"""A server may renew its date once a second, and late: one that stands still is asked again."""

# struct tcp_info, linux/tcp.h: a counter of 32 bits behind 8 small fields, 24 of 32 bits, 4 of 64
# and 4 of 32.
_DATA_SEGMENTS_IN = struct.Struct("152xI")


@dataclass(frozen=True)
class _Asked:
    """One answer, and in how many segments it came; None where one write takes several."""

    answer: Answer
    segments: int | None


@dataclass
class _Seen:
    """What one connection after another showed of a server."""

    answers: list[_Asked]
    keeps_http_1_0: bool
    closes_when_asked: bool
    date: Literal["none", "moves", "frozen"]
    dated_ns: int


def audit(
    up: Sequence[tuple[Handle, Entry]],
    workload: Workload,
    now_ns: Callable[[], int] = time.monotonic_ns,
    sleep: Callable[[float], None] = time.sleep,
) -> dict[str, Audit]:
    """What each of `up` does, by name; one that gives no answer is left out.

    Takes some milliseconds for each, and `DATE_APART_S` and `EARLY_WITHIN_S` for all of them
    together. A server is asked on one connection at a time: some serve no more.
    """
    asking = {handle.name: _Client(handle, entry, workload) for handle, entry in up}
    seen = {name: found for name, client in asking.items() if (found := client.look())}
    for _ in range(DATE_LOOKS):
        still = [name for name, found in seen.items() if found.date == "frozen"]
        if still:
            due_ns = max(seen[name].dated_ns for name in still) + DATE_APART_S * 1e9
            sleep(max(0.0, (due_ns - now_ns()) / 1e9))
        for name in still:
            if asking[name].date() not in ("", seen[name].answers[0].answer.header("date")):
                seen[name].date = "moves"
            seen[name].dated_ns = now_ns()
    early = _early([asking[name] for name in seen])
    return {name: _summed_up(seen[name], name not in early) for name in seen}


def _early(clients: Sequence["_Client"]) -> set[str]:
    """Who answers a request that lacks its last byte."""
    with ExitStack() as stack:
        waiting = {
            one.name: stack.enter_context(held) for one in clients if (held := one.half_ask())
        }
        due_s = time.monotonic() + EARLY_WITHIN_S
        return {name for name, held in waiting.items() if _came(held, due_s - time.monotonic())}


def _came(connection: socket.socket, within_s: float) -> bool:
    """Whether any bytes come."""
    connection.settimeout(max(0.001, within_s))
    try:
        return connection.recv(1) != b""
    except OSError:
        return False


class _Client:
    """Asks one server, each time on a connection of its own."""

    def __init__(self, handle: Handle, entry: Entry, workload: Workload) -> None:
        self.name = handle.name
        self._handle, self._path, self._request = handle, entry.path, workload.request

    def look(self) -> _Seen | None:
        """All but whether the date moves; None where no answer came."""
        try:
            answers = self._one_after_another()
            return _Seen(
                answers=answers,
                keeps_http_1_0=self._keeps_http_1_0(),
                closes_when_asked=self._closes_when_asked(),
                date="frozen" if answers[0].answer.header("date") else "none",
                dated_ns=answers[0].answer.asked_ns,
            )
        except (NoAnswer, OSError):
            return None

    def half_ask(self) -> socket.socket | None:
        """A connection with a request that isn't complete; None where none could be sent."""
        try:
            connection = self._connected()
            connection.sendall(half_of(self._request, self._path, self._handle.host))
        except OSError:
            return None
        return connection

    def date(self) -> str:
        """The date of an answer now; empty where none came."""
        try:
            with self._connected() as connection:
                return self._ask(connection, close=True).header("date")
        except (NoAnswer, OSError):
            return ""

    def _one_after_another(self) -> list[_Asked]:
        """Up to `REQUESTS` answers from one connection. Raises `NoAnswer` where the first fails."""
        asked: list[_Asked] = []
        with self._connected() as connection:
            while len(asked) < REQUESTS:
                before = _segments_in(connection)
                try:
                    answer = self._ask(connection)
                except NoAnswer:
                    if not asked:
                        raise
                    break
                asked.append(_Asked(answer, _segments(connection, before, len(answer.raw))))
                if not answer.keeps_alive:
                    break
        return asked

    def _keeps_http_1_0(self) -> bool:
        """Whether a second request of a client of 1.0 is answered on the same connection."""
        try:
            with self._connected() as connection:
                for _ in range(2):
                    self._ask(connection, version="1.0")
        except (NoAnswer, OSError):
            return False
        return True

    def _closes_when_asked(self) -> bool:
        with self._connected() as connection:
            self._ask(connection, close=True)
            try:
                return connection.recv(1) == b""
            except OSError as error:
                return not isinstance(error, TimeoutError)

    def _connected(self) -> socket.socket:
        return connect(self._handle.address, timeout_s=WITHIN_S)

    def _ask(
        self,
        connection: socket.socket,
        *,
        close: bool = False,
        version: Literal["1.1", "1.0"] = "1.1",
    ) -> Answer:
        host = self._handle.host
        return exchange(connection, self._request, self._path, host, close=close, version=version)


def _segments(connection: socket.socket, before: int | None, answer_bytes: int) -> int | None:
    after = _segments_in(connection)
    largest = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG)
    if before is None or after is None or answer_bytes > largest:
        return None
    return max(1, after - before)


def _segments_in(connection: socket.socket) -> int | None:
    """Segments with data that came in so far; None where the kernel doesn't say."""
    info = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256)
    if len(info) < _DATA_SEGMENTS_IN.size:
        return None
    (count,) = _DATA_SEGMENTS_IN.unpack_from(info)
    return int(count)


def _summed_up(seen: _Seen, awaits_request: bool) -> Audit:
    answers = [each.answer for each in seen.answers]
    segments = [each.segments for each in seen.answers if each.segments is not None]
    return Audit(
        asked=REQUESTS,
        kept=len(answers),
        keeps_http_1_0=seen.keeps_http_1_0,
        closes_when_asked=seen.closes_when_asked,
        date=seen.date,
        segments=median_low(segments) if segments else None,
        apart_ms=median(each.received_ns[-1] - each.received_ns[0] for each in answers) / 1e6,
        answer_ms=median(each.received_ns[-1] - each.asked_ns for each in answers) / 1e6,
        awaits_request=awaits_request,
    )
