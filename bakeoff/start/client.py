"""Servers as the rest of bakeoff sees them: those that the keeper starts, and foreign ones."""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, NoReturn

from bakeoff.keeper import cgroups
from bakeoff.keeper.processes import identity, process
from bakeoff.keeper.sweep import sweep
from bakeoff.model.contender import argument_list, fill
from bakeoff.model.errors import BakeoffError, ContenderOut, MissingPiece
from bakeoff.model.finding import Finding
from bakeoff.model.plan import Cores, Entry
from bakeoff.model.protocol import OVER_TLS, OVER_UDP, Certificate, Protocol
from bakeoff.model.receipt import CpuCounter, Handle, Stopped
from bakeoff.start import faults
from bakeoff.start.behind import Behind, behind, counter, counter_of_all
from bakeoff.start.faults import Log
from bakeoff.start.listeners import endpoint, holding, listeners_of, listening
from bakeoff.start.ports import Ports, can_bind

Answers = Callable[[str, int], str | None]
"""Connects to host and port and sends one request: None after an HTTP answer, else the fault."""
Say = Callable[[str], object]

GRACE_S = 3.0
_BY_SIGNAL = 128
"""A shell ends with this plus the signal's number if its last program was killed."""
_REPLY_WITHIN_S = 20.0
_STEP_SHARE = 0.02
_STEP_S_MIN, _STEP_S_MAX = 0.001, 0.05
_ELSEWHERE_AFTER_S = 3.0
"""A server that listens only elsewhere is out after that time."""
_SAID_AFTER_S = (2.0, 10.0, 30.0)
"""The times of messages that a server is still waited for."""
_LAUNCH = "import sys; sys.path.append(sys.argv.pop(1)); from keeper.service import main; main()"


class Keeper(AbstractContextManager["Keeper"]):
    """The process that owns the contenders, as a context manager.

    Whatever ends this process, SIGKILL included, ends the contenders: the keeper sees its
    connection close. A new keeper first cleans up after runs that were killed; `swept` has its
    findings, in lines for people. `scratch` holds the contenders' scratch folders and is removed
    when empty. `cgroup_kinds` are tried in order; if none can be made, CPU time is read over the
    process tree. Raises `MissingPiece` where it can't record the processes that it starts.
    """

    def __init__(self, scratch: Path, cgroup_kinds: Sequence[str] = cgroups.KINDS) -> None:
        self.swept = sweep()
        self._ports = Ports()
        self._scratch = scratch.resolve()
        self._logs: dict[str, Log] = {}
        self._in_shell: set[str] = set()
        self._inside: set[str] = set()
        self._requests = 0
        home = str(Path(cgroups.__file__).parents[1])
        self._connection, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._connection.settimeout(_REPLY_WITHIN_S)
        with theirs:
            self._process = subprocess.Popen(
                [
                    *(sys.executable, "-I", "-S", "-c", _LAUNCH, home),
                    *(str(theirs.fileno()), str(self._scratch), ",".join(cgroup_kinds)),
                    identity(os.getpid()),
                ],
                pass_fds=[theirs.fileno()],
                start_new_session=True,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
            )
        try:
            begun = self._reply(0)
        except BaseException:
            self.close()
            raise
        if "fault" in begun:
            self.close()
            raise MissingPiece(
                "what is started can't be written down, so that nothing of it is left behind: "
                f"{begun['fault']}; let XDG_STATE_HOME name a folder of yours"
            )

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def tls_folder(self) -> Path:
        """The place of the run's certificate; the keeper removes it when it ends."""
        return self._scratch / f"{self.pid}-tls"

    def keep_files(self, files: Mapping[str, bytes]) -> Path:
        """A folder with `files` that contenders serve; the keeper removes it when it ends."""
        folder = self._scratch / f"{self.pid}-static"
        folder.mkdir(parents=True)
        for name, content in files.items():
            (folder / name).write_bytes(content)
        return folder

    def start(
        self,
        entry: Entry,
        *,
        key: str = "",
        out: Path,
        workers: int,
        cores: Cores,
        host: str,
        log: Path,
        answers: Answers,
        protocol: Protocol = "h1",
        certificate: Certificate | None = None,
        environment: Mapping[str, str] | None = None,
        say: Say = lambda _text: None,
    ) -> Handle:
        """Start `entry` and wait until `answers` returns None. Raises `ContenderOut`.

        PROTOCOL tells it the protocol, and TLS_CERT and TLS_KEY its certificate; `environment` has
        the workload's other variables. `say` gets a line when it takes long.

        Its `key`, by default the entry's name, is its name in the other methods: each process of
        one entry has its own. `out` is where it was built, `host` a numeric address; `log` gets
        everything it prints.
        """
        assert entry.contender, "an entry to start"
        assert entry.folder, "an entry with a folder"
        key = key or entry.name
        run = entry.contender.run
        fixed = entry.fixed_port
        udp = protocol in OVER_UDP
        port = self._ports.fixed(host, fixed, udp=udp) if fixed else self._ports.free(host)
        over_tls = certificate if protocol in OVER_TLS else None
        cert, secret = (over_tls.cert, over_tls.key) if over_tls else ("", "")
        values = {
            "protocol": protocol,
            "cert": cert,
            "key": secret,
            "port": str(port),
            "host": host,
            "workers": str(workers),
            "out": str(out.resolve()),
            "here": entry.folder,
            "cpus": ",".join(str(cpu) for cpu in cores.server),
        }
        argv = argument_list(run.command, values, shell=run.shell)
        env = {"PORT": str(port), "HOST": host, "PROTOCOL": protocol, **(environment or {})}
        if over_tls:
            env |= {"TLS_CERT": cert, "TLS_KEY": secret}
        env |= {name: fill(value, values) for name, value in run.env.items()}
        self._logs[key] = Log.now(log)
        if run.shell:
            self._in_shell.add(key)
        log.parent.mkdir(parents=True, exist_ok=True)
        started = self._ask(
            "start",
            key,
            argv=argv,
            env=env,
            folder=entry.folder,
            cpus=cores.server,
            log=str(log.resolve()),
        )
        if "errno" in started:
            reason = faults.unstartable(started["step"], started["errno"], argv[0], entry.folder)
            raise ContenderOut(reason)
        try:
            ready_ms = self._ready(
                key, host, port, run.ready_timeout_s, started, answers, say, udp=udp
            )
        except ContenderOut:
            self.stop(key)
            raise
        counted, unseen = self._counter(entry.name, key, host, port, started, udp=udp)
        return Handle(
            name=entry.name,
            pid=started["pid"],
            address=endpoint(host, port),
            host=endpoint(host, port),
            port=port,
            protocol=protocol,
            tls=over_tls.client if over_tls else None,
            cpus=cores.server,
            cpu=counted,
            unseen=unseen,
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
        say: Say,
        *,
        udp: bool,
    ) -> float:
        """Wait for the first answer; ms from exec to it. Raises `ContenderOut`."""
        log = self._logs[name]
        said_after_s = list(_SAID_AFTER_S)
        while True:
            fault = answers(host, port)
            waited_s: float = (time.monotonic_ns() - started["exec_ns"]) / 1e9
            seen = self._look(name)
            if seen["status"] is not None:
                left = len(self.pids(name))
                reason = faults.died(seen["status"], seen["lived_s"], left)
                raise ContenderOut(faults.with_tail(reason, log, faults.STAY if left else ""))
            if fault is None:
                return waited_s * 1e3
            if said_after_s and waited_s > said_after_s[0]:
                say(faults.waited_for(waited_s, timeout_s, fault))
                said_after_s = [after_s for after_s in said_after_s if after_s > waited_s]
            if waited_s > min(_ELSEWHERE_AFTER_S, timeout_s):
                listeners = listeners_of(self.pids(name), udp=udp)
                if listeners and not any(listener.serves(host, port) for listener in listeners):
                    raise ContenderOut(faults.elsewhere(listeners, host, port))
            if waited_s > timeout_s:
                raise ContenderOut(faults.with_tail(faults.not_ready(timeout_s, fault), log))
            # The time to ready has this resolution.
            time.sleep(min(max(_STEP_S_MIN, _STEP_SHARE * waited_s), _STEP_S_MAX))

    def _counter(
        self, name: str, key: str, host: str, port: int, started: dict[str, Any], *, udp: bool
    ) -> tuple[CpuCounter, Finding | None]:
        """The counter of the CPU time of a server that answers, or why there is none.

        A command may have it started elsewhere: in the control group of a container, below us or
        below a service of the machine.
        """
        pids = self.pids(key)
        own = counter_of_all(
            pids, CpuCounter(kind=started["counter"], path=started["group"], pid=started["pid"])
        )
        # A server may run as another user, whose listening sockets can't be seen.
        if (
            name in self._inside
            or any(not os.access(f"/proc/{pid}/fd", os.R_OK) for pid in pids)
            or holding(listening(host, port, udp=udp), pids)
        ):
            self._inside.add(name)
            return own, None
        there = behind(host, port, udp=udp)
        if there.unseen:
            return CpuCounter(kind="none"), there.unseen
        return counter(there.pids, own), None

    def stop(self, name: str, grace_s: float = GRACE_S) -> Stopped:
        """End `name` and all processes that it started, by SIGTERM, and `grace_s` later by SIGKILL.

        If the keeper is gone, all have been ended.
        """
        if self._connection.fileno() < 0:
            return Stopped(name=name, how="had ended")
        ended = self._ask("stop", name, grace_s=grace_s)
        return Stopped(name=name, how=ended["how"], survivors=tuple(ended["survivors"]))

    def death(self, name: str, answers: int | None = None, doing: str = "") -> str | None:
        """How `name` ended, after how many `answers`, with the end of its log; None: it lives.

        `doing` is the purpose of its load: `while it was warmed up`.
        """
        seen = self._look(name)
        if seen["status"] is None:
            return None
        ended = faults.ended(seen["status"], seen["lived_s"], answers, doing)
        return faults.with_tail(ended, self._logs[name])

    def pids(self, name: str) -> tuple[int, ...]:
        return tuple(self._ask("members", name)["pids"])

    def close(self) -> None:
        if self._connection.fileno() < 0:
            return
        self._connection.close()
        try:
            status = self._process.wait(_REPLY_WITHIN_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            status = self._process.wait()
        if status:
            # It was killed: do its work.
            sweep()

    def _look(self, name: str) -> dict[str, Any]:
        """The keeper's record of `name`. A shell's status for a signal counts as the signal."""
        seen = self._ask("look", name)
        if name in self._in_shell and (seen["status"] or 0) > _BY_SIGNAL:
            seen["status"] = _BY_SIGNAL - seen["status"]
        return seen

    def _ask(self, what: str, name: str, **details: Any) -> dict[str, Any]:
        """One request, one reply. A reply that an earlier Ctrl-C left unread is skipped."""
        self._requests += 1
        request = {"id": self._requests, "do": what, "name": name, **details}
        try:
            self._connection.send(json.dumps(request).encode())
        except OSError:
            self._lost()
        reply = self._reply(self._requests)
        if "fault" in reply:
            raise BakeoffError(f"the keeper failed to {what} {name}:\n{reply['fault']}")
        return reply

    def _reply(self, number: int) -> dict[str, Any]:
        reply: dict[str, Any] = {"id": None}
        while reply["id"] != number:
            try:
                packet = self._connection.recv(1 << 18)
            except OSError:
                packet = b""
            if not packet:
                self._lost()
            reply = json.loads(packet)
        return reply

    def _lost(self) -> NoReturn:
        """The keeper has died or doesn't answer: end the processes that it left. Raises."""
        self.close()
        raise BakeoffError(
            f"the process that keeps the contenders (pid {self.pid}) is gone; they were ended"
        )

    def __exit__(self, *_: object) -> None:
        self.close()


def attach(entry: Entry, protocol: Protocol = "h1") -> Handle:
    """The handle of a foreign server; its CPU time is read if it can be seen."""
    attached = entry.attached
    assert attached, "an entry to attach to"
    host = attached.address.rpartition(":")[0].strip("[]")
    if attached.pid:
        there = Behind((attached.pid,))
    else:
        ours, udp = can_bind(host, 0), protocol in OVER_UDP
        there = behind(host, attached.port, ours=ours, udp=udp)
    counted = counter(there.pids)
    pid = counted.pid
    answering = process(pid) if pid else None
    return Handle(
        name=entry.name,
        pid=pid,
        address=attached.address,
        host=attached.host,
        port=attached.port,
        protocol=protocol,
        tls=attached.tls,
        cpus=_allowed_cpus(pid),
        cpu=counted,
        program=answering.name if answering else "",
        unseen=there.unseen,
    )


def _allowed_cpus(pid: int | None) -> tuple[int, ...]:
    """The processors on which `pid` may run; empty: that can't be told."""
    try:
        return tuple(sorted(os.sched_getaffinity(pid))) if pid else ()
    except OSError:
        return ()
