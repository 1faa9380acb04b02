"""Whether one server answers right: two requests on one connection, one on another.

With pipelining, as many more at once on a third.
"""

import base64

from bakeoff.model.plan import Connection, Entry
from bakeoff.model.protocol import HTTP_2
from bakeoff.model.receipt import Handle, Verification
from bakeoff.model.workload import Workload
from bakeoff.verify.asking import Http1Connection, opened
from bakeoff.verify.exchange import Answer, NoAnswer, ahead

SHOWN_BYTES = 60


def verify(
    handle: Handle, entry: Entry, workload: Workload, connection: Connection, pipeline: int = 1
) -> Verification:
    """Check a server's answers; `problems` say what is wrong with them.

    It must also answer `pipeline` requests that are sent at once, if that is more than one.
    """
    try:
        answers = _three_answers(handle, entry, workload)
        answers += _ahead(handle, entry, workload, pipeline)
        problems = [problem for answer in answers for problem in _problems(answer, workload)]
    except NoAnswer as error:
        return Verification(name=entry.name, problems=(f"{_request(entry, workload)}: {error}",))
    except OSError as error:
        fault = f"can't be connected to at {handle.address}: {error.strerror or error}"
        return Verification(name=entry.name, problems=(fault,))
    first = answers[0]
    # Of HTTP/2 the second weighs what all later ones do: HPACK has learned by then.
    usual = answers[1] if handle.protocol in HTTP_2 and first.keeps_alive else first
    warnings = []
    varies = any(answer.body != first.body for answer in answers)
    if varies:
        warnings.append(
            "its body changes from answer to answer: only status and framing are checked"
        )
    if connection == "keep-alive" and not first.keeps_alive:
        warnings.append("it closes the connection after each answer, though keep-alive was asked")
    return Verification(
        name=entry.name,
        problems=tuple(f"{_request(entry, workload)}: {each}" for each in dict.fromkeys(problems)),
        warnings=tuple(warnings),
        status=first.status,
        head_bytes=usual.head_bytes,
        body_bytes=len(usual.raw) - usual.head_bytes,
        headers=first.headers,
        keeps_alive=first.keeps_alive,
        response_base64=base64.b64encode(first.raw).decode(),
        expected_body_base64=None if varies else base64.b64encode(first.body).decode(),
    )


def _three_answers(handle: Handle, entry: Entry, workload: Workload) -> list[Answer]:
    answers: list[Answer] = []
    with opened(handle) as connection:
        answers.append(connection.ask(workload.request, entry.path))
        if answers[0].keeps_alive:
            answers.append(connection.ask(workload.request, entry.path))
    with opened(handle) as connection:
        answers.append(connection.ask(workload.request, entry.path, close=True))
    return answers


def _ahead(handle: Handle, entry: Entry, workload: Workload, pipeline: int) -> list[Answer]:
    """In a race, unanswered requests would only show as timeouts."""
    if pipeline == 1:
        return []
    with opened(handle) as connection:
        assert isinstance(connection, Http1Connection), "HTTP/2 has streams in place of a pipeline"
        return ahead(connection.socket, workload.request, entry.path, handle.host, pipeline)


def _problems(answer: Answer, workload: Workload) -> list[str]:
    expect = workload.expect
    problems = []
    if answer.status != expect.status:
        problems.append(
            f"answered with status {answer.status}, not {expect.status}{_because(answer)}"
        )
    elif expect.content is not None and answer.content != expect.content:
        problems.append(f"answered {_shown(answer.content)}, not {_shown(expect.content)}")
    else:
        problems += [
            f"answered with {name}: {answer.header(name) or '(none)'}, not {value}"
            for name, value in expect.headers.items()
            if not answer.header(name).lower().startswith(value.lower())
        ]
    return problems


def _because(answer: Answer) -> str:
    """What servers of TLS say in plain HTTP to whoever asks so."""
    if answer.status == 400 and b"HTTPS" in answer.body:
        return ": its port speaks TLS: ask it over h1-tls or h2, by an https:// URL"
    return ""


def _request(entry: Entry, workload: Workload) -> str:
    return f"{workload.request.method} {entry.path}"


def _shown(body: bytes) -> str:
    text = body[:SHOWN_BYTES].decode(errors="replace")
    more = f"… ({len(body)} bytes)" if len(body) > SHOWN_BYTES else ""
    return f'"{text}"{more}' if body else "an empty body"
