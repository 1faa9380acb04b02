"""What outlives SIGKILL is told, and not waited for."""

import time
from pathlib import Path

import pytest

from bakeoff.keeper import instance as module
from bakeoff.keeper.instance import Instance, end
from bakeoff.keeper.spawn import Spawned


class Stuck(Instance):
    """An instance whose process is stuck in the kernel: nothing ends it."""

    def __init__(self, scratch: Path) -> None:
        super().__init__("1-2-3-4", Spawned(pid=2**22 + 1, group=None, exec_ns=0), scratch)

    def members(self) -> set[int]:
        return {self.pid}


def test_a_survivor_is_told_within_bounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "KILL_WITHIN_S", 0.05)
    ended = end([Stuck(tmp_path)], 0.05, lambda: time.sleep(0.01), lambda: False)
    assert ended == {"how": "SIGKILL", "survivors": [2**22 + 1]}


def test_a_hurry_cuts_the_grace_short(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "KILL_WITHIN_S", 0.05)
    began = time.monotonic()
    end([Stuck(tmp_path)], 600, lambda: time.sleep(0.01), lambda: True)
    assert time.monotonic() - began < 300
