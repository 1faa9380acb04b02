"""Samples the answers to requests without an expected answer."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random

from bakeoff.model.fields import FIELD, drawn
from bakeoff.model.finding import Finding
from bakeoff.model.plan import Entry
from bakeoff.model.receipt import Expectation, Handle
from bakeoff.model.request import ExpectSection, RequestSection
from bakeoff.model.workload import Workload
from bakeoff.verify.exchange import Answer, NoAnswer
from bakeoff.verify.expected import after, problems
from bakeoff.verify.inference import inferred, minutes, order_matters
from bakeoff.verify.mix import NotTaken, as_sent, begun

APART_S = 1.1
"""The time from the first answers to the next: most clocks in answers show seconds."""
GAPS_S = ((0.0, 0.0), (0.017, 0.041))
"""The waits before each of the next answers, on two connections: a counter of requests goes on
evenly, and a clock doesn't."""
ANSWERS_MAX = 24
"""For a body that varies: with this many answers, a key that a tenth of them lack is seen to be
missing in eleven of twelve servers."""
MORE_S = 0.5
"""The most time for the answers beyond the first six."""


@dataclass(frozen=True)
class AnswerSample:
    """The answers of one server to one request, and their constant part.

    `findings` say what in them depends on earlier requests.
    """

    answers: tuple[Answer, ...]
    inferred: Expectation
    findings: tuple[Finding, ...] = ()


def open_requests(workload: Workload) -> dict[str, RequestSection]:
    """The requests without an expected body, whose constant part is then expected."""
    if workload.exchange:
        return {}  # A message stays whole, or not at all.
    return {
        name: request
        for name, request in workload.by_name.items()
        if (expect := request.expect) is None
        or (
            expect.is_plain
            and expect.body is None
            and expect.body_file is None
            and expect.events is None
        )
    }


def sample_answers(
    servers: Sequence[tuple[Handle, Entry]],
    workload: Workload,
    sleep: Callable[[float], None] = time.sleep,
) -> tuple[dict[str, dict[str, AnswerSample]], dict[str, str]]:
    """The answers of each of `servers` to each open request, by their names.

    The second result has why servers are missing there. Each gets two requests on one connection,
    and after `APART_S`, for which all wait together, four on two others. If the body varies, or the
    request has fields, it then gets up to `ANSWERS_MAX`.
    """
    clients = {
        (handle.name, name): _Client(handle, entry, workload, request, sleep)
        for handle, entry in servers
        for name, request in open_requests(workload).items()
    }
    out: dict[str, str] = {}
    for step in (_Client.begin, _Client.go_on):
        for (server, _), client in clients.items():
            if server in out:
                continue
            try:
                step(client)
            except (NoAnswer, NotTaken) as error:
                out[server] = f"{client.request.method} {client.request.path}: {error}"
            except OSError as error:
                reason = error.strerror or error
                out[server] = f"can't be connected to at {client.handle.address}: {reason}"
        if step is _Client.begin and clients:
            sleep(APART_S)
    samples: dict[str, dict[str, AnswerSample]] = {}
    for (server, name), client in clients.items():
        if server not in out:
            samples.setdefault(server, {})[name] = client.sample()
    return samples, out


@dataclass
class _Client:
    """Sends one server one request, on one connection after another."""

    handle: Handle
    entry: Entry
    workload: Workload
    request: RequestSection
    sleep: Callable[[float], None]
    began_s: float = field(default_factory=time.time)
    answers: list[Answer] = field(default_factory=list)
    late: tuple[Answer, ...] = ()

    def __post_init__(self) -> None:
        if not self.workload.is_mix:
            self.request = self.request.model_copy(update={"path": self.entry.path})
        self.rows = rows(self.workload, self.request)

    def begin(self) -> None:
        self._send((0.0, 0.0))

    def go_on(self) -> None:
        """The later answers, and more if the body varies, or may vary with other fields."""
        before = len(self.answers)
        for gaps_s in GAPS_S:
            self._send(gaps_s)
        self.late = tuple(self.answers[before:])
        until_s = time.monotonic() + MORE_S / len(self.workload.by_name)
        while len(self.answers) < ANSWERS_MAX and time.monotonic() < until_s:
            if not self.rows and len({answer.body for answer in self.answers}) == 1:
                break
            self._send((0.0, 0.0))

    def sample(self) -> AnswerSample:
        answers, fixed = tuple(self.answers), not self.rows
        expected = inferred(answers, fixed=fixed, clock=minutes((self.began_s, time.time())))
        # The order of different requests shows nothing.
        return AnswerSample(answers, expected, tuple(order_matters(self.late)) if fixed else ())

    def _send(self, gaps_s: Sequence[float]) -> None:
        """An answer after each gap, on one connection if the server keeps it."""
        left = list(gaps_s)
        expect = self.request.expect or ExpectSection()
        while left:
            with begun(self.handle, self.workload) as (connection, values):
                while left:
                    self.sleep(left.pop(0))
                    number = len(self.answers)
                    own = self.rows[number % len(self.rows)] if self.rows else {}
                    request = as_sent(self.workload, self.request, {**values, **own})
                    answer = connection.ask(request, request.path)
                    if found := problems(answer, self.workload, expect):
                        # It answered right when it was verified.
                        raise NoAnswer(f"{found[0]}, {after(number or 1)}")
                    self.answers.append(answer)
                    if not answer.keeps_alive:
                        break


def rows(workload: Workload, request: RequestSection) -> list[dict[str, str]]:
    """Values for the fields of `ANSWERS_MAX` requests: rows from all over the data, in random
    order, so that the first few are typical.

    Empty if the request has no fields except those of a chain.
    """
    body = workload.body(request).decode(errors="ignore")
    texts = " ".join([*(text for _, text in request.texts), body])
    names, table = workload.table()
    fields = [match[1].strip() for match in FIELD.finditer(texts)]
    taken = {token for once in workload.once for token in once.take}
    if not set(fields) - taken:
        return []
    random_fields = [name for name in fields if name not in {*names, *taken}]
    chance = Random(ANSWERS_MAX)
    places = [number * len(table) // ANSWERS_MAX for number in range(ANSWERS_MAX)]
    chance.shuffle(places)
    return [
        dict(zip(names, table[place], strict=True) if table else ())
        | {name: drawn(name, chance) for name in random_fields}
        for place in places
    ]
