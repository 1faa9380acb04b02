"""What a contender's processes do: who works, who comes and goes, what they hold and write."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bakeoff.measure import (
    Placement,
    ThreadTimes,
    process_changes,
    process_tree,
    read_memory,
    read_placement,
    read_thread_times,
    read_written,
    threads_at_work,
)
from bakeoff.model.audit import Conduct, Crew, Written
from bakeoff.model.receipt import Handle

NO_SUCH_PID = 2**22 + 1
NOWHERE = Placement({}, {}, {})
PYTHON = [sys.executable, "-I", "-S"]
WORKING = """
import os, sys, threading, time
idle = lambda: threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
idle()
child = os.fork()
if child:
    os.waitpid(child, 0)
    os._exit(0)
idle()
print("ready", flush=True)
sys.stdin.readline()
until = time.thread_time() + 0.1
while time.thread_time() < until: pass
print("worked", flush=True)
sys.stdin.readline()
os._exit(0)
"""


def run(*words: str) -> "subprocess.Popen[str]":
    """A Python program with pipes to its standard input and from its standard output."""
    return subprocess.Popen(
        [*PYTHON, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


class TestThreadsAtWork:
    def test_are_told_from_those_that_stand_by(self) -> None:
        with run("-c", WORKING) as process:
            assert process.stdin and process.stdout
            assert process.stdout.readline() == "ready\n"
            before = read_thread_times(process_tree(process.pid))
            process.stdin.write("\n")
            process.stdin.flush()
            assert process.stdout.readline() == "worked\n"
            after = read_thread_times(process_tree(process.pid))
            process.stdin.write("\n")
        assert threads_at_work(before, after) == Crew(
            processes=2, threads=4, processes_at_work=1, threads_at_work=1
        )

    @pytest.mark.parametrize(
        ("before", "after", "crew"),
        [
            ({(1, 1): 5000, (1, 2): 0}, {(1, 1): 5000, (1, 2): 1000}, (1, 2, 1, 1)),
            ({(1, 1): 0}, {(1, 1): 1000, (7, 7): 900}, (2, 2, 2, 2)),
            ({}, {(1, 1): 1000, (2, 2): 50, (3, 3): 51}, (3, 3, 2, 2)),
            ({}, {(1, 1): 1000, (1, 2): 500, (1, 3): 501}, (1, 3, 1, 2)),
            ({}, {(1, 1): 1000, (2, 2): 100, (2, 3): 90}, (2, 3, 2, 3)),
            ({(1, 1): 7}, {(1, 1): 7}, (1, 1, 0, 0)),
        ],
        ids=[
            "only what was used in between counts",
            "a thread that began in between counts whole",
            "a process needs over a twentieth of the busiest process",
            "a thread needs over half of the busiest thread",
            "of its own process",
            "nobody at work",
        ],
    )
    def test_used_cpu_time_between_two_readings(
        self, before: ThreadTimes, after: ThreadTimes, crew: tuple[int, int, int, int]
    ) -> None:
        seen = threads_at_work(before, after)
        assert seen and crew == (
            *(seen.processes, seen.threads),
            *(seen.processes_at_work, seen.threads_at_work),
        )

    def test_nobody_there(self) -> None:
        assert threads_at_work({(1, 1): 7}, {}) is None

    def test_a_process_that_is_gone_is_left_out(self) -> None:
        times = read_thread_times([os.getpid(), NO_SUCH_PID])
        assert {pid for pid, _ in times} == {os.getpid()}
        assert times[os.getpid(), os.getpid()] > 0


class TestProcessChanges:
    @pytest.mark.parametrize(
        ("before", "after", "ended", "began"),
        [
            ({(1, 1): 10, (2, 2): 900}, {(1, 1): 12, (3, 3): 800}, 1, 1),
            ({(1, 1): 10, (2, 2): 900}, {(1, 1): 12, (2, 2): 1800}, 0, 0),
            ({(1, 1): 1000, (2, 2): 50}, {(1, 1): 2000, (3, 3): 50}, 0, 0),
            ({(1, 1): 500, (1, 5): 500}, {(1, 1): 900, (1, 6): 500}, 0, 0),
        ],
        ids=["one worker for another", "all stay", "an idle helper", "threads are no processes"],
    )
    def test_workers_end_and_begin(
        self, before: ThreadTimes, after: ThreadTimes, ended: int, began: int
    ) -> None:
        changes = process_changes(before, after, NOWHERE, None, ())
        assert (changes.ended, changes.began) == (ended, began)

    @pytest.mark.parametrize(
        ("parents", "escaped"),
        [({1: 77, 2: 1, 3: 2}, 0), ({1: 77, 2: 1, 3: 77}, 1), ({1: 77, 2: 77, 3: 2}, 2)],
        ids=["a helper of a helper", "a double fork", "a double fork and its child"],
    )
    def test_a_session_of_its_own_and_no_parent_of_ours_is_an_escape(
        self, parents: dict[int, int], escaped: int
    ) -> None:
        placement = Placement({1: 1, 2: 2, 3: 2}, parents, {})
        assert process_changes({}, {}, placement, 1, ()).escaped == escaped
        assert process_changes({}, {}, placement, None, ()).escaped == 0

    def test_only_threads_that_worked_can_stray(self) -> None:
        placement = Placement({}, {}, {(1, 1): frozenset({0}), (1, 2): frozenset({0, 1})})
        both = {(1, 1): 1000, (1, 2): 1000}
        assert process_changes({}, both, placement, 1, (0,)).strayed == (1,)
        assert process_changes({}, {**both, (1, 2): 10}, placement, 1, (0,)).strayed == ()
        assert process_changes({}, both, placement, 1, ()).strayed == ()

    def test_a_real_process_that_has_a_session_of_its_own(self) -> None:
        with run("-c", "import os; os.setsid(); print(flush=True); input()") as child:
            assert child.stdin and child.stdout
            child.stdout.readline()
            times = read_thread_times(process_tree(os.getpid()))
            placement = read_placement(times)
            assert placement.sessions[child.pid] == child.pid
            assert placement.parents[child.pid] == os.getpid()
            allowed = frozenset(os.sched_getaffinity(child.pid))
            assert placement.cpus[child.pid, child.pid] == allowed
            assert process_changes({}, times, placement, os.getpid(), ()).escaped == 0
            child.stdin.write("\n")

    def test_processes_that_are_gone_are_left_out(self) -> None:
        assert read_placement([(NO_SUCH_PID, NO_SUCH_PID)]) == NOWHERE
        assert process_changes({}, {}, NOWHERE, 1, (0,)) == Conduct()


def test_memory_is_the_proportional_share_of_those_that_are_there() -> None:
    rollup = Path("/proc/self/smaps_rollup").read_text()
    pss_kib = next(int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:"))
    memory = read_memory([os.getpid(), NO_SUCH_PID])
    assert memory and memory.processes == 1
    assert memory.pss_mib == pytest.approx(pss_kib / 1024, rel=0.1)
    assert read_memory([]) is read_memory([NO_SUCH_PID]) is None


ATTACHED = Handle(name="x", address="127.0.0.1:1", host="127.0.0.1:1", port=1)


def test_all_files_that_are_written_count_however_deep(tmp_path: Path) -> None:
    log, scratch = tmp_path / "log", tmp_path / "scratch"
    ours = ATTACHED.model_copy(update={"log": str(log), "scratch": str(scratch)})
    assert read_written(ours) == Written(log_bytes=0, scratch_bytes=0)
    log.write_text("12345")
    (scratch / "deep").mkdir(parents=True)
    (scratch / "a").write_text("1234567")
    (scratch / "deep" / "b").write_text("123")
    (scratch / "link").symlink_to("a")
    assert read_written(ours) == Written(log_bytes=5, scratch_bytes=10 + len("a"))


def test_of_a_server_that_is_not_ours_nothing_is_known() -> None:
    assert read_written(ATTACHED) is None
