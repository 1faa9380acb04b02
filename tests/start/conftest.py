"""What the tests of start share: entries for the servers in servers/, and a way to ask them."""

import os
import shlex
import socket
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from bakeoff.keeper import cgroups, processes
from bakeoff.model.contender import Contender, RunSection
from bakeoff.model.plan import Cores, Entry
from bakeoff.model.receipt import Handle
from bakeoff.start import Keeper

SERVERS = Path(__file__).parent / "servers"
HOST = "127.0.0.1"
PYTHON = f"{shlex.quote(sys.executable)} -I -S"


def command(server: str) -> str:
    return f'{PYTHON} "{{here}}/{server}.py" {{port}} {{host}}'


def in_a_shell(script: str) -> str:
    return f"sh -c {shlex.quote(script)}"


def entry(run: str, *, name: str = "it", port: int | None = None, timeout_s: float = 10) -> Entry:
    contender = Contender(
        name="it",
        title="It",
        language="Python",
        kind="server",
        run=RunSection(command=run, ready_timeout_s=timeout_s, env={"WORKERS": "{workers}"}),
        serves={"hello": "/"},
    )
    return Entry(
        name=name,
        title=name,
        origin="command",
        contender=contender,
        folder=str(SERVERS),
        fixed_port=port,
        path="/",
    )


def ask(host: str, port: int, within_s: float = 20.0) -> str | None:
    """One request: None after an answer, else why there was none."""
    try:
        with socket.create_connection((host, port), timeout=within_s) as connection:
            connection.sendall(b"GET / HTTP/1.1\r\nHost: it\r\n\r\n")
            return None if connection.recv(4096) else "closed without an answer"
    except ConnectionRefusedError:
        return "refused"
    except TimeoutError:
        return "connected, but no answer"


Start = Callable[..., Handle]


def starter(keeper: Keeper, folder: Path) -> Start:
    """`keeper.start` with all but the entry filled in, where nothing else is given."""
    core = min(os.sched_getaffinity(0))

    def start(one: Entry, **more: Any) -> Handle:
        usual: dict[str, Any] = {
            "out": folder,
            "workers": 1,
            "cores": Cores(server=(core,), client=(core,)),
            "host": HOST,
            "log": folder / "logs" / f"{one.name}.log",
            "answers": partial(ask, within_s=0.2),
        }
        return keeper.start(one, **(usual | more))

    return start


@pytest.fixture
def keeper(tmp_path: Path) -> Iterator[Keeper]:
    with Keeper(tmp_path / "scratch") as one:
        yield one


@pytest.fixture
def start(keeper: Keeper, tmp_path: Path) -> Start:
    return starter(keeper, tmp_path)


def can_make(kind: str) -> bool:
    """Whether this user may make control groups of `kind` here."""
    return any(os.access(base.path, os.W_OK) for base in cgroups.bases((kind,)))


def needs(kind: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(not can_make(kind), reason=f"no {kind} can be made here")


EVERY_KIND = [
    pytest.param(("cgroup-v2",), marks=needs("cgroup-v2"), id="cgroup-v2"),
    pytest.param(("cgroup-v1",), marks=needs("cgroup-v1"), id="cgroup-v1"),
    pytest.param((), id="tree"),
]


def left_of(keeper_pid: int) -> list[str]:
    """Processes and control groups that the keeper `keeper_pid` started and that still are."""
    mine = f"{keeper_pid}-"
    running = [
        f"process {one.pid}"
        for one in processes.processes().values()
        if processes.is_running(one) and (processes.marker(one.pid) or "").startswith(mine)
    ]
    bases = cgroups.bases()
    groups = [str(path) for base in bases for path in base.path.glob(f"bakeoff-{mine}*")]
    return running + groups
