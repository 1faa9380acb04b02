"""What became of processes between two looks, and where real ones belong."""

import os
import subprocess
import sys

import pytest

from bakeoff.measure import Places, conduct, process_tree, read_places, read_tasks
from bakeoff.measure.crew import Tasks
from bakeoff.model.audit import Conduct

NOWHERE = Places({}, {}, {})


def found(before: Tasks, after: Tasks) -> tuple[int, int]:
    seen = conduct(before, after, NOWHERE, None, ())
    return seen.ended, seen.began


def test_a_worker_that_went_and_one_that_came() -> None:
    assert found({(1, 1): 10, (2, 2): 900}, {(1, 1): 12, (3, 3): 800}) == (1, 1)


def test_all_stay() -> None:
    assert found({(1, 1): 10, (2, 2): 900}, {(1, 1): 12, (2, 2): 1800}) == (0, 0)


def test_a_helper_that_did_next_to_nothing_is_no_worker() -> None:
    assert found({(1, 1): 1000, (2, 2): 50}, {(1, 1): 2000, (3, 3): 50}) == (0, 0)


def test_threads_that_change_are_no_processes() -> None:
    assert found({(1, 1): 500, (1, 5): 500}, {(1, 1): 900, (1, 6): 500}) == (0, 0)


@pytest.mark.parametrize(
    ("parents", "escaped"),
    [({1: 77, 2: 1, 3: 2}, 0), ({1: 77, 2: 1, 3: 77}, 1), ({1: 77, 2: 77, 3: 2}, 2)],
    ids=["a helper of a helper", "a double fork", "a double fork and its child"],
)
def test_who_has_a_session_of_its_own_and_no_parent_of_ours_escaped(
    parents: dict[int, int], escaped: int
) -> None:
    places = Places({1: 1, 2: 2, 3: 2}, parents, {})
    assert conduct({}, {}, places, 1, ()).escaped == escaped
    assert conduct({}, {}, places, None, ()).escaped == 0


def test_only_threads_that_worked_can_stray() -> None:
    both = frozenset({0, 1})
    places = Places({}, {}, {(1, 1): frozenset({0}), (1, 2): both})
    assert conduct({}, {(1, 1): 1000, (1, 2): 1000}, places, 1, (0,)).strayed == (1,)
    assert conduct({}, {(1, 1): 1000, (1, 2): 10}, places, 1, (0,)).strayed == ()
    assert conduct({}, {(1, 1): 1000, (1, 2): 1000}, places, 1, ()).strayed == ()


def test_a_real_process_that_has_a_session_of_its_own() -> None:
    code = "import os; os.setsid(); print(flush=True); input()"
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-I", "-S", "-c", code], text=True, **pipes) as child:  # type: ignore[call-overload]
        assert child.stdin and child.stdout
        child.stdout.readline()
        tasks = read_tasks(process_tree(os.getpid()))
        places = read_places(tasks)
        assert places.sessions[child.pid] == child.pid
        assert places.parents[child.pid] == os.getpid()
        assert places.cpus[child.pid, child.pid] == frozenset(os.sched_getaffinity(child.pid))
        assert conduct({}, tasks, places, os.getpid(), ()).escaped == 0
        child.stdin.write("\n")


def test_processes_that_are_gone_are_left_out() -> None:
    assert read_places([(2**22 + 1, 2**22 + 1)]) == NOWHERE
    assert conduct({}, {}, NOWHERE, 1, (0,)) == Conduct()
