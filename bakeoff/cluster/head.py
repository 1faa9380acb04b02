"""The head of a cluster: reached, and called by a driver of Ray while it exists."""

import os
import re
import socket
from collections.abc import Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from typing import Any, NamedTuple

from bakeoff.cluster.calls import Calls, Ended, Refused
from bakeoff.model.errors import BadUsage, MissingPiece

PORT = 6379
"""Ray's port, for an address without one."""
REACH_S = 3.0
ANSWER_S = 10.0
"""The time in which a head on a busy machine may answer."""
ASK_S = 1.0
LEAVE_S = 5.0
AGAIN = "start Ray again there, and then bakeoff here"
_SETTINGS = b"\x04"
_HELLO = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(3) + _SETTINGS + bytes(5)
"""The beginning of HTTP/2: its preface and an empty SETTINGS frame; a server answers with
SETTINGS."""
_VERSIONS = re.compile(r"Ray: (\S+)\s+Python: (\S+)")
"""The versions in Ray's message about different ones: those of the cluster, then ours."""


class Member(NamedTuple):
    """A node as Ray lists it."""

    id: str
    address: str
    resources: dict[str, float]


class Head:
    """The head of a cluster; `calls` are those of a `driver.Driver`."""

    def __init__(self, address: str, calls: Calls) -> None:
        self.address, self._calls = address, calls

    def begin(self, name: str, *arguments: object) -> "Future[Any]":
        """Call its driver without waiting. The future raises `Refused`, or `Ended`."""
        return self._calls.begin(name, *arguments)

    def ask(self, name: str, *arguments: object) -> Any:
        """The answer of its driver. Raises `Refused`, and `MissingPiece` when the head is lost.

        Ray would wait for a new head.
        """
        return self.answered(self.begin(name, *arguments))

    def answered(self, answer: "Future[Any]") -> Any:
        while not wait([answer], ASK_S).done:
            self._check()
        try:
            return answer.result()
        except (Refused, Ended):
            self._check()
            raise

    def members(self) -> list[Member]:
        members: list[Member] = self.ask("members")
        return members

    def gone(self) -> str:
        """Why it can't be reached; empty: it can, or its address is not known yet."""
        if not self.address:
            return ""
        host, _, port = self.address.rpartition(":")
        if not unreachable(host, int(port)):
            return ""
        why = unreachable(host, int(port))
        return f"the cluster's head {self.address} is gone ({why})" if why else ""

    def leave(self) -> None:
        """End the agents, and leave the cluster; without its head Ray could do neither."""
        if not self.gone():
            wait([self.begin("leave")], LEAVE_S)

    def _check(self) -> None:
        if why := self.gone():
            raise MissingPiece(f"{why}; {AGAIN}")


@contextmanager
def connected(address: str) -> Iterator[Head]:
    """The head of the cluster at an address. Raises `MissingPiece`, `BadUsage`."""
    if address != "auto":
        address = _reached(address)
    calls = Calls("bakeoff.cluster.driver")
    head = Head("" if address == "auto" else address, calls)
    try:
        _begun(head, calls)
        try:
            head.address = head.ask("join", address)
        except (Refused, Ended) as error:
            raise MissingPiece(_not_joined(address, str(error))) from None
        try:
            yield head
        finally:
            head.leave()
    finally:
        calls.end()


def _begun(head: Head, calls: Calls) -> None:
    """Wait until the driver has imported Ray. Raises `MissingPiece`."""
    try:
        head.answered(calls.ready)
    except Ended as error:
        raise MissingPiece(
            f"a race on a cluster needs Ray, which is not installed ({error.last_line}); "
            "pip install 'bakeoff[cluster]', here and on each node"
        ) from None


def _reached(address: str) -> str:
    host, colon, port = address.rpartition(":")
    if not colon:
        host, port = address, str(PORT)
    if not port.isdecimal() or not host:
        raise BadUsage(f"--cluster {address}: is not an address; it takes HOST, HOST:PORT or auto")
    try:
        with socket.create_connection((host, int(port)), REACH_S) as connection:
            if _is_head(connection):
                return f"{numeric(host)}:{port}"
        # A head that is lost at this moment doesn't answer in HTTP/2 either.
        why = unreachable(host, int(port))
    except OSError as error:
        why = error.strerror or str(error)
    if why:
        raise MissingPiece(
            f"--cluster {address}: nothing answers at {host} port {port} ({why})"
            f"; name the head's address, or start it there with: ray start --head --port={port}"
        )
    raise MissingPiece(
        f"--cluster {address}: {host} port {port} is not the head of a Ray cluster; its port is "
        f"that of `ray start --head --port={PORT}`"
    )


def _is_head(connection: socket.socket) -> bool:
    """Whether the server speaks HTTP/2, as Ray's heads do: Ray would wait minutes for an answer of
    any other one. Over TLS this isn't checked."""
    if os.environ.get("RAY_USE_TLS", "0") != "0":
        return True
    connection.settimeout(ANSWER_S)
    try:
        connection.sendall(_HELLO)
        return connection.recv(4)[3:] == _SETTINGS
    except OSError:
        return False


def numeric(host: str) -> str:
    """The address of a host, or `host` itself if it has none."""
    try:
        return str(socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)[0][4][0])
    except OSError:
        return host


def _not_joined(address: str, why: str) -> str:
    """Why this machine can't join, from Ray's message `why`."""
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


def unreachable(host: str, port: int) -> str:
    """Why it can't be connected to; empty: it can."""
    try:
        socket.create_connection((host.strip("[]"), port), REACH_S).close()
    except OSError as error:
        return error.strerror or str(error)
    return ""
