"""Whether one server answers every request of a workload right, each sent once.

The engine sends requests that differ, or whose right answer is a rule, from a request file. The
file's content is checked here first, where a wrong answer can be shown.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from http.cookies import CookieError, SimpleCookie
from typing import Any

from bakeoff.model.errors import BakeoffError
from bakeoff.model.fields import filled
from bakeoff.model.plan import Entry
from bakeoff.model.receipt import Handle
from bakeoff.model.request import ExpectSection, OnceSection, RequestSection
from bakeoff.model.workload import Workload
from bakeoff.verify.asking import Connection, Former, opened
from bakeoff.verify.exchange import READ_TIMEOUT_S, Answer, NoAnswer
from bakeoff.verify.expected import cut_off, problems, shown

PROBLEMS_MAX = 5
"""The number of problems shown for a server that lacks all requested paths."""


class NotTaken(BakeoffError):
    """A chain can't go on; the message names the request, and what its answer lacks."""


def ask_all(
    handle: Handle, entry: Entry, workload: Workload
) -> tuple[dict[str, Answer], list[str]]:
    """The answer to each request by its name, and what is wrong with them. Raises OSError."""
    answers: dict[str, Answer] = {}
    wrong: list[str] = []
    waiting = list(workload.by_name)
    while waiting:
        try:
            with begun(handle, workload) as (connection, values):
                while waiting:
                    name = waiting.pop(0)
                    request = as_sent(workload, workload.by_name[name], values)
                    path = request.path if workload.is_mix else filled(entry.path, values)
                    expect = workload.by_name[name].expect or ExpectSection()
                    try:
                        answers[name] = connection.ask(request, path)
                        found = problems(answers[name], workload, expect)
                    except NoAnswer as error:
                        found = [cut_off(error, expect)]
                    shown_as = name if workload.is_mix else f"{request.method} {path}"
                    wrong += [f"{shown_as}: {each}" for each in found]
                    if name not in answers or not answers[name].keeps_alive:
                        break
        except (NotTaken, NoAnswer) as error:
            return answers, [*wrong, str(error)]
    if len(wrong) > PROBLEMS_MAX:
        more = f"and {len(wrong) - PROBLEMS_MAX} more of {len(workload.by_name)} requests"
        wrong = [*wrong[:PROBLEMS_MAX], more]
    return answers, wrong


@contextmanager
def begun(
    handle: Handle,
    workload: Workload,
    timeout_s: float = READ_TIMEOUT_S,
    former: Former | None = None,
) -> Iterator[tuple[Connection, Mapping[str, str]]]:
    """A connection on which the requests that are sent once have been sent, and the values of the
    first row and of tokens.

    Raises `NoAnswer`, `NotTaken` and OSError.
    """
    values = workload.row()
    with opened(handle, timeout_s, former) as connection:
        for once in workload.once:
            request = as_sent(workload, once, values)
            name = once.name or once.usual_name
            try:
                answer = connection.ask(request, request.path)
                found = problems(answer, workload, once.expect or ExpectSection())
            except NoAnswer as error:
                raise NotTaken(f"{name}: {error}") from None
            if found:
                raise NotTaken(f"{name}: {found[0]}")
            values |= _taken(name, once, answer)
        yield connection, values


def opening(entry: Entry, workload: Workload) -> RequestSection:
    """The first request of a new connection, filled in."""
    values = workload.row()
    if workload.once:
        return as_sent(workload, workload.once[0], values)
    return first_sent(entry, workload, values)


def first_sent(entry: Entry, workload: Workload, values: Mapping[str, str]) -> RequestSection:
    """The first request that the load repeats, filled in, with the path that `entry` serves."""
    own = {} if workload.is_mix else {"path": entry.path}
    return as_sent(workload, workload.first.model_copy(update=own), values)


def as_sent(
    workload: Workload, section: RequestSection, values: Mapping[str, str]
) -> RequestSection:
    """A request with its fields filled in and its body, whose bytes need not be text."""
    body = workload.body(section)
    try:
        text = body.decode() if workload.exchange else filled(body.decode(), values)
    except UnicodeDecodeError:
        text = body.decode(errors="surrogateescape")
    return section.model_copy(
        update={
            "path": filled(section.path, values),
            "headers": {name: filled(text, values) for name, text in section.headers.items()},
            "body": text,
            "body_bytes": None,
            "body_file": None,
        }
    )


def held_bodies(
    workload: Workload, answers: Mapping[str, Answer], stay: Collection[str]
) -> dict[str, str]:
    """By request its body, as it comes, if all of it is given or must `stay`; base64."""
    expected = {name: each.expect or ExpectSection() for name, each in workload.by_name.items()}
    return {
        name: base64.b64encode(answer.body).decode()
        for name, answer in answers.items()
        if name in stay
        or expected[name].sha256
        or (
            workload.expected_body(expected[name]) is not None
            and not workload.differs_by_row(expected[name])
        )
    }


def _taken(name: str, once: OnceSection, answer: Answer) -> dict[str, str]:
    values = {}
    for token, source in once.take.items():
        kind, _, where = source.partition(" ")
        finders = {"json": _of_json, "cookie": _of_cookie, "header": _of_header}
        value = finders[kind](answer, where)
        if value is None:
            raise NotTaken(
                f"{name}: {{{{{token}}}}} can't be taken: there is no {source} in its answer, "
                f"{shown(answer.body)}"
            )
        values[token] = value
    return values


def _of_json(answer: Answer, pointer: str) -> str | None:
    try:
        value: Any = json.loads(answer.content)
    except ValueError:
        return None
    for part in pointer.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        if isinstance(value, list) and key.isdigit() and int(key) < len(value):
            value = value[int(key)]
        elif isinstance(value, dict) and key in value:
            value = value[key]
        else:
            return None
    if isinstance(value, str):
        return value
    return None if value is None or isinstance(value, dict | list) else json.dumps(value)


def _of_cookie(answer: Answer, wanted: str) -> str | None:
    for text in (value for key, value in answer.headers if key == "set-cookie"):
        try:
            cookies = SimpleCookie(text)
        except CookieError:
            continue
        if wanted in cookies:
            return cookies[wanted].coded_value
    return None


def _of_header(answer: Answer, wanted: str) -> str | None:
    return answer.header(wanted.lower()) or None
