"""Facts of a cluster that a run needs beforehand, and the fixes of its faults."""

import ipaddress
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bakeoff.cluster.joining import Joined, Say, joined
from bakeoff.cluster.stages import engine_on
from bakeoff.load import REQUEST_TIMEOUT_MS
from bakeoff.model.contender import Contender
from bakeoff.model.engine import Expect, Job, Request, SliceCommand, Target
from bakeoff.model.errors import BakeoffError
from bakeoff.model.machine import Cluster, ClusterReport, Hindrance
from bakeoff.model.plan import Cores, Entry

CONNECTIONS = 64
RAMP_MS, WINDOW_MS = 200, 1000
REACH_S = 1.0
PORTS = {8265: "dashboard", 10001: "client server"}
"""By default on the loopback; elsewhere, anyone who reaches them can run programs."""
ERROR_NS_MAX = 1_000_000
RTT_US_MAX = 5_000.0
NULL = """
name = "null"
title = "the engine's null server"
language = "Rust"
kind = "reference"
[run]
command = '''"{engine}" null --listen {{host}}:{{port}} --cpus {{cpus}}'''
[serves]
hello = "/"
"""


def examine(address: str, say: Say) -> ClusterReport:
    """Join a cluster and look at its nodes. Raises `MissingPiece` where it can't be used at all."""
    with joined(address, (), say, server_nodes=None) as there:
        say("measuring what the load nodes can do at most, a second for each and for all")
        facts = there.facts
        used = {each.address for each in (*facts.servers, *facts.loads)}
        ceiling: float | None = None
        alone: dict[str, float] = {}
        unmeasured = []
        try:
            ceiling, alone = ceilings_requests_per_s(there)
        except BakeoffError as error:
            unmeasured = [
                Hindrance(
                    what="the engine's ceiling is not known",
                    why=str(error).splitlines()[0],
                    fix="install the same bakeoff on the server node, whole",
                    level="warning",
                )
            ]
        members = [each.address for each in there.head.members()]
        return ClusterReport(
            cluster=facts,
            unused=tuple(each for each in members if each not in used),
            ceiling_requests_per_s=ceiling,
            ceilings_requests_per_s=alone,
            hindrances=(*hindrances(facts), *_exposed(members), *unmeasured),
        )


def ceilings_requests_per_s(there: Joined) -> tuple[float, dict[str, float]]:
    """What all load nodes reach against a server that costs nothing, on the first server node.

    64 connections for a second, on all cores of the server and those that all load nodes have.
    Where there are several, what each reaches alone is in the second, by address. Raises
    `BakeoffError`.
    """
    server, load_cpus = there.facts.server, there.facts.load_cpus
    engine: str = there.server.call("host", "engine")
    with tempfile.TemporaryDirectory(prefix="bakeoff-") as folder:
        file = Path(folder, "contender.toml")
        file.write_text(NULL.format(engine=engine))
        entry = Entry(
            name="null",
            title="null",
            origin="command",
            contender=Contender.read_toml(file),
            folder=folder,
            path="/",
        )
        keeper = there.stages.servers.keeper(Path(folder))
        try:
            handle = keeper.start(
                entry,
                key="null",
                out=Path(folder),
                workers=1,
                cores=Cores(server=server.cpus, client=load_cpus, apart=True),
                host=server.address,
                log=Path(folder, "null.log"),
                answers=there.stages.servers.answers,
            )
            target = Target(
                name="null",
                address=handle.address,
                request=Request(method="GET", path="/", host=handle.host),
                expect=Expect(status=200, body_base64=None),
            )
            job = Job(
                targets=(target,),
                connections=CONNECTIONS,
                threads=len(load_cpus),
                io="auto",
                connection="keep-alive",
                cpus=load_cpus,
                connect_timeout_ms=2000,
                request_timeout_ms=REQUEST_TIMEOUT_MS,
            )
            command = SliceCommand(target=0, block=0, ramp_ms=RAMP_MS, duration_ms=WINDOW_MS)
            with there.stages.loads.connect(job) as load:
                together = load.slice(command).requests_per_s
            alone = {}
            if len(there.loads) > 1:
                for node in there.loads:
                    with engine_on(node, job) as load:
                        alone[node.address] = load.slice(command).requests_per_s
            return together, alone
        finally:
            keeper.close()


def hindrances(cluster: Cluster) -> Iterator[Hindrance]:
    """What in the facts of a cluster affects a measurement, and how to fix it."""
    nodes = (*cluster.servers, *cluster.loads)
    for node in nodes:
        if node.niceness > 0:
            yield Hindrance(
                what=f"{node.address} runs everything at niceness {node.niceness}",
                why="Ray's workers are nicer than the raylet, and so is what they start",
                fix="there: RAY_worker_niceness=0 ray start … (or start Ray as root)",
                level="warning",
            )
    if len({node.kernel for node in nodes}) > 1:
        yield Hindrance(
            what="kernels differ: " + ", ".join(f"{each.address} {each.kernel}" for each in nodes),
            why="it matters only where nodes change roles between runs that are compared",
            level="note",
        )
    for way in cluster.routes:
        if way.rtt_median_us > RTT_US_MAX:
            yield Hindrance(
                what=f"a round trip from {way.load} takes {way.rtt_median_us / 1000:.1f} ms",
                why="latencies are the network's, and few connections can't load a server",
                fix="use machines of one rack or placement group, and more connections",
                level="warning",
            )
        if way.error_ns > ERROR_NS_MAX:
            yield Hindrance(
                what=f"clocks are known to ±{way.error_ns / 1e6:.1f} ms only",
                why="several load nodes could not start slices together any better",
                level="note",
            )
    for node in nodes:
        if ipaddress.ip_address(node.address).is_global:
            yield Hindrance(
                what=f"{node.address} is a public address",
                why="Ray does not authenticate: anybody who reaches its ports can run programs",
                fix="let Ray use a private network: ray start --node-ip-address=10.…",
                level="warning",
            )


def _exposed(addresses: list[str]) -> Iterator[Hindrance]:
    for address in addresses:
        for port, what in PORTS.items():
            try:
                socket.create_connection((address, port), REACH_S).close()
            except OSError:
                continue
            yield Hindrance(
                what=f"Ray's {what} listens on {address}:{port}, not on the loopback alone",
                why="anybody who reaches it can run programs on every node",
                fix="ray start --head --dashboard-host=127.0.0.1, and a firewall around the nodes",
                level="warning",
            )
