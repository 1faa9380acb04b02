"""The keeper's loop: it answers bakeoff's requests, and ends everything when bakeoff is gone.

Each packet is one JSON object. The keeper's first packet has `id` 0, and `fault` if it can't begin.
Requests have `id`, `name` and `do`, which is `start`, `stop`, `look` or `members`; a reply has the
same `id`. When the connection ends, for whatever reason, all contenders are ended.
"""

import contextlib
import json
import os
import select
import shutil
import signal
import socket
import sys
import time
import traceback
from pathlib import Path
from typing import Any

from . import cgroups, ledger
from .instance import Instance, end
from .processes import MARKER, descendants, identity, is_running, process, processes, send
from .spawn import PR_SET_CHILD_SUBREAPER, PR_SET_NAME, Order, Unstartable, prctl, spawn

LAST_GRACE_S = 2.0
"""How long contenders may take to end by themselves when bakeoff is gone, and a container's tool to
remove what it made."""
LAST_WITHIN_S = 10.0
"""How long SIGKILL may take then: no client waits, and processes of a busy machine don't end at
once."""
PAUSE_MS = 20
PACKET = 1 << 18


class Service:
    """The processes that the keeper has started, and the connection that it serves."""

    def __init__(
        self, connection: socket.socket, scratch: Path, kinds: tuple[str, ...], entry: ledger.Entry
    ) -> None:
        self._connection = connection
        self._scratch = scratch
        self._kinds = kinds
        self._entry = entry
        self._instances: dict[str, Instance] = {}
        self._noted: set[tuple[int, int]] = set()
        self._started = 0
        self._asked_to_end = False
        self._woken, waker = os.pipe()
        os.set_blocking(self._woken, False)
        os.set_blocking(waker, False)
        signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGTERM, self._end_soon)

    def serve(self) -> None:
        """Answer requests until bakeoff is gone; then leave nothing behind."""
        try:
            while not self._asked_to_end:
                for ready in self._wait(self._connection.fileno(), timeout_ms=None):
                    if ready == self._connection.fileno() and not self._answer():
                        return
        finally:
            self._end_everything()

    def _end_soon(self, *_: Any) -> None:
        self._asked_to_end = True

    def _wait(self, *others: int, timeout_ms: int | None) -> list[int]:
        """Block until a child ended or one of `others` is ready, and reap the ended children."""
        poller = select.poll()
        for each in (self._woken, *others):
            poller.register(each, select.POLLIN)
        ready = [each for each, _ in poller.poll(timeout_ms)]
        if self._woken in ready:
            with contextlib.suppress(BlockingIOError):
                os.read(self._woken, PACKET)
        self._reap()
        return ready

    def _pause(self) -> None:
        self._wait(timeout_ms=PAUSE_MS)

    def _reap(self) -> None:
        with contextlib.suppress(ChildProcessError):
            while (reaped := os.waitpid(-1, os.WNOHANG))[0]:
                for instance in self._instances.values():
                    if instance.pid == reaped[0] and instance.status is None:
                        instance.ended(reaped[1])

    def _is_alone(self) -> bool:
        """Whether bakeoff is gone, or we were told to end."""
        poller = select.poll()
        poller.register(self._connection.fileno(), 0)  # a hang-up is always reported
        return self._asked_to_end or bool(poller.poll(0))

    def _answer(self) -> bool:
        try:
            packet = self._connection.recv(PACKET)
        except ConnectionError:
            return False
        if not packet:
            return False
        request = json.loads(packet)
        try:
            reply = getattr(self, f"_do_{request['do']}")(request)
        except Exception:
            reply = {"fault": traceback.format_exc()}
        _say(self._connection, id=request["id"], **reply)
        return True

    def _do_start(self, request: dict[str, Any]) -> dict[str, Any]:
        if request["name"] in self._instances:
            raise ValueError(f"{request['name']} is already up")
        self._started += 1
        instance_id = f"{self._entry.name}-{self._started}"
        scratch = self._scratch / f"{os.getpid()}-{self._started}"
        scratch.mkdir(parents=True)
        env = {"TMPDIR": str(scratch), **request["env"], MARKER: instance_id}
        order = Order(request["argv"], request["folder"], env, request["cpus"], request["log"])
        try:
            spawned = spawn(order, instance_id, cgroups.bases(self._kinds), self._entry)
        except Unstartable as fault:
            scratch.rmdir()
            return {"step": fault.step, "errno": fault.code}
        instance = self._instances[request["name"]] = Instance(instance_id, spawned, scratch)
        group = spawned.group
        return {
            "pid": instance.pid,
            "exec_ns": instance.exec_ns,
            "counter": group.kind if group else "tree",
            "group": str(group.path) if group else None,
            "scratch": str(scratch),
        }

    def _do_stop(self, request: dict[str, Any]) -> dict[str, Any]:
        instance = self._instances[request["name"]]
        result = end([instance], request["grace_s"], self._pause, self._is_alone)
        del self._instances[request["name"]]
        if not result["survivors"]:
            with contextlib.suppress(OSError):
                self._entry.add(ended=instance.pid)
        return result

    def _do_look(self, request: dict[str, Any]) -> dict[str, Any]:
        self._reap()
        return self._instances[request["name"]].report()

    def _do_members(self, request: dict[str, Any]) -> dict[str, Any]:
        instance = self._instances[request["name"]]
        self._adopt()
        pids = sorted(instance.members())
        self._note(pids)
        return {"pids": pids}

    def _adopt(self) -> None:
        """A process that lost parent, session and environment belongs to the last started instance.

        The monitor of a container is such a process.
        """
        instances = list(self._instances.values())
        strangers = [
            each
            for each in processes().values()
            if each.parent == os.getpid() and not any(one.knows(each) for one in instances)
        ]
        if strangers:
            enclosed = set().union(
                *(cgroups.members(each.group.path) for each in instances if each.group)
            )
            instances[-1].adopted |= {
                each.pid: each.started for each in strangers if each.pid not in enclosed
            }

    def _note(self, pids: list[int]) -> None:
        """Record the processes that contenders have forked: they may leave their sessions, and lose
        their environment."""
        for each in map(process, pids):
            if each and (each.pid, each.started) not in self._noted:
                self._noted.add((each.pid, each.started))
                with contextlib.suppress(OSError):
                    self._entry.add_seen(each)

    def _end_everything(self) -> None:
        """End all contenders, then processes that escaped from them: everything below us is
        ours."""
        instances = list(self._instances.values())
        end(instances, LAST_GRACE_S, self._pause, lambda: False)
        until = time.monotonic() + LAST_WITHIN_S
        while (left := self._left()) and time.monotonic() < until:
            send(signal.SIGKILL, left)
            self._pause()
        for instance in instances:
            instance.clear_away()
        # The run's certificate and the files to be served, which bakeoff may have made.
        for made in ("tls", "static"):
            shutil.rmtree(self._scratch / f"{os.getpid()}-{made}", ignore_errors=True)
        with contextlib.suppress(OSError):
            self._scratch.rmdir()
        if not left:
            self._entry.close()

    def _left(self) -> set[int]:
        table = processes()
        return {pid for pid in descendants([os.getpid()], table) if is_running(table[pid])}


def main() -> None:
    """`keeper SOCKET SCRATCH KINDS OF`: file number, folder, kinds of control groups to try, and
    the identity of the process for which contenders are kept."""
    prctl(PR_SET_NAME, b"bakeoff-keeper")
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_IGN)
    connection = socket.socket(fileno=int(sys.argv[1]))
    connection.set_inheritable(False)
    kinds = tuple(kind for kind in sys.argv[3].split(",") if kind)
    scratch = Path(sys.argv[2])
    own = identity(os.getpid())
    try:
        entry = ledger.enter(own, sys.argv[4], folders=[str(scratch / f"{os.getpid()}-*")])
    except OSError as error:
        _say(connection, id=0, fault=f"{error.filename or 'the ledger'}: {error.strerror}")
        return
    service = Service(connection, scratch, kinds, entry)
    _say(connection, id=0)
    service.serve()


def _say(connection: socket.socket, **packet: Any) -> None:
    """Send a packet, unless the client is gone."""
    with contextlib.suppress(OSError):
        connection.send(json.dumps(packet).encode())
