"""The planted server answers every request, and the truth of its cost is worked out rightly."""

import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.judge_bench.live import add
from tests.judge_bench.planted import STEEP_LOOPS, Calibration, build, truth

REQUEST = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 13\r\n\r\nHello, World!"


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, int]]:
    here = tmp_path_factory.mktemp("planted")
    build(here)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen([here / "planted", "--port", str(port), "--loops", "100"])
    for _ in range(200):
        with socket.socket() as door:
            if door.connect_ex(("127.0.0.1", port)) == 0:
                break
        time.sleep(0.01)
    yield ("127.0.0.1", port)
    server.kill()
    server.wait()


def answers(address: tuple[str, int], pieces: list[bytes], count: int) -> bytes:
    """What comes back for `pieces`, sent one after another, once `count` answers should be in."""
    with socket.create_connection(address, timeout=5) as connection:
        for piece in pieces:
            connection.sendall(piece)
            time.sleep(0.01)
        got = b""
        while len(got) < count * len(ANSWER):
            got += connection.recv(65536)
        return got


@pytest.mark.e2e
@pytest.mark.parametrize(
    ("pieces", "count"),
    [
        ([REQUEST], 1),
        ([REQUEST, REQUEST], 2),
        ([REQUEST[:10], REQUEST[10:-2], REQUEST[-2:]], 1),
        ([REQUEST * 100], 100),
        ([REQUEST * 2 + REQUEST[:7], REQUEST[7:]], 3),
    ],
    ids=["one", "kept alive", "in pieces", "pipelined", "pipelined in pieces"],
)
def test_each_request_has_one_answer(
    address: tuple[str, int], pieces: list[bytes], count: int
) -> None:
    assert answers(address, pieces, count) == ANSWER * count


def throughputs(base_us: float, loop_us: float) -> tuple[float, float, float]:
    """What servers would do that take `base_us`, and `loop_us` for each loop beyond the base's."""
    base, middle, most = (1e6 / (base_us + loop_us * (n - STEEP_LOOPS[0])) for n in STEEP_LOOPS)
    return base, middle, most


def test_the_truth_follows_from_copies_that_take_much_longer(tmp_path: Path) -> None:
    path = tmp_path / "calibrations.jsonl"
    for base_us in (20.0, 20.2):
        add(path, vars(Calibration(throughputs(base_us, 0.001), (20.0, 32.0, 44.0))))
    found = truth(path)
    assert found.per_loop == pytest.approx(0.001 / 20.1, rel=1e-4)
    assert found.per_loop_by_cpu == pytest.approx(0.001 / 20)
    assert found.bend == pytest.approx(0, abs=1e-12)
    assert found.ratio(0) == 1
    assert found.ratio(found.loops(0.03)) == pytest.approx(1 / 1.03, rel=1e-4)
    # The base's times differ by 1 %, so does the slope: half a percent of 3 % is left open.
    assert found.ratio_error(found.loops(0.03)) == pytest.approx(0.03 * 0.005, rel=0.1)


def test_a_line_that_is_not_straight_is_seen() -> None:
    base, middle, most = throughputs(20.0, 0.001)
    assert Calibration((base, middle * 0.98, most), (1, 2, 3)).bend == pytest.approx(
        1 / 0.98 - 1, rel=1e-6
    )
