"""Who does the work: threads that used CPU time between two looks."""

import os
import subprocess
import sys
from pathlib import Path

from bakeoff.measure import crew, process_tree, read_tasks
from bakeoff.measure.crew import Tasks
from bakeoff.model.audit import Crew

WORKING = Path(__file__).parent / "working.py"


def test_threads_at_work_are_told_from_those_that_stand_by() -> None:
    with subprocess.Popen(
        [sys.executable, "-I", "-S", str(WORKING)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin and process.stdout
        assert process.stdout.readline() == "ready\n"
        before = read_tasks(process_tree(process.pid))
        process.stdin.write("\n")
        process.stdin.flush()
        assert process.stdout.readline() == "done\n"
        after = read_tasks(process_tree(process.pid))
    assert crew(before, after) == Crew(
        processes=3, threads=5, processes_at_work=2, threads_at_work=2
    )


def found(before: Tasks, after: Tasks) -> tuple[int, int, int, int]:
    seen = crew(before, after)
    assert seen
    return seen.processes, seen.threads, seen.processes_at_work, seen.threads_at_work


def test_only_what_was_used_in_between_counts() -> None:
    before = {(1, 1): 5000, (1, 2): 0}
    assert found(before, {(1, 1): 5000, (1, 2): 1000}) == (1, 2, 1, 1)


def test_a_thread_that_began_in_between_counts_whole() -> None:
    assert found({(1, 1): 0}, {(1, 1): 1000, (7, 7): 900}) == (2, 2, 2, 2)


def test_a_process_at_work_used_more_than_a_twentieth_of_the_busiest() -> None:
    assert found({}, {(1, 1): 1000, (2, 2): 50, (3, 3): 51}) == (3, 3, 2, 2)


def test_a_thread_at_work_used_more_than_half_of_the_busiest_of_its_process() -> None:
    assert found({}, {(1, 1): 1000, (1, 2): 500, (1, 3): 501}) == (1, 3, 1, 2)
    assert found({}, {(1, 1): 1000, (2, 2): 100, (2, 3): 90}) == (2, 3, 2, 3)


def test_nobody_at_work() -> None:
    assert found({(1, 1): 7}, {(1, 1): 7}) == (1, 1, 0, 0)


def test_nobody_there() -> None:
    assert crew({(1, 1): 7}, {}) is None


def test_a_process_that_is_gone_is_left_out() -> None:
    seen = read_tasks([os.getpid(), 2**22 + 1])
    assert {pid for pid, _ in seen} == {os.getpid()}
    assert seen[os.getpid(), os.getpid()] > 0
