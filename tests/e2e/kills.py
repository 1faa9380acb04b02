"""One try: bakeoff, its keeper, its engine or what it runs is killed, and somebody types on.

Whatever is killed, and whenever, nothing may be left after the next command: no process, no port,
no control group, no folder, no entry of the ledger. What that command had to end, it says.
"""

import os
import random
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import psutil

from tests.e2e.conftest import BAKEOFF, QUICK, Place
from tests.repositories import WHO, commit, git, new_repository
from tests.waiting import wait_for

BEFORE = 0.3
"""Share of the tries in which the kill comes before, or while, the first program is started."""
BEFORE_S, AFTER_S = 3.0, 8.0
"""The latest moment of a kill, since the start and since there is a first program: by then the
shortest runs are judging."""
ENDS_WITHIN_S = 300.0
"""A run that lost its keeper or its engine notices, concludes and ends: that takes seconds, but for
where forty others want the core."""
WORKERS = """
import os, sys
if os.fork() == 0:
    os.execve(sys.executable, [sys.executable, "a.py"], {"PORT": os.environ["PORT"]})
os.wait()
"""
"""As nginx does: the process that serves is another one, and has nothing of our environment."""
BUILT = """
name = "built"
title = "Built"
language = "sh"
kind = "server"
[build]
command = "sh build.sh"
[run]
command = "python3 'FOLDER/a.py'"
[serves]
hello = "/"
get = "/"
"""
BUILD = "sleep 600 >/dev/null 2>&1 & sleep 1\n"
"""It has a child, which the kernel doesn't end with it, and leaves it behind."""
HIDES_GROUPS = 'mount -t tmpfs none /sys/fs/cgroup && exec "$@"'
Words = Callable[[Place, str], tuple[str, ...]]


def _built(place: Place) -> str:
    if not (place.path / "built").exists():
        place.contender("built", BUILT.replace("FOLDER", "{here}/.."))
        (place.path / "built" / "build.sh").write_text(BUILD)
    return "./built"


def _race(place: Place, *more: str) -> tuple[str, ...]:
    return ("race", "python3 workers.py", _built(place), *QUICK, "-d", "6", *more)


def _ci(place: Place, _url: str) -> tuple[str, ...]:
    files = {"a.py": (place.path / "a.py").read_text(), "build.sh": BUILD}
    files["contender.toml"] = BUILT.replace("FOLDER", "{here}")
    files["bakeoff.toml"] = 'contender = "."\nwarm_up = "1s"\nconnections = 8\n'
    shop = new_repository(place.path / "shop", files)
    git(shop, "checkout", "--quiet", "-b", "change")
    commit(shop, {"a.py": files["a.py"] + "# changed\n"}, "a change")
    return ("ci", "-d", "6")


KINDS: dict[str, Words] = {
    "race": lambda place, _: _race(place),
    "confirmed": lambda place, _: _race(place, "--confirm"),
    "open loop": lambda place, _: _race(place, "--rate", "200"),
    "grid": lambda place, _: _race(place, "-c", "4,8"),
    "capacity": lambda place, _: (
        *("capacity", "python3 workers.py", _built(place), "--slo", "p99=50ms"),
        *("-d", "14", "-c", "8", "--boots", "1"),
    ),
    "draws": lambda *_: ("draws", "python3 workers.py", "-d", "6", "-c", "8"),
    "day": lambda *_: (
        *("day", "python3 workers.py", "python3 a.py", "-d", "62", "-c", "8"),
        *("--storm", "50", "--slow-clients", "10"),
    ),
    "crosscheck": lambda _, url: ("crosscheck", url, "-c", "8", "-d", "1", "--rounds", "5"),
    "audit": lambda place, _: ("contenders", "--audit", "python3 workers.py", _built(place)),
    "setup": lambda place, _: ("setup", _built(place)),
    "ci": _ci,
}
"""Each kind of run, and all else that starts something."""
PARTS = ("bakeoff", "keeper", "engine", "command")


@dataclass
class Try:
    """One try of `kind` in a folder of its own. `seed` decides who is killed, and when.

    `url` is of a server that is there for kinds that need one.
    """

    place: Place
    kind: str
    seed: str
    url: str
    killed: tuple[str, ...] = ()
    said: str = ""
    _started: dict[int, psutil.Process] = field(default_factory=dict)
    _ports: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._chance = random.Random(self.seed)
        self._groups = self._chance.random() < 0.5 or not groups_can_be_hidden()
        self.place.server("a")
        (self.place.path / "workers.py").write_text(WORKERS)
        (self.place.path / "tmp").mkdir()
        named = {"STATE": "state", "CACHE": "cache", "DATA": "data"}
        self._env = {
            **os.environ,
            **WHO,
            **{f"XDG_{key}_HOME": str(self.place.path / name) for key, name in named.items()},
            "TMPDIR": str(self.place.path / "tmp"),
        }

    def __str__(self) -> str:
        groups = "" if self._groups else ", without control groups"
        return f"{self.seed}: {self.kind}{groups}, killed {' and '.join(self.killed) or 'nobody'}"

    def run(self) -> None:
        """Begin, kill, type the next command, and look for leftovers."""
        words = KINDS[self.kind](self.place, self.url)
        process = self._begin(words)
        try:
            self._wait_for_the_moment(process)
            before = self._records()
            self._kill(process)
            err = self._end(process)
        finally:
            process.kill()
            process.wait()
        assert "Traceback" not in err, f"{self}:\n{err}"
        strays = self._strays()
        ended = self._next()
        assert "Traceback" not in ended, f"{self}:\n{ended}"
        self.said = next((line for line in ended.splitlines() if "ended" in line), "")
        # A control group shows whose it is to every sweep: a neighbour's may have been first.
        said = self.said or self._groups or not strays
        assert said, f"{self}: nobody said that {strays} were ended:\n{ended}"
        after = self._records()
        assert all(lines == after[path][: len(lines)] for path, lines in before.items()), self
        left = self.left()
        assert not left, f"{self}: left {left}; said {ended}"

    def interrupt(self) -> None:
        """Begin and press Ctrl-C: it ends by itself, and says where the finished blocks are."""
        process = self._begin(KINDS[self.kind](self.place, self.url))
        try:
            self._wait_for_the_moment(process)
            for part in self._parts(process).values():
                for each in part:
                    self._see(each)
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGINT)
            process.wait(ENDS_WITHIN_S)
        finally:
            process.kill()
            process.wait()
        said = (self.place.path / "said").read_text()
        statuses = (130, -signal.SIGINT, 0, 1)
        assert process.returncode in statuses, f"{self}: {process.returncode}\n{said}"
        assert "Traceback" not in said, f"{self}:\n{said}"
        blocks = [line for lines in self._records().values() for line in lines if is_block(line)]
        kept = process.returncode != 130 or not blocks or "bakeoff resume runs/" in said
        assert kept, f"{self}: it doesn't say where {len(blocks)} blocks are:\n{said}"
        assert not self.left(), f"{self}: left {self.left()}; said {said}"

    def left(self) -> list[str]:
        here = self.place.path
        found = [f"process {pid}" for pid, each in self._started.items() if _runs(each)]
        found += [f"process {line}" for line in self.place.processes()]
        found += [f"port {port}" for port in self._ports if _is_served(port)]
        keepers = {f"bakeoff-{pid}-" for pid in self._started}
        # Not by `rglob`: it fails where a folder goes while it looks, and others' groups do.
        for folder, names, _ in os.walk("/sys/fs/cgroup"):
            ours = (name for name in names if any(map(name.startswith, keepers)))
            found += [f"group {folder}/{name}" for name in ours]
        found += [str(path) for path in here.rglob("scratch")]
        found += [str(path) for path in (here / "tmp").iterdir()]
        found += [str(path) for path in (here / "state").rglob("*") if path.is_file()]
        return found

    def _records(self) -> dict[Path, list[str]]:
        logs = self._cwd.glob("runs/20*/**/samples.jsonl")
        return {log: log.read_text().split("\n")[:-1] for log in logs}

    def _begin(self, words: tuple[str, ...]) -> "subprocess.Popen[str]":
        hidden = ("unshare", "--mount", "sh", "-c", HIDES_GROUPS, "sh")
        return subprocess.Popen(
            [*(() if self._groups else hidden), BAKEOFF, *words],
            cwd=self._cwd,
            env=self._env,
            stdout=subprocess.DEVNULL,
            stderr=(self.place.path / "said").open("w"),
            text=True,
            start_new_session=True,
        )

    @property
    def _cwd(self) -> Path:
        shop = self.place.path / "shop"
        return shop if shop.exists() else self.place.path

    def _wait_for_the_moment(self, process: "subprocess.Popen[str]") -> None:
        longest_s = BEFORE_S
        if self._chance.random() > BEFORE:
            longest_s = AFTER_S
            wait_for(lambda: process.poll() is not None or has_started(process.pid))
        with suppress(subprocess.TimeoutExpired):
            process.wait(self._chance.uniform(0, longest_s))
        if process.poll() is not None:
            said = (self.place.path / "said").read_text()
            assert process.returncode in (0, 1), f"{self}: it can't even begin:\n{said}"

    def _kill(self, process: "subprocess.Popen[str]") -> None:
        """SIGKILL to one or two of those that are there."""
        there = self._parts(process)
        for each in [one for part in there.values() for one in part]:
            self._see(each)
        alive = [part for part in PARTS if there[part]]
        count = min(self._chance.choice((1, 2, 2)), len(alive))
        self.killed = tuple(self._chance.sample(alive, count))
        for part in self.killed:
            for each in there[part]:
                with suppress(psutil.Error):
                    each.kill()

    def _parts(self, process: "subprocess.Popen[str]") -> dict[str, list[psutil.Process]]:
        parts: dict[str, list[psutil.Process]] = {part: [] for part in PARTS}
        with suppress(psutil.Error):
            if process.poll() is None:
                bakeoff = psutil.Process(process.pid)
                parts["bakeoff"] = [bakeoff]
                for child in bakeoff.children():
                    with suppress(psutil.Error):
                        parts[_part(child)].append(child)
        return parts

    def _see(self, one: psutil.Process) -> None:
        """Remember it, all below it, and where they listen."""
        with suppress(psutil.Error):
            for each in (one, *one.children(recursive=True)):
                self._started[each.pid] = each
                with suppress(psutil.Error):
                    listens = (c for c in each.net_connections() if c.status == "LISTEN")
                    self._ports |= {each.laddr[1] for each in listens}

    def _end(self, process: "subprocess.Popen[str]") -> str:
        """Where bakeoff lives, it goes on for a moment, and then Ctrl-C; what it printed."""
        with suppress(subprocess.TimeoutExpired):
            process.wait(self._chance.uniform(0, 1))
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGINT)
        process.wait(ENDS_WITHIN_S)
        return (self.place.path / "said").read_text()

    def _strays(self) -> list[str]:
        """Who runs though neither bakeoff nor a keeper is there to end it."""
        if any(_runs(each) and "keeper" in " ".join(each.cmdline()) for each in self._all()):
            return []
        strays = [each for each in self._all() if _runs(each)]
        time.sleep(0.2)
        return [str(each) for each in strays if _runs(each)]

    def _all(self) -> list[psutil.Process]:
        return list(self._started.values())

    def _next(self) -> str:
        done = subprocess.run(
            [BAKEOFF, "--version"],
            cwd=self._cwd,
            env=self._env,
            capture_output=True,
            text=True,
            check=False,
            timeout=ENDS_WITHIN_S,
        )
        return done.stderr


def is_block(record: str) -> bool:
    """Whether a line of a log is a finished part of the measuring."""
    return record.startswith(('{"type":"block"', '{"type":"tool-run"', '{"type":"day-turn"'))


def _part(child: psutil.Process) -> str:
    words = " ".join(child.cmdline())
    if "keeper" in words:
        return "keeper"
    return "engine" if words.endswith("volley drive") else "command"


def has_started(pid: int) -> bool:
    with suppress(psutil.Error):
        return bool(psutil.Process(pid).children())
    return False


def _runs(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def _is_served(port: int) -> bool:
    with socket.socket() as asking:
        asking.settimeout(1)
        return asking.connect_ex(("127.0.0.1", port)) == 0


@cache
def groups_can_be_hidden() -> bool:
    """Whether a run can be begun in which no control group can be made."""
    if os.geteuid() != 0 or not shutil.which("unshare"):
        return False
    words = ["unshare", "--mount", "sh", "-c", HIDES_GROUPS, "sh", "true"]
    return subprocess.run(words, capture_output=True, check=False).returncode == 0
