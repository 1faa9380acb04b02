"""perf and strace held to a real process, where this machine has them."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Event

import pytest

from bakeoff.model.finding import Finding
from bakeoff.model.why import LAYERS
from bakeoff.why import Profiler, ProfilerFailed
from bakeoff.why.profiler import _TRACING, CALLS_BUFFER

BUSY = """
import os
def spend():
    for _ in range(2000): os.getppid()
while True: spend()
"""


@pytest.fixture(scope="module")
def profiler() -> Profiler:
    return Profiler()


@pytest.fixture
def busy() -> Iterator[int]:
    """A program that makes one kind of system call."""
    with subprocess.Popen([sys.executable, "-c", BUSY]) as process:
        time.sleep(0.3)
        yield process.pid
        process.kill()


def ran_ns(pid: int) -> int:
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0])


def traced_by(pid: int) -> str:
    status = Path(f"/proc/{pid}/status").read_text()
    return next(line.split()[1] for line in status.splitlines() if line.startswith("TracerPid"))


@pytest.mark.parametrize("by_core", [True, False])
def test_stacks_of_a_process_while_it_is_at_work(
    profiler: Profiler, busy: int, tmp_path: Path, by_core: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if "stacks" in profiler.missing:
        pytest.skip("no stacks here")
    if not by_core:
        monkeypatch.setitem(vars(profiler), "_samples_cores", False)
    before_ns = time.monotonic_ns()
    with profiler.sampling([busy], tmp_path / "a file") as sampling:
        time.sleep(0.3)
    found = sampling.samples()
    assert found and {each.pid for each in found} == {busy}
    assert all(before_ns < each.at_ns < time.monotonic_ns() for each in found)
    # Python has no frame pointers: its callers are found by tables.
    assert sum("_PyEval_Eval" in each.stack for each in found) > 0.9 * len(found)
    in_kernel = any(each.stack.endswith("_[k]") for each in found)
    assert in_kernel == ("kernel" not in profiler.missing)
    assert {path.name[:6] for path in tmp_path.iterdir()} == {"a file"}


def test_processes_that_it_starts_meanwhile_are_its_own(profiler: Profiler, tmp_path: Path) -> None:
    if "stacks" in profiler.missing:
        pytest.skip("no stacks here")
    starts = f"subprocess.run([sys.executable, '-c', {BUSY!r}])"
    argv = [sys.executable, "-c", f"import subprocess, sys; sys.stdin.read(1); {starts}"]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, start_new_session=True) as process:
        with profiler.sampling([process.pid], tmp_path / "file") as sampling:
            assert process.stdin
            process.stdin.write(b" ")
            process.stdin.close()
            children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
            while not (started := {*map(int, children.read_text().split())}):
                time.sleep(0.01)
            (child,) = started
            while ran_ns(child) < 100_000_000:
                time.sleep(0.01)
        os.killpg(process.pid, signal.SIGKILL)
    found = {sample.pid for sample in sampling.samples()}
    assert child in found and found <= {child, process.pid}


# A process that calls as fast as it can fills perf's buffer where perf gets no core beside it.
@pytest.mark.alone
@pytest.mark.parametrize("by_strace", [False, True])
def test_its_system_calls_by_name(
    profiler: Profiler, busy: int, tmp_path: Path, by_strace: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if "calls" in profiler.missing:
        pytest.skip("nothing counts calls here")
    mine = Profiler()
    if by_strace:
        monkeypatch.setitem(mine.__dict__, "_traces", False)
        assert mine.calls_share < 1
    (tmp_path / "a file").write_text("what was counted of another one")
    calls, loaded = mine.calls([busy], tmp_path / "a file", lambda: Event().wait(0.2))
    assert [path.name for path in tmp_path.iterdir()] == ["a file"]
    assert loaded is False and max(calls, key=calls.__getitem__) == "getppid"
    assert traced_by(busy) == "0"
    assert Path(f"/proc/{busy}/stat").read_text().rpartition(")")[2].split()[0] in "RS"


def test_where_calls_were_lost_there_is_no_count(
    profiler: Profiler, busy: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not profiler._traces:
        pytest.skip("perf may not see system calls here")
    little = [word.replace(CALLS_BUFFER, "4K") for word in _TRACING]
    monkeypatch.setattr("bakeoff.why.profiler._TRACING", little)
    with pytest.raises(ProfilerFailed, match="lost"):
        profiler.calls([busy], tmp_path / "file", lambda: Event().wait(0.3))


def test_what_cores_count_where_they_count(profiler: Profiler, busy: int, tmp_path: Path) -> None:
    if "counters" in profiler.missing:
        assert profiler.missing["counters"].code in ("no_counters", "no_perf")
        pytest.skip("no hardware counters here")
    counts, _ = profiler.counters([busy], tmp_path / "file", lambda: Event().wait(0.2))
    assert all(count > 0 for count in counts.values())


def test_a_process_that_is_gone_is_no_reason_to_wait(profiler: Profiler, tmp_path: Path) -> None:
    if "stacks" in profiler.missing:
        pytest.skip("no stacks here")
    ended = subprocess.Popen(["true"])
    ended.wait()
    began_s = time.monotonic()
    with pytest.raises(ProfilerFailed), profiler.sampling([ended.pid], tmp_path / "file"):
        pass
    assert time.monotonic() - began_s < 9
    assert not list(tmp_path.glob("*.ctl"))


def test_without_perf_and_strace_everything_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    missing = Profiler().missing
    assert missing == {
        "stacks": Finding.of("no_perf"),
        "kernel": Finding.of("no_perf"),
        "counters": Finding.of("no_perf"),
        "calls": Finding.of("no_tracer"),
    }


def test_names_of_code_are_removed_and_the_users_own_options_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NODE_OPTIONS", "--max-old-space-size=99")
    options = Profiler().environment["NODE_OPTIONS"].split()
    assert options[0] == "--max-old-space-size=99" and len(options) == 2
    written = Path(f"/tmp/perf-{os.getpid()}.map")
    written.write_text("1 2 f\n")
    Profiler().forget([os.getpid()])
    assert not written.exists()


def test_processes_of_another_user_are_not_ours_to_look_into(
    busy: int, profiler: Profiler, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not profiler.refused([busy])
    monkeypatch.setattr("os.geteuid", lambda: os.getuid() + 1)
    owner = Path(f"/proc/{busy}").owner()
    assert profiler.refused([busy]) == dict.fromkeys(LAYERS, Finding.of("not_ours", user=owner))
