"""One `volley drive` process: commands in, events out."""

import contextlib
import os
import select
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from bakeoff.model.engine import (
    EVENT,
    Done,
    EngineError,
    Event,
    Job,
    Ready,
    SliceCommand,
    SliceEvent,
    StopCommand,
)
from bakeoff.model.errors import BakeoffError, MissingPiece

# A slice ends by itself: ramp + window + at most the request timeout, twice in an open loop. Past
# that the engine hangs.
GRACE_S = 30.0
STOP_S = 3.0

_E = TypeVar("_E", Ready, SliceEvent, Done)


class EngineFailed(BakeoffError):
    """The engine ended, hung or said something that the protocol doesn't know."""


def engine_path() -> Path:
    """The engine beside this Python, or on PATH. Raises `MissingPiece`."""
    beside = Path(sys.executable).parent / "volley"
    found = beside if beside.exists() else shutil.which("volley")
    if found is None:
        raise MissingPiece("the load engine `volley` isn't installed; run: make setup")
    return Path(found)


def engine_version() -> str:
    """What `volley --version` says."""
    words = [str(engine_path()), "--version"]
    return subprocess.run(words, capture_output=True, text=True, check=False).stdout.strip()


class Engine:
    """A running engine with its targets' connections open; `ready` says how many.

    The engine ends with us: it ends at the end of its input, and the kernel ends it with its
    parent. Raises `EngineFailed`.
    """

    def __init__(self, job: Job) -> None:
        self._process = subprocess.Popen(
            [str(engine_path()), "drive"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        assert self._process.stdin and self._process.stdout and self._process.stderr
        self._input, self._output = self._process.stdin, self._process.stdout
        self._received = b""
        try:
            connect_s = len(job.targets) * job.connect_timeout_ms / 1000
            self.ready = self._ask(job, Ready, connect_s)
        except BaseException:
            self.close()
            raise
        self._request_timeout_s = job.request_timeout_ms / 1000

    def slice(self, command: SliceCommand) -> SliceEvent:
        """Load one target for one slice."""
        timeouts = 1 if command.rate is None else 2
        lasts_s = (
            command.ramp_ms + command.duration_ms
        ) / 1000 + timeouts * self._request_timeout_s
        return self._ask(command, SliceEvent, lasts_s)

    def close(self) -> None:
        """End the engine; idempotent."""
        if self._process.poll() is None:
            try:
                self._ask(StopCommand(), Done, STOP_S - GRACE_S)
                self._process.wait(timeout=STOP_S)
            except (EngineFailed, subprocess.TimeoutExpired):
                self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream:
                # What an engine that was killed left unread goes with it.
                with contextlib.suppress(BrokenPipeError):
                    stream.close()

    def __enter__(self) -> "Engine":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _ask(
        self, command: Job | SliceCommand | StopCommand, answer: type[_E], lasts_s: float
    ) -> _E:
        try:
            self._input.write(command.to_json().encode() + b"\n")
            self._input.flush()
        except OSError:
            raise self._ended() from None
        event = self._event(lasts_s + GRACE_S)
        if isinstance(event, EngineError):
            raise EngineFailed(f"volley refused a command: {event.message}")
        if not isinstance(event, answer):
            raise EngineFailed(f"volley answered with `{event.type}` out of turn")
        return event

    def _event(self, timeout_s: float) -> Event:
        line = self._line(timeout_s)
        try:
            return EVENT.validate_json(line)
        except ValidationError as error:
            fault = error.errors()[0]
            raise EngineFailed(
                f"volley broke its protocol: {fault['loc']}: {fault['msg']}"
            ) from None

    def _line(self, timeout_s: float) -> bytes:
        while b"\n" not in self._received:
            if not select.select([self._output], [], [], timeout_s)[0]:
                raise EngineFailed(f"volley said nothing for {timeout_s:.0f} s")
            data = os.read(self._output.fileno(), 1 << 20)
            if not data:
                raise self._ended()
            self._received += data
        line, _, self._received = self._received.partition(b"\n")
        return line

    def _ended(self) -> EngineFailed:
        status = self._process.wait()
        assert self._process.stderr
        said = self._process.stderr.read().decode(errors="replace").strip()
        return EngineFailed(f"volley ended with status {status}{f': {said}' if said else ''}")
