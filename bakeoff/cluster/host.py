"""A node's part of a run: the same stages as on one machine, called from another.

`python -m bakeoff.cluster.host` is a child of the node's agent. Its standard input is a socket for
calls, its output one that renews its lease.
"""

import os
import shutil
import tarfile
import threading
import time
import traceback
from collections.abc import Mapping, Sequence
from contextlib import suppress
from io import BytesIO
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import psutil

from bakeoff import installation, load, measure, start
from bakeoff.build import Wanted, build_several, out_folder
from bakeoff.cluster import route
from bakeoff.cluster.calls import Call, Failed, Resident
from bakeoff.keeper.processes import identity, is_gone
from bakeoff.model.contender import Contender
from bakeoff.model.engine import Job
from bakeoff.model.errors import BadUsage, BakeoffError, ContenderOut
from bakeoff.model.receipt import Handle, Receipt
from bakeoff.runs.stages import BuildLines, LoadGenerators, Meters, Servers, default_jobs

STAY: Mapping[type, tuple[str, ...]] = {
    start.Keeper: ("pid", "tls_folder", "swept"),
    load.Engine: ("ready",),
    load.SlowClients: ("opened",),
    measure.CpuReader: (),
}
"""Objects that stay on the node that made them, with the attributes that other machines see."""
ENDING = {"close", "abort"}
"""After these methods an object is forgotten."""
LOG_BYTES_MAX = 1 << 20
"""At most this much of a log is read at a time; earlier text is skipped."""
_RUN = "run-"
LEASE_S = 15.0
"""A host whose lease was not renewed for this long ends, and with it all that it started."""


def cache() -> Path:
    """Where this machine keeps received sources, and their builds."""
    return installation.cache_folder() / "cluster"


class Host:
    """The stages of this machine, and their results that can't be sent.

    Load goes only to the addresses of `may_load`. `folder` is the run's on this machine.
    """

    def __init__(self, address: str, may_load: Sequence[str]) -> None:
        self.address = address
        self.lines: list[str] = []
        _sweep()
        self.folder = cache() / f"{_RUN}{identity(os.getpid())}"
        self.folder.mkdir(parents=True, exist_ok=True)
        self._made = 0
        self._objects: dict[str, Any] = {
            "host": self,
            "servers": _Servers(self.folder),
            "loads": _LoadGenerators(self.folder, frozenset(may_load)),
            "meters": Meters(),
        }

    def do(self, call: Call) -> Any:
        """The result of a call: a value, a `Resident`, or `Failed`."""
        if call.key not in self._objects and call.name in ENDING:
            return None
        try:
            result = getattr(self._objects[call.key], call.name)(*call.arguments, **call.named)
        except BakeoffError as error:
            return Failed.of(error)
        except Exception:
            fault = traceback.format_exc()
            return Failed(BakeoffError(f"{self.address} failed to {call.name}:\n{fault}"))
        if call.name in ENDING:
            self._objects.pop(call.key, None)
        seen = STAY.get(type(result))
        if seen is None:
            return result
        self._made += 1
        key = f"{type(result).__name__}-{self._made}"
        self._objects[key] = result
        return Resident(key, {name: getattr(result, name) for name in seen})

    def now_ns(self) -> int:
        return time.monotonic_ns()

    def close(self) -> None:
        """End all that was started here, engines before servers, and remove the run's folder."""
        for kind in (load.Engine, load.SlowClients, measure.CpuReader, start.Keeper):
            for each in [one for one in self._objects.values() if type(one) is kind]:
                with suppress(BakeoffError, OSError):
                    each.end() if isinstance(each, load.SlowClients) else each.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    # Requests for nodes of a cluster alone.

    def has_sources(self, key: str) -> bool:
        return _sources(key).is_dir()

    def take_sources(self, key: str, packed: bytes) -> str:
        """Unpack sources, unless they exist here; returns their folder. Raises `BakeoffError`."""
        folder = _sources(key)
        if packed and not folder.is_dir():
            beside = folder.with_name(f"{folder.name}-{os.getpid()}")
            try:
                beside.mkdir(parents=True)
                with tarfile.open(fileobj=BytesIO(packed)) as tar:
                    tar.extractall(beside, filter="tar")
                beside.rename(folder)
            except OSError as error:
                shutil.rmtree(beside, ignore_errors=True)
                raise BakeoffError(
                    f"{self.address}: sources can't be kept in {folder.parent}: {error.strerror}; "
                    "set XDG_CACHE_HOME for `ray start` there to a folder with room"
                ) from None
        return str(folder)

    def build(self, wanted: Sequence[tuple[str, Contender, str]]) -> list[Receipt | ContenderOut]:
        """Build contenders in folders of this machine; `lines` get a line for each beginning and
        end."""
        folders = [Wanted(name, contender, Path(folder)) for name, contender, folder in wanted]
        return build_several(
            folders, default_jobs(), BuildLines(self.lines.append, self.lines.append)
        )

    def engine(self) -> str:
        return str(installation.engine_path())

    def out_folder(self, folder: str) -> str:
        return str(out_folder(Path(folder)))

    def log(self, keeper: str, name: str) -> str:
        return str(self.folder / "logs" / keeper / name)

    def read_log(self, path: str, offset: int) -> tuple[bytes, int]:
        """A log of the run from `offset` on, and its current end."""
        try:
            with Path(path).open("rb") as file:
                end = file.seek(0, os.SEEK_END)
                file.seek(max(offset, end - LOG_BYTES_MAX))
                return file.read(), end
        except OSError:
            return b"", offset

    def ray_cpu_s(self) -> float:
        """CPU time of this user's raylets and of the processes that they run, except this one, s.

        That is all of Ray on this machine, of any cluster.
        """
        total = 0.0
        for each in psutil.process_iter(["name", "cmdline", "cpu_times"]):
            words = " ".join(each.info["cmdline"] or ())[:400]
            if (
                "raylet" in (each.info["name"] or "")
                or words.startswith("ray::")
                or "/ray/" in words
            ):
                times = each.info["cpu_times"]
                total += times.user + times.system if times else 0.0
        return total

    open_echo = staticmethod(route.open_echo)
    close_echo = staticmethod(route.close_echo)
    exchange = staticmethod(route.exchange)
    carried_bytes_per_s = staticmethod(route.carried_bytes_per_s)
    link_bytes_per_s = staticmethod(measure.read_link_bytes_per_s)
    network = staticmethod(measure.read_network)


class _Servers(Servers):
    """Contenders of this machine; for any requested folder, theirs is the run's here."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keeper(self, scratch: Path) -> start.Keeper:  # type: ignore[override]
        del scratch
        return start.Keeper(self._folder / "scratch")


class _LoadGenerators(LoadGenerators):
    """Generators of this machine, which load only allowed hosts."""

    def __init__(self, folder: Path, may_load: frozenset[str]) -> None:
        self._folder, self._may_load = folder, may_load

    def connect(self, job: Job, files: Mapping[str, bytes] | None = None) -> load.Engine:  # type: ignore[override]
        for target in job.targets:
            self._check(target.address)
        place = self._folder / "requests"
        for name, content in (files or {}).items():
            place.mkdir(exist_ok=True)
            if not (place / name).exists() or (place / name).read_bytes() != content:
                (place / name).write_bytes(content)
        targets = tuple(
            each.model_copy(update={"requests": each.requests.model_copy(update={"file": file})})
            if each.requests and (file := str(place / Path(each.requests.file).name))
            else each
            for each in job.targets
        )
        return load.Engine(job.model_copy(update={"targets": targets}))

    def slow_clients(  # type: ignore[override]
        self, handle: Handle, request: bytes, count: int, cpus: tuple[int, ...]
    ) -> load.SlowClients:
        self._check(handle.address)
        return load.SlowClients(handle, request, count, cpus)

    def _check(self, address: str) -> None:
        host = address.rpartition(":")[0].strip("[]")
        if host not in self._may_load:
            raise BadUsage(
                f"{address}: is not a server node of the cluster; if you may load it, add "
                f"--allow-host {host}"
            )


def _sources(key: str) -> Path:
    return cache() / "sources" / key


def _sweep() -> None:
    for folder in cache().glob(f"{_RUN}*"):
        if is_gone(folder.name.removeprefix(_RUN)):
            shutil.rmtree(folder, ignore_errors=True)


def facts() -> dict[str, Any]:
    """This machine's facts, as in `ClusterNode`, except those of its agent."""
    engine = ""
    with suppress(BakeoffError):
        engine = installation.engine_version()
    return {
        "cpus": tuple(sorted(os.sched_getaffinity(0))),
        "niceness": os.getpriority(os.PRIO_PROCESS, 0),
        "engine": engine,
        "folder": str(cache()),
    }


def serve(calls: Connection, lease: Connection) -> None:
    """Do the requested calls until the connection ends. The first message has the arguments of a
    `Host`."""
    host: Host | None = None
    try:
        address, may_load = calls.recv()
        said = facts()
        try:
            host = Host(address, may_load)
        except OSError as error:
            said["unwritable"] = error.strerror or str(error)
        threading.Thread(target=_hold, args=(lease, host), daemon=True).start()
        calls.send(said)
        while host:
            calls.send(host.do(calls.recv()))
    except (EOFError, OSError):
        pass
    finally:
        if host:
            host.close()


def _hold(lease: Connection, host: Host | None) -> None:
    """End this process with its lease; the keeper notices that, and the engine dies with us."""
    with suppress(EOFError, OSError):
        while lease.poll(LEASE_S) and lease.recv() == "renew":
            lines: list[str] = []
            while host and host.lines:
                lines.append(host.lines.pop(0))
            lease.send(lines)
    if host:
        shutil.rmtree(host.folder, ignore_errors=True)
    os._exit(0)


def main() -> None:
    """Be the host of this machine, on all its processors, at the usual priority.

    A raylet's workers inherit its affinity, and have 15 more of niceness.
    """
    with suppress(OSError):
        os.sched_setaffinity(0, range(os.cpu_count() or 1))
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, 0, 0)
    calls, lease = Connection(os.dup(0)), Connection(os.dup(1))
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1):
        os.dup2(nothing, stream)
    serve(calls, lease)


if __name__ == "__main__":
    main()
