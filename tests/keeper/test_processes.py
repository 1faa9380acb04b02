"""Reading /proc: names with brackets, markers, which is below which, whose keeper is gone."""

import os

import pytest

from bakeoff.keeper.processes import (
    Process,
    descendants,
    identity,
    is_gone,
    is_running,
    parse_marker,
    parse_stat,
)

STAT = (
    "4321 (a) b (c) S 17 4321 4300 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 99887 "
    "1000 100 18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0\n"
)


def test_a_name_may_hold_brackets_and_spaces() -> None:
    assert parse_stat(STAT) == Process(4321, "S", 17, 4300, 99887, "a) b (c")


@pytest.mark.parametrize(("state", "running"), [("R", True), ("D", True), ("Z", False)])
def test_a_zombie_has_ended(state: str, running: bool) -> None:
    assert is_running(Process(1, state, 0, 1, 0)) == running


def test_the_marker_is_found_by_its_whole_name() -> None:
    environ = b"MY_BAKEOFF_INSTANCE=no\0PATH=/bin\0BAKEOFF_INSTANCE=1-2-3-4\0"
    assert parse_marker(environ) == "1-2-3-4"
    assert parse_marker(b"MY_BAKEOFF_INSTANCE=no\0") is None
    assert parse_marker(b"") is None


def test_descendants_are_all_below_without_the_roots() -> None:
    parents = {2: 1, 3: 2, 4: 2, 5: 4, 6: 1}
    table = {pid: Process(pid, "S", parent, 1, 0) for pid, parent in parents.items()}
    assert descendants([2], table) == {3, 4, 5}
    assert descendants([2, 4], table) == {3, 4, 5}
    assert descendants([7], table) == set()


def test_a_living_keeper_is_not_gone() -> None:
    assert not is_gone(f"{identity(os.getpid())}-1")


def test_a_is_gone_when_its_pid_has_another_start_time() -> None:
    pid, started, namespace = identity(os.getpid()).split("-")
    assert is_gone(f"{pid}-{int(started) + 1}-{namespace}-1")


def test_a_keeper_of_another_pid_namespace_is_not_ours_to_judge() -> None:
    pid, started, namespace = identity(os.getpid()).split("-")
    assert not is_gone(f"{pid}-{int(started) + 1}-{int(namespace) + 1}-1")


@pytest.mark.parametrize("name", ["", "x", "1-2-3", "a-b-c-d", "1-2-3-4-5"])
def test_names_of_another_shape_are_not_ours(name: str) -> None:
    assert not is_gone(name)
