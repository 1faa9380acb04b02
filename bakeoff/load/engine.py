"""One `volley drive` process: commands in, events out."""

import contextlib
import os
import select
import shutil
import subprocess
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from threading import Thread
from typing import IO, TypeVar

from pydantic import ValidationError

from bakeoff.installation import engine_path
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
from bakeoff.model.errors import BadUsage, BakeoffError

# A slice takes its ramp, its window and at most the request timeout, twice in an open loop. An
# engine that takes this much longer hangs.
GRACE_S = 30.0
STOP_S = 3.0
ERRORS_KEPT = 16 * 1024
"""When an engine ends, this many of the last bytes that it wrote to stderr are reported."""

_OURS = "this is a fault of bakeoff: please report it"

_E = TypeVar("_E", Ready, SliceEvent, Done)


class EngineFailed(BakeoffError):
    """The engine ended, hung or broke the protocol."""


class Engine(AbstractContextManager["Engine"]):
    """A running engine with its targets' connections open; `ready` says how many.

    The engine ends at the end of its input, and the kernel kills it if its parent dies. Raises
    `EngineFailed`.
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
        self._errors = bytearray()
        # A pipe that is not read takes 64 KiB and then blocks the engine.
        self._reader = Thread(target=self._keep, args=(self._process.stderr,), daemon=True)
        self._reader.start()
        try:
            connect_s = len(job.targets) * job.connect_timeout_ms / 1000
            self.ready = self._ask(job, Ready, connect_s)
        except BaseException:
            self.close()
            raise
        self._request_timeout_s = job.request_timeout_ms / 1000

    def slice(self, command: SliceCommand) -> SliceEvent:
        timeouts_s = self._request_timeout_s * (1 if command.rate is None else 2)
        lasts_s = (command.ramp_ms + command.duration_ms) / 1000 + timeouts_s
        return self._ask(command, SliceEvent, lasts_s)

    def begin(self, command: SliceCommand) -> None:
        """Begin a slice whose event is not waited for: `abort` ends it."""
        self._tell(command)

    def abort(self) -> None:
        """End the engine at once, whatever it does, so that its connections close."""
        self._process.kill()
        self._process.wait()
        self.close()

    def close(self) -> None:
        if self._process.poll() is None:
            try:
                self._ask(StopCommand(), Done, STOP_S - GRACE_S)
                self._process.wait(timeout=STOP_S)
            except (EngineFailed, subprocess.TimeoutExpired):
                self._process.kill()
        self._process.wait()
        self._reader.join(STOP_S)
        for stream in (self._input, self._output):
            # A killed engine may have left commands unread.
            with contextlib.suppress(BrokenPipeError):
                stream.close()

    def __exit__(self, *_: object) -> None:
        self.close()

    def _ask(
        self, command: Job | SliceCommand | StopCommand, answer: type[_E], lasts_s: float
    ) -> _E:
        self._tell(command)
        event = self._event(lasts_s + GRACE_S)
        if isinstance(event, EngineError):
            raise EngineFailed(f"the load engine refused a command: {event.message}")
        if not isinstance(event, answer):
            raise EngineFailed(f"the load engine answered with `{event.type}` out of turn; {_OURS}")
        return event

    def _tell(self, command: Job | SliceCommand | StopCommand) -> None:
        try:
            self._input.write(command.to_json().encode() + b"\n")
            self._input.flush()
        except OSError:
            raise self._ended() from None

    def _event(self, timeout_s: float) -> Event:
        line = self._line(timeout_s)
        try:
            return EVENT.validate_json(line)
        except ValidationError as error:
            fault = error.errors()[0]
            where = f"{'.'.join(map(str, fault['loc']))}: " if fault["loc"] else ""
            raise EngineFailed(
                f"the load engine broke its protocol ({where}{fault['msg']}); {_OURS}"
            ) from None

    def _line(self, timeout_s: float) -> bytes:
        while b"\n" not in self._received:
            if not select.select([self._output], [], [], timeout_s)[0]:
                raise EngineFailed(f"the load engine sent nothing for {timeout_s:.0f} s; {_OURS}")
            data = os.read(self._output.fileno(), 1 << 20)
            if not data:
                raise self._ended()
            self._received += data
        line, _, self._received = self._received.partition(b"\n")
        return line

    def _keep(self, errors: IO[bytes]) -> None:
        with errors:
            while data := os.read(errors.fileno(), 1 << 16):
                self._errors = (self._errors + data)[-ERRORS_KEPT:]

    def _ended(self) -> EngineFailed:
        status = self._process.wait()
        self._reader.join(STOP_S)
        error = self._errors.decode(errors="replace").strip()
        said = f": {error}" if error else ""
        return EngineFailed(f"the load engine ended with status {status}{said}")


ENGINE = "volley"
"""The file name of an engine, wherever it is."""


def link(folder: Path, names: Sequence[str]) -> list[Path]:
    """Make links to the engine in `folder`, which is created if necessary; returns them.

    Existing links to an engine are replaced. Raises `BadUsage` if anything else has one of the
    names, before it changes anything, or if it can't write.
    """
    engine = engine_path().absolute()
    links = [folder.absolute() / name for name in names]
    for each in links:
        if os.path.lexists(each) and not _leads_to_an_engine(each):
            raise BadUsage(f"{each} is not a link to the engine; move it, or name another folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for each in links:
            each.unlink(missing_ok=True)
            each.symlink_to(engine)
    except OSError as error:
        raise BadUsage(f"{folder}: can't make links there: {error.strerror}") from error
    return links


def shadowed(links: Sequence[Path]) -> dict[str, str | None]:
    """The `links` that the shell doesn't find by name, with what it finds instead."""
    others = {each: shutil.which(each.name) for each in links}
    return {
        each.name: other
        for each, other in others.items()
        if other is None or not each.samefile(other)
    }


def original(program: str) -> Path | None:
    """The first program on PATH named `program` that is not a link to an engine."""
    for folder in os.get_exec_path():
        path = shutil.which(program, path=folder)
        if path is not None and not _leads_to_an_engine(Path(path)):
            return Path(path)
    return None


def _leads_to_an_engine(path: Path) -> bool:
    return path.is_symlink() and path.readlink().name == ENGINE
