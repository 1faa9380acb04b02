"""Asks servers several times what nobody said the right answer to, and finds what stays in it."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bakeoff.model.finding import Finding
from bakeoff.model.held import Held
from bakeoff.model.plan import Entry
from bakeoff.model.receipt import Handle
from bakeoff.model.workload import ExpectSection, RequestSection
from bakeoff.verify.asking import opened
from bakeoff.verify.exchange import Answer, NoAnswer
from bakeoff.verify.stays import order_matters, stays

APART_S = 1.1
"""From the first answers to the next: most clocks in answers show seconds."""
GAPS_S = ((0.0, 0.0), (0.017, 0.041))
"""Before each of the next answers, on two connections: what counts requests goes on evenly, and a
clock doesn't."""
ANSWERS_MAX = 24
"""Of a body that varies: a key that a tenth of the answers lack is seen to be missing in eleven of
twelve servers."""
MORE_S = 0.5
"""The most time for the answers beyond the first six."""



@dataclass(frozen=True)
class Looked:
    """The answers of one server to one request, and what stays in them.

    `findings` say what in them depends on the requests before.
    """

    answers: tuple[Answer, ...]
    held: Held
    findings: tuple[Finding, ...] = ()


def leaves_open(expect: ExpectSection) -> bool:
    """Whether nothing is said of the body, so that what stays in it is held."""
    return not expect.model_fields_set - {"status", "headers"}


def look(
    servers: Sequence[tuple[Handle, Entry]],
    request: RequestSection,
    status: int = 200,
    sleep: Callable[[float], None] = time.sleep,
) -> tuple[dict[str, Looked], dict[str, str]]:
    """What each of `servers` answers, by name; and of those that didn't with `status`, why.

    Each is asked twice on one connection, and after `APART_S`, for which all wait together, four
    times on two others; one whose body varies is then asked up to `ANSWERS_MAX` times.
    """
    looked: dict[str, Looked] = {}
    out: dict[str, str] = {}
    clients = {
        handle.name: _Client(handle, entry, request, status, sleep) for handle, entry in servers
    }
    for name, client in clients.items():
        if fault := client.tried(client.begin):
            out[name] = fault
    if len(out) < len(clients):
        sleep(APART_S)
    for name, client in clients.items():
        if name in out:
            continue
        if fault := client.tried(client.go_on):
            out[name] = fault
        else:
            looked[name] = client.looked()
    return looked, out


class _Client:
    """Asks one server, on one connection after another."""

    def __init__(
        self,
        handle: Handle,
        entry: Entry,
        request: RequestSection,
        status: int,
        sleep: Callable[[float], None],
    ) -> None:
        self._handle, self._path, self._request = handle, entry.path, request
        self._status, self._sleep = status, sleep
        self._answers: list[Answer] = []
        self._late: tuple[Answer, ...] = ()

    def tried(self, step: Callable[[], None]) -> str:
        """Why `step` came to no answers; empty: it did."""
        try:
            step()
        except NoAnswer as error:
            return f"{self._request.method} {self._path}: {error}"
        except OSError as error:
            return f"can't be connected to at {self._handle.address}: {error.strerror or error}"
        return ""

    def begin(self) -> None:
        """The first answers."""
        self._ask((0.0, 0.0))

    def go_on(self) -> None:
        """The later ones, and more where the body varies."""
        before = len(self._answers)
        for gaps_s in GAPS_S:
            self._ask(gaps_s)
        self._late = tuple(self._answers[before:])
        until_s = time.monotonic() + MORE_S
        while len({answer.body for answer in self._answers}) > 1 and time.monotonic() < until_s:
            if len(self._answers) >= ANSWERS_MAX:
                break
            self._ask((0.0, 0.0))

    def looked(self) -> Looked:
        """What all answers came to."""
        return Looked(
            tuple(self._answers), stays(self._answers), tuple(order_matters(self._late))
        )

    def _ask(self, gaps_s: Sequence[float]) -> None:
        """An answer after each gap, on one connection as far as the server keeps it."""
        left = list(gaps_s)
        while left:
            with opened(self._handle) as connection:
                while left:
                    self._sleep(left.pop(0))
                    answer = connection.ask(self._request, self._path)
                    if answer.status != self._status:
                        status, before = f"status {answer.status}", len(self._answers)
                        raise NoAnswer(f"answered with {status}, after {before} right answers")
                    self._answers.append(answer)
                    if not answer.keeps_alive:
                        break
