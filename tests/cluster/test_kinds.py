"""What can be asked on one machine can be on several: over TLS, a mix, an upstream, at a rate."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bakeoff import open_run
from bakeoff.model.capacity import CapacityReport
from bakeoff.model.samples import Block
from bakeoff.model.verdict import Verdict
from bakeoff.runs.run import AnyRun
from tests.cluster.machines import ADDRESSES, Machines

pytestmark = [pytest.mark.e2e, pytest.mark.xdist_group("cluster"), pytest.mark.slow]
QUICK = ("-c", "8", "--warm-up", "1s", "--no-twin")
CPUS = ("--cpus", "server=0,client=1")
SHOP = """
name = "shop"
data = "users.csv"
[[request]]
path = "/"
weight = 3
[[request]]
name = "search"
path = "/search?q={{name}}&page={{random 1 9}}"
[[request]]
path = "/users/{{id}}"
[[request]]
name = "order"
path = "/orders"
body = '{"user": {{id}}}'
[request.expect]
status = 201
"""
APP = """
import asyncio, os

class App(asyncio.Protocol):
    def connection_made(self, transport):
        self.transport, self.held = transport, b""
    def data_received(self, data):
        self.held += data
        while b"\\r\\n\\r\\n" in self.held:
            head, _, rest = self.held.partition(b"\\r\\n\\r\\n")
            fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\\r\\n")[1:])
            length = int(fields.get(b"content-length", 0))
            if len(rest) < length:
                return
            self.held = rest[length:]
            path = head.split(b" ")[1].split(b"?")[0]
            line = b"201 Created" if path == b"/orders" else b"200 OK"
            self.transport.write(b"HTTP/1.1 " + line + b"\\r\\nContent-Length: 5\\r\\n\\r\\nfound")

async def serve():
    listening = asyncio.get_running_loop().create_server
    server = await listening(App, os.environ["HOST"], int(os.environ["PORT"]))
    await server.serve_forever()

asyncio.run(serve())
"""


def test_http_1_and_2_over_tls(cluster: Machines, place: Path) -> None:
    run = _ran(cluster, place, "race", "nginx", "--protocol", "h1-tls,h2", "-d", "3", *QUICK)
    _is_sound(run.result)
    assert {entry.name for entry in run.result.entries} == {"nginx h1-tls", "nginx h2"}


def test_an_upstream_is_on_the_server_node(cluster: Machines, place: Path) -> None:
    run = _ran(cluster, place, "race", "nginx", "--workload", "forward", "-d", "2", *QUICK)
    _is_sound(run.result)
    assert run.result.upstream.busy > 0


def test_a_mix_with_data(cluster: Machines, place: Path) -> None:
    (place / "app.py").write_text(APP)
    (place / "shop.toml").write_text(SHOP)
    (place / "users.csv").write_text("id,name\n7,ann\n8,bob\n")
    words = ("race", "python3 app.py", "--workload", "./shop.toml", "-d", "2", *QUICK)
    result = _ran(cluster, place, *words).result
    _is_sound(result)
    assert [each.name for each in result.requests][1] == "search"
    assert all(part.requests for each in result.requests for part in each.entries)


@pytest.fixture(scope="module")
def two_loads(cluster: Machines) -> Iterator[Machines]:
    """The cluster with a second load node."""
    cluster.start("more")
    yield cluster
    cluster.stop("more")


def test_an_open_loop_is_split_among_load_nodes(two_loads: Machines, place: Path) -> None:
    words = ("race", "python3 serve.py", "--rate", "600", "-d", "4", *QUICK)
    run = _ran(two_loads, place, *words)
    _is_sound(run.result)
    blocks = [each for each in run.records() if isinstance(each, Block)]
    slices = [slice_ for block in blocks for slice_ in block.slices]
    due = [
        sum(
            share.event.due for slice_ in slices for share in slice_.loaders if share.loader == name
        )
        for name in (ADDRESSES["load"], ADDRESSES["more"])
    ]
    # Poisson's: of n arrivals each loader has half, give or take four times half their root.
    assert abs(due[0] - due[1]) < 4 * sum(due) ** 0.5


def test_a_capacity_is_found_by_several_load_nodes(two_loads: Machines, place: Path) -> None:
    words = ("capacity", "python3 serve.py", "--slo", "p99=100ms", "-d", "15", "--boots", "1")
    run = _ran(two_loads, place, *words, "-c", "8")
    assert isinstance(run.result, CapacityReport)
    names = {ADDRESSES["load"], ADDRESSES["more"]}
    blocks = [each for each in run.records() if isinstance(each, Block)]
    assert blocks
    for block in blocks:
        for slice_ in block.slices:
            assert {share.loader for share in slice_.loaders} == names
            assert sum(share.event.due for share in slice_.loaders) == slice_.event.due


def _ran(cluster: Machines, place: Path, *words: str) -> AnyRun:
    """A run on the cluster that has ended well."""
    running = cluster.bakeoff(place, *words, *CPUS, "--cluster", cluster.address)
    out, err = running.communicate(timeout=400)
    assert running.returncode == 0, out + err
    assert cluster.wait_until_nothing_is_left() < 15
    run = open_run(place / "runs" / "latest")
    assert run.cluster
    return run


def _is_sound(verdict: Any) -> None:
    assert isinstance(verdict, Verdict)
    for entry in verdict.entries:
        assert entry.valid, entry.reasons
        assert entry.errors.total == 0
        assert entry.requests > 50
