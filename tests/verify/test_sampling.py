"""Servers are asked several times, at distances at which their answers change."""

import base64
import json
import socket
from collections.abc import Callable
from itertools import count
from typing import Any

import pytest

from bakeoff.model.request import ExpectSection
from bakeoff.model.workload import Workload
from bakeoff.verify import AnswerSample, sample_answers
from bakeoff.verify.sampling import ANSWERS_MAX, APART_S, GAPS_S, open_requests
from tests.verify.serving import handle_and_entry, serving

GET = Workload(name="get", title="")
EARLY, LATE = 2, sum(len(gaps_s) for gaps_s in GAPS_S)


def sampled(
    body: Callable[[int, float], Any], status: Callable[[int], int] = lambda _: 200
) -> tuple[AnswerSample | None, str, int]:
    """What stays in a server's bodies, which come of the request's number and the time slept."""
    number, slept_s, connections = count(), 0.0, 0

    def serve(connection: socket.socket) -> None:
        nonlocal connections
        connections += 1
        with connection:
            while connection.recv(65536):
                n = next(number)
                text = json.dumps(body(n, slept_s)).encode()
                head = f"HTTP/1.1 {status(n)} X\r\nContent-Type: application/json\r\n"
                connection.sendall(f"{head}Content-Length: {len(text)}\r\n\r\n".encode() + text)

    def sleep(wait_s: float) -> None:
        nonlocal slept_s
        slept_s += wait_s

    with serving(serve) as port:
        found, out = sample_answers([handle_and_entry("x", port)], GET, sleep)
    return found["x"]["GET /"] if found else None, out.get("x", ""), connections


def test_one_that_stays_is_asked_six_times_on_three_connections() -> None:
    found, fault, connections = sampled(lambda n, slept_s: {"id": 1})
    assert found and not fault
    assert (len(found.answers), connections) == (EARLY + LATE, 1 + len(GAPS_S))
    assert (found.inferred.varied, found.findings) == ((), ())


def test_a_clock_of_seconds_is_seen_to_move_and_asked_more_often() -> None:
    found, *_ = sampled(lambda n, slept_s: {"id": 1, "time": int(slept_s)})
    assert found and APART_S > 1
    assert found.inferred.varied == ("time",)
    assert found.inferred.expect.json_ == {"id": "number", "time": "number"}
    assert (found.inferred.answers, found.findings) == (ANSWERS_MAX, ())


def test_a_clock_of_milliseconds_is_no_counter_and_a_counter_is() -> None:
    found, *_ = sampled(lambda n, slept_s: {"ms": round(slept_s * 1000) + n})
    assert found and found.inferred.varied == ("ms",) and found.findings == ()
    found, *_ = sampled(lambda n, slept_s: {"visits": n})
    assert found and [each.code for each in found.findings] == ["answers_count"]


@pytest.mark.parametrize("rows", [2, 3, 40])
def test_a_body_that_only_some_rows_differ_in_is_held_to_what_all_have(rows: int) -> None:
    """The first rows have one body: held to it, a server would be wrong with the others."""
    data = "\n".join(["id", *map(str, range(rows))]).encode()
    files = {"rows.csv": base64.b64encode(data).decode()}
    workload = Workload.model_validate(
        {"name": "x", "request": {"path": "/{{id}}"}, "data": "rows.csv", "files": files}
    )

    def serve(connection: socket.socket) -> None:
        with connection:
            while asked := connection.recv(65536):
                later = int(asked.split()[1][1:]) >= rows // 2
                text = b"later" if later else b"soon"
                head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(text)}\r\n\r\n"
                connection.sendall(head.encode() + text)

    with serving(serve) as port:
        handle, entry = handle_and_entry("x", port)
        asked = entry.model_copy(update={"path": workload.request.path})
        found, out = sample_answers([(handle, asked)], workload, lambda _: None)
    assert not out
    sample = found["x"]["GET /{{id}}"]
    assert (len(sample.answers), sample.inferred.varied) == (ANSWERS_MAX, ("the body",))


def test_a_wrong_status_later_on_is_a_reason_to_be_out() -> None:
    found, fault, _ = sampled(lambda n, _: n, lambda n: 200 if n < 3 else 429)
    assert found is None
    why = "its answers depend on earlier requests"
    assert fault == f"GET /: answered with status 429, not 200, after 3 right answers: {why}"


def test_what_can_be_asked_only_once_is_told_so() -> None:
    _, fault, _ = sampled(lambda n, _: n, lambda n: 409)
    assert "not 200, after a right answer: its answers depend on" in fault


def test_nobody_there_is_a_reason_too() -> None:
    with serving(lambda connection: connection.close()) as port:
        pass
    found, out = sample_answers([handle_and_entry("x", port)], GET, lambda _: None)
    assert not found and "can't be connected to" in out["x"]


def test_what_is_given_is_not_asked_for() -> None:
    given = ExpectSection(body="Hi"), ExpectSection.model_validate({"json": {}})
    for expect in given:
        assert not open_requests(GET.model_copy(update={"expect": expect}))
    assert list(open_requests(GET)) == ["GET /"]
