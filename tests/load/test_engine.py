"""Driving the real engine against a real server."""

import base64
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from bakeoff.load import Engine
from bakeoff.load.engine import EngineFailed
from bakeoff.model.engine import Job, Requests, Target
from tests.brick.conftest import program, running
from tests.load.jobs import BODY, CLOSED, job, target

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """The port of a server that answers `BODY`."""
    with running([program("brick-yardstick"), "--port", "0"]) as server:
        yield server.port


def job_at(port: int, body: bytes = BODY) -> Job:
    return job(of=target(f"127.0.0.1:{port}", body))


def test_a_slice_counts_right_answers(port: int) -> None:
    with Engine(job_at(port)) as engine:
        assert engine.ready.targets[0].open == 4
        event = engine.slice(CLOSED)
    assert (event.target, event.block) == (0, 3)
    assert event.requests > 0
    assert event.requests_all >= event.requests
    assert event.errors == {} and event.misses == 0
    assert event.end_ns - event.start_ns == pytest.approx(50e6, rel=0.5)


def test_a_wrong_answer_is_counted_and_kept(port: int) -> None:
    with Engine(job_at(port, body=b"Jello, World!")) as engine:
        event = engine.slice(CLOSED)
    assert event.errors["mismatch_body"] == event.requests_all
    assert event.first_bad
    assert base64.b64decode(event.first_bad.request_base64).startswith(b"GET / HTTP/1.1")
    assert base64.b64decode(event.first_bad.response_base64).endswith(BODY)


def mix(port: int, file: Path, text: str) -> Job:
    file.write_text(text)
    plain = job_at(port)
    asked = Requests(file=str(file), host=f"127.0.0.1:{port}", seed=7)
    targets = (Target(name="mix", address=plain.targets[0].address, requests=asked),)
    return plain.model_copy(update={"targets": targets})


def test_a_slice_tells_what_each_request_of_a_file_had(port: int, tmp_path: Path) -> None:
    text = (
        '[[request]]\nname = "often"\nweight = 9\npath = "/"\nexpect.body = "Hello, World!"\n'
        '[[request]]\npath = "/?n={{random 1 9}}"\nexpect.body = "Jello, World!"\n'
    )
    with Engine(mix(port, tmp_path / "mix.toml", text)) as engine:
        assert engine.ready.targets[0].requests == ("often", "GET /?n={{random 1 9}}")
        event = engine.slice(CLOSED)
    assert event.by_request
    often, seldom = event.by_request
    assert often.requests + seldom.requests == event.requests
    assert often.requests > seldom.requests > 0
    assert often.latency_count + seldom.latency_count == event.latency_count
    assert (often.errors, seldom.errors) == ({}, event.errors)
    assert set(event.errors) == {"mismatch_body"}


def test_what_is_wrong_with_a_request_file_is_told_with_its_line(port: int, tmp_path: Path) -> None:
    file = tmp_path / "mix.toml"
    with pytest.raises(EngineFailed, match=r"mix\.toml:2: request\.path: \{\{what\}\}"):
        Engine(mix(port, file, '[[request]]\npath = "/{{what}}"\n'))


def test_a_refused_command_is_told(port: int) -> None:
    with Engine(job_at(port)) as engine, pytest.raises(EngineFailed, match="refused a command"):
        engine.slice(CLOSED.model_copy(update={"target": 7}))


def test_an_engine_that_was_killed_is_told_and_not_waited_for(port: int) -> None:
    with Engine(job_at(port)) as engine:
        os.kill(engine._process.pid, signal.SIGKILL)
        with pytest.raises(EngineFailed, match="status -9"):
            engine.slice(CLOSED)


def test_a_slice_that_nobody_waits_for_ends_with_its_engine(port: int) -> None:
    began_s = time.monotonic()
    with Engine(job_at(port)) as engine:
        engine.begin(CLOSED.model_copy(update={"duration_ms": 60_000}))
        engine.abort()
        assert engine._process.returncode == -signal.SIGKILL
    assert time.monotonic() - began_s < 30, "it waited for the slice"
