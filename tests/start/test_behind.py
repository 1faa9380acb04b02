"""Servers that somebody else runs, or that a command starts elsewhere: who they are."""

import multiprocessing
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from bakeoff.keeper import cgroups
from bakeoff.keeper.processes import runs
from bakeoff.model.plan import Attached, Entry
from bakeoff.model.receipt import CpuCounter, Handle
from bakeoff.start import Keeper, attach
from bakeoff.start.behind import Behind, behind, counter
from bakeoff.start.ports import Ports
from tests.waiting import wait_for

from .conftest import HOST, SERVERS, Start, ask, can_make, command, entry

FORK = multiprocessing.get_context("fork")
NOBODY = 65534
INSIDE = "192.0.2.77"
"""An address of another network namespace."""
ENCLOSED = (
    *("unshare", "--net", "sh", "-c"),
    f'ip link set lo up && ip address add {INSIDE}/32 dev lo && exec "$@"',
    "sh",
)
ENCLOSABLE = pytest.mark.skipif(
    subprocess.run([*ENCLOSED, "true"], capture_output=True, check=False).returncode != 0,
    reason="no network namespace can be made here",
)
KIND = next(filter(can_make, cgroups.KINDS), "tree")


@contextmanager
def served(*, workers: int = 0) -> Iterator[tuple[int, list[int]]]:
    """A port, and the pids that listen there: a process, and `workers` that it forked."""
    with socket.create_server((HOST, 0)) as server:
        ours, theirs = FORK.Pipe()
        process = FORK.Process(target=_serve, args=(server, theirs, workers))
        process.start()
    # Else this process would be one that listens.
    pids = ours.recv()
    try:
        yield ours.recv(), pids
    finally:
        for pid in reversed(pids):
            os.kill(pid, signal.SIGKILL)
        process.join()


def _serve(
    server: socket.socket,
    told: "multiprocessing.connection.Connection[list[int] | int, object]",
    workers: int,
) -> None:
    pids = [os.getpid()]
    for _ in range(workers):
        if (pid := os.fork()) == 0:
            time.sleep(600)
        pids.append(pid)
    told.send(pids)
    told.send(server.getsockname()[1])
    time.sleep(600)


@contextmanager
def program(
    name: str = "python3", ahead: Sequence[str] = (), arguments: Sequence[str] = ()
) -> Iterator[tuple[int, int]]:
    """Port and pid of a program called `name` that listens on every address."""
    listens = (
        "import ctypes, socket, sys, time;"
        "ctypes.CDLL(None).prctl(15, sys.argv[1].encode(), 0, 0, 0);"
        "server = socket.create_server(('', 0));"
        "print(server.getsockname()[1], flush=True);"
        "time.sleep(600)"
    )
    command = [*ahead, sys.executable, "-I", "-S", "-c", listens, name, *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        try:
            yield int(process.stdout.readline()), process.pid
        finally:
            process.kill()


def attached(port: int, pid: int | None = None, host: str = HOST) -> Handle:
    there = Attached(host=host, port=port, address=f"{host}:{port}", path="/", pid=pid)
    return attach(Entry(name="it", title="it", origin="url", attached=there, path="/"))


def unseen(there: Behind) -> tuple[str, dict[str, object]]:
    assert there.pids == () and there.unseen
    return there.unseen.code, dict(there.unseen.values)


class TestWhoListensAtAPort:
    def test_is_counted_with_all_below_it_and_its_cores_are_known(self) -> None:
        with served() as (port, [pid]):
            handle = attached(port)
        assert (handle.pid, handle.unseen) == (pid, None)
        assert handle.cpu == CpuCounter(kind="tree", pid=pid)
        assert handle.cpus == tuple(sorted(os.sched_getaffinity(0)))

    def test_is_the_eldest_of_those_that_share_the_socket(self) -> None:
        with served(workers=3) as (port, [eldest, *_]):
            assert behind(HOST, port) == Behind((eldest,))

    @pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
    def test_is_hidden_from_another_user(self) -> None:
        with served() as (port, _), FORK.Pool(1, os.setuid, (NOBODY,)) as nobody:
            there = nobody.apply(behind, (HOST, port))
        assert unseen(there) == ("unseen_user", {"user": "root"})

    def test_may_be_one_that_forwards_to_a_container(self) -> None:
        with program(name="docker-proxy") as (port, pid):
            process = {"process": f"docker-proxy (pid {pid})"}
            assert unseen(behind(HOST, port)) == ("unseen_forwarded", process)

    def test_may_be_this_process(self) -> None:
        with socket.create_server((HOST, 0)) as server:
            assert unseen(behind(HOST, server.getsockname()[1])) == ("unseen_self", {})

    @ENCLOSABLE
    def test_is_found_in_another_network_namespace(self) -> None:
        with program(ahead=ENCLOSED) as (port, pid):
            handle = attached(port, host=INSIDE)
        assert (handle.pid, handle.unseen, handle.program) == (pid, None, "python3")
        assert handle.cpu == CpuCounter(kind="tree", pid=pid)

    @ENCLOSABLE
    def test_is_found_behind_what_forwards_to_it_and_says_where(self) -> None:
        with program(ahead=ENCLOSED) as (inside, server):
            told = ("-container-ip", INSIDE, "-container-port", str(inside))
            with program(name="docker-proxy", arguments=told) as (port, proxy):
                handle = attached(port)
        assert (handle.pid, handle.unseen) == (server, None)
        assert [each.pid for each in handle.cpu.every] == [server, proxy]

    def test_is_not_in_this_namespace(self) -> None:
        port = Ports().free(HOST)
        assert unseen(behind(HOST, port)) == ("unseen_forwarded", {"process": None})

    def test_is_not_looked_for_on_another_machine(self) -> None:
        handle = attached(80, host="192.0.2.1")
        assert handle.unseen and handle.unseen.code == "unseen_host"
        assert (handle.cpu.kind, handle.cpus, handle.pid) == ("none", (), None)

    def test_is_not_looked_for_where_a_pid_is_given(self) -> None:
        with served() as (port, _):
            handle = attached(port, os.getpid())
        assert (handle.pid, handle.cpu) == (os.getpid(), CpuCounter(kind="tree", pid=os.getpid()))

    def test_has_no_cores_once_it_is_gone(self) -> None:
        assert attached(80, 2**22 + 1).cpus == ()


@pytest.mark.skipif(KIND == "tree", reason="no control group can be made here")
class TestAControlGroup:
    @pytest.fixture
    def group(self) -> Iterator[Path]:
        base = cgroups.bases((KIND,))[0].path
        group = base / f"bakeoff-test-behind-{os.getpid()}"
        group.mkdir()
        yield group
        wait_for(lambda: cgroups.remove(group))

    def test_that_is_a_server_s_own_is_counted_with_what_leaves_its_tree(self, group: Path) -> None:
        with served(workers=1) as (port, pids):
            for pid in pids:
                (group / "cgroup.procs").write_text(str(pid))
            cpu = attached(port).cpu
        assert (cpu.kind, cpu.path, cpu.pid) == (KIND, str(group), pids[0])

    def test_in_which_others_are_too_is_not(self, group: Path) -> None:
        with served() as (port, [pid]), subprocess.Popen(["sleep", "600"]) as other:
            for each in (pid, other.pid):
                (group / "cgroup.procs").write_text(str(each))
            seen = [attached(port).cpu]
            if os.geteuid() == 0:
                with FORK.Pool(1, os.setuid, (NOBODY,)) as nobody:
                    seen.append(nobody.apply(counter, ((pid,),)))
            other.kill()
        assert {*seen} == {CpuCounter(kind="tree", pid=pid)}

    def test_of_a_container_is_counted_beside_the_command_s_and_the_container_ends_with_it(
        self, group: Path, start: Start, keeper: Keeper
    ) -> None:
        handle = start(entry(f"{command('enclosed')} {group}/cgroup.procs"))
        (server,) = cgroups.members(group)
        assert (handle.cpu.kind, handle.cpu.path, handle.cpu.pid) == (KIND, str(group), server)
        assert [each.pid for each in handle.cpu.also] == [handle.pid]
        assert {handle.pid, server} <= {*keeper.pids("it")}
        keeper.stop("it")
        assert not runs(server)
        assert ask(HOST, handle.port) == "refused"


def test_a_server_that_a_service_of_the_machine_starts_is_counted_and_left_up(
    start: Start, keeper: Keeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = Ports().free(HOST)
    good = [sys.executable, "-I", "-S", str(SERVERS / "good.py"), str(port), HOST]
    with subprocess.Popen(good) as server:
        try:
            wait_for(lambda: ask(HOST, port) is None)
            monkeypatch.setattr(Ports, "free", lambda *_: port)
            handle = start(entry("sleep 600", name="client"))
            assert (handle.cpu.kind, handle.cpu.pid) == ("tree", server.pid)
            assert [each.pid for each in handle.cpu.also] == [handle.pid]
            keeper.stop("client")
            assert runs(server.pid)
        finally:
            server.kill()
