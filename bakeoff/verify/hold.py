"""Asks servers several times what nobody said the right answer to, and finds what stays in it."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from bakeoff.model.fields import FIELD, drawn
from bakeoff.model.finding import Finding
from bakeoff.model.held import Held
from bakeoff.model.plan import Entry
from bakeoff.model.receipt import Handle
from bakeoff.model.workload import ExpectSection, RequestSection, Workload
from bakeoff.verify.exchange import Answer, NoAnswer
from bakeoff.verify.expected import after, problems
from bakeoff.verify.mix import NotTaken, as_sent, begun
from bakeoff.verify.stays import minutes, order_matters, stays

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


def open_requests(workload: Workload) -> dict[str, RequestSection]:
    """The requests of whose right body nothing is said, so that what stays in it is held."""
    return {name: each for name, each in workload.asked.items() if _leaves_open(each.expect)}


def _leaves_open(expect: ExpectSection | None) -> bool:
    return expect is None or (expect.is_plain and expect.body is None and expect.body_file is None)


def look(
    servers: Sequence[tuple[Handle, Entry]],
    workload: Workload,
    sleep: Callable[[float], None] = time.sleep,
) -> tuple[dict[str, dict[str, Looked]], dict[str, str]]:
    """What each of `servers` answers to each open request, by their names.

    The second has why a server has no place there. Each is asked twice on one connection, and after
    `APART_S`, for which all wait together, four times on two others; where the body varies, or the
    request has fields, it is then asked up to `ANSWERS_MAX` times.
    """
    clients = {
        (handle.name, name): _Client(handle, entry, workload, request, sleep)
        for handle, entry in servers
        for name, request in open_requests(workload).items()
    }
    out: dict[str, str] = {}
    for step in (_Client.begin, _Client.go_on):
        for (server, _), client in clients.items():
            if server not in out and (fault := client.tried(step)):
                out[server] = fault
        if step is _Client.begin and clients:
            sleep(APART_S)
    looked: dict[str, dict[str, Looked]] = {}
    for (server, name), client in clients.items():
        if server not in out:
            looked.setdefault(server, {})[name] = client.looked()
    return looked, out


class _Client:
    """Asks one server one request, on one connection after another."""

    def __init__(
        self,
        handle: Handle,
        entry: Entry,
        workload: Workload,
        request: RequestSection,
        sleep: Callable[[float], None],
    ) -> None:
        self._handle, self._workload, self._sleep = handle, workload, sleep
        own = {} if workload.is_mix else {"path": entry.path}
        self._request = request.model_copy(update=own)
        self._rows = rows(workload, self._request)
        self._began_s = time.time()
        self._answers: list[Answer] = []
        self._late: tuple[Answer, ...] = ()

    def tried(self, step: Callable[["_Client"], None]) -> str:
        """Why `step` came to no answers; empty: it did."""
        try:
            step(self)
        except (NoAnswer, NotTaken) as error:
            return f"{self._request.method} {self._request.path}: {error}"
        except OSError as error:
            return f"can't be connected to at {self._handle.address}: {error.strerror or error}"
        return ""

    def begin(self) -> None:
        """The first answers."""
        self._ask((0.0, 0.0))

    def go_on(self) -> None:
        """The later ones, and more where the body varies, or may vary with other fields."""
        before = len(self._answers)
        for gaps_s in GAPS_S:
            self._ask(gaps_s)
        self._late = tuple(self._answers[before:])
        until_s = time.monotonic() + MORE_S / len(self._workload.asked)
        while len(self._answers) < ANSWERS_MAX and time.monotonic() < until_s:
            if not self._rows and len({answer.body for answer in self._answers}) == 1:
                break
            self._ask((0.0, 0.0))

    def looked(self) -> Looked:
        """What all answers came to. Of requests that differ the order says nothing."""
        answers = tuple(self._answers)
        fixed = not self._rows
        held = stays(answers, fixed=fixed, clock=minutes((self._began_s, time.time())))
        return Looked(answers, held, tuple(order_matters(self._late)) if fixed else ())

    def _ask(self, gaps_s: Sequence[float]) -> None:
        """An answer after each gap, on one connection as far as the server keeps it."""
        left = list(gaps_s)
        expect = self._request.expect or ExpectSection()
        while left:
            with begun(self._handle, self._workload) as (connection, values):
                while left:
                    self._sleep(left.pop(0))
                    number = len(self._answers)
                    own = self._rows[number % len(self._rows)] if self._rows else {}
                    request = as_sent(self._workload, self._request, {**values, **own})
                    answer = connection.ask(request, request.path)
                    if found := problems(answer, self._workload, expect):
                        # It answered right when it was verified.
                        raise NoAnswer(f"{found[0]}, {after(number or 1)}")
                    self._answers.append(answer)
                    if not answer.keeps_alive:
                        break


def rows(workload: Workload, request: RequestSection) -> list[dict[str, str]]:
    """Values for the fields of as many requests as are asked: rows from all of the data's length,
    in no order, so that the first few tell.

    None where the request has no fields but those that a chain takes.
    """
    body = workload.body(request).decode(errors="ignore")
    texts = " ".join([*(text for _, text in request.texts), body])
    columns, table = workload.table()
    names = [match[1].strip() for match in FIELD.finditer(texts)]
    taken = {token for once in workload.once for token in once.take}
    if not set(names) - taken:
        return []
    chance = Random(ANSWERS_MAX)
    places = [number * len(table) // ANSWERS_MAX for number in range(ANSWERS_MAX)]
    chance.shuffle(places)
    found: list[dict[str, str]] = []
    for place in places:
        values = dict(zip(columns, table[place], strict=True)) if table else {}
        found.append(
            values | {name: drawn(name, chance) for name in names if name not in {*columns, *taken}}
        )
    return found
