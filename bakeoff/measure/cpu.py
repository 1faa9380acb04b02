"""The CPU time of one contender, with all that it forked."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Self

from bakeoff.measure.proc import parse_keyed
from bakeoff.measure.tree import read_tree
from bakeoff.model.receipt import CpuCounter
from bakeoff.model.samples import CpuTime

_BYTES = 4096


class CpuReader:
    """Reads one counter again and again; control groups keep their files open in between.

    cgroup-v2, cgroup-v1: all time of all processes that were ever in the group, the dead included.
    tree: see `read_tree`. none, or a counter that has gone: None.
    """

    def __init__(self, counter: CpuCounter) -> None:
        self._files: list[int] = []
        self._read = self._opened(counter)

    def read(self) -> CpuTime | None:
        """The CPU time since the contender began; None where it can't be seen, or no longer."""
        try:
            return self._read()
        except (OSError, ValueError, KeyError):
            return None

    def close(self) -> None:
        """Close the files. May be called again."""
        while self._files:
            os.close(self._files.pop())
        self._read = _nothing

    def _opened(self, counter: CpuCounter) -> Callable[[], CpuTime | None]:
        try:
            if counter.kind == "cgroup-v2" and counter.path:
                self._open(counter.path, "cpu.stat")
                return self._version_2
            if counter.kind == "cgroup-v1" and counter.path:
                self._open(counter.path, "cpuacct.usage", "cpuacct.usage_user", "cpuacct.usage_sys")
                return self._version_1
        except OSError:
            return _nothing
        pid = counter.pid
        return (lambda: read_tree(pid)) if counter.kind == "tree" and pid else _nothing

    def _open(self, folder: str, *names: str) -> None:
        for name in names:
            self._files.append(os.open(Path(folder) / name, os.O_RDONLY | os.O_CLOEXEC))

    def _version_2(self) -> CpuTime:
        """cpu.stat, µs."""
        stat = parse_keyed(os.pread(self._files[0], _BYTES, 0).decode())
        return CpuTime(
            total_ns=stat["usage_usec"] * 1000,
            user_ns=stat["user_usec"] * 1000,
            system_ns=stat["system_usec"] * 1000,
        )

    def _version_1(self) -> CpuTime:
        """cpuacct.usage*, ns."""
        total, user, system = (int(os.pread(file, _BYTES, 0)) for file in self._files)
        return CpuTime(total_ns=total, user_ns=user, system_ns=system)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def read_cpu(counter: CpuCounter) -> CpuTime | None:
    """Read `counter` once. To read it around every slice keep a `CpuReader`."""
    with CpuReader(counter) as reader:
        return reader.read()


def _nothing() -> None:
    return None
