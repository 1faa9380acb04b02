"""The process on each node of a cluster: an actor of Ray without a share of a processor.

It is sent by value, so that it can report what a node without bakeoff lacks. Hence it imports only
the standard library, and bakeoff where it is used.
"""

import contextlib
import os
import platform
import socket
import subprocess
import sys
import threading
from multiprocessing.connection import Connection
from multiprocessing.connection import Pipe as pipe
from typing import Any

ENVIRONMENT = ("OMP_NUM_THREADS", "PYTHONBREAKPOINT", "PYTHONUNBUFFERED", "CUDA_VISIBLE_DEVICES")
"""Variables that Ray sets for its workers, beside RAY_…: no contender may see them."""
LOOK_S, REACH_S = 1.0, 3.0
LOOKS = 2
"""A head that isn't reached this many times in a row is gone."""


class Agent:
    """One machine's part of a run: it passes requests on to a child, the host.

    When an actor ends, Ray kills its children, but not theirs: so the host is killed, and the
    keeper, which is the host's child, notices that and ends all contenders.
    """

    def __init__(self) -> None:
        self._calls: Connection | None = None
        self._lease: Connection | None = None
        self._fault = ""
        self._is_held = threading.Event()
        head = sys.modules["ray"].get_runtime_context().gcs_address
        threading.Thread(target=self._end_with, args=(head,), daemon=True).start()

    def begin(
        self, address: str, roles: tuple[str, ...], may_load: tuple[str, ...], version: str
    ) -> dict[str, Any]:
        """This node's facts, as in `ClusterNode`; `fault` says why it can't take part.

        A host is started if bakeoff has the `version`.
        """
        facts: dict[str, Any] = {
            "address": address,
            "host": platform.node(),
            "roles": roles,
            "kernel": f"{platform.system()} {platform.release()}",
            "python": platform.python_version(),
            "ray": sys.modules["ray"].__version__,
        }
        try:
            import bakeoff
        except ImportError as error:
            return {**facts, "fault": f"bakeoff is not installed there ({error})"}
        facts["bakeoff"] = bakeoff.__version__
        if bakeoff.__version__ != version:
            return facts
        self._start_host()
        assert self._calls
        try:
            self._calls.send((address, may_load))
            said: dict[str, Any] = self._calls.recv()
            return facts | said
        except (EOFError, OSError):
            return {**facts, "fault": f"bakeoff {version} does not start there: {self._fault}"}

    def do(self, call: bytes) -> bytes:
        """Do the request of another node. Only the host reads the request and the answer."""
        assert self._calls, "begun"
        self._calls.send_bytes(call)
        return self._calls.recv_bytes()

    def renew(self) -> list[str]:
        """Go on for another lease; returns the messages since the last time."""
        assert self._lease, "begun"
        self._is_held.set()
        self._lease.send("renew")
        lines: list[str] = self._lease.recv()
        return lines

    def end(self) -> None:
        with contextlib.suppress(EOFError, OSError):
            if self._lease:
                self._lease.send("end")
                self._lease.recv()

    def _start_host(self) -> None:
        """The host has the calls as its standard input, and the lease as its output."""
        self._calls, calls = pipe()
        self._lease, lease = pipe()
        unset = {name for name in os.environ if name.startswith("RAY_")} | {*ENVIRONMENT}
        process = subprocess.Popen(
            [sys.executable, "-m", "bakeoff.cluster.host"],
            stdin=calls.fileno(),
            stdout=lease.fileno(),
            stderr=subprocess.PIPE,
            env={name: value for name, value in os.environ.items() if name not in unset},
            start_new_session=True,
            text=True,
        )
        calls.close()
        lease.close()
        threading.Thread(target=self._watch, args=(process,), daemon=True).start()

    def _watch(self, process: "subprocess.Popen[str]") -> None:
        """This process is useless without its host; a host that never began has a reason."""
        assert process.stderr
        for line in process.stderr:
            self._fault = line.strip() or self._fault
        process.wait()
        threading.Timer(1.0, os._exit, (0,)).start()

    def _end_with(self, head: str) -> None:
        """End with the cluster's head until a first lease is renewed; the host ends with this
        process.

        If the head ends before that, nothing holds this agent, and Ray leaves it for a minute.
        """
        host, _, port = head.rpartition(":")
        failed = 0
        while failed < LOOKS and not self._is_held.wait(LOOK_S):
            try:
                socket.create_connection((host.strip("[]"), int(port)), REACH_S).close()
                failed = 0
            except OSError:
                failed += 1
        if failed == LOOKS:
            os._exit(0)
