"""How many connections a server serves at a time, shown by servers that serve so many."""

import itertools
import socket
import threading
import time
from contextlib import nullcontext, suppress

import pytest

from bakeoff.model.workload import Workload
from bakeoff.verify import connections_at_a_time
from tests.verify.serving import Serve, handle_and_entry, serving

ANY = Workload(name="any", title="")
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nHi"


def answering(delay_s: float, workers: int = 0, *, in_turn: bool = False) -> Serve:
    """Answers after `delay_s`: each of `workers` serves one connection until it is closed; with
    `in_turn` one answer after another."""
    free = threading.Semaphore(workers) if workers else nullcontext()
    turn = threading.Lock() if in_turn else nullcontext()

    def serve(connection: socket.socket) -> None:
        with connection, free, suppress(OSError):
            while connection.recv(65536):
                with turn:
                    time.sleep(delay_s)
                connection.sendall(ANSWER)

    return serve


def served(serve: Serve, most: int = 64) -> tuple[int | None, float]:
    """What is found, and how long it took."""
    with serving(serve) as port:
        began_s = time.monotonic()
        found = connections_at_a_time(*handle_and_entry("x", port), ANY, most)
        return found, time.monotonic() - began_s


@pytest.mark.parametrize("delay_s", [0.0, 0.05])
@pytest.mark.parametrize("workers", [1, 4, 11])
def test_it_is_as_many_as_it_has_workers(workers: int, delay_s: float) -> None:
    assert served(answering(delay_s, workers), 16)[0] == workers


@pytest.mark.parametrize("delay_s", [0.0, 0.05])
def test_who_serves_all_has_no_limit(delay_s: float) -> None:
    assert served(answering(delay_s))[0] is None
    assert served(answering(delay_s, workers=16), 16)[0] is None


def test_a_slow_one_is_asked_several_at_a_time() -> None:
    """All 64 answers of 50 ms would take 3.2 s one after another, longer than is looked for, so
    the limit of the last ones was not seen."""
    assert served(answering(0.05, workers=60))[0] == 60


def test_an_answer_that_is_missing_once_is_no_limit() -> None:
    """A busy machine, or a connection that was reset."""
    count = itertools.count()

    def serve(connection: socket.socket) -> None:
        if next(count) == 5:
            connection.close()
        else:
            answering(0.0)(connection)

    assert served(serve, 16)[0] is None


def test_one_that_answers_in_turn_is_not_full() -> None:
    assert served(answering(0.03, in_turn=True))[0] is None
