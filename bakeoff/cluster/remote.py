"""Objects on other nodes, seen as if they were here, and the leases that keep them alive."""

import pickle
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from functools import partial
from typing import Any, Self

from bakeoff.cluster.calls import Call, Ended, Failed, Refused, Resident
from bakeoff.cluster.head import AGAIN, Head
from bakeoff.cluster.host import LEASE_S
from bakeoff.model.errors import MissingPiece, NodeLost

RENEW_S = 1.0
LATE_S = 6.0
"""A node that doesn't answer for this long is lost: a slice would have lost its requests by
then."""
WAIT_S = 0.5
END_S = 25.0
"""The time for ending all contenders of a node."""


class Lost:
    """Why the cluster can't be reached any more; empty while it can. `gone` says so of its head."""

    def __init__(self, gone: Callable[[], str]) -> None:
        self.why, self._gone = "", gone
        self.is_joined = False

    def look(self) -> None:
        if why := self._gone():
            self.why = self.why or why

    def tell(self, why: str) -> None:
        """Something else is gone; if the head is gone, too, that is the cause."""
        self.look()
        self.why = self.why or why

    def check(self) -> None:
        """Raise `NodeLost` if it can't, and `MissingPiece` while nothing is measured yet."""
        if self.why and not self.is_joined:
            raise MissingPiece(f"{self.why}; {AGAIN}")
        if self.why:
            raise NodeLost(
                f"{self.why}; what ran there ends by itself within {LEASE_S:.0f} s, and what was "
                "measured is kept"
            )


class Node:
    """One machine of the cluster, where Ray runs an agent."""

    def __init__(self, head: Head, address: str, lost: Lost) -> None:
        self.head, self.address, self._lost = head, address, lost

    def call(self, key: str, name: str, /, *arguments: Any, **named: Any) -> Any:
        """Call a method of an object there. Raises the error raised there, and `NodeLost`."""
        return self.begin(key, name, *arguments, **named)()

    def begin(self, key: str, name: str, /, *arguments: Any, **named: Any) -> Callable[[], Any]:
        """Call it without waiting: the returned function waits, and returns the result or raises
        the error.

        Raises `NodeLost`.
        """
        self._lost.check()
        call = pickle.dumps(Call(key, name, arguments, named))
        return partial(self._result, self.head.begin("do", self.address, call))

    def _result(self, answer: "Future[Any]") -> Any:
        while not wait([answer], WAIT_S).done:
            self._lost.check()
        try:
            result = pickle.loads(answer.result())
        except (Refused, Ended) as error:
            self._lost.tell(gone(self.address, error))
            self._lost.check()
            raise AssertionError("a lost node is no node") from None
        if isinstance(result, Failed):
            raise result.error
        return Far(self, result.key, result.seen) if isinstance(result, Resident) else result


class Far:
    """An object that stays on its node: its methods are called there."""

    def __init__(self, node: Node, key: str, seen: dict[str, Any] | None = None) -> None:
        self._node, self._key = node, key
        self.__dict__.update(seen or {})

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("__"):
            raise AttributeError(name)
        return partial(self._node.call, self._key, name)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        # An engine is closed, slow clients are ended.
        self._node.call(self._key, "__exit__", None, None, None)


class Leases(threading.Thread):
    """Renews the leases of agents, and notices lost agents and a lost head.

    `say` gets the lines of agents.
    """

    def __init__(self, lost: Lost, say: Callable[[str], object]) -> None:
        super().__init__(daemon=True)
        self.nodes: list[Node] = []
        self._lost, self._say = lost, say
        self._done = threading.Event()

    def run(self) -> None:
        """Until `stop`, or until something is lost: then leases run out."""
        while not self._done.wait(RENEW_S) and not self._lost.why:
            if why := self._renewed():
                self._lost.tell(why)
            else:
                self._lost.look()

    def stop(self) -> None:
        self._done.set()
        self.join(LATE_S)

    def _renewed(self) -> str:
        asked = {node.head.begin("renew", node.address): node for node in self.nodes}
        if late := wait(asked, LATE_S).not_done:
            return f"the node {asked[late.pop()].address} has not answered for {LATE_S:.0f} s"
        for answer, node in asked.items():
            try:
                for line in answer.result():
                    self._say(line)
            except (Refused, Ended) as error:
                return gone(node.address, error)
        return ""


def gone(address: str, error: Refused | Ended) -> str:
    """The message that the agent at `address` can't be reached; Ray's own words are about its
    internals."""
    if isinstance(error, Ended):
        return str(error)
    return f"the node {address} is gone, or what Ray ran there for bakeoff ({error.kind})"


def end(nodes: Sequence[Node], lost: Lost) -> None:
    """End the processes on the nodes, and wait for that; the leases of lost nodes run out."""
    asked = [node.head.begin("end", node.address) for node in nodes]
    wait(asked, LATE_S if lost.why else END_S)
