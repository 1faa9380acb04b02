"""The processes behind a port, if this user may see them, and the counters of their CPU time."""

import itertools
import os
import pwd
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from bakeoff.keeper import cgroups
from bakeoff.keeper.processes import Process, descendants, processes
from bakeoff.model.finding import Finding
from bakeoff.model.receipt import CpuCounter
from bakeoff.start.listeners import holding, listening

FORWARDERS = ("docker-proxy", "rootlessport", "slirp4netns", "pasta", "pasta.avx2", "passt")
"""Programs that listen for a container, whose server is in another network namespace."""
_LOCAL = re.compile(r"\|-- (\S+)\n\s+/32 host LOCAL")


class Behind(NamedTuple):
    """The eldest of the processes that listen at a port, or why they can't be seen."""

    pids: tuple[int, ...] = ()
    unseen: Finding | None = None


def behind(host: str, port: int, *, ours: bool = True, udp: bool = False) -> Behind:
    """The processes that answer at a port; `ours`: the address is one of this machine.

    `host` is numeric. With the necessary rights, those in other network namespaces are found too.
    """
    table = processes()
    if not ours:
        inside = _enclosed(host, port, table, udp=udp)
        unseen = None if inside else Finding.of("unseen_host")
        return Behind(inside, unseen)
    sockets = listening(host, port, udp=udp)
    holders = holding(sockets, table)
    if os.getpid() in holders:
        return Behind(unseen=Finding.of("unseen_self"))
    # A service manager holds the sockets that it passes on.
    holders = [pid for pid in holders if pid != 1 and table[pid].name != "systemd"] or holders
    eldest = tuple(pid for pid in holders if table[pid].parent not in holders)
    for pid in eldest:
        if table[pid].name in FORWARDERS:
            if inside := _enclosed(*_forwarded(pid), table, udp=udp):
                return Behind((*inside, *eldest))
            process = f"{table[pid].name} (pid {pid})"
            return Behind(unseen=Finding.of("unseen_forwarded", process=process))
    if eldest:
        return Behind(eldest)
    others = {socket.uid for socket in sockets if os.geteuid() not in (0, socket.uid)}
    if others:
        return Behind(unseen=Finding.of("unseen_user", user=_user(min(others))))
    return Behind(unseen=Finding.of("unseen_forwarded", process=None))


def _user(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def _forwarded(pid: int) -> tuple[str, int]:
    """The target to which docker-proxy forwards; that of the others is unknown."""
    with suppress(OSError, ValueError):
        words = Path(f"/proc/{pid}/cmdline").read_text().split("\0")
        told = dict(itertools.pairwise(words))
        return told.get("-container-ip", ""), int(told.get("-container-port", 0))
    return "", 0


def _enclosed(host: str, port: int, table: dict[int, Process], *, udp: bool) -> tuple[int, ...]:
    """The eldest of the processes that listen there in another network namespace."""
    spaces: dict[int, list[int]] = {}
    for pid in table:
        with suppress(OSError):
            spaces.setdefault(os.stat(f"/proc/{pid}/ns/net").st_ino, []).append(pid)  # noqa: PTH116
    for pids in spaces.values():
        if host in _addresses(pids[0]):
            holders = holding(listening(host, port, of=pids[0], udp=udp), pids)
            return tuple(pid for pid in holders if table[pid].parent not in holders)
    return ()


def _addresses(pid: int) -> Iterator[str]:
    with suppress(OSError):
        yield from _LOCAL.findall(Path(f"/proc/{pid}/net/fib_trie").read_text())


def counter(pids: Iterable[int], first: CpuCounter | None = None) -> CpuCounter:
    """The counter of the processes `pids`, with all below them, and of those that `first`
    counts."""
    table = processes()
    counted = [own for pid in pids for own in _counters(pid, table)]
    counted += first.every if first else ()
    if not counted:
        return CpuCounter(kind="none")
    head, *also = counted
    return head.model_copy(update={"also": tuple(also)})


def counter_of_all(pids: Iterable[int], own: CpuCounter) -> CpuCounter:
    """`own`, and the counters of those of `pids` that it doesn't count."""
    table = processes()
    if own.path:
        outside = set(pids) - cgroups.members(Path(own.path))
    else:
        outside = {*pids} - {own.pid or 0} - descendants([own.pid or 0], table)
    eldest = [pid for pid in outside if pid in table and table[pid].parent not in outside]
    return counter(sorted(eldest), own)


def _counters(pid: int, table: dict[int, Process]) -> list[CpuCounter]:
    """The counters of its processes in other control groups, and of its own group; or of its tree.

    The monitor of a container does almost nothing, and may share a group with others of its kind:
    the container's group is taken, and comes first.
    """
    group = _own_group(pid, table)
    inside = cgroups.members(group.path) if group else set[int]()
    outside = [
        below.pid for below in table.values() if below.parent == pid and below.pid not in inside
    ]
    others = [counter for child in outside for counter in _counters(child, table)]
    if group:
        return [*others, CpuCounter(kind=group.kind, path=str(group.path), pid=pid)]
    return [own for own in others if own.path] or [CpuCounter(kind="tree", pid=pid)]


def _own_group(pid: int, table: dict[int, Process]) -> cgroups.Base | None:
    """The control group of a container, or one in which all processes are above or below `pid`."""
    ours = cgroups.groups().values()
    space, not_its_own = _namespace(pid), (None, _namespace(os.getpid()))
    line = {pid} | descendants([pid], table)
    above = table.get(pid)
    while above and above.parent not in line:
        line.add(above.parent)
        above = table.get(above.parent)
    for base in cgroups.bases(pid=pid):
        members = cgroups.members(base.path)
        if members and not any(own.is_relative_to(base.path) for own in ours):
            contained = space not in not_its_own and {*map(_namespace, members)} == {space}
            if contained or members <= line:
                return base
    return None


def _namespace(pid: int) -> int | None:
    """The pid namespace of `pid`; None: it is hidden from us."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/ns/pid").stat().st_ino
    return None
