"""How servers treat a connection: a few dozen of the workload's requests to each, before the load.
Also probes, which are other requests and go to processes that aren't measured."""

from __future__ import annotations

import socket
import struct
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from statistics import median, median_low
from typing import Literal

from bakeoff.model.audit import Audit, Http2Conduct, Probes, TlsConduct
from bakeoff.model.errors import BakeoffError
from bakeoff.model.plan import Entry
from bakeoff.model.protocol import HTTP_2, OVER_UDP, WITH_STREAMS
from bakeoff.model.receipt import Handle
from bakeoff.model.request import RequestSection
from bakeoff.model.workload import Workload
from bakeoff.verify.asking import Connection, Former, Http1Connection, shaken
from bakeoff.verify.exchange import READ_TIMEOUT_S, Answer, NoAnswer, written
from bakeoff.verify.http2 import Http2Connection
from bakeoff.verify.mix import begun, first_sent

REQUESTS = 20
STREAMS = 2
"""In place of them if an answer is a stream of events, which takes its time."""
WITHIN_S = 2.0
"""The limit for an answer."""
CLOSES_WITHIN_S = 1.0
"""The limit for a server's close of a connection on request: most do so at once, or never."""
EARLY_WITHIN_S = 0.1
"""The limit for an answer to an incomplete request: a server that reads whole requests waits."""
DATE_APART_S = 1.2
DATE_LOOKS = 2
"""A server may renew its date once a second, and late: an unchanged date is requested again."""

_FAILS = suppress(BakeoffError, OSError)
"""A server that does not answer shows nothing."""
# struct tcp_info, linux/tcp.h: a counter of 32 bits behind 8 small fields, 24 of 32 bits, 4 of 64
# and 4 of 32.
_DATA_SEGMENTS_IN = struct.Struct("152xI")


@dataclass(frozen=True)
class _Exchange:
    """One answer, and its number of segments; None: one write takes several."""

    answer: Answer
    segments: int | None


@dataclass
class _Observed:
    """What several connections, one after another, showed of a server."""

    exchanges: list[_Exchange]
    date: Literal["none", "moves", "frozen"]
    dated_ns: int
    tls: TlsConduct | None
    http2: Http2Conduct | None


def audit(
    servers: Sequence[tuple[Handle, Entry]],
    workload: Workload,
    now_ns: Callable[[], int] = time.monotonic_ns,
    sleep: Callable[[float], None] = time.sleep,
) -> dict[str, Audit]:
    """The findings on each of `servers`, by name; servers that don't answer are left out.

    They get only the workload's requests, on one connection at a time: some serve no more. Takes
    some milliseconds for each, and `DATE_APART_S` for all of them together.
    """
    clients = {handle.name: _Client(handle, entry, workload) for handle, entry in servers}
    observed = {name: each for name, client in clients.items() if (each := client.observe())}
    for _ in range(DATE_LOOKS):
        still = [name for name, each in observed.items() if each.date == "frozen"]
        if still:
            due_ns = max(observed[name].dated_ns for name in still) + DATE_APART_S * 1e9
            sleep(max(0.0, (due_ns - now_ns()) / 1e9))
        for name in still:
            first = observed[name].exchanges[0].answer.header("date")
            if clients[name].date() not in ("", first):
                observed[name].date = "moves"
            observed[name].dated_ns = now_ns()
    return {name: _audit(each, clients[name].asked) for name, each in observed.items()}


def probe(handle: Handle, entry: Entry, workload: Workload) -> Probes:
    """How a server reacts to requests that the workload doesn't send; they may end it."""
    if handle.protocol in WITH_STREAMS or workload.websocket:
        # They have no versions and no way to request a close, and a server can't answer half of a
        # frame.
        return Probes()
    client = _Client(handle, entry, workload)
    return Probes(
        keeps_http_1_0=client.keeps_http_1_0(),
        closes_when_asked=client.closes_when_asked(),
        awaits_request=client.awaits_request(),
    )


class _Client:
    """Sends requests to one server, each time on a connection of its own."""

    def __init__(self, handle: Handle, entry: Entry, workload: Workload) -> None:
        self._handle, self._entry, self._workload = handle, entry, workload
        self.asked = STREAMS if workload.events else REQUESTS

    def observe(self) -> _Observed | None:
        """All except whether the date moves; None: no answer came."""
        http_2 = self._handle.protocol in HTTP_2
        with _FAILS:
            exchanges, settings = self._one_after_another()
            first = exchanges[0].answer
            return _Observed(
                exchanges=exchanges,
                date="frozen" if first.header("date") else "none",
                dated_ns=first.asked_ns,
                tls=self._tls(),
                http2=_http2([each.answer for each in exchanges], settings) if http_2 else None,
            )
        return None

    def date(self) -> str:
        """The date of an answer now; empty: none came."""
        with _FAILS, self._connected() as (connection, request):
            return connection.ask(request, request.path).header("date")
        return ""

    def _one_after_another(self) -> tuple[list[_Exchange], Mapping[str, int]]:
        """Up to `asked` answers on one connection, and the HTTP/2 settings that it received.

        Raises `NoAnswer` if the first fails.
        """
        exchanges: list[_Exchange] = []
        # QUIC combines packets as it likes: their number shows nothing of writes.
        over_udp = self._handle.protocol in OVER_UDP
        with self._connected() as (connection, request):
            while len(exchanges) < self.asked:
                before = None if over_udp else _segments_in(connection.socket)
                try:
                    answer = connection.ask(request, request.path)
                except NoAnswer:
                    if not exchanges:
                        raise
                    break
                segments = (
                    None
                    if before is None
                    else _segments(connection.socket, before, len(answer.raw))
                )
                exchanges.append(_Exchange(answer, segments))
                if not answer.keeps_alive:
                    break
            settings = connection.settings if isinstance(connection, Http2Connection) else {}
        return exchanges, settings

    def keeps_http_1_0(self) -> bool | None:
        """Whether a second request of an HTTP/1.0 client is answered on the same connection."""
        with _FAILS, self._connected() as (connection, request):
            assert isinstance(connection, Http1Connection)
            try:
                for _ in range(2):
                    connection.ask(request, request.path, version="1.0")
            except (NoAnswer, OSError):
                return False
            return True
        return None

    def closes_when_asked(self) -> bool | None:
        with _FAILS, self._connected() as (connection, request):
            connection.ask(request, request.path, close=True)
            connection.socket.settimeout(CLOSES_WITHIN_S)
            try:
                return connection.socket.recv(1) == b""
            except OSError as error:
                return not isinstance(error, TimeoutError)
        return None

    def awaits_request(self) -> bool | None:
        """Whether it waits for a request's last byte before it answers."""
        with _FAILS, self._connected() as (connection, request):
            message = written(request, request.path, self._handle.host, close=True)
            connection.socket.sendall(message[:-1])
            connection.socket.settimeout(EARLY_WITHIN_S)
            try:
                return connection.socket.recv(1) == b""
            except OSError:
                return True
        return None

    def _tls(self) -> TlsConduct | None:
        if not self._handle.tls:
            return None
        former, seen = None, []
        for _ in range(2):
            with self._connected(former) as (connection, request):
                # With TLS 1.3 tickets come after the handshake: they are read with an answer.
                connection.ask(request, request.path)
                conduct, former = shaken(connection)
                seen.append(conduct)
        first, second = seen
        return first.model_copy(update={"resumes": second.resumes})

    @contextmanager
    def _connected(
        self, former: Former | None = None
    ) -> Iterator[tuple[Connection, RequestSection]]:
        """A connection, and the request that the load repeats on it."""
        with begun(self._handle, self._workload, WITHIN_S, former) as (connection, values):
            yield connection, first_sent(self._entry, self._workload, values)


def _segments(connection: socket.socket, before: int, answer_bytes: int) -> int | None:
    after = _segments_in(connection)
    largest = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG)
    if after is None or answer_bytes > largest:
        return None
    return max(1, after - before)


def _segments_in(connection: socket.socket) -> int | None:
    """Segments with data received so far; None: the kernel doesn't report them."""
    info = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256)
    if len(info) < _DATA_SEGMENTS_IN.size:
        return None
    (count,) = _DATA_SEGMENTS_IN.unpack_from(info)
    return int(count)


def _audit(observed: _Observed, asked: int) -> Audit:
    answers = [each.answer for each in observed.exchanges]
    segments = [each.segments for each in observed.exchanges if each.segments is not None]
    return Audit(
        asked=asked,
        kept=len(answers),
        date=observed.date,
        segments=median_low(segments) if segments else None,
        apart_ms=median(each.received_ns[-1] - each.received_ns[0] for each in answers) / 1e6,
        answer_ms=median(each.received_ns[-1] - each.asked_ns for each in answers) / 1e6,
        tls=observed.tls,
        http2=observed.http2,
    )


def _http2(answers: Sequence[Answer], settings: Mapping[str, int]) -> Http2Conduct:
    """Its settings, and its heads before HPACK, in the first answer and in later ones."""
    return Http2Conduct(
        max_concurrent_streams=settings.get("max_concurrent_streams"),
        initial_window=settings.get("initial_window_size"),
        header_table_size=settings.get("header_table_size"),
        max_frame_size=settings.get("max_frame_size"),
        head_bytes=sum(len(f"{name}: {value}\r\n") for name, value in answers[0].headers),
        first_head_bytes=answers[0].head_bytes,
        next_head_bytes=median_low(each.head_bytes for each in answers[1:] or answers),
    )


LOOKS_FOR_S = 2.0
"""A client that is still served after this time does not show a limit of connections."""
WAITS_S = 1.0
WAITS_ANSWERS = 20
"""An answer is waited for this long, and this many times its first answer's time."""
SLOW_S = 0.005
AT_ONCE_MAX = 32
"""Of a server whose answers take longer than this, several are waited for at a time."""


def connections_at_a_time(
    handle: Handle, entry: Entry, workload: Workload, most: int
) -> int | None:
    """How many connections it serves while all of them stay open; None: `most`, or unknown.

    Connections are opened one after another, each with one request, until one is not answered. If
    it is answered when the others are closed, it was waiting for these. Of a slow server as many
    more are asked at a time as are open: 64 answers of 50 ms take as long as 7 of them. In a room
    each would hear the others. A limit is only one that shows twice: on a busy machine an answer
    may be missing for another reason.
    """
    seen = _served(handle, entry, workload, most)
    return None if seen is None else _served(handle, entry, workload, most)


def _served(handle: Handle, entry: Entry, workload: Workload, most: int) -> int | None:
    until_s = time.monotonic() + LOOKS_FOR_S
    served, first_s, waits_s = 0, 0.0, READ_TIMEOUT_S
    with ExitStack() as held, ThreadPoolExecutor(AT_ONCE_MAX) as clients:
        while served < most:
            several = first_s > SLOW_S and not workload.room
            more = min(served, most - served, AT_ONCE_MAX) if several else 1
            # One that answers a request after another isn't full.
            patience_s = min(READ_TIMEOUT_S, waits_s + more * first_s)
            asked_s, opened = time.monotonic(), []
            for _ in range(more):
                if time.monotonic() > until_s:
                    return None
                if ask := _begun(handle, entry, workload, patience_s, held):
                    opened.append(ask)
                else:
                    break
            answered = sum(clients.map(_answers, opened))
            if not served:
                first_s = time.monotonic() - asked_s
                waits_s = min(READ_TIMEOUT_S, max(WAITS_S, WAITS_ANSWERS * first_s))
            served += answered
            if answered < more:
                break
        else:
            return None
    with ExitStack() as alone:
        ask = _begun(handle, entry, workload, waits_s, alone)
        return served if served and ask and _answers(ask) else None


def _begun(
    handle: Handle, entry: Entry, workload: Workload, waits_s: float, held: ExitStack
) -> Callable[[], object] | None:
    """What sends a request on a new connection, and waits for its answer; None: it has none."""
    with _FAILS:
        connection, values = held.enter_context(begun(handle, workload, waits_s))
        request = first_sent(entry, workload, values)
        return partial(connection.ask, request, request.path)
    return None


def _answers(ask: Callable[[], object]) -> bool:
    with _FAILS:
        ask()
        return True
    return False
