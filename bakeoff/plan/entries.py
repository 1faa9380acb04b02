"""A race's entries: one for each contender and protocol, and why others can't take part."""

import re
import socket
from collections.abc import Iterable, Sequence
from urllib.parse import urlsplit

from bakeoff.model.errors import BadUsage
from bakeoff.model.machine import Cluster
from bakeoff.model.plan import Attached, Entry, Plan, Skipped
from bakeoff.model.protocol import OVER_TLS, Protocol
from bakeoff.model.workload import Workload
from bakeoff.plan.contenders import WEBSOCKET, ResolvedContender, unique_name
from bakeoff.plan.race_options import RaceOptions

OWN_ANSWER_WORKLOAD = "get"
SLUG_LENGTH_MAX = 60


def entries_of(
    contenders: Sequence[ResolvedContender],
    workload: Workload,
    protocols: Sequence[Protocol] | None,
    *,
    own: bool,
) -> tuple[list[Entry], list[Skipped]]:
    """An entry for each contender and protocol; those that can't race are skipped.

    `own`: the user wrote the workload, so any server may get its requests. Raises `BadUsage`.
    """
    entries: list[Entry] = []
    skipped: list[Skipped] = []
    several = protocols is not None and len(protocols) > 1
    pairs = (
        (contender, name)
        for contender in contenders
        for name in contender.spoken(protocols, workload.exchange)
    )
    for resolved, protocol in pairs:
        name = f"{resolved.name} {protocol}" if several else resolved.name
        path = _path(resolved, workload, own=own)
        reason = _cannot_speak(resolved, protocol)
        if not path:
            assert resolved.contender
            served = ", ".join(sorted(resolved.contender.serves))
            reason = f"doesn't serve the workload {workload.name}; it serves {served}"
        if reason:
            skipped.append(Skipped(name=name, reason=reason))
            continue
        entries.append(
            Entry(
                name=name,
                title=resolved.contender.title if resolved.contender else resolved.typed,
                origin=resolved.origin,
                contender=resolved.contender,
                folder=str(resolved.folder) if resolved.folder else None,
                attached=resolved.attached,
                fixed_port=resolved.fixed_port,
                path=path,
                protocol=protocol,
            )
        )
    if not entries:
        reasons = "\n".join(f"  {contender.name}: {contender.reason}" for contender in skipped)
        raise BadUsage(f"no contender can take part:\n{reasons}")
    return entries, skipped


def _path(resolved: ResolvedContender, workload: Workload, *, own: bool) -> str:
    """The path of its first request. Empty: it doesn't serve the workload.

    Raises `BadUsage` for a URL that names another path.
    """
    path = workload.first.path
    if resolved.attached:
        if resolved.typed.startswith(WEBSOCKET) and not workload.websocket:
            raise BadUsage(
                f"{resolved.typed}: carries messages; give --message TEXT, or a --workload that "
                "has [websocket]"
            )
        named = resolved.attached.path
        if not (own or workload.exchange) or (path == "/" and not workload.is_mix):
            return named
        if named not in ("/", path):
            raise BadUsage(
                f"{resolved.name}: has the path {named}, and the workload requests {path}: "
                "leave one of them out"
            )
        return path
    if resolved.origin == "command":
        return path
    assert resolved.contender
    return resolved.contender.path_for(workload) or (path if own else "")


def _cannot_speak(resolved: ResolvedContender, protocol: Protocol) -> str:
    """Why it can't be loaded over `protocol`; empty: no file says that."""
    if resolved.attached:
        if (protocol in OVER_TLS) == (resolved.attached.tls is not None):
            return ""
        scheme = "ws" if resolved.typed.startswith(WEBSOCKET) else "http"
        if protocol in OVER_TLS:
            return f"is a URL in cleartext, and {protocol} needs TLS: give its {scheme}s:// URL"
        return f"is a URL over TLS, and {protocol} is cleartext: give its {scheme}:// URL"
    speaks = resolved.contender.protocols if resolved.contender else ()
    if protocol in speaks:
        return ""
    return f"doesn't speak {protocol} (contender.toml: protocols = {', '.join(speaks)})"


def ready_within(entry: Entry, timeout_s: float) -> Entry:
    """The same, with this time from its start to its first response."""
    if not entry.contender:
        return entry
    run = entry.contender.run.model_copy(update={"ready_timeout_s": timeout_s})
    return entry.model_copy(update={"contender": entry.contender.model_copy(update={"run": run})})


def twin(entries: Sequence[Entry], reference: str) -> list[Entry]:
    """A second copy of the reference; none if its port is fixed, since then it can't run twice."""
    original = next(entry for entry in entries if entry.name == reference)
    if original.fixed_port:
        return []
    name = unique_name(f"{reference} (twin)", [entry.name for entry in entries])
    return [original.model_copy(update={"name": name, "twin_of": reference})]


def cannot_pipeline(plan: Plan) -> dict[str, str]:
    """Name → reason for entries whose contender.toml excludes a pipeline of requests."""
    if plan.pipeline == 1 or plan.workload.websocket:
        return {}
    reason = "doesn't pipeline (contender.toml: pipelines = false)"
    return {
        entry.name: reason
        for entry in plan.entries
        if entry.origin in ("catalogue", "folder")
        and entry.contender
        and not entry.contender.pipelines
    }


def check_nothing_held(workload: Workload, because: str) -> None:
    """Raise `BadUsage` for a workload with held streams."""
    if workload.held:
        raise BadUsage(
            f"{workload.name}: {because}, and streams are held in races alone; use bakeoff race"
        )


def check_no_rooms(workload: Workload, because: str) -> None:
    """Raise `BadUsage` for a workload whose messages go to rooms."""
    if workload.room:
        raise BadUsage(
            f"{workload.name}: {because}, and a room has one message at a time on connections that "
            "are kept; bakeoff race and bakeoff capacity load rooms"
        )


def check_ports(entries: Sequence[Entry], solo: bool) -> None:
    """Raise `BadUsage` where two that run at the same time have one port."""
    ports = [entry.fixed_port for entry in entries if entry.fixed_port]
    for port in ports:
        if ports.count(port) > 1 and not solo:
            raise BadUsage(
                f"--port {port}: two contenders can't listen on one port at a time; "
                "give each its own, or race them one at a time with --solo"
            )


def check_loadable(
    servers: Iterable[Attached], allowed: Sequence[str], cluster: Cluster | None = None
) -> None:
    """Allow load on this machine, on a cluster's own servers, and on the hosts `allowed`.

    Hosts are written as in a URL; a cluster has its own. Raises `BadUsage`.
    """
    for server in servers:
        host = urlsplit(f"//{server.host}").hostname or server.host
        address = server.address.rpartition(":")[0].strip("[]")
        if cluster:
            may = address in (cluster.server.address, *cluster.may_load)
            other = "is not a server node of the cluster"
        else:
            may = not {server.host, host, address}.isdisjoint(map(str.lower, allowed)) or _is_here(
                address
            )
            other = f"is another machine, {address}"
        if not may:
            raise BadUsage(f"{server.host}: {other}; if you may load it, add --allow-host {host}")


def _is_here(address: str) -> bool:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as probe:
        try:
            probe.bind((address, 0))
        except OSError:
            return False
    return True


def check_rotated(options: RaceOptions, entries: Sequence[Entry], workload: Workload) -> None:
    """Raise `BadUsage` unless contenders can move, and each machine gets equally many boots."""
    nodes = f"--server-nodes {options.server_nodes}"
    if attached := [entry.name for entry in entries if entry.attached]:
        raise BadUsage(f"{nodes}: {attached[0]} is a URL, and stays where it is; leave one out")
    if workload.has_upstream:
        raise BadUsage(
            f"{nodes}: the workload {workload.name} has an upstream, which is on one machine; "
            "race it on one node"
        )
    if options.boots and options.boots % options.server_nodes:
        raise BadUsage(
            f"{nodes}: each machine has as many boots as the others; "
            f"--boots takes a multiple of {options.server_nodes}, not {options.boots}"
        )


def slug(entries: Sequence[Entry]) -> str:
    """The contenders in a folder's name: all of them, or the first if that would be too long."""
    names = [
        re.sub(r"[^a-z0-9]+", "-", entry.name.lower()).strip("-")
        for entry in entries
        if not entry.twin_of
    ]
    text = "-vs-".join(names)
    if len(text) > SLUG_LENGTH_MAX and len(names) > 2:
        text = f"{names[0]}-vs-{len(names) - 1}-others"
    return text[:SLUG_LENGTH_MAX].strip("-") or "race"
