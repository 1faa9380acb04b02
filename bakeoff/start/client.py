"""bakeoff's side of the keeper: start, stop, look."""

import contextlib
import json
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn, Self

from bakeoff.model.contender import argument_list, fill
from bakeoff.model.errors import BakeoffError, ContenderOut
from bakeoff.model.plan import Cores, Entry
from bakeoff.model.receipt import CpuCounter, Handle, Stopped
from bakeoff.start import words
from bakeoff.start.keeper import cgroups
from bakeoff.start.ports import Ports
from bakeoff.start.sockets import endpoint, listeners_of
from bakeoff.start.sweep import sweep

Answers = Callable[[str, int], str | None]
"""Ask host and port once, for a second at most: None after a real answer, else why not."""

GRACE_S = 3.0
_REPLY_WITHIN_S = 20.0
_ELSEWHERE_AFTER = 0.3
"""Share of the time to get ready after which a server that listens only elsewhere is given up."""
_LAUNCH = "import sys; sys.path.append(sys.argv.pop(1)); from keeper.service import main; main()"


class Keeper:
    """The process that owns the contenders, as a context manager.

    Whatever ends this process, SIGKILL included, ends the contenders: the keeper sees its
    connection close. Making one first sweeps up after earlier keepers that were killed.
    `scratch` holds the instances' scratch folders and goes when it is empty.
    `cgroup_kinds` are tried in order; where none can be made, CPU time is read over the tree.
    """

    def __init__(self, scratch: Path, cgroup_kinds: Sequence[str] = cgroups.KINDS) -> None:
        sweep()
        self._ports = Ports()
        self._scratch = scratch.resolve()
        self._logs: dict[str, Path] = {}
        self._requests = 0
        self._connection, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._connection.settimeout(_REPLY_WITHIN_S)
        with theirs:
            self._process = subprocess.Popen(
                [
                    *(sys.executable, "-I", "-S", "-c", _LAUNCH, str(Path(__file__).parent)),
                    *(str(theirs.fileno()), str(self._scratch), ",".join(cgroup_kinds)),
                ],
                pass_fds=[theirs.fileno()],
                start_new_session=True,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
            )

    @property
    def pid(self) -> int:
        """The keeper's own pid."""
        return self._process.pid

    def start(
        self,
        entry: Entry,
        *,
        out: Path,
        workers: int,
        cores: Cores,
        host: str,
        log: Path,
        answers: Answers,
    ) -> Handle:
        """Start `entry` and wait until `answers` says None. Raises `ContenderOut` with the reason.

        `out` is where it was built, `host` a numeric address, `log` gets all that it prints.
        """
        assert entry.contender, "an entry to start"
        assert entry.folder, "an entry with a folder"
        run = entry.contender.run
        fixed = entry.fixed_port
        port = self._ports.fixed(host, fixed) if fixed else self._ports.free(host)
        values = {
            "port": str(port),
            "host": host,
            "workers": str(workers),
            "out": str(out.resolve()),
            "here": entry.folder,
            "cpus": ",".join(str(cpu) for cpu in cores.server),
        }
        argv = argument_list(run.command, values)
        env = {"PORT": str(port), "HOST": host}
        env |= {name: fill(value, values) for name, value in run.env.items()}
        self._logs[entry.name] = log
        log.parent.mkdir(parents=True, exist_ok=True)
        started = self._ask(
            "start",
            entry.name,
            argv=argv,
            env=env,
            folder=entry.folder,
            cpus=cores.server,
            log=str(log.resolve()),
        )
        if "errno" in started:
            reason = words.unstartable(started["step"], started["errno"], argv[0], entry.folder)
            raise ContenderOut(reason)
        try:
            ready_ms = self._ready(entry.name, host, port, run.ready_timeout_s, started, answers)
        except ContenderOut:
            self.stop(entry.name)
            raise
        return Handle(
            name=entry.name,
            pid=started["pid"],
            address=endpoint(host, port),
            host=endpoint(host, port),
            port=port,
            cpus=cores.server,
            cpu=CpuCounter(kind=started["counter"], path=started["group"], pid=started["pid"]),
            log=str(log),
            scratch=started["scratch"],
            command=tuple(argv),
            time_to_ready_ms=ready_ms,
        )

    def _ready(
        self,
        name: str,
        host: str,
        port: int,
        timeout_s: float,
        started: dict[str, Any],
        answers: Answers,
    ) -> float:
        """Wait for the first answer; ms from exec to it. Raises `ContenderOut`."""
        log = self._logs[name]
        pause_s = 0.001
        while True:
            fault = answers(host, port)
            waited_s: float = (time.monotonic_ns() - started["exec_ns"]) / 1e9
            seen = self._ask("look", name)
            if seen["status"] is not None:
                reason = words.died(seen["status"], seen["lived_s"], len(self.pids(name)))
                raise ContenderOut(words.with_tail(reason, log))
            if fault is None:
                return waited_s * 1e3
            if waited_s > timeout_s * _ELSEWHERE_AFTER:
                found = listeners_of(self.pids(name))
                if found and not any(one.serves(host, port) for one in found):
                    raise ContenderOut(words.elsewhere(found, host, port))
            if waited_s > timeout_s:
                raise ContenderOut(words.with_tail(words.not_ready(timeout_s, fault), log))
            time.sleep(pause_s)
            pause_s = min(2 * pause_s, 0.05)

    def stop(self, name: str, grace_s: float = GRACE_S) -> Stopped:
        """End `name` and all that it started: SIGTERM, `grace_s` later SIGKILL."""
        ended = self._ask("stop", name, grace_s=grace_s)
        return Stopped(name=name, how=ended["how"], survivors=tuple(ended["survivors"]))

    def death(self, name: str) -> str | None:
        """How `name` ended, with the end of its log; None while it lives."""
        seen = self._ask("look", name)
        if seen["status"] is None:
            return None
        return words.with_tail(words.ending(seen["status"]), self._logs[name])

    def pids(self, name: str) -> tuple[int, ...]:
        """All processes of `name` that run."""
        return tuple(self._ask("members", name)["pids"])

    def close(self) -> None:
        """End all contenders and the keeper. May be called again."""
        if self._connection.fileno() < 0:
            return
        self._connection.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            if self._process.wait(_REPLY_WITHIN_S):
                self._clear_up()

    def _clear_up(self) -> None:
        """Do what a keeper that was killed could not do."""
        sweep()
        for folder in self._scratch.glob(f"{self.pid}-*"):
            shutil.rmtree(folder, ignore_errors=True)
        with contextlib.suppress(OSError):
            self._scratch.rmdir()

    def _ask(self, what: str, name: str, **details: Any) -> dict[str, Any]:
        """One request, one reply. A reply that an earlier Ctrl-C left unread is skipped."""
        self._requests += 1
        request = {"id": self._requests, "do": what, "name": name, **details}
        try:
            self._connection.send(json.dumps(request).encode())
            reply: dict[str, Any] = {"id": 0}
            while reply["id"] != self._requests:
                packet = self._connection.recv(1 << 18)
                if not packet:
                    raise ConnectionResetError
                reply = json.loads(packet)
        except (ConnectionError, TimeoutError):
            self._mourn()
        if "fault" in reply:
            raise BakeoffError(f"the keeper failed to {what} {name}:\n{reply['fault']}")
        return reply

    def _mourn(self) -> NoReturn:
        """The keeper is gone, or doesn't answer: end what it leaves, and say so."""
        self.close()
        raise BakeoffError(
            f"the process that keeps the contenders (pid {self.pid}) is gone; they were ended"
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
