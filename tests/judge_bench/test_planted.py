"""The planted server can be started, and the truth of its cost is worked out rightly."""

import shlex
from http.client import HTTPConnection
from pathlib import Path

import pytest

from tests.brick.conftest import running
from tests.judge_bench.live import add
from tests.judge_bench.planted import STEEP_LOOPS, Calibration, command, fetch, truth


@pytest.mark.e2e
def test_the_base_and_what_is_slower_are_commands_of_the_yardstick(tmp_path: Path) -> None:
    fetch(tmp_path / "kept")
    fetch(tmp_path / "kept")  # A bench that goes on.
    for words in (command(), command(150)):
        program, *others = shlex.split(words.format(port=0))
        with running([tmp_path / "kept" / program, *others]) as server:
            connection = HTTPConnection("127.0.0.1", server.port, timeout=20)
            connection.request("GET", "/")
            assert connection.getresponse().read() == b"Hello, World!"
            connection.close()


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
