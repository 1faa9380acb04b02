"""Memory over several processes."""

import os

from bakeoff.measure import read_memory


def test_a_process_holds_something() -> None:
    memory = read_memory([os.getpid()])
    assert memory
    assert memory.processes == 1
    assert memory.pss_mib > 1


def test_who_is_gone_is_left_out() -> None:
    memory = read_memory([os.getpid(), 2**22 + 1])
    assert memory
    assert memory.processes == 1


def test_nobody_holds_nothing_that_can_be_seen() -> None:
    assert read_memory([]) is None
    assert read_memory([2**22 + 1]) is None
