"""Joining a cluster: its nodes found, one agent on each, versions compared, the way measured."""

import atexit
import os
import re
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import count
from math import ceil
from typing import Any, NamedTuple, get_args

from bakeoff import __version__
from bakeoff.model.cluster import Cluster, ClusterNode, Role, Route
from bakeoff.model.errors import BadUsage, BakeoffError, MissingPiece
from bakeoff.runs.stages import Stages

# What Ray has to say of nodes that die it prints to standard output, where results go.
os.environ.setdefault("RAY_DEDUP_LOGS_SKIP_REGEX", ".")
try:
    import ray
    from ray import cloudpickle
    from ray.exceptions import ActorAlreadyExistsError, RayError
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy
except ImportError as _error:
    raise MissingPiece(
        f"a race on a cluster needs Ray, which is not installed ({_error}); "
        "pip install 'bakeoff[cluster]', here and on each node"
    ) from None

from bakeoff.cluster import agent
from bakeoff.cluster.remote import Leases, Lost, Node, end
from bakeoff.cluster.stages import stages

PORT = 6379
"""Ray's, where an address names none."""
ROLES: tuple[Role, ...] = get_args(Role)
REACH_S = 3.0
ANSWER_S = 10.0
"""A head on a machine that is busy takes its time."""
PLACED_S = 60.0
"""A worker of Ray takes a second to start, and twenty on a machine that is busy."""
ASK_S = 1.0
LEAVE_S = 5.0
CALLS_PER_SLICE = 3
"""CPU time is read before and after each slice: so often the way is gone between two of them."""
CALL_MS = 1.0
"""What Ray takes for a call besides the way there and back: 0.6 to 1.5 ms."""
GAP_SHARE = 0.05
SLICE_MS_LEAST, SLICE_MS_MOST = 100, 500
_SETTINGS = b"\x04"
_HELLO = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(3) + _SETTINGS + bytes(5)
"""What HTTP/2 begins with: an empty frame of settings; who speaks it answers with one of them."""
_VERSIONS = re.compile(r"Ray: (\S+)\s+Python: (\S+)")
"""Those of the cluster, then ours, in Ray's words about unlike ones."""
Say = Callable[[str], object]


class Joined(NamedTuple):
    """A cluster that a run can be measured on."""

    facts: Cluster
    stages: Stages
    server: Node
    loads: tuple[Node, ...]


class Member(NamedTuple):
    """A node as Ray lists it."""

    id: str
    address: str
    resources: dict[str, float]


@contextmanager
def joined(
    address: str, may_load: Sequence[str], say: Say, server_nodes: int | None = 1
) -> Iterator[Joined]:
    """The cluster at an address (`auto`: the one that this machine is part of), for one run.

    One run has a node at a time; another one waits, and it is said. `may_load` are hosts that the
    generator may load beside the `server_nodes`, of which there are so many; None: all that can
    serve while others load. Raises `MissingPiece`, `BadUsage`.
    """
    with connected(address) as head:
        nodes_there = alive()
        servers = serving_nodes(nodes_there, server_nodes, head)
        serve = {each.address for each in servers}
        loads = [each for each in able("load", nodes_there, head) if each.address not in serve]
        if not loads:
            raise BadUsage(
                f"--cluster {address}: {servers[0].address} has both `server` and `load`, and "
                "no other node has `load`: a race on one machine needs no cluster; leave --cluster "
                "out, or start Ray with --resources='{\"load\": 1}' on another machine"
            )
        lost = Lost()
        more = tuple(map(_numeric, may_load))
        loadable = (*(each.address for each in servers), *more)
        members: list[tuple[Role, Member]] = [("server", each) for each in servers]
        members += [("load", each) for each in loads]
        with agents(members, loadable, head, lost, say) as (nodes, facts):
            check_versions(facts)
            serving, loading = nodes[: len(servers)], nodes[len(servers) :]
            ways = tuple(measured_route(each, to) for to in serving for each in loading)
            cluster = Cluster(
                address=head,
                server=facts[0],
                loads=tuple(facts[len(servers) :]),
                routes=ways,
                slice_ms_min=max(map(slice_ms_min, ways)),
                may_load=more,
                others=tuple(facts[1 : len(servers)]),
            )
            yield Joined(cluster, stages(serving, loading), serving[0], tuple(loading))


def serving_nodes(members: Sequence[Member], number: int | None, head: str) -> list[Member]:
    """The first so many nodes that serve; None: the first, and all that do nothing else.

    Raises `MissingPiece` where there are fewer."""
    found = able("server", members, head)
    if number is None:
        return [each for each in found if each is found[0] or "load" not in each.resources]
    if len(found) < number:
        raise MissingPiece(
            f"--server-nodes {number}: the cluster has {len(found)} with the resource `server` "
            f"({', '.join(each.address for each in found)}); on another machine: "
            f"ray start --address={head} --num-cpus=0 --resources='{{\"server\": 1}}'"
        )
    return found[:number]


def slice_ms_min(way: Route) -> int:
    """The shortest slice, ms: what lies between two is 5 % of it, within 100 to 500 ms."""
    gap_ms = CALLS_PER_SLICE * (way.rtt_median_us / 1000 + CALL_MS)
    return min(SLICE_MS_MOST, max(SLICE_MS_LEAST, ceil(gap_ms / GAP_SHARE)))


@contextmanager
def connected(address: str) -> Iterator[str]:
    """This process as a driver of Ray; the head's address. Raises `MissingPiece`, `BadUsage`."""
    if address != "auto":
        address = _reached(address)
    # The head may go while a run goes on: we see that ourselves, and end in order.
    os.environ.setdefault("RAY_gcs_rpc_server_reconnect_timeout_s", "3600")
    handlers = {each: signal.getsignal(each) for each in (signal.SIGTERM, signal.SIGINT)}
    try:
        ray.init(
            address=address,
            namespace="bakeoff",
            logging_level="CRITICAL",
            configure_logging=False,
            log_to_driver=False,
        )
    except (ConnectionError, RuntimeError, ValueError, OSError) as error:
        raise MissingPiece(_not_joined(address, str(error))) from None
    finally:
        for number, handler in handlers.items():
            with suppress(ValueError):
                signal.signal(number, handler)
    head = str(ray.get_runtime_context().gcs_address)
    try:
        yield head
    finally:
        _leave(head)


def _leave(head: str) -> None:
    """Be no driver any more. Without its head Ray may wait for minutes: nobody waits for it."""
    if not _headless(head):
        ray.shutdown()
        return
    leaving = threading.Thread(target=ray.shutdown, daemon=True)
    leaving.start()
    leaving.join(LEAVE_S)
    if leaving.is_alive():
        atexit.unregister(ray.shutdown)


def _reached(address: str) -> str:
    """The address with its port, once somebody answers there."""
    host, colon, port = address.rpartition(":")
    if not colon:
        host, port = address, str(PORT)
    if not port.isdecimal() or not host:
        raise BadUsage(f"--cluster {address}: is no address; it takes HOST, HOST:PORT or auto")
    try:
        with socket.create_connection((host, int(port)), REACH_S) as connection:
            is_head = _is_head(connection)
    except OSError as error:
        raise MissingPiece(
            f"--cluster {address}: nobody answers at {host} port {port} ({error.strerror or error})"
            f"; name the head's address, or start it there with: ray start --head --port={port}"
        ) from None
    if not is_head:
        raise MissingPiece(
            f"--cluster {address}: who answers at {host} port {port} is no head of Ray; it has "
            f"the port that `ray start --head --port={PORT}` names"
        )
    return f"{_numeric(host)}:{port}"


def _is_head(connection: socket.socket) -> bool:
    """Whether HTTP/2 is spoken there, as Ray's heads do: whoever else is there, Ray asks him for
    minutes. Over TLS it can't be seen."""
    if os.environ.get("RAY_USE_TLS", "0") != "0":
        return True
    connection.settimeout(ANSWER_S)
    try:
        connection.sendall(_HELLO)
        return connection.recv(4)[3:] == _SETTINGS
    except OSError:
        return False


def _numeric(host: str) -> str:
    try:
        return str(socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)[0][4][0])
    except OSError:
        return host


def _not_joined(address: str, why: str) -> str:
    """Ray's words in ours, where we know them."""
    start = f"--cluster {address}: "
    if len(versions := _VERSIONS.findall(why)) == 2:
        (ray_there, python_there), (ray_here, python_here) = versions
        mends = []
        if python_there != python_here:
            mends.append(f"install bakeoff with Python {python_there}")
        if ray_there != ray_here:
            mends.append(f"pip install 'ray=={ray_there}'")
        return (
            f"{start}the cluster has Ray {ray_there} and Python {python_there}, this machine "
            f"{ray_here} and {python_here}; here: {', and '.join(mends)}"
        )
    first = why.strip().splitlines()[0] if why.strip() else "no reason given"
    return (
        f"{start}this machine is not part of a cluster there ({first[:200]}); join it with: "
        f"ray start --address={'HEAD:6379' if address == 'auto' else address} --num-cpus=0"
    )


def alive() -> list[Member]:
    """The nodes that Ray has, in the order of their addresses.

    Of one that has just died Ray doesn't know for half a minute: nobody answers at its port.
    """
    return sorted(
        (
            Member(each["NodeID"], each["NodeManagerAddress"], each["Resources"])
            for each in ray.nodes()
            if each["Alive"] and _answers(each["NodeManagerAddress"], each["NodeManagerPort"])
        ),
        key=lambda each: [part.zfill(3) for part in each.address.split(".")],
    )


def _answers(host: str, port: int) -> bool:
    try:
        socket.create_connection((host, port), REACH_S).close()
    except OSError:
        return False
    return True


def able(role: Role, members: Sequence[Member], head: str) -> list[Member]:
    """The nodes with a resource, one at least. Raises `MissingPiece`."""
    found = [each for each in members if each.resources.get(role, 0) >= 1]
    if not found:
        there = "; ".join(f"{each.address}: {_roles(each)}" for each in members)
        raise MissingPiece(
            f"no node of the cluster has the resource `{role}` ({there}); on the machine that is "
            f"to be it: ray stop; ray start --address={head} --num-cpus=0 "
            f"--resources='{{\"{role}\": 1}}'"
        )
    return found


def _roles(member: Member) -> str:
    return " and ".join(each for each in ROLES if each in member.resources) or "neither"


@contextmanager
def agents(
    members: Sequence[tuple[Role, Member]],
    may_load: Sequence[str],
    head: str,
    lost: Lost,
    say: Say,
) -> Iterator[tuple[list[Node], list[ClusterNode]]]:
    """An agent on each of `members`, with what its machine says of itself; all end in the end.

    Raises `MissingPiece`.
    """
    leases = Leases(lambda: _headless(head), lost, say)
    leases.start()
    nodes: list[Node] = []
    try:
        for role, member in members:
            nodes.append(Node(_actor(role, member, say), member.address, lost))
        # All at the same time: each takes a second, and ten on a machine that is busy.
        asked = {
            node.agent.begin.remote(node.address, (role,), tuple(may_load), __version__): node
            for (role, _), node in zip(members, nodes, strict=True)
        }
        roles = {node.address: role for (role, _), node in zip(members, nodes, strict=True)}
        said: dict[str, ClusterNode] = {}
        while len(said) < len(nodes):
            left = [each for each, node in asked.items() if node.address not in said]
            ready, late = ray.wait(left, timeout=PLACED_S)
            node = asked[(ready or late)[0]]
            if not ready:
                raise MissingPiece(_not_placed(roles[node.address], node.address))
            said[node.address] = _facts(roles[node.address], node.address, ready[0])
            leases.nodes.append(node)
        yield nodes, [said[node.address] for node in nodes]
    finally:
        leases.stop()
        with suppress(BakeoffError):
            end(nodes, lost)
        for node in nodes:
            with suppress(RayError, RuntimeError):
                ray.kill(node.agent)


def _actor(role: Role, member: Member, say: Say) -> Any:
    """The agent of a node, which has one at a time: while another run has it, this one waits."""
    cloudpickle.register_pickle_by_value(agent)
    remote = ray.remote(concurrency_groups={"lease": 1})(agent.Agent)
    options = remote.options(
        name=f"{role} {member.address}",
        num_cpus=0,
        resources={role: 1},
        max_restarts=0,
        scheduling_strategy=NodeAffinitySchedulingStrategy(member.id, soft=False),
    )
    for tries in count():
        try:
            return options.remote()
        except ActorAlreadyExistsError:
            pass
        if not tries:
            say(f"waiting: another run has the {role} node {member.address}")
        time.sleep(ASK_S)
    raise AssertionError("it is tried for ever")


def _facts(role: Role, address: str, asked: Any) -> ClusterNode:
    """What a machine has said of itself. Raises `MissingPiece`."""
    try:
        given: dict[str, Any] = ray.get(asked)
    except RayError as error:
        first = str(error).strip().splitlines()[0]
        raise MissingPiece(
            f"nothing can be started on the {role} node {address}: {first}"
        ) from None
    if fault := given.pop("fault", ""):
        raise MissingPiece(
            f"the {role} node {address}: {fault}; there: "
            f"pip install 'bakeoff[cluster]=={__version__}'"
        )
    return ClusterNode.model_validate(given)


def _not_placed(role: Role, address: str) -> str:
    there = next((each for each in alive() if each.address == address), None)
    why = "it has left the cluster; there: ray start again"
    if there:
        why = f"it offers {_roles(there)}; look at `ray status` and at its logs in /tmp/ray"
    return f"Ray started nothing on the {role} node {address} within {PLACED_S:.0f} s: {why}"


def _headless(head: str) -> str:
    """Why the head can't be reached; empty: it can."""
    host, _, port = head.rpartition(":")
    for _ in range(2):
        try:
            socket.create_connection((host.strip("[]"), int(port)), REACH_S).close()
        except OSError as error:
            why = error.strerror or str(error)
        else:
            return ""
    return f"the cluster's head {head} is gone ({why})"


def check_versions(nodes: Sequence[ClusterNode]) -> None:
    """Raise `MissingPiece` where nodes can't work with this bakeoff, with what mends it."""
    faults = [fault for node in nodes for fault in version_faults(node)]
    if faults:
        raise MissingPiece("the cluster's nodes are not ready:\n" + "\n".join(faults))


def version_faults(node: ClusterNode) -> Iterator[str]:
    """What is wrong with a node, and how to mend it."""
    where = f"  {node.address} ({', '.join(node.roles)})"
    if node.bakeoff != __version__:
        yield (
            f"{where}: has bakeoff {node.bakeoff}, here is {__version__}; there: "
            f"pip install 'bakeoff[cluster]=={__version__}'"
        )
    elif "load" in node.roles and not node.engine:
        yield f"{where}: has no engine that fits; there: pip install bakeoff=={__version__}"
    if node.unwritable:
        yield (
            f"{where}: {node.folder} can't be written: {node.unwritable}; there, set "
            "XDG_CACHE_HOME to a folder that can, and start Ray again"
        )


def measured_route(loader: Node, server: Node) -> Route:
    """The way from a load node to a server node. Raises `MissingPiece` where there is none."""
    port = server.call("host", "open_echo", server.address)
    try:
        way: Route = loader.call("host", "exchange", loader.address, server.address, port)
        carried = loader.call("host", "carried_bytes_per_s", server.address, port)
    except BakeoffError as error:
        raise MissingPiece(
            f"the load node {loader.address} can't reach the server node {server.address}: "
            f"{str(error).strip().splitlines()[-1]}; both need all ports between them open"
        ) from None
    finally:
        server.call("host", "close_echo")
    link = server.call("host", "link_bytes_per_s", server.address)
    return way.model_copy(update={"bytes_per_s": carried, "link_bytes_per_s": link})
