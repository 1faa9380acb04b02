"""What is wrong with an answer, compared with what a workload expects."""

import hashlib
import json
import re

from bakeoff.model.request import ExpectSection
from bakeoff.model.shape import mismatch
from bakeoff.model.workload import Workload
from bakeoff.verify import events, grpc
from bakeoff.verify.exchange import SPEAKS_TLS, Answer, NoAnswer

SHOWN_BYTES = 60


def problems(answer: Answer, workload: Workload, expect: ExpectSection) -> list[str]:
    """What is wrong, in words; after a wrong status nothing else is checked. Raises `NoAnswer`."""
    if workload.websocket:
        right = workload.websocket.body
        wrong = f"echoed {shown(answer.body)}, not {shown(right)}"
        return [] if answer.body == right else [wrong]
    if answer.status != expect.status:
        # TLS servers say so in plain HTTP.
        plain = answer.status == 400 and b"HTTPS" in answer.body
        because = f": {SPEAKS_TLS}" if plain else ""
        return [f"answered with status {answer.status}, not {expect.status}{because}"]
    if expect.events and (fault := events.fault(answer, expect.events)):
        return [fault]
    if workload.grpc:
        return [fault] if (fault := grpc.fault(answer, workload.grpc)) else []
    if fault := _body(answer, workload, expect) or _rules(answer, expect):
        return [fault]
    return [
        f"answered with {name}: {answer.header(name) or '(none)'}, not {value}"
        for name, value in expect.headers.items()
        if not answer.header(name).lower().startswith(value.lower())
    ]


def cut_off(error: NoAnswer, expect: ExpectSection) -> str:
    """What is wrong with an incomplete answer."""
    if expect.events and error.came:
        return events.fault(error.came, expect.events, str(error))
    return str(error)


def held_back(answer: Answer, expect: ExpectSection) -> list[str]:
    """Findings on an answer that is right, but comes differently from what its source sends."""
    said = events.held_back(answer, expect.events) if expect.events else ""
    return [said] if said else []


def _body(answer: Answer, workload: Workload, expect: ExpectSection) -> str:
    """The whole body, and its length."""
    right, length = workload.expected_body(expect), len(answer.body)
    if right is not None and answer.content != right:
        return f"answered {shown(answer.content)}, not {shown(right)}"
    if expect.sha256 and hashlib.sha256(answer.content).hexdigest() != expect.sha256.lower():
        return f"answered {shown(answer.content)}, whose SHA-256 is not {expect.sha256}"
    if expect.length is not None and length != expect.length:
        return f"answered with a body of {length} bytes, not {expect.length}"
    if expect.length_between and not expect.length_between[0] <= length <= expect.length_between[1]:
        low, high = expect.length_between
        return f"answered with a body of {length} bytes, not {low} to {high}"
    return ""


def _rules(answer: Answer, expect: ExpectSection) -> str:
    """What the body must contain; the engine checks each answer for it, too."""
    if not expect.looks_inside:
        return ""
    if encoding := answer.header("content-encoding"):
        return (
            f"its body is compressed ({encoding}), and what it contains is looked for in plain "
            "text: leave Accept-Encoding out of the request"
        )
    text = answer.body.decode(errors="replace")
    for part in expect.body_contains:
        if part not in text:
            return f"answered {shown(answer.body)}, without {json.dumps(part, ensure_ascii=False)}"
    if expect.body_matches and not re.search(expect.body_matches, text):
        return f"answered {shown(answer.body)}, in which {expect.body_matches} is not found"
    if expect.json_ is None:
        return ""
    try:
        value = json.loads(answer.body)
    except ValueError:
        return f"answered {shown(answer.body)}, which is not JSON"
    fault = mismatch(value, expect.json_)
    return f"answered {shown(answer.body)}: {fault}" if fault else ""


def after(right: int) -> str:
    """Why the same request was answered rightly before."""
    answers = "a right answer" if right == 1 else f"{right} right answers"
    return f"after {answers}: its answers depend on earlier requests"


def shown(body: bytes) -> str:
    text = body[:SHOWN_BYTES].decode(errors="replace")
    more = f"… ({len(body)} bytes)" if len(body) > SHOWN_BYTES else ""
    return f'"{text}"{more}' if body else "an empty body"
