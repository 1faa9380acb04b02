"""How many connections a server serves at a time: some serve one, and let all others wait."""

import time
from contextlib import ExitStack
from itertools import count

from bakeoff.model.errors import BakeoffError
from bakeoff.model.plan import Entry
from bakeoff.model.receipt import Handle
from bakeoff.model.workload import Workload
from bakeoff.verify.exchange import READ_TIMEOUT_S
from bakeoff.verify.mix import begun, first_sent

LOOKS_FOR_S = 2.0
"""Whoever is still served after so long is not what is looked for."""
WAITS_S = 1.0
WAITS_ANSWERS = 20
"""So long, and so many times its first answer's time, an answer is waited for."""


def connections_at_a_time(
    handle: Handle, entry: Entry, workload: Workload, most: int
) -> int | None:
    """How many connections it serves while all of them stay open; None: `most`, or who knows.

    Connections are opened one after another, and each is asked once, until one is not answered. If
    it is answered when the others are closed, it was they that kept it waiting.
    """
    until_s = time.monotonic() + LOOKS_FOR_S
    waits_s = READ_TIMEOUT_S
    with ExitStack() as held:
        for served in count():
            if served >= most or time.monotonic() > until_s:
                return None
            asked_s = time.monotonic()
            if not _answers(handle, entry, workload, waits_s, held):
                break
            if not served:
                first_s = time.monotonic() - asked_s
                waits_s = min(READ_TIMEOUT_S, max(WAITS_S, WAITS_ANSWERS * first_s))
    with ExitStack() as alone:
        return served if served and _answers(handle, entry, workload, waits_s, alone) else None


def _answers(
    handle: Handle, entry: Entry, workload: Workload, waits_s: float, held: ExitStack
) -> bool:
    """Whether another connection, which stays open, is answered in time."""
    try:
        connection, values = held.enter_context(begun(handle, workload, waits_s))
        request = first_sent(entry, workload, values)
        connection.ask(request, request.path)
    except (BakeoffError, OSError):
        return False
    return True
