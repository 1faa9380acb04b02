"""One `volley path` process: the path over which servers of this machine are reached."""

import contextlib
import json
import os
import select
import subprocess
from collections.abc import Sequence

from bakeoff.installation import engine_path
from bakeoff.load.engine import EngineFailed
from bakeoff.model.errors import MissingPiece
from bakeoff.model.plan import NetworkPath
from bakeoff.model.readings import PathSeen
from bakeoff.model.receipt import CpuCounter

ANSWER_S = 10.0
STOP_S = 3.0
PRIORITY = 1
"""The lowest real-time priority: a generator on the same core would otherwise delay packets."""


class Forwarder:
    """A running path: servers that listen on `near` are reached at `far`.

    It ends with its input, and the kernel ends it if its parent dies; its device ends with it.
    Raises `MissingPiece` where it can't be made.
    """

    def __init__(self, path: NetworkPath, seed: int, cpus: Sequence[int]) -> None:
        self._process = subprocess.Popen(
            [
                *(str(engine_path()), "path", "--seed", str(seed)),
                *("--delay", f"{path.delay_ms:f}ms", "--loss", f"{path.loss * 100:f}%"),
                *(["--cpus", ",".join(map(str, cpus))] if cpus else []),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        try:
            ready = json.loads(self._line())
        except EngineFailed as error:
            self.close()
            raise MissingPiece(f"--path: {error}; docs/PATH.md tells more") from None
        except BaseException:
            self.close()
            raise
        self.near, self.far = str(ready["near"]), str(ready["far"])
        self.cpu = CpuCounter(kind="tree", pid=self._process.pid)
        with contextlib.suppress(OSError):
            os.sched_setscheduler(self._process.pid, os.SCHED_FIFO, os.sched_param(PRIORITY))

    def seen(self) -> PathSeen:
        """Its counts since the last call. Raises `EngineFailed`."""
        assert self._process.stdin
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(b"\n")
            self._process.stdin.flush()
        return PathSeen.from_json(self._line(), "volley path")

    def close(self) -> None:
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            assert stream
            with contextlib.suppress(BrokenPipeError):
                stream.close()
        try:
            self._process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _line(self) -> bytes:
        assert self._process.stdout and self._process.stderr
        if not select.select([self._process.stdout], [], [], ANSWER_S)[0]:
            raise EngineFailed(f"`volley path` gave no answer for {ANSWER_S:.0f} s")
        if line := self._process.stdout.readline():
            return line
        self._process.wait()
        raise EngineFailed(self._process.stderr.read().decode(errors="replace").strip())
