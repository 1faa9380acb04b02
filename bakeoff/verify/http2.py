"""HTTP/2 exchanges over a socket, read with h2; the frames are counted as they come."""

import socket
import time
from collections.abc import Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.errors import ErrorCodes
from h2.events import (
    ConnectionTerminated,
    DataReceived,
    Event,
    RemoteSettingsChanged,
    ResponseReceived,
    StreamEnded,
    StreamReset,
    TrailersReceived,
)
from h2.exceptions import ProtocolError
from h2.settings import SettingCodes

from bakeoff.model.request import RequestSection
from bakeoff.verify.exchange import (
    SPEAKS_TLS,
    TLS_RECORDS,
    Answer,
    Coming,
    NoAnswer,
    received,
    sent,
)

_FRAME_HEAD = 9
_KIND = 3
"""The place of a frame's kind in its head."""
_DATA, _HEADERS, _SETTINGS, _CONTINUATION = 0, 1, 4, 9
_OF_HTTP_1 = frozenset({"host", "connection", "keep-alive", "transfer-encoding", "upgrade"})


@dataclass(kw_only=True)
class _Coming(Coming):
    """An answer whose `raw` is its frames."""

    stream: int
    done: bool = False


class Http2Connection(AbstractContextManager["Http2Connection"]):
    """One connection, established; `settings` are those that the server has sent, by name."""

    def __init__(self, connection: socket.socket, scheme: str, authority: str) -> None:
        self.socket, self._scheme, self._authority = connection, scheme, authority
        self._h2 = H2Connection(H2Configuration(client_side=True, header_encoding="latin-1"))
        self._unread = bytearray()
        self._began = False
        self._ended = False
        self.settings: dict[str, int] = {}
        self._h2.initiate_connection()

    def ask(self, request: RequestSection, path: str, *, close: bool = False) -> Answer:
        """One request, one answer. Raises `NoAnswer`.

        The client must `close`: HTTP/2 has no way to request that from the server.
        """
        del close
        coming = _Coming(
            stream=self._h2.get_next_available_stream_id(), asked_ns=time.monotonic_ns()
        )
        body = request.content
        try:
            head = fields(request, path, self._scheme, self._authority, len(body))
            self._h2.send_headers(coming.stream, head, end_stream=not body)
            self._send(coming, body)
            while not coming.done:
                self._read(coming)
        except ProtocolError as error:
            raise NoAnswer(f"its answer is not HTTP/2 ({error})") from None
        except NoAnswer as error:
            error.came = coming.answer()
            raise
        answer = coming.answer(keeps_alive=not self._ended)
        assert answer, "h2 ends no stream without a head"
        return answer

    def first_bytes(self, request: RequestSection) -> bytes:
        """The bytes that a new connection sends with its first request."""
        stream, body = self._h2.get_next_available_stream_id(), request.content
        head = fields(request, request.path, self._scheme, self._authority, len(body))
        self._h2.send_headers(stream, head, end_stream=not body)
        if piece := body[: self._h2.max_outbound_frame_size]:
            self._h2.send_data(stream, piece, end_stream=len(piece) == len(body))
        return self._h2.data_to_send()

    def _send(self, coming: _Coming, body: bytes) -> None:
        """Send what is pending, and the body as far as the server's windows allow."""
        while body and not coming.done:
            # Below zero if the server has made it smaller since.
            window = max(0, self._h2.local_flow_control_window(coming.stream))
            piece = body[: min(window, self._h2.max_outbound_frame_size)]
            body = body[len(piece) :]
            if piece:
                self._h2.send_data(coming.stream, piece, end_stream=not body)
            else:
                self._read(coming)
        sent(self.socket, self._h2.data_to_send())

    def _read(self, coming: _Coming) -> None:
        """Read the next bytes, and send the replies to them."""
        sent(self.socket, self._h2.data_to_send())
        data = received(self.socket, bool(coming.raw), coming.asked_ns)
        if not data:
            raise NoAnswer(self._closed(coming))
        if not self._began:
            _check_speaks(data)
            self._began = True
        self._count(coming, data)
        self._take(coming, self._h2.receive_data(data))
        sent(self.socket, self._h2.data_to_send())

    def _closed(self, coming: _Coming) -> str:
        if not self._began:
            return (
                "it closed the connection without a frame of HTTP/2: does it speak it, by prior "
                "knowledge in cleartext (h2c) or over TLS (h2)?"
            )
        what = "in the middle of its answer" if coming.raw else "before an answer came"
        return f"the connection was closed {what}"

    def _count(self, coming: _Coming, data: bytes) -> None:
        """Count the frames of this answer, byte for byte."""
        self._unread += data
        now_ns = time.monotonic_ns()
        while len(self._unread) >= _FRAME_HEAD:
            size = _FRAME_HEAD + int.from_bytes(self._unread[:3])
            if len(self._unread) < size:
                return
            kind, stream = self._unread[_KIND], int.from_bytes(self._unread[5:9]) & 0x7FFFFFFF
            if stream == coming.stream and kind in (_DATA, _HEADERS, _CONTINUATION):
                coming.raw += self._unread[:size]
                coming.head_bytes += size if kind != _DATA else 0
                coming.received_ns.append(now_ns)
            del self._unread[:size]

    def _take(self, coming: _Coming, events: Iterable[Event]) -> None:
        for event in events:
            if isinstance(event, RemoteSettingsChanged):
                self.settings |= {
                    SettingCodes(code).name.lower(): changed.new_value
                    for code, changed in event.changed_settings.items()
                    if code in list(SettingCodes)
                }
            elif isinstance(event, ConnectionTerminated):
                self._ended = True
                if (event.last_stream_id or 0) < coming.stream and not coming.done:
                    raise NoAnswer(f"it ended the connection (GOAWAY, {_name(event.error_code)})")
            elif getattr(event, "stream_id", None) == coming.stream:
                self._take_own(coming, event)

    def _take_own(self, coming: _Coming, event: Event) -> None:
        if isinstance(event, ResponseReceived):
            head = [(str(name), str(value)) for name, value in event.headers or ()]
            status = dict(head).get(":status", "")
            coming.status = int(status) if status.isdigit() else 0
            coming.headers = tuple(each for each in head if not each[0].startswith(":"))
        elif isinstance(event, TrailersReceived):
            coming.trailers = tuple((str(name), str(value)) for name, value in event.headers or ())
        elif isinstance(event, DataReceived):
            coming.take(event.data or b"")
            self._h2.acknowledge_received_data(event.flow_controlled_length or 0, coming.stream)
        elif isinstance(event, StreamReset):
            raise NoAnswer(f"it reset the request's stream ({_name(event.error_code)})")
        elif isinstance(event, StreamEnded):
            coming.done = True

    def close(self) -> None:
        self.socket.close()

    def __exit__(self, *_: object) -> None:
        self.close()


def fields(
    request: RequestSection, path: str, scheme: str, authority: str, length: int
) -> list[tuple[str, str]]:
    """The head of a request with a body of this `length`, as HTTP/2 and HTTP/3 have it."""
    own = ((name.lower(), value) for name, value in request.headers.items())
    return [
        (":method", request.method),
        (":scheme", scheme),
        (":authority", authority),
        (":path", path),
        *((name, value) for name, value in own if name not in _OF_HTTP_1),
        *([("content-length", str(length))] if length or request.posts else []),
    ]


def _check_speaks(begins: bytes) -> None:
    """Raises `NoAnswer` for a server whose first bytes are not HTTP/2."""
    if begins.startswith(b"HTTP/1."):
        line = begins.partition(b"\r\n")[0].decode("latin-1")
        raise NoAnswer(
            f"it speaks HTTP/1 alone: it answered HTTP/2's preface (prior knowledge) with `{line}`"
        )
    if begins.startswith(TLS_RECORDS):
        raise NoAnswer(SPEAKS_TLS)
    # A server begins with SETTINGS; a piece that is shorter than a frame's head is left to h2.
    if len(begins) > _KIND and begins[_KIND] != _SETTINGS:
        raise NoAnswer(
            f"it does not speak HTTP/2: its answer to the preface begins {begins[:40]!r}"
        )


def _name(code: ErrorCodes | int | None) -> str:
    return code.name if isinstance(code, ErrorCodes) else f"error {code}"
