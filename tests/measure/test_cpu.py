"""CPU time that is read from outside is what a process knows of itself."""

import multiprocessing
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bakeoff.keeper import cgroups
from bakeoff.measure import CpuReader, counted_pids, process_tree
from bakeoff.measure.cpu import TICK_NS, parse_stat
from bakeoff.model.readings import CpuTime
from bakeoff.model.receipt import CpuCounter

BURN = Path(__file__).parent / "burn.py"
STAT = (
    "4321 (tmux: (server)) S 17 4321 4300 0 -1 4194560 10 20 30 40 15 6 107 8 20 0 1 0 99887 "
    "1000 100 18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0\n"
)


def read_cpu(counter: CpuCounter) -> CpuTime | None:
    with CpuReader(counter) as reader:
        return reader.read()


@contextmanager
def counted(kind: str) -> Iterator[tuple[subprocess.Popen[str], CpuCounter]]:
    """burn.py, waiting for its line, in a group of `kind`."""
    with subprocess.Popen(
        [sys.executable, "-I", "-S", str(BURN)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        folder = group_for(kind, process.pid)
        try:
            path = str(folder) if folder else None
            yield (
                process,
                CpuCounter.model_validate({"kind": kind, "path": path, "pid": process.pid}),
            )
        finally:
            process.kill()
            process.wait()
            if folder:
                folder.rmdir()


def group_for(kind: str, pid: int) -> Path | None:
    if kind == "tree":
        return None
    made = cgroups.enclose(pid, f"test-{os.getpid()}", cgroups.bases((kind,)))
    if made is None:
        pytest.skip(f"no {kind} can be made here")
    return made.path


@pytest.mark.parametrize("kind", ["cgroup-v2", "cgroup-v1", "tree"])
def test_children_and_ended_threads_are_counted(kind: str) -> None:
    with counted(kind) as (process, counter), CpuReader(counter) as reader:
        assert process.stdin and process.stdout
        before = reader.read()
        process.stdin.write("\n")
        process.stdin.flush()
        itself_ns = int(process.stdout.readline())
        after = reader.read()
    assert before and after
    used = after.since(before)
    assert used.total_ns == pytest.approx(itself_ns, rel=0.2, abs=50e6)
    if kind == "cgroup-v1":
        # Sampled at ticks of 10 ms: on a busy machine some of them miss.
        assert 0 < used.user_ns + used.system_ns <= 1.2 * used.total_ns + 100e6
    else:
        assert used.user_ns + used.system_ns == pytest.approx(used.total_ns, rel=0.2)


def test_a_process_and_its_reaped_children() -> None:
    assert [spent_ns // TICK_NS for spent_ns in parse_stat(STAT)] == [15, 6, 107, 8]


def test_a_tree_that_is_gone_reads_as_nothing() -> None:
    assert read_cpu(CpuCounter(kind="tree", pid=2**22 + 1)) is None


def test_a_group_that_is_gone_reads_as_nothing(tmp_path: Path) -> None:
    assert read_cpu(CpuCounter(kind="cgroup-v2", path=str(tmp_path / "gone"))) is None
    assert read_cpu(CpuCounter(kind="cgroup-v1", path=str(tmp_path / "gone"))) is None


def test_counters_are_added_up_and_so_are_their_processes(tmp_path: Path) -> None:
    for name, pid, us in (("a", 2, 5), ("b", 3, 7)):
        (tmp_path / name).mkdir()
        stat = f"usage_usec {us}\nuser_usec {us - 1}\nsystem_usec 1\n"
        (tmp_path / name / "cpu.stat").write_text(stat)
        (tmp_path / name / "cgroup.procs").write_text(f"{pid}\n")
    a, b = (CpuCounter(kind="cgroup-v2", path=str(tmp_path / name)) for name in "ab")
    both = a.model_copy(update={"also": (b,)})
    assert read_cpu(both) == CpuTime(total_ns=12_000, user_ns=10_000, system_ns=2_000)
    assert counted_pids(both) == (2, 3)
    (tmp_path / "b" / "cpu.stat").unlink()
    assert read_cpu(both) is None


def test_who_measures_is_not_counted_with_who_started_it() -> None:
    with multiprocessing.get_context("fork").Pool(1) as pool:
        measuring = pool.apply(os.getpid)
        assert measuring in process_tree(os.getpid())
        assert measuring not in pool.apply(process_tree, (os.getpid(),))


def test_what_cannot_be_seen_reads_as_nothing() -> None:
    assert read_cpu(CpuCounter(kind="none")) is None


def test_version_2_is_in_us_and_version_1_in_ns(tmp_path: Path) -> None:
    (tmp_path / "cpu.stat").write_text("usage_usec 5\nuser_usec 3\nsystem_usec 2\n")
    for name, value in (("usage", 50), ("usage_user", 30), ("usage_sys", 20)):
        (tmp_path / f"cpuacct.{name}").write_text(f"{value}\n")
    second = read_cpu(CpuCounter(kind="cgroup-v2", path=str(tmp_path)))
    first = read_cpu(CpuCounter(kind="cgroup-v1", path=str(tmp_path)))
    assert first and second
    assert (second.total_ns, second.user_ns, second.system_ns) == (5000, 3000, 2000)
    assert (first.total_ns, first.user_ns, first.system_ns) == (50, 30, 20)


def test_a_closed_reader_reads_nothing_and_closes_again(tmp_path: Path) -> None:
    (tmp_path / "cpu.stat").write_text("usage_usec 5\nuser_usec 3\nsystem_usec 2\n")
    reader = CpuReader(CpuCounter(kind="cgroup-v2", path=str(tmp_path)))
    reader.close()
    reader.close()
    assert reader.read() is None


def test_a_tree_has_children_of_children() -> None:
    with subprocess.Popen(["sh", "-c", "sh -c 'sleep 60; :'; :"], process_group=0) as shell:
        try:
            while len(tree := process_tree(shell.pid)) < 3:
                pass
            assert tree[0] == shell.pid
            assert len(tree) == 3
        finally:
            os.killpg(shell.pid, 9)
