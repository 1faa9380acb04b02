"""The planted server can be started, its loops can be timed, and the truth follows from both."""

import os
import shlex
from http.client import HTTPConnection
from pathlib import Path

import pytest

from tests.brick.conftest import running
from tests.judge_bench import planted
from tests.judge_bench.planted import TIMED_LOOPS, Timing, command, fetch, slope_ns, truth


@pytest.mark.e2e
def test_the_base_and_what_is_slower_are_commands_of_the_yardstick(tmp_path: Path) -> None:
    fetch(tmp_path / "kept")
    fetch(tmp_path / "kept")  # A bench that goes on.
    for words in (command(), command(150)):
        program, *others = shlex.split(words.format(host="127.0.0.1", port=0))
        with running([tmp_path / "kept" / program, *others]) as server:
            connection = HTTPConnection("127.0.0.1", server.port, timeout=20)
            connection.request("GET", "/")
            assert connection.getresponse().read() == b"Hello, World!"
            connection.close()


@pytest.mark.e2e
def test_a_loop_is_timed_by_the_kernel_without_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planted, "TIMINGS", 2)
    cores = sorted(os.sched_getaffinity(0))
    timed = planted.timing(cores[0], cores[-1])
    # A multiplication and an addition that wait for each other: some cycles, no more.
    assert timed.n == 2
    assert 0.3 < timed.alone_ns < 100
    assert 0.3 < timed.beside_ns < 100


def timing(alone_ns: float, beside_ns: float) -> Timing:
    return Timing(
        alone_ns=alone_ns, alone_error_ns=0.01, beside_ns=beside_ns, beside_error_ns=0.01, n=12
    )


def test_what_is_not_loops_cancels() -> None:
    few, many = TIMED_LOOPS
    assert slope_ns(50_000 + 1.5 * few, 50_000 + 1.5 * many) == pytest.approx(1.5)


def test_the_truth_is_the_loops_time_beside_that_of_the_base_in_the_race() -> None:
    found = truth([timing(1.49, 1.59), timing(1.51, 1.61)])
    assert (found.alone_ns, found.beside_ns) == pytest.approx((1.5, 1.6))
    assert found.loop_ns(0.5) == pytest.approx(1.55)
    loops = found.loops(0.03, 20.0)
    assert loops == 400
    assert found.ratio(loops, 20.0, 0.0) == pytest.approx(1 / 1.03)
    # In an hour in which the base takes longer the same loops are a smaller share.
    assert found.ratio(loops, 24.0, 0.0) == pytest.approx(1 / 1.025)
    assert found.ratio(0, 20.0, 0.4) == 1
    # The timings differ by 0.02 of 1.5: a standard error of 0.67 %, of the 3 % alone.
    assert found.ratio_error(loops, 20.0, 0.0) == pytest.approx(0.03 * 0.0067, rel=0.1)


def test_one_timing_has_its_own_error() -> None:
    assert truth([timing(2.0, 2.0)]).error == pytest.approx(0.005)
