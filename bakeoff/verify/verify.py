"""Whether one server answers right: two requests on one connection, one on another.

With pipelining, as many more at once on a third. In a room, some listeners of one message.
"""

import base64
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack

from bakeoff.model.plan import Entry
from bakeoff.model.protocol import HTTP_2
from bakeoff.model.receipt import Expectation, Handle, Verification
from bakeoff.model.request import ExpectSection, MessageSection
from bakeoff.model.workload import Workload
from bakeoff.verify.asking import Http1Connection, opened, why
from bakeoff.verify.exchange import Answer, NoAnswer, WrongAnswer
from bakeoff.verify.expected import after, cut_off, held_back, problems
from bakeoff.verify.held import stream_faults
from bakeoff.verify.mix import ask_all, begun, first_sent, held_bodies
from bakeoff.verify.sampling import open_requests

_ROOM = 9999
"""A room that no load has."""
_LISTENERS = 8
"""Of a server of several processes that each have rooms of their own, these are hardly in one."""
_SETTLING_S = 0.05
"""Servers may agree to the upgrade before they add a listener: the engine waits as long."""
CLOSES = "it closes the connection after each answer, though keep-alive was asked"


def verify(
    handle: Handle,
    entry: Entry,
    workload: Workload,
    pipeline: int = 1,
    held: Mapping[str, Expectation] | None = None,
) -> Verification:
    """Check a server's answers; `problems` say what is wrong with them.

    `held` has the expected answers of its first process, by request; None: they are not known yet.
    It must also answer `pipeline` requests that are sent at once, if that is more than one.
    Requests that differ are each sent once.
    """
    if faults := stream_faults(handle, workload):
        return Verification(name=entry.name, problems=tuple(faults))
    if not workload.is_fixed:
        return _verify_all(handle, entry, workload, pipeline, held)
    expect = workload.first.expect or ExpectSection()
    try:
        answers = _three_answers(handle, entry, workload)
        answers += _of_room(handle, entry, workload)
        wrong = _of_each(answers, workload, expect)
        at_once = _ahead(handle, entry, workload, pipeline)
        wrong += [each for answer in at_once for each in problems(answer, workload, expect)]
        answers += at_once
        wrong += _broken(workload, held or {}, {workload.first.name: answers})
    except (NoAnswer, OSError) as error:
        return _failed(handle, entry, f"{workload.first.method} {entry.path}", error, expect)
    first = answers[0]
    # The second is as long as all later ones: HPACK has learned, an upgrade is answered.
    learns = handle.protocol in HTTP_2 or workload.websocket
    usual = answers[1] if learns and first.keeps_alive else first
    warnings = held_back(first, expect) if not wrong else []
    varies = any(answer.body != first.body for answer in answers)
    known = not open_requests(workload) or held == {}
    if varies and known and not expect.events:
        warnings.append(
            "its body changes from answer to answer: only status and framing are checked"
        )
    if handle.connection == "keep-alive" and not first.keeps_alive:
        warnings.append(CLOSES)
    return Verification(
        name=entry.name,
        problems=tuple(
            f"{workload.first.method} {entry.path}: {fault}" for fault in dict.fromkeys(wrong)
        ),
        warnings=tuple(warnings),
        status=first.status,
        head_bytes=usual.head_bytes,
        body_bytes=len(usual.raw) - usual.head_bytes,
        headers=first.headers,
        keeps_alive=first.keeps_alive,
        response_base64=base64.b64encode(first.raw).decode(),
        expected_body_base64=None if varies else base64.b64encode(first.body).decode(),
    )


def _verify_all(
    handle: Handle,
    entry: Entry,
    workload: Workload,
    pipeline: int,
    held: Mapping[str, Expectation] | None,
) -> Verification:
    """The same for a workload of several requests, or of rules."""
    try:
        answers, wrong = ask_all(handle, entry, workload)
        wrong += _broken(workload, held or {}, {name: [each] for name, each in answers.items()})
        if not wrong:
            _ahead(handle, entry, workload, pipeline)
    except (NoAnswer, OSError) as error:
        return _failed(handle, entry, workload.first.name, error)
    if wrong:
        return Verification(name=entry.name, problems=tuple(wrong))
    first = answers[workload.first.name]
    # The constant part of its first process's answers stays in this one's, though it may be another
    # body.
    stay = set() if held is None else open_requests(workload).keys() - held
    kept = handle.connection == "keep-alive"
    closes = kept and not all(each.keeps_alive for each in answers.values())
    slow = [
        f"{name}: {said}"
        for name, each in workload.by_name.items()
        for said in held_back(answers[name], each.expect or ExpectSection())
    ]
    return Verification(
        name=entry.name,
        warnings=(*([CLOSES] if closes else []), *slow),
        status=first.status,
        head_bytes=first.head_bytes,
        body_bytes=len(first.raw) - first.head_bytes,
        headers=first.headers,
        keeps_alive=first.keeps_alive,
        response_base64=base64.b64encode(first.raw).decode(),
        bodies_base64=held_bodies(workload, answers, stay),
    )


def _of_each(answers: Sequence[Answer], workload: Workload, expect: ExpectSection) -> list[str]:
    wrong: list[str] = []
    for number, answer in enumerate(answers):
        found = problems(answer, workload, expect)
        if found and number and not wrong:
            return [f"{each}, {after(number)}" for each in found]
        wrong += found
    return wrong


def _broken(
    workload: Workload, held: Mapping[str, Expectation], answers: Mapping[str, Sequence[Answer]]
) -> list[str]:
    """The expected parts that are wrong, by request."""
    return [
        f"{name}: {fault}" if workload.is_mix else fault
        for name, each in held.items()
        for answer in answers.get(name, ())
        for fault in problems(answer, workload, each.expect)
    ]


def _failed(
    handle: Handle,
    entry: Entry,
    request: str,
    error: NoAnswer | OSError,
    expect: ExpectSection | None = None,
) -> Verification:
    if isinstance(error, NoAnswer) and expect and error.came:
        fault = f"{request}: {cut_off(error, expect)}"
    elif isinstance(error, NoAnswer):
        fault = f"{request}: {why(error, handle.address, handle.protocol)}"
    elif isinstance(error, ConnectionRefusedError):
        fault = f"nothing listens at {handle.address}: start the server first, or correct the port"
    else:
        fault = f"can't be connected to at {handle.address}: {error.strerror or error}"
    return Verification(name=entry.name, problems=(fault,))


def _three_answers(handle: Handle, entry: Entry, workload: Workload) -> list[Answer]:
    answers: list[Answer] = []
    request = first_sent(entry, workload, {})
    with opened(handle) as connection:
        answers.append(connection.ask(request, request.path))
        if answers[0].keeps_alive:
            answers.append(connection.ask(request, request.path))
    with opened(handle) as connection:
        answers.append(connection.ask(request, request.path))
    return answers


def _of_room(handle: Handle, entry: Entry, workload: Workload) -> list[Answer]:
    """What some listeners, in a room of their own, hear of the message that one of them sends."""
    if (workload.room or 1) == 1:
        return []
    request = first_sent(entry, workload, {})
    assert isinstance(request, MessageSection)
    path = f"{request.path}{'&' if '?' in request.path else '?'}room={_ROOM}"
    with ExitStack() as stack:
        listeners = []
        for _ in range(min(workload.room or 1, _LISTENERS)):
            connection = stack.enter_context(opened(handle))
            assert isinstance(connection, Http1Connection)
            listeners.append(connection.upgraded(request, path))
        time.sleep(_SETTLING_S)
        heard = [listeners[0].ask(request)]
        try:
            return heard + [each.hear(request) for each in listeners[1:]]
        except NoAnswer as error:
            raise WrongAnswer(f"another listener of the room hears it wrongly: {error}") from None


def _ahead(handle: Handle, entry: Entry, workload: Workload, pipeline: int) -> list[Answer]:
    """Unanswered requests would only show as timeouts in a race."""
    if pipeline == 1:
        return []
    with begun(handle, workload) as (connection, values):
        assert isinstance(connection, Http1Connection), "HTTP/2 has streams in place of a pipeline"
        request = first_sent(entry, workload, values)
        return connection.ahead(request, request.path, pipeline)
