"""Three machines: network namespaces on a bridge of their own, with a Ray cluster between them."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from functools import cache
from itertools import count
from pathlib import Path
from typing import Literal

from tests.afterwards import afterwards
from tests.waiting import wait_for

ROOT = Path(__file__).parents[2]
Name = Literal["head", "server", "load", "more", "other"]
NAMES: tuple[Name, ...] = ("head", "server", "load", "more", "other")
BEGUN: tuple[Name, ...] = NAMES[:3]
"""`more` is a second machine that loads, and `other` a second one that serves, for who starts
them."""
ROLES = {"more": "load", "other": "server"}
ADDRESSES = {name: f"10.99.0.{number}" for number, name in enumerate(NAMES, 1)}
AHEAD_S = {"more": 86_400} if Path("/proc/self/ns/time_for_children").exists() else {}
"""What the monotonic clock of a machine is ahead of the others', which started later."""
PORT = 6379
LEFT_MAX_S = 30.0
START_MAX_S = 240.0
_NUMBERS = count()
REMOVE = """
sessions=$1; shift
for space; do
    while pids=$(ip netns pids "$space") && [ "$pids" ]; do kill -9 $pids; sleep 0.1; done
    ip netns del "$space"
done
rm -rf "$sessions"
"""
OURS = ("bakeoff", "volley", "nginx", "ray::Agent", "serve.py")


@cache
def why_not() -> str:
    """Why there can be no machines here; empty: there can be."""
    try:
        import ray  # noqa: F401
    except ImportError:
        return "Ray is not installed (requirements/cluster.txt)"
    if not shutil.which("ip"):
        return "there is no `ip` to make network namespaces with"
    name = f"bk{os.getpid():x}t"
    made = subprocess.run(["ip", "netns", "add", name], capture_output=True, text=True, check=False)
    if made.returncode:
        return f"network namespaces are not allowed here: {made.stderr.strip()}"
    link = ["ip", "link", "add", "b0", "netns", name, "type", "bridge"]
    bridge = subprocess.run(link, capture_output=True, text=True, check=False)
    _ip("netns", "del", name)
    return f"no bridge can be made here: {bridge.stderr.strip()}" if bridge.returncode else ""


class Machines:
    """The machines `head` (where bakeoff is called), `server` and `load`; others aren't started.

    With a `poor` link (options of `tests.cluster.poor_link`) the server's cable delays and loses.
    """

    def __init__(self, home: Path, poor: Sequence[str] = ()) -> None:
        self._prefix = f"bk{os.getpid():x}n{next(_NUMBERS)}"
        self.home, self._poor = home, poor
        self._link: subprocess.Popen[str] | None = None
        # Ray puts sockets there, whose paths may have 107 bytes.
        self._sessions = Path(tempfile.mkdtemp(prefix="bk", dir="/tmp"))
        self._switch = f"{self._prefix}w"
        self._left = ExitStack()

    def __enter__(self) -> "Machines":
        spaces = (*map(self.space, NAMES), self._switch)
        self._left.enter_context(afterwards(REMOVE, self._sessions, *spaces))
        try:
            _ip("netns", "add", self._switch)
            _ip("-n", self._switch, "link", "add", "b0", "type", "bridge")
            _ip("-n", self._switch, "link", "set", "b0", "up")
            for name in NAMES:
                space = self.space(name)
                _ip("netns", "add", space)
                if name == "server" and self._poor:
                    self._lay_poor_link(name, space)
                else:
                    peer = ("type", "veth", "peer", "name", "eth0", "netns", space)
                    _ip("-n", self._switch, "link", "add", name, *peer)
                _ip("-n", self._switch, "link", "set", name, "master", "b0", "up")
                _ip("-n", space, "addr", "add", f"{ADDRESSES[name]}/24", "dev", "eth0")
                _ip("-n", space, "link", "set", "eth0", "up")
                _ip("-n", space, "link", "set", "lo", "up")
            # One after another: on one file system, nodes that start together take the same names.
            for name in BEGUN:
                self.start(name)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_exception: object) -> None:
        self._left.close()
        if self._link:
            self._link.wait()

    def space(self, name: Name) -> str:
        """The network namespace of a machine."""
        return f"{self._prefix}{name[0]}"

    @property
    def address(self) -> str:
        return f"{ADDRESSES['head']}:{PORT}"

    def end_poor_link(self) -> dict[str, int]:
        """Pull the poor cable; how many frames it `carried` and `lost`."""
        assert self._link, "a poor link"
        self._link.terminate()
        out, _ = self._link.communicate(timeout=10)
        counted: dict[str, int] = json.loads(out)
        return counted

    def start(self, name: Name) -> None:
        """Start Ray on a machine, as its user would; again, where all is too slow for Ray."""
        process = self._begin(name)
        process.communicate(timeout=START_MAX_S)
        if process.returncode:
            self.stop(name)
            _check(self._begin(name))

    def stop(self, name: Name) -> None:
        """End Ray there, if it runs, and all that is left of it."""
        self._end_all(self.space(name))

    def cut(self, name: Name) -> None:
        """Pull a machine's cable."""
        _ip("-n", self._switch, "link", "set", name, "down")

    def mend(self, name: Name) -> None:
        """Plug it in again."""
        _ip("-n", self._switch, "link", "set", name, "up")

    def kill(self, name: Name, program: str) -> bool:
        """Kill -9 what has `program` in its command line on a machine; whether there was any."""
        found = [pid for pid in self._pids(self.space(name)) if program in command_line(pid)]
        for pid in found:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return bool(found)

    def bakeoff(self, folder: Path, *words: str) -> "subprocess.Popen[str]":
        """Call bakeoff on the head, in a folder."""
        return self.call("head", [sys.executable, "-m", "bakeoff", *words], cwd=folder)

    def call(self, name: Name, argv: list[str], cwd: Path | None = None) -> "subprocess.Popen[str]":
        """Start a program on a machine, in a session of its own."""
        own = self.home / name
        own.mkdir(parents=True, exist_ok=True)
        environment = {
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "XDG_CACHE_HOME": str(own),
            "XDG_DATA_HOME": str(own),
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "RAY_worker_niceness": "0",
            # Other tests may take the processors meanwhile.
            "RAY_raylet_start_wait_time_s": "200",
            "COLUMNS": "200",
        }
        if ahead_s := AHEAD_S.get(name):
            ahead = [f"--monotonic={ahead_s}", f"--boottime={ahead_s}"]
            argv = ["unshare", "--time", *ahead, "--fork", *argv]
        return subprocess.Popen(
            ["ip", "netns", "exec", self.space(name), *argv],
            env=environment,
            cwd=cwd or self.home,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            # Tests that run in the background have Ctrl-C ignored.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )

    def ours(self) -> list[str]:
        """The command lines of what bakeoff runs on the machines, without what is Ray's."""
        found = []
        for name in NAMES:
            for pid in self._pids(self.space(name)):
                words = command_line(pid)
                ours = any(each in words for each in OURS) or _comm(pid) == "bakeoff-keeper"
                if ours and "/ray/" not in words and "ray start" not in words:
                    found.append(f"{name}: {words[:100]}")
        return found

    def wait_until_nothing_is_left(self) -> float:
        """Until nothing of ours runs on any machine: seconds that it took, 30 at most."""
        began_s = time.monotonic()
        wait_for(lambda: not self.ours(), LEFT_MAX_S, self.ours)
        return time.monotonic() - began_s

    def _lay_poor_link(self, name: Name, space: str) -> None:
        """Between the machine and the switch, in place of a pair of veth."""
        words = [sys.executable, "-m", "tests.cluster.poor_link", name, "far", *self._poor]
        self._link = subprocess.Popen(
            ["ip", "netns", "exec", self._switch, *words],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._link.stdout and self._link.stdout.readline() == "ready\n"
        _ip("-n", self._switch, "link", "set", name, "txqueuelen", "10000")
        _ip("-n", self._switch, "link", "set", "far", "txqueuelen", "10000")
        _ip("-n", self._switch, "link", "set", "far", "netns", space)
        _ip("-n", space, "link", "set", "far", "name", "eth0")

    def _begin(self, name: Name) -> "subprocess.Popen[str]":
        ray = str(Path(sys.executable).with_name("ray"))
        here = ["--node-ip-address", ADDRESSES[name], "--num-cpus=0", "--disable-usage-stats"]
        here.append("--object-store-memory=100000000")
        if name == "head":
            # Ray takes any cluster of this address that it sees for the one that was here.
            (self._sessions / "ray_current_cluster").unlink(missing_ok=True)
            sessions = f"--temp-dir={self._sessions}"
            own = ["--head", f"--port={PORT}", "--include-dashboard=false", sessions]
        else:
            role = ROLES.get(name, name)
            own = [f"--address={self.address}", f'--resources={{"{role}": 1}}']
        return self.call(name, [ray, "start", *own, *here])

    def _end_all(self, space: str) -> None:
        """Kill what runs there until it is gone: until then its ports are taken."""
        for _ in range(50):
            pids = self._pids(space)
            for pid in pids:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            if not pids:
                return
            time.sleep(0.1)

    def _pids(self, space: str) -> list[int]:
        listed = subprocess.run(
            ["ip", "netns", "pids", space], capture_output=True, text=True, check=False
        )
        return [int(pid) for pid in listed.stdout.split()]


def machines(home: Path, poor: Sequence[str] = ()) -> Iterator[Machines]:
    """Machines for a test; they are gone afterwards, whatever fails."""
    with Machines(home, poor) as made:
        yield made


def command_line(pid: int) -> str:
    """What a process was called with; empty where it has gone."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""


def _comm(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True, text=True)


def _check(process: "subprocess.Popen[str]") -> None:
    out, err = process.communicate(timeout=START_MAX_S)
    assert process.returncode == 0, f"ray start: {out[-800:]}{err[-800:]}"
