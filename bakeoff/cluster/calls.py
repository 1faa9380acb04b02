"""Calls to a child process, which answers them in any order: both ends of the connection."""

import os
import signal
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from multiprocessing.connection import Connection
from multiprocessing.connection import Pipe as pipe
from pathlib import Path
from typing import Any, NamedTuple

import bakeoff
from bakeoff.keeper.spawn import PR_SET_PDEATHSIG, prctl
from bakeoff.model.errors import BadFile, BadUsage, BakeoffError, MissingPiece

AT_A_TIME = 1024
"""More calls than this wait for others; a node of a cluster has two or three."""
_READY = 0


class Refused(Exception):
    """The exception of a call in the child: its `kind` and its `text`."""

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(kind, text)
        self.kind, self.text = kind, text

    def __str__(self) -> str:
        return self.text


class Ended(MissingPiece):
    """The child ended. `last_line` is the last line of its standard error."""

    def __init__(self, status: int, last_line: str) -> None:
        super().__init__(f"the process that asks Ray ended with status {status}: {last_line}")
        self.last_line = last_line


class Answer(NamedTuple):
    """The answer to a call: a result, or why there is none."""

    number: int
    result: Any = None
    fault: Refused | None = None


class Calls:
    """A child process that runs a module whose `main` calls `serve`.

    `ready` has a result once it does. If the child ends, each call without an answer raises
    `Ended`, and so does each later one.
    """

    def __init__(self, module: str) -> None:
        self._lock = threading.Lock()
        self._numbers = count(_READY + 1)
        self.ready: Future[Any] = Future()
        self._waiting: dict[int, Future[Any]] = {_READY: self.ready}
        self._ended: Ended | None = None
        self._said = tempfile.TemporaryFile()  # noqa: SIM115
        self._connection, theirs = pipe()
        # The child imports this bakeoff, whatever is in the current folder.
        home = str(Path(bakeoff.__file__).parents[1])
        paths = [home, *filter(None, [os.environ.get("PYTHONPATH")])]
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", module],
                env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
                cwd="/",
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=self._said,
                # Ctrl-C is for this process.
                start_new_session=True,
            )
        threading.Thread(target=self._read, daemon=True).start()

    def begin(self, name: str, *arguments: object) -> "Future[Any]":
        """Call a method of the object that the child serves. The future raises `Refused`, or
        `Ended`."""
        answer: Future[Any] = Future()
        with self._lock:
            if self._ended:
                answer.set_exception(self._ended)
                return answer
            number = next(self._numbers)
            self._waiting[number] = answer
            # If the child has just ended, `_read` gives the answer: `Ended`.
            with suppress(OSError):
                self._connection.send((number, name, arguments))
        return answer

    def end(self) -> None:
        self._process.kill()
        self._process.wait()

    def _read(self) -> None:
        with suppress(EOFError, OSError):
            while True:
                said: Answer = self._connection.recv()
                answer = self._waiting.pop(said.number)
                if said.fault:
                    answer.set_exception(said.fault)
                else:
                    answer.set_result(said.result)
        status = self._process.wait()
        self._said.seek(0)
        lines = self._said.read().decode(errors="replace").split("\n")
        last = next((line.strip() for line in reversed(lines) if line.strip()), "no output")
        self._said.close()
        with self._lock:
            self._ended = Ended(status, last)
            self._connection.close()
        for answer in self._waiting.values():
            answer.set_exception(self._ended)


def serve(served: object) -> None:
    """Answer calls from standard input until the parent ends; then end this process."""
    # A call may block all threads, which would not notice that the parent has ended.
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    calls = Connection(os.dup(0))
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    sending = threading.Lock()

    def do(number: int, name: str, arguments: tuple[object, ...]) -> None:
        try:
            answer = Answer(number, getattr(served, name)(*arguments))
        except BaseException as error:
            answer = Answer(number, fault=Refused(type(error).__name__, str(error)))
        with sending, suppress(OSError):
            calls.send(answer)

    workers = ThreadPoolExecutor(AT_A_TIME)
    calls.send(Answer(_READY))
    with suppress(EOFError, OSError):
        while True:
            workers.submit(do, *calls.recv())
    os._exit(0)


@dataclass(frozen=True)
class Call:
    """A method of the object that the node knows by `key`, with its arguments."""

    key: str
    name: str
    arguments: tuple[Any, ...]
    named: dict[str, Any]


@dataclass(frozen=True)
class Resident:
    """The result of a call that stays on its node: its key there, and attributes that don't change.

    A process or an open file can't be sent.
    """

    key: str
    seen: dict[str, Any]


@dataclass(frozen=True)
class Failed:
    """The error with which a call ended."""

    error: BakeoffError

    @classmethod
    def of(cls, error: BakeoffError) -> "Failed":
        return cls(BadUsage(str(error)) if isinstance(error, BadFile) else error)
