"""Containers of podman, in a store of their own: what they cost is that of their control group."""

import os
import shlex
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from bakeoff.build import out_folder
from bakeoff.keeper import cgroups, processes
from bakeoff.model.plan import Attached, Entry
from bakeoff.model.verdict import Verdict
from bakeoff.start import attach
from tests.e2e.conftest import QUICK, Place
from tests.waiting import wait_for

pytestmark = [pytest.mark.e2e, pytest.mark.xdist_group("podman")]
ROOT = Path(__file__).parents[2]
SERVER = out_folder(ROOT / "catalogue/contenders/go-nethttp") / "server"
RUNTIMES = ((), ("--runtime", "runc"))
"""On machines with both versions of control groups crun gives up."""
LIMITS = ("--ulimit", "nofile=1024:1024", "--ulimit", "nproc=1024:1024")
"""Podman would raise them, which takes a right that not every root has."""


@dataclass(frozen=True)
class Podman:
    """Podman with an image `server`, which has one static program."""

    words: tuple[str, ...]

    def __call__(self, *words: str) -> str:
        done = subprocess.run(
            [*self.words, *words], capture_output=True, text=True, timeout=60, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def command(self, *options: str) -> tuple[str, ...]:
        """The words that run its server, with PORT and HOST as they are, unless told otherwise."""
        return ("run", "--rm", "--env", "PORT", "--env", "HOST", *LIMITS, *options, "server")

    def containers(self) -> list[str]:
        return self("ps", "--all", "--quiet").split()


@pytest.fixture(scope="module")
def podman() -> Iterator[Podman]:
    if not shutil.which("podman"):
        pytest.skip("podman is not installed")
    if os.geteuid() != 0:
        pytest.skip("a store of one's own takes root")
    if not SERVER.exists():
        pytest.skip("go-nethttp is not built")
    with TemporaryDirectory(prefix="podman-", dir="/tmp") as folder:  # It takes no longer names.
        shutil.copy(SERVER, folder)
        file = Path(folder) / "Containerfile"
        file.write_text('FROM scratch\nCOPY server /\nENTRYPOINT ["/server"]\n')
        store = ("podman", "--root", f"{folder}/store", "--runroot", f"{folder}/run")
        Podman(store)("build", "--quiet", "--tag", "server", folder)
        podman = first_that_starts(Podman((*store, *runtime)) for runtime in RUNTIMES)
        podman("rm", "--force", "--all")
        yield podman
        podman("rm", "--force", "--all")
        podman("rmi", "--force", "--all")


def first_that_starts(candidates: Iterable[Podman]) -> Podman:
    """The first that starts a container."""
    faults = []
    for podman in candidates:
        try:
            podman(*podman.command("--detach", "--env", "PORT=8080", "--network", "none"))
        except AssertionError as fault:
            faults.append(str(fault))
        else:
            return podman
    pytest.skip(f"podman can't start a container here: {'; '.join(faults)}")


@pytest.fixture
def raced(podman: Podman) -> str:
    """A command that starts a container, for a race."""
    return f"container={shlex.join([*podman.words, *podman.command('--network', 'host')])}"


def test_a_command_that_starts_a_container_is_raced_with_its_control_group(
    podman: Podman, raced: str, place: Place
) -> None:
    words = ["race", raced, f"plain={shlex.quote(str(SERVER))}", "-d", "1", *QUICK]
    ended = place.bakeoff(*words, "--json", "verdict.json")
    assert ended.status == 0, ended.err
    verdict = Verdict.read_json(place.path / "verdict.json")
    container, plain = verdict.entries
    assert container.cpu_source.startswith("cgroup")
    assert container.cpu_us_per_request.server and plain.cpu_us_per_request.server
    # The client that waits, and what watches over the container, take next to nothing.
    assert container.cpu_us_per_request.server > 0.2 * plain.cpu_us_per_request.server
    assert podman.containers() == []


def test_a_container_ends_with_bakeoff_whatever_ends_that(
    podman: Podman, raced: str, place: Place
) -> None:
    with place.begin("race", raced, shlex.quote(str(SERVER)), "-d", "60", *QUICK) as race:
        wait_for(lambda: place.blocks() > 0)
        (first, *_) = podman.containers()
        server = int(podman("inspect", "--format", "{{.State.Pid}}", first))
        assert processes.runs(server)
        race.send_signal(signal.SIGKILL)
    wait_for(lambda: not processes.runs(server))
    place.wait_until_nothing_is_left()
    wait_for(lambda: podman.containers() == [])


@pytest.mark.parametrize("network", ["host", "bridge"])
def test_a_container_behind_a_url_is_found_by_its_port(podman: Podman, network: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    options = {
        "host": ("--env", f"PORT={port}", "--network", "host"),
        "bridge": ("--env", "PORT=8080", "--env", "HOST=0.0.0.0", "-p", f"127.0.0.1:{port}:8080"),
    }
    podman(*podman.command("--detach", "--name", network, *options[network]))
    there = Attached(host="it", port=port, address=f"127.0.0.1:{port}", path="/")
    handle = attach(Entry(name="it", title="it", origin="url", attached=there, path="/"))
    assert handle.pid == int(podman("inspect", "--format", "{{.State.Pid}}", network))
    assert handle.program == "server"
    assert handle.cpu.path and cgroups.members(Path(handle.cpu.path)) == {handle.pid}
    podman("rm", "--force", network)
