"""Joining a cluster: its nodes found, one agent on each, versions compared, the network
measured."""

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import contextmanager
from math import ceil
from typing import Any, NamedTuple, get_args

from bakeoff import __version__
from bakeoff.cluster.calls import Ended, Refused
from bakeoff.cluster.head import ASK_S, Head, Member, connected, numeric
from bakeoff.cluster.remote import Leases, Lost, Node, end
from bakeoff.cluster.stages import stages
from bakeoff.model.errors import BadUsage, BakeoffError, MissingPiece
from bakeoff.model.machine import Cluster, ClusterNode, Role, Route
from bakeoff.runs.stages import Stages

ROLES: tuple[Role, ...] = get_args(Role)
PLACED_S = 60.0
"""A worker of Ray takes a second to start, and twenty on a busy machine."""
CALLS_PER_SLICE = 3
"""CPU time is read before and after each slice: that many messages pass between two of them."""
CALL_MS = 1.0
"""Ray's time for a call besides the round trip: 0.6 to 1.5 ms."""
GAP_SHARE = 0.05
SLICE_MS_LEAST, SLICE_MS_MOST = 100, 500
Say = Callable[[str], object]


class Joined(NamedTuple):
    """A cluster on which a run can be measured."""

    facts: Cluster
    stages: Stages
    server: Node
    loads: tuple[Node, ...]
    head: Head


@contextmanager
def joined(
    address: str, may_load: Sequence[str], say: Say, server_nodes: int | None = 1
) -> Iterator[Joined]:
    """The cluster at an address (`auto`: that of this machine), for one run.

    One run has a node at a time; another one waits, and reports that. `may_load` are hosts that the
    generator may load beside this number of `server_nodes`; None: all that can serve while others
    load. Raises `MissingPiece`, `BadUsage`.
    """
    with connected(address) as head:
        members = head.members()
        servers = serving_nodes(members, server_nodes, head.address)
        serve = {each.address for each in servers}
        offering = able("load", members, head.address)
        loads = [each for each in offering if each.address not in serve]
        if not loads:
            raise BadUsage(
                f"--cluster {address}: {servers[0].address} has both `server` and `load`, and "
                "no other node has `load`: a race on one machine needs no cluster; leave --cluster "
                "out, or start Ray with --resources='{\"load\": 1}' on another machine"
            )
        lost = Lost(head.gone)
        more = tuple(map(numeric, may_load))
        loadable = (*(each.address for each in servers), *more)
        taking: list[tuple[Role, Member]] = [("server", each) for each in servers]
        taking += [("load", each) for each in loads]
        with agents(taking, loadable, head, lost, say) as (nodes, facts):
            check_versions(facts)
            serving, loading = nodes[: len(servers)], nodes[len(servers) :]
            ways = tuple(measured_route(each, to) for to in serving for each in loading)
            cluster = Cluster(
                address=head.address,
                server=facts[0],
                loads=tuple(facts[len(servers) :]),
                routes=ways,
                slice_ms_min=max(map(slice_ms_min, ways)),
                may_load=more,
                others=tuple(facts[1 : len(servers)]),
            )
            lost.is_joined = True
            yield Joined(cluster, stages(serving, loading), serving[0], tuple(loading), head)


def serving_nodes(members: Sequence[Member], number: int | None, head: str) -> list[Member]:
    """The first `number` nodes that serve; None: the first, and all that don't load.

    Raises `MissingPiece` where there are fewer.
    """
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
    """The shortest slice, ms: the network's time is 5 % of it, within 100 to 500 ms."""
    gap_ms = CALLS_PER_SLICE * (way.rtt_median_us / 1000 + CALL_MS)
    return min(SLICE_MS_MOST, max(SLICE_MS_LEAST, ceil(gap_ms / GAP_SHARE)))


def able(role: Role, members: Sequence[Member], head: str) -> list[Member]:
    found = [each for each in members if each.resources.get(role, 0) >= 1]
    if not found:
        there = "; ".join(f"{each.address}: {_roles(each)}" for each in members)
        raise MissingPiece(
            f"no node of the cluster has the resource `{role}` ({there}); on the machine that "
            f"should have it: ray stop; ray start --address={head} --num-cpus=0 "
            f"--resources='{{\"{role}\": 1}}'"
        )
    return found


def _roles(member: Member) -> str:
    return " and ".join(each for each in ROLES if each in member.resources) or "neither"


@contextmanager
def agents(
    members: Sequence[tuple[Role, Member]],
    may_load: Sequence[str],
    head: Head,
    lost: Lost,
    say: Say,
) -> Iterator[tuple[list[Node], list[ClusterNode]]]:
    """An agent on each of `members`, with the facts of its machine; all end with the context.

    Raises `MissingPiece`, `NodeLost`.
    """
    leases = Leases(lost, say)
    leases.start()
    nodes = [Node(head, member.address, lost) for _, member in members]
    try:
        for role, member in members:
            _place(head, role, member, say)
        # All at the same time: each takes a second, and ten on a busy machine.
        begin = tuple(may_load), __version__
        asked = {
            head.begin("begin", node.address, (role,), *begin): (role, node)
            for (role, _), node in zip(members, nodes, strict=True)
        }
        facts: dict[str, ClusterNode] = {}
        while asked:
            answer = _first([*asked], lost)
            if not answer:
                role, node = next(iter(asked.values()))
                raise MissingPiece(_not_placed(role, node.address, head.members()))
            role, node = asked.pop(answer)
            facts[node.address] = _facts(role, node.address, answer, lost)
            leases.nodes.append(node)
        yield nodes, [facts[node.address] for node in nodes]
    finally:
        leases.stop()
        # The others have nothing to end, or end with their leases.
        end(leases.nodes, lost)


def _place(head: Head, role: Role, member: Member, say: Say) -> None:
    has_waited = False
    while not head.ask("place", role, member):
        if not has_waited:
            say(f"waiting: another run has the {role} node {member.address}")
        has_waited = True
        time.sleep(ASK_S)


def _first(asked: "Sequence[Future[Any]]", lost: Lost) -> "Future[Any] | None":
    """The first one with an answer; None: none within PLACED_S. Raises as `Lost.check`."""
    until_s = time.monotonic() + PLACED_S
    while time.monotonic() < until_s:
        lost.check()
        if ready := wait(asked, ASK_S, FIRST_COMPLETED).done:
            return ready.pop()
    return None


def _facts(role: Role, address: str, answer: "Future[Any]", lost: Lost) -> ClusterNode:
    """The facts of a machine. Raises `MissingPiece`."""
    try:
        given: dict[str, Any] = answer.result()
    except (Refused, Ended) as error:
        lost.look()
        lost.check()
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


def _not_placed(role: Role, address: str, members: Sequence[Member]) -> str:
    there = next((each for each in members if each.address == address), None)
    why = "it has left the cluster; there: ray start again"
    if there:
        why = f"it offers {_roles(there)}; look at `ray status` and at its logs in /tmp/ray"
    return f"Ray started nothing on the {role} node {address} within {PLACED_S:.0f} s: {why}"


def check_versions(nodes: Sequence[ClusterNode]) -> None:
    """Raise `MissingPiece`, with the fix, where nodes can't work with this bakeoff."""
    faults = [fault for node in nodes for fault in version_faults(node)]
    if faults:
        raise MissingPiece("the cluster's nodes are not ready:\n" + "\n".join(faults))


def version_faults(node: ClusterNode) -> Iterator[str]:
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
    """The network from a load node to a server node. Raises `MissingPiece` where there is none."""
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
