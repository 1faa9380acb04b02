"""How servers treat a connection: a few dozen requests to each, before the load."""

import socket
import ssl
import struct
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from statistics import median, median_low
from typing import Literal

from bakeoff.model.audit import Audit, Http2Conduct, TlsConduct
from bakeoff.model.fields import filled
from bakeoff.model.plan import Entry
from bakeoff.model.protocol import HTTP_2
from bakeoff.model.receipt import Handle
from bakeoff.model.workload import Workload
from bakeoff.verify.asking import Http1Connection, opened
from bakeoff.verify.exchange import Answer, NoAnswer, incomplete
from bakeoff.verify.http2 import Http2Connection
from bakeoff.verify.mix import as_sent
from bakeoff.verify.secure import context, handshake

REQUESTS = 20
WITHIN_S = 2.0
"""For an answer, and for the server to close a connection when asked to."""
EARLY_WITHIN_S = 0.1
"""For an answer to an incomplete request: a server that reads requests to their end waits."""
DATE_APART_S = 1.2
DATE_LOOKS = 2
"""A server may renew its date once a second, and late: one that hasn't moved is asked again."""

# struct tcp_info, linux/tcp.h: a counter of 32 bits behind 8 small fields, 24 of 32 bits, 4 of 64
# and 4 of 32.
_DATA_SEGMENTS_IN = struct.Struct("152xI")


@dataclass(frozen=True)
class _Exchange:
    """One answer, and in how many segments it came; None if one write takes several."""

    answer: Answer
    segments: int | None


@dataclass
class _Observed:
    """What several connections, one after another, showed of a server."""

    exchanges: list[_Exchange]
    keeps_http_1_0: bool | None
    closes_when_asked: bool | None
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
    """What each of `servers` does, by name; those that don't answer are left out.

    Takes some milliseconds for each, and `DATE_APART_S` and `EARLY_WITHIN_S` for all of them
    together. Each is asked on one connection at a time: some serve no more.
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
    early = _early([clients[name] for name in observed])
    return {name: _audit(each, name not in early) for name, each in observed.items()}


def _early(clients: Sequence["_Client"]) -> set[str]:
    """The servers that answer a request without its last byte."""
    with ExitStack() as stack:
        waiting = {
            client.name: stack.enter_context(connection)
            for client in clients
            if (connection := client.ask_incompletely())
        }
        due_s = time.monotonic() + EARLY_WITHIN_S
        return {name for name, each in waiting.items() if _came(each, due_s - time.monotonic())}


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
        values = workload.row()
        self._handle, self._path = handle, filled(entry.path, values)
        self._request = as_sent(workload, workload.first, values)

    def observe(self) -> _Observed | None:
        """All but whether the date moves; None if no answer came."""
        http_2 = self._handle.protocol in HTTP_2
        try:
            exchanges, settings = self._one_after_another()
            first = exchanges[0].answer
            return _Observed(
                exchanges=exchanges,
                keeps_http_1_0=None if http_2 else self._keeps_http_1_0(),
                closes_when_asked=None if http_2 else self._closes_when_asked(),
                date="frozen" if first.header("date") else "none",
                dated_ns=first.asked_ns,
                tls=self._tls(),
                http2=_http2([each.answer for each in exchanges], settings) if http_2 else None,
            )
        except (NoAnswer, OSError):
            return None

    def ask_incompletely(self) -> socket.socket | None:
        """A connection with an incomplete request; None if none could be sent.

        HTTP/2 has no request without its last byte: a frame that is not whole says nothing.
        """
        if self._handle.protocol in HTTP_2:
            return None
        try:
            connection = self._connected()
            assert isinstance(connection, Http1Connection)
            connection.socket.sendall(incomplete(self._request, self._path, self._handle.host))
        except (NoAnswer, OSError):
            return None
        return connection.socket

    def date(self) -> str:
        """The date of an answer now; empty if none came."""
        try:
            with self._connected() as connection:
                return self._ask(connection, close=True).header("date")
        except (NoAnswer, OSError):
            return ""

    def _one_after_another(self) -> tuple[list[_Exchange], Mapping[str, int]]:
        """Up to `REQUESTS` answers on one connection, and what HTTP/2 settings it was sent.

        Raises `NoAnswer` if the first fails.
        """
        exchanges: list[_Exchange] = []
        with self._connected() as connection:
            while len(exchanges) < REQUESTS:
                before = _segments_in(connection.socket)
                try:
                    answer = self._ask(connection)
                except NoAnswer:
                    if not exchanges:
                        raise
                    break
                segments = _segments(connection.socket, before, len(answer.raw))
                exchanges.append(_Exchange(answer, segments))
                if not answer.keeps_alive:
                    break
            settings = connection.settings if isinstance(connection, Http2Connection) else {}
        return exchanges, settings

    def _keeps_http_1_0(self) -> bool:
        """Whether a second request of an HTTP/1.0 client is answered on the same connection."""
        try:
            with self._connected() as connection:
                assert isinstance(connection, Http1Connection)
                for _ in range(2):
                    connection.ask(self._request, self._path, version="1.0")
        except (NoAnswer, OSError):
            return False
        return True

    def _closes_when_asked(self) -> bool:
        with self._connected() as connection:
            self._ask(connection, close=True)
            try:
                return connection.socket.recv(1) == b""
            except OSError as error:
                return not isinstance(error, TimeoutError)

    def _tls(self) -> TlsConduct | None:
        """What a handshake comes to, and whether a second one is shorter; None without TLS."""
        handle = self._handle
        if not handle.tls:
            return None
        client = context(handle.tls, handle.protocol)
        session, seen = None, []
        for _ in range(2):
            with opened(handle, WITHIN_S, client=client, session=session) as connection:
                # With TLS 1.3 tickets come behind the handshake: they are read with an answer.
                self._ask(connection)
                assert isinstance(connection.socket, ssl.SSLSocket)
                session = connection.socket.session
                seen.append(handshake(connection.socket))
        first, second = seen
        return TlsConduct(
            version=first.version,
            cipher=first.cipher,
            key=first.key,
            alpn=first.alpn,
            resumes=second.resumed,
        )

    def _connected(self) -> Http1Connection | Http2Connection:
        return opened(self._handle, WITHIN_S)

    def _ask(self, connection: Http1Connection | Http2Connection, *, close: bool = False) -> Answer:
        return connection.ask(self._request, self._path, close=close)


def _segments(connection: socket.socket, before: int | None, answer_bytes: int) -> int | None:
    after = _segments_in(connection)
    largest = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG)
    if before is None or after is None or answer_bytes > largest:
        return None
    return max(1, after - before)


def _segments_in(connection: socket.socket) -> int | None:
    """Segments with data received so far; None if the kernel doesn't say."""
    info = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256)
    if len(info) < _DATA_SEGMENTS_IN.size:
        return None
    (count,) = _DATA_SEGMENTS_IN.unpack_from(info)
    return int(count)


def _audit(observed: _Observed, awaits_request: bool) -> Audit:
    answers = [each.answer for each in observed.exchanges]
    segments = [each.segments for each in observed.exchanges if each.segments is not None]
    return Audit(
        asked=REQUESTS,
        kept=len(answers),
        keeps_http_1_0=observed.keeps_http_1_0,
        closes_when_asked=observed.closes_when_asked,
        date=observed.date,
        segments=median_low(segments) if segments else None,
        apart_ms=median(each.received_ns[-1] - each.received_ns[0] for each in answers) / 1e6,
        answer_ms=median(each.received_ns[-1] - each.asked_ns for each in answers) / 1e6,
        awaits_request=awaits_request,
        tls=observed.tls,
        http2=observed.http2,
    )


def _http2(answers: Sequence[Answer], settings: Mapping[str, int]) -> Http2Conduct:
    """Its settings, and its heads before HPACK, in the first answer and in those that follow."""
    return Http2Conduct(
        max_concurrent_streams=settings.get("max_concurrent_streams"),
        initial_window=settings.get("initial_window_size"),
        header_table_size=settings.get("header_table_size"),
        max_frame_size=settings.get("max_frame_size"),
        head_bytes=sum(len(f"{name}: {value}\r\n") for name, value in answers[0].headers),
        first_head_bytes=answers[0].head_bytes,
        next_head_bytes=median_low(each.head_bytes for each in answers[1:] or answers),
    )
