"""Each switch of the misbehaving server, and what a client sees of it."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from tests.waiting import wait_for

SERVER = Path(__file__).parent / "server.py"
GET = b"GET / HTTP/1.1\r\nHost: here\r\n\r\n"
LAST = b"GET / HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n"
SOON_S = 10.0
SILENCE_S = 0.2
"""How long a client waits for what must not come."""


class Running:
    """A server that was started for a test; its log is a file."""

    def __init__(self, words: tuple[str, ...], folder: Path, number: int) -> None:
        self.log = folder / f"log {number}"
        self.folder = folder
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port: int = free.getsockname()[1]
        self.process = subprocess.Popen(
            [sys.executable, SERVER, *words],
            cwd=folder,
            env={**os.environ, "PORT": str(self.port), "FOLDER": str(folder)},
            stdout=self.log.open("wb"),
            stderr=subprocess.STDOUT,
        )

    def says(self, text: str) -> bool:
        return text in self.log.read_text(errors="replace")

    def listens(self) -> "Running":
        wait_for(lambda: self.says("listening on"))
        return self

    def has_struck(self) -> "Running":
        wait_for(lambda: self.says("the fault strikes"))
        return self

    def status(self) -> int:
        return self.process.wait(SOON_S)

    def connected(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=SOON_S)

    def asked(self, requests: bytes = LAST, answers: int = 1) -> bytes:
        """All that comes on a new connection, up to so many answers or its end."""
        with self.connected() as connection:
            connection.sendall(requests)
            return received(connection, answers)

    def answers_rightly(self) -> bool:
        with suppress(OSError):
            return is_right(self.asked())
        return False

    def end(self) -> None:
        for process in psutil.process_iter(["environ"]):
            if (process.info["environ"] or {}).get("FOLDER") == str(self.folder):
                process.kill()
        self.process.wait(SOON_S)


Start = Callable[..., Running]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Start a server with these switches; nothing of it runs afterwards."""
    started: list[Running] = []

    def begin(*words: str) -> Running:
        started.append(Running(words, tmp_path, len(started)))
        return started[-1]

    yield begin
    for server in started:
        server.end()


def received(connection: socket.socket, answers: int = 1) -> bytes:
    got = b""
    while got.count(b"Hello, World!") < answers and (more := connection.recv(65536)):
        got += more
    return got


def is_right(answer: bytes) -> bool:
    return answer.startswith(b"HTTP/1.1 200 OK\r\n") and answer.endswith(b"\r\n\r\nHello, World!")


def is_silent(connection: socket.socket) -> bool:
    connection.settimeout(SILENCE_S)
    try:
        return not connection.recv(1)
    except TimeoutError:
        return True


def is_refused(running: Running) -> bool:
    try:
        running.connected().close()
    except ConnectionRefusedError:
        return True
    return False


def test_a_well_behaved_one_answers_everything_rightly(start: Start) -> None:
    server = start().listens()
    with server.connected() as connection:
        for _ in range(3):
            connection.sendall(GET)
            assert is_right(received(connection))
    post = b"POST /orders HTTP/1.1\r\nHost: here\r\nContent-Length: 70000\r\n\r\n" + b"x" * 70000
    assert server.asked(post + GET + GET, answers=3).count(b"HTTP/1.1 200 OK") == 3
    head = server.asked(LAST.replace(b"GET", b"HEAD"))
    assert head.endswith(b"\r\n\r\n")
    assert b"Content-Length: 13\r\n" in head
    assert server.asked(b"GET / HTTP/1.0\r\n\r\n", answers=9).endswith(b"Hello, World!")
    assert server.asked(b"nonsense\r\n\r\n", answers=9).startswith(b"HTTP/1.1 400 ")
    server.process.terminate()
    assert server.status() == 0
    assert not server.says("the fault strikes")


def test_a_request_that_comes_byte_by_byte_is_answered_once(start: Start) -> None:
    with start().listens().connected() as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for byte in GET:
            connection.send(bytes([byte]))
        assert is_right(received(connection))
        assert is_silent(connection)


@pytest.mark.parametrize("moment", ["--at-start", "--before-listening", "--when-ready"])
def test_it_exits_before_it_answers(start: Start, moment: str) -> None:
    server = start("exits", "--status", "7", moment)
    assert server.status() == 7
    assert server.says("the fault strikes")
    assert server.says("listening on") == (moment == "--when-ready")


def test_it_exits_after_so_many_answers(start: Start) -> None:
    server = start("exits", "--after-requests", "3").listens()
    assert server.asked(GET * 4, answers=4).count(b"Hello, World!") == 3
    assert server.status() == 1
    assert server.says("after 3 answers")


def test_it_exits_after_so_many_seconds(start: Start) -> None:
    server = start("exits", "--after-seconds", "0.3").listens()
    assert server.answers_rightly()
    assert server.status() == 1


def test_it_exits_with_a_status_when_it_is_asked_to_stop(start: Start) -> None:
    server = start("exits", "--status", "9", "--when-asked-to-stop").listens()
    assert server.answers_rightly()
    server.process.terminate()
    assert server.status() == 9


@pytest.mark.parametrize("name", ["KILL", "SEGV", "TERM"])
def test_it_is_killed_by_a_signal(start: Start, name: str) -> None:
    server = start("is_killed", "--signal", name, "--at-start")
    assert server.status() == -signal.Signals[f"SIG{name}"]


@pytest.mark.parametrize("moment", [("--when-ready",), ("--after-requests", "1")])
def test_it_hangs_with_open_sockets(start: Start, moment: tuple[str, ...]) -> None:
    server = start("hangs", *moment).listens()
    with server.connected() as connection:
        connection.sendall(GET)
        assert received(connection) if "1" in moment else True
        connection.sendall(GET)
        server.has_struck()
        assert is_silent(connection)
        assert not is_refused(server)
    server.process.terminate()
    assert server.status() == -signal.SIGTERM


def test_it_hangs_before_it_listens(start: Start) -> None:
    assert is_refused(start("hangs", "--at-start").has_struck())


def test_it_refuses_and_lives_on(start: Start) -> None:
    server = start("refuses", "--after-requests", "1").listens()
    with server.connected() as connection:
        connection.sendall(GET + GET)
        assert is_right(received(connection))
        assert connection.recv(1) == b""
    wait_for(lambda: is_refused(server))
    assert server.process.poll() is None


def test_it_never_listens_where_it_refuses_from_the_start(start: Start) -> None:
    assert is_refused(start("refuses", "--at-start").has_struck())


def test_it_resets_each_connection_at_a_request(start: Start) -> None:
    server = start("resets", "--at-start").listens()
    for _ in range(2):
        with pytest.raises(ConnectionResetError):
            server.asked()


def test_it_answers_garbage(start: Start) -> None:
    server = start("garbage", "--after-requests", "1").listens()
    assert server.answers_rightly()
    with server.connected() as connection:
        connection.sendall(GET)
        assert b"this is not HTTP" in connection.recv(100)


def test_it_answers_wrongly(start: Start) -> None:
    body = start("wrong", "--after-requests", "1").listens()
    assert body.answers_rightly()
    assert body.asked().endswith(b"Goodbye, World")
    status = start("wrong", "--status", "500", "--when-ready").listens()
    assert status.asked().startswith(b"HTTP/1.1 500 ")


def test_it_stops_reading_old_and_new_connections(start: Start) -> None:
    server = start("stops_reading", "--after-requests", "1").listens()
    with server.connected() as old, server.connected() as new:
        old.sendall(GET + GET)
        assert is_right(received(old))
        new.sendall(GET)
        server.has_struck()
        assert is_silent(old)
        assert is_silent(new)
    assert server.process.poll() is None


def test_it_accepts_nobody_without_descriptors(start: Start) -> None:
    server = start("no_descriptors", "--after-requests", "1").listens()
    with server.connected() as old:
        old.sendall(GET)
        assert is_right(received(old))
        old.sendall(GET)
        server.has_struck()
        with server.connected() as new:
            new.sendall(GET)
            assert is_silent(new)
    assert start("no_descriptors", "--at-start").status() == 1


def test_it_ends_with_a_traceback_without_memory(start: Start) -> None:
    server = start("no_memory", "--when-ready")
    assert server.status() == 1
    assert server.says("MemoryError")


def test_it_moves_to_another_port(start: Start) -> None:
    server = start("listens_elsewhere", "--after-requests", "1").listens()
    with server.connected() as connection:
        connection.sendall(GET + GET)
        assert is_right(received(connection))
    wait_for(lambda: server.log.read_text().count("listening on") == 2)
    assert is_refused(server)
    server.port = int(server.log.read_text().rpartition(":")[2])
    assert server.answers_rightly()


def test_it_never_was_where_it_was_told_to_be(start: Start) -> None:
    assert is_refused(start("listens_elsewhere", "--at-start").listens())


@pytest.mark.parametrize("moment", ["--at-start", "--when-ready", "--when-asked-to-stop"])
def test_a_child_serves_on(start: Start, moment: str) -> None:
    server = start("forks_away", moment).listens()
    if moment == "--when-asked-to-stop":
        server.process.terminate()
    assert server.status() == 0
    wait_for(server.answers_rightly)


def test_it_is_slow_and_right_and_answers_in_order(start: Start) -> None:
    server = start("slow", "--when-ready").listens()
    began = time.monotonic()
    assert server.asked(GET + GET + LAST, answers=9).count(b"Hello, World!") == 3
    assert time.monotonic() - began >= 0.3


@pytest.mark.parametrize("moment", [("--after-seconds", "0"), ("--when-asked-to-stop",)])
def test_it_outlives_sigterm(start: Start, moment: tuple[str, ...]) -> None:
    server = start("ignores_sigterm", *moment).listens()
    if "0" in moment:
        server.has_struck()
    server.process.terminate()
    with pytest.raises(subprocess.TimeoutExpired):
        server.process.wait(SILENCE_S)
    assert server.answers_rightly()


def test_it_floods_its_log_up_to_a_bound(start: Start) -> None:
    server = start("floods_log", "--when-ready").listens()
    wait_for(lambda: server.log.stat().st_size > 8 * 2**20)
    before = server.log.stat().st_size
    assert server.answers_rightly()
    assert server.log.stat().st_size > before


def test_processes_are_counted_and_only_some_are_at_fault(start: Start, tmp_path: Path) -> None:
    second = ("exits", "--at-start", "--only-process", "2", "--state", "second")
    first = start(*second).listens()
    assert start(*second).status() == 1
    third = start(*second).listens()
    assert first.answers_rightly()
    assert third.answers_rightly()
    assert sorted(path.name for path in (tmp_path / "second").iterdir()) == ["1", "2", "3"]
    assert (tmp_path / "second" / "1").read_text() == ""
    assert "exits, after 0 answers" in (tmp_path / "second" / "2").read_text()
    later = ("exits", "--at-start", "--every-process-from", "2", "--state", "later")
    assert start(*later).listens().answers_rightly()
    assert [start(*later).status() for _ in range(2)] == [1, 1]
