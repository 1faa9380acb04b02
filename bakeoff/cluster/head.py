"""The head of a cluster: reached, joined as a driver of Ray, asked for as long as it is there."""

import atexit
import os
import re
import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import wait
from contextlib import contextmanager
from functools import partial
from typing import NamedTuple, TypeVar

import ray

from bakeoff.load.hand import Hand
from bakeoff.model.errors import BadUsage, MissingPiece

PORT = 6379
"""Ray's, where an address names none."""
REACH_S = 3.0
ANSWER_S = 10.0
"""A head on a machine that is busy takes its time."""
ASK_S = 1.0
LEAVE_S = 5.0
_SETTINGS = b"\x04"
_HELLO = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(3) + _SETTINGS + bytes(5)
"""What HTTP/2 begins with: an empty frame of settings; who speaks it answers with one of them."""
_VERSIONS = re.compile(r"Ray: (\S+)\s+Python: (\S+)")
"""Those of the cluster, then ours, in Ray's words about unlike ones."""
_T = TypeVar("_T")


class Member(NamedTuple):
    """A node as Ray lists it."""

    id: str
    address: str
    resources: dict[str, float]


@contextmanager
def connected(address: str) -> Iterator[str]:
    """This process as a driver of Ray; the head's address. Raises `MissingPiece`, `BadUsage`."""
    if address != "auto":
        address = _reached(address)
    # The head may go while a run goes on: we see that ourselves, and end in order.
    os.environ.setdefault("RAY_gcs_rpc_server_reconnect_timeout_s", "3600")
    join = partial(
        ray.init,
        address=address,
        namespace="bakeoff",
        logging_level="CRITICAL",
        configure_logging=False,
        log_to_driver=False,
    )
    try:
        answered(join, "" if address == "auto" else address)
    except (ConnectionError, RuntimeError, ValueError, OSError) as error:
        raise MissingPiece(_not_joined(address, str(error))) from None
    head = str(ray.get_runtime_context().gcs_address)
    try:
        yield head
    finally:
        _leave(head)


def answered(ask: Callable[[], _T], head: str) -> _T:
    """What Ray answers. Raises `MissingPiece` where its head goes meanwhile: Ray waits for it then.

    It is asked in another thread, where it leaves our signals alone. An empty `head` isn't known.
    """
    hand = Hand("asking Ray")
    future = hand.do(ask)
    hand.end()
    while not wait([future], ASK_S).done:
        if head and (why := headless(head)):
            atexit.unregister(ray.shutdown)
            raise MissingPiece(f"{why}; start it again there, and bakeoff here")
    return future.result()


def _leave(head: str) -> None:
    """Be no driver any more. Without its head Ray may wait for minutes: nobody waits for it."""
    if not headless(head):
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
    return f"{numeric(host)}:{port}"


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


def numeric(host: str) -> str:
    """The address of a host, or what was given where it has none."""
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


def headless(head: str) -> str:
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
