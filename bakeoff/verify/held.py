"""The beginning of a stream that is to be held: its first events, and how far apart they come."""

from contextlib import suppress
from itertools import pairwise
from socket import SHUT_RDWR
from statistics import median
from threading import Timer

from bakeoff.model.receipt import Handle
from bakeoff.model.request import EventsSection
from bakeoff.model.workload import Workload
from bakeoff.verify import events
from bakeoff.verify.asking import Connection, Http1Connection, opened, why
from bakeoff.verify.exchange import Answer, NoAnswer
from bakeoff.verify.http2 import Http2Connection

_GAPS = 3.5
"""It is read for this many gaps between events."""
_LEAST_S = 1.0
_USUAL_GAP_MS = 1000.0
_APART = 2.0
"""A gap that is longer than expected, or shorter, by this factor is another."""


def stream_faults(handle: Handle, workload: Workload) -> list[str]:
    """What is wrong with the stream that is to be held; empty: nothing, or there is none."""
    held = workload.held
    if not held:
        return []
    reads_s = max(_LEAST_S, _GAPS * (held.gap_ms or _USUAL_GAP_MS) * 1e-3)
    request = held.request
    named = f"GET {held.path}, the stream to be held"
    try:
        with opened(handle, reads_s + 1) as connection:
            stop = Timer(reads_s, _stop, (connection,))
            stop.start()
            try:
                answer = connection.ask(request, request.path)
            except NoAnswer as error:
                if not error.came:
                    return [f"{named}: {why(error, handle.address, handle.protocol)}"]
                answer = error.came
            finally:
                stop.cancel()
    except OSError as error:
        return [f"{named}: {error.strerror or error}"]
    fault = _fault(answer, held.gap_ms, reads_s)
    return [f"{named}: {fault}"] if fault else []


def _stop(connection: Connection) -> None:
    assert isinstance(connection, Http1Connection | Http2Connection)
    with suppress(OSError):  # The server was faster.
        connection.socket.shutdown(SHUT_RDWR)


def _fault(answer: Answer, gap_ms: float | None, reads_s: float) -> str:
    if answer.status != 200:
        return f"answered with status {answer.status}, not 200"
    # An event may be cut off where the reading ended.
    fault = events.fault(answer, EventsSection(), "")
    if fault and not fault.startswith("ended within"):
        return fault
    came = [event.at_ns for event in events.stream_of(answer).events]
    if len(came) < 2:
        return f"sent {len(came)} event{'s' * (len(came) != 1)} in {reads_s:g} s; two are needed"
    seen_ms = median(later - before for before, later in pairwise(came)) / 1e6
    if gap_ms and not gap_ms / _APART <= seen_ms <= gap_ms * _APART:
        return f"its events come {seen_ms:.3g} ms apart, not {gap_ms:g} ms"
    return ""
