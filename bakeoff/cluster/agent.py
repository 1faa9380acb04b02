"""The process on each node of a cluster: an actor that Ray starts, without a share of a processor.

It travels by value, so that it can say what a node lacks on which bakeoff is not installed: hence
it imports the standard library alone, and bakeoff where it is used.
"""

import contextlib
import os
import platform
import sys
import threading
import time
import traceback
from typing import Any

ENVIRONMENT = ("OMP_NUM_THREADS", "PYTHONBREAKPOINT", "PYTHONUNBUFFERED", "CUDA_VISIBLE_DEVICES")
"""What Ray sets for its workers, beside RAY_…: no contender is to find it."""
LOOK_S = 0.5


class Agent:
    """One machine's part of a run. It ends itself, and with it all that it started, once nobody has
    renewed its lease for `lease_s`, or once its raylet is gone.
    """

    def __init__(self, lease_s: float) -> None:
        self._lease_s = lease_s
        self._renewed_s = time.monotonic()
        self._parent = os.getppid()
        self._host: Any = None
        for name in [*os.environ]:
            if name.startswith("RAY_") or name in ENVIRONMENT:
                del os.environ[name]
        threading.Thread(target=self._watch, daemon=True).start()

    def begin(
        self, address: str, roles: tuple[str, ...], may_load: tuple[str, ...]
    ) -> dict[str, Any]:
        """This node's facts, as `ClusterNode` has them; `fault` says why it can take no part."""
        _at_ease()
        facts: dict[str, Any] = {
            "address": address,
            "host": platform.node(),
            "roles": roles,
            "cpus": tuple(sorted(os.sched_getaffinity(0))),
            "niceness": os.getpriority(os.PRIO_PROCESS, 0),
            "kernel": f"{platform.system()} {platform.release()}",
            "python": platform.python_version(),
            "ray": sys.modules["ray"].__version__,
            "bakeoff": "",
            "engine": "",
            "folder": "",
            "unwritable": "",
        }
        try:
            import bakeoff
        except ImportError as error:
            return {**facts, "fault": f"bakeoff is not installed there ({error})"}
        facts["bakeoff"] = bakeoff.__version__
        try:
            from bakeoff.cluster.host import Host, cache
            from bakeoff.load import engine_version
            from bakeoff.model.errors import BakeoffError
        except ImportError as error:
            fault = f"bakeoff {bakeoff.__version__} is not whole there ({error})"
            return {**facts, "fault": fault}
        facts["folder"] = str(cache())
        with contextlib.suppress(BakeoffError):
            facts["engine"] = engine_version()
        try:
            self._host = Host(address, may_load)
        except OSError as error:
            facts["unwritable"] = error.strerror or str(error)
        return facts

    def do(self, call: Any) -> Any:
        """Do what another node asks for."""
        _at_ease()
        try:
            return self._host.do(call)
        except Exception:
            return traceback.format_exc()

    def renew(self) -> list[str]:
        """Go on for another lease; what there is to say since the last time."""
        self._renewed_s = time.monotonic()
        lines: list[str] = []
        while self._host and self._host.lines:
            lines.append(self._host.lines.pop(0))
        return lines

    def end(self) -> None:
        """End all that was started here, and then this process."""
        if self._host:
            self._host.close()
        threading.Timer(LOOK_S, os._exit, (0,)).start()

    def _watch(self) -> None:
        # The kernel closes what we hold, and the keeper and the engine end when we do.
        while os.getppid() == self._parent:
            if time.monotonic() - self._renewed_s > self._lease_s:
                break
            time.sleep(LOOK_S)
        os._exit(1)


def _at_ease() -> None:
    """All processors of the machine, and the usual priority: what this thread starts inherits them.

    A raylet hands its own affinity down to its workers, and 15 more of niceness.
    """
    with contextlib.suppress(OSError):
        os.sched_setaffinity(0, range(os.cpu_count() or 1))
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, 0, 0)
