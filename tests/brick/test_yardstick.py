"""brick-yardstick does what its options say. Times are bounded from below: a busy machine adds."""

import json
import os
import re
import socket
import subprocess
import time
from contextlib import ExitStack, suppress
from http.client import HTTPConnection, HTTPResponse
from itertools import pairwise
from pathlib import Path

import pytest

from tests.brick.conftest import BUILD, Running, Start, ended, program, running
from tests.waiting import wait_for

pytestmark = pytest.mark.e2e

YARDSTICK = BUILD / "brick-yardstick"
HELLO = b"Hello, World!"
REQUEST = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"


def writes_to_a_pipe(pid: int) -> bool:
    """Whether the process waits for room in a pipe."""
    return "pipe" in Path(f"/proc/{pid}/wchan").read_text()


@pytest.mark.parametrize("null", [False, True])
def test_sigterm_ends_it_well_from_the_line_with_the_port_on(null: bool) -> None:
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    filled = 0
    with suppress(BlockingIOError):
        while True:
            filled += os.write(writer, b"x" * 4096)
    os.set_blocking(writer, True)
    words = [str(program("brick-yardstick")), "--port", "0", *["--null"] * null]
    with subprocess.Popen(words, stdout=writer) as server, os.fdopen(reader, "rb") as said:
        os.close(writer)
        while not writes_to_a_pipe(server.pid):
            time.sleep(0.01)
        server.terminate()
        line = said.read()[filled:]
        assert server.wait(timeout=60) == 0
    assert b"127.0.0.1:" in line


def connected(server: Running) -> HTTPConnection:
    connection = HTTPConnection("127.0.0.1", server.port, timeout=20)
    connection.connect()
    return connection


def asked(
    connection: HTTPConnection, method: str = "GET", path: str = "/", body: bytes | None = None
) -> tuple[HTTPResponse, bytes]:
    connection.request(method, path, body)
    response = connection.getresponse()
    return response, response.read()


def latencies_s(server: Running, n: int) -> list[float]:
    """Of requests one after another."""
    connection = connected(server)
    found = []
    for _ in range(n):
        began = time.monotonic()
        asked(connection)
        found.append(time.monotonic() - began)
    return found


def spent_s(server: Running, n: int) -> tuple[float, list[float]]:
    """The CPU time of requests one after another, and their latencies."""
    before_s = server.cpu_s()
    latencies = latencies_s(server, n)
    return server.cpu_s() - before_s, latencies


def answered_s(server: Running) -> list[float]:
    """Of twenty clients that ask at once: when each has its answer, since the first asked."""
    connections = [connected(server) for _ in range(20)]
    began = time.monotonic()
    for each in connections:
        each.request("GET", "/")
    found = []
    for each in connections:
        assert each.getresponse().read() == HELLO
        found.append(time.monotonic() - began)
    return found


def raw_answer(server: Running) -> bytes:
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as connection:
        connection.sendall(REQUEST.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
        return b"".join(iter(lambda: connection.recv(65536), b""))


def test_help_teaches_by_examples() -> None:
    told = ended(YARDSTICK, "--help")
    assert told.returncode == 0
    assert "Examples:\n" in told.stdout
    assert "brick-yardstick --stall 90ms --every 1s --log stalls.jsonl" in told.stdout


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--dealy", "5ms"], "there is no option --dealy; see --help"),
        (["--delay", "5"], '--delay "5" is no duration; it takes a number and ns, us, ms or s'),
        (["--body", "5KB"], '--body "5KB" is no size; it takes whole bytes'),
        (["--stall", "1s"], "--stall and --every belong together"),
        (["--null", "--busy", "5us"], "--null reads no request"),
    ],
)
def test_a_bad_option_is_named_with_what_would_be_right(words: list[str], complaint: str) -> None:
    refused = ended(YARDSTICK, *words)
    assert refused.returncode == 2
    assert refused.stderr.startswith(f"brick-yardstick: {complaint}")
    assert refused.stderr.count("\n") == 1


def test_a_port_that_is_taken_is_named(yardstick: Start) -> None:
    port = str(yardstick().port)
    for words in (["--port", port], ["--port", port, "--null"]):
        refused = ended(YARDSTICK, *words)
        assert refused.returncode == 1
        assert f"127.0.0.1:{port}: Address already in use" in refused.stderr


def test_a_log_that_cannot_be_written_is_named() -> None:
    refused = ended(
        YARDSTICK, "--port", "0", "--stall", "1ms", "--every", "1s", "--log", "/no/folder/x"
    )
    assert refused.returncode == 1
    assert "/no/folder/x: No such file or directory" in refused.stderr


@pytest.mark.parametrize("io", ["epoll", "auto"])
@pytest.mark.parametrize("mode", [[], ["--delay", "1ms"]], ids=["rendered", "handled"])
def test_it_answers_on_any_path(yardstick: Start, io: str, mode: list[str]) -> None:
    connection = connected(yardstick("--io", io, *mode))
    for path in ("/", "/a", "/a/b/c?d"):
        for method, body in (("GET", HELLO), ("HEAD", b""), ("POST", HELLO)):
            response, content = asked(connection, method, path)
            assert (response.status, content) == (200, body)
            assert response.headers["Content-Type"] == "text/plain"
            assert response.headers["Content-Length"] == str(len(HELLO))
    assert asked(connection, "POST", "/echo", b"\0 anything \n")[1] == b"\0 anything \n"


def test_quiet_says_nothing(yardstick: Start) -> None:
    port = str(yardstick().port)
    assert ended(YARDSTICK, "--quiet", "--port", port).stdout == ""


@pytest.mark.parametrize("io", ["epoll", "auto"])
def test_a_delay_is_never_cut_short_and_holds_up_nobody_else(yardstick: Start, io: str) -> None:
    found = answered_s(yardstick("--io", io, "--delay", "200ms"))
    assert min(found) >= 0.2
    assert max(found) < 3.9, "twenty delays one after another take four seconds"


def test_every_kth_request_is_slow_and_the_others_are_not(yardstick: Start) -> None:
    found = latencies_s(yardstick("--slow-every", "5", "--slow", "300ms"), 15)
    slow, others = found[4::5], [one for at, one in enumerate(found) if (at + 1) % 5]
    assert min(slow) >= 0.3
    assert sorted(others)[len(others) // 2] < 0.3


def test_stalls_are_logged_as_they_were(yardstick: Start, tmp_path: Path) -> None:
    log = tmp_path / "stalls with a space.jsonl"
    server = yardstick("--stall", "90ms", "--every", "300ms", "--log", str(log))
    connection = connected(server)
    requests = []
    began = time.monotonic_ns()
    while time.monotonic_ns() - began < 2 * 10**9:
        sent_ns = time.monotonic_ns()
        asked(connection)
        requests.append((sent_ns, time.monotonic_ns()))
    stalls = [json.loads(line) for line in log.read_text().splitlines()]
    assert len(stalls) >= 3
    for stall in stalls:
        begin_ns, end_ns = stall["begin_ns"], stall["end_ns"]
        met = [
            1 for sent_ns, answered_ns in requests if sent_ns <= begin_ns and answered_ns >= end_ns
        ]
        assert len(met) == 1, "one request was asked before the stall and answered after it"
        assert end_ns > begin_ns
    # A client that always asks meets most windows at their beginning.
    assert max(stall["end_ns"] - stall["begin_ns"] for stall in stalls) > 45_000_000
    for one, after in pairwise(stalls):
        assert after["begin_ns"] - one["end_ns"] > 0


def test_a_window_that_nobody_meets_is_no_stall(yardstick: Start, tmp_path: Path) -> None:
    log = tmp_path / "log"
    yardstick("--stall", "40ms", "--every", "50ms", "--log", str(log))
    time.sleep(0.2)
    assert log.read_text() == ""


@pytest.mark.parametrize("io", ["epoll", "auto"])
def test_exponential_service_makes_a_queue(yardstick: Start, io: str) -> None:
    found = answered_s(yardstick("--io", io, "--exponential", "10ms", "--seed", "7"))
    # Twenty service times of this seed sum up to 306.8 ms; side by side, the longest would be 54.
    assert max(found) >= 0.3068


def test_busy_costs_so_much_cpu_time(yardstick: Start) -> None:
    cpu_s, latencies = spent_s(yardstick("--busy", "2ms"), 100)
    assert cpu_s >= 0.2 - 0.02, "in ticks of 10 ms"
    assert min(latencies) >= 0.002


def test_loops_cost_cpu_time(yardstick: Start) -> None:
    cpu_s, _ = spent_s(yardstick("--loops", "1000000"), 100)
    # A multiplication and an addition that wait for each other are four cycles at least.
    assert cpu_s >= 1e8 * 4 / 8e9, "nobody has 8 GHz"


def test_a_clock_tells_what_a_cause_took(tmp_path: Path) -> None:
    file = tmp_path / "a clock.json"
    words = ["--loops", "1000000", "--clock", str(file)]
    with running([YARDSTICK, "--port", "0", *words]) as server:
        spent_s(server, 20)
    took = json.loads(file.read_text())
    assert took["requests"] == 20
    assert took["ns_per_request"] >= 1e6 * 4 / 8, "nobody has 8 GHz"


def test_bodies_have_the_size_that_was_asked_for(yardstick: Start) -> None:
    for size, bytes_ in (("0", 0), ("1", 1), ("16KiB", 16384), ("1MiB", 2**20)):
        response, body = asked(connected(yardstick("--body", size)))
        assert response.headers["Content-Length"] == str(bytes_) == str(len(body))
        assert body == (HELLO * (bytes_ // len(HELLO) + 1))[:bytes_]


def test_chunks_have_the_size_that_was_asked_for(yardstick: Start) -> None:
    server = yardstick("--body", "2.5KiB", "--chunked", "1KiB")
    head, _, body = raw_answer(server).partition(b"\r\n\r\n")
    assert b"\r\nTransfer-Encoding: chunked" in head
    content = (HELLO * 200)[:2560]
    assert body == b"".join(
        b"%x\r\n%s\r\n" % (len(piece), piece)
        for piece in (content[:1024], content[1024:2048], content[2048:], b"")
    )


def test_one_byte_at_a_time_takes_its_gaps(yardstick: Start) -> None:
    server = yardstick("--one-byte", "--gap", "2ms")
    began = time.monotonic()
    answer = raw_answer(server)
    assert answer.endswith(b"\r\n\r\n" + HELLO)
    assert time.monotonic() - began >= (len(answer) - 1) * 0.002


def test_null_sends_the_bytes_of_the_real_answer(yardstick: Start) -> None:
    answers = []
    for words in ((), ("--null",), ("--null", "--threads", "2")):
        with socket.create_connection(("127.0.0.1", yardstick(*words).port), 20) as connection:
            for _ in range(2):
                connection.sendall(REQUEST)
                answer = b""
                while not answer.endswith(HELLO):
                    answer += connection.recv(65536)
                lines = [line for line in answer.split(b"\r\n") if not line.startswith(b"Date: ")]
                answers.append((len(answer), lines))
    assert all(answer == answers[0] for answer in answers)


@pytest.mark.parametrize("io", ["epoll", "auto"])
def test_many_streams_at_once_come_when_they_are_due(yardstick: Start, io: str) -> None:
    server = yardstick("--io", io)
    script = b"GET /events?events=5&first=200ms&gap=100ms HTTP/1.1\r\nHost: x\r\n\r\n"
    with ExitStack() as held:
        streams = [
            held.enter_context(socket.create_connection(("127.0.0.1", server.port), 20))
            for _ in range(500)
        ]
        began = time.monotonic()
        for stream in streams:
            stream.sendall(script)
        came: dict[bytes, float] = {}
        last = b""
        while not last.endswith(b"0\r\n\r\n"):
            last = streams[-1].recv(65536)
            came |= dict.fromkeys(re.findall(rb"id: (\d)", last), time.monotonic() - began)
        for stream in streams[:-1]:
            body = b""
            while not body.endswith(b"0\r\n\r\n"):
                body += stream.recv(65536)
            assert re.findall(rb"id: (\d)", body) == [b"1", b"2", b"3", b"4", b"5"]
        took = time.monotonic() - began
    for number, at in came.items():
        assert at >= 0.2 + 0.1 * (int(number) - 1)
    assert took < 500 * 0.6, "one after another they take five minutes"


def test_a_chat_streams_whatever_is_posted(yardstick: Start) -> None:
    connection = connected(yardstick())
    path = "/v1/chat/completions?events=3&gap=1ms"
    response, body = asked(connection, "POST", path, b'{"stream": true}')
    assert response.headers["Content-Type"] == "text/event-stream"
    *events, done = body.decode().rstrip().split("\n\n")
    chunks = [json.loads(event.removeprefix("data: ")) for event in events]
    assert done == "data: [DONE]"
    assert {chunk["object"] for chunk in chunks} == {"chat.completion.chunk"}
    assert [chunk["choices"][0]["finish_reason"] for chunk in chunks] == [None, None, None, "stop"]


@pytest.mark.parametrize("io", ["epoll", "auto"])
def test_a_stream_whose_client_has_gone_ends(yardstick: Start, io: str) -> None:
    server = yardstick("--io", io)
    files = Path(f"/proc/{server.pid}/fd")
    script = b"GET /events?lie=hang&at=1 HTTP/1.1\r\nHost: x\r\n\r\n"
    with socket.create_connection(("127.0.0.1", server.port), 20) as stream:
        stream.sendall(script)
        assert b"200 OK" in stream.recv(65536)
        held = len(list(files.iterdir()))
    wait_for(lambda: len(list(files.iterdir())) < held)


@pytest.mark.parametrize(
    ("query", "complaint"),
    [("gap=5", b'gap: "5" is no duration'), ("type=a%0Ab", b"response field")],
)
def test_a_stream_that_cannot_be_says_why(yardstick: Start, query: str, complaint: bytes) -> None:
    response, body = asked(connected(yardstick()), path=f"/events?{query}")
    assert response.status == 400
    assert body.startswith(complaint)
