"""Objects on other nodes, seen as if they were here, and the leases that keep them alive."""

import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Self

import ray
from ray.exceptions import RayError

from bakeoff.cluster.host import LEASE_S
from bakeoff.cluster.wire import Call, Failed, Resident
from bakeoff.model.errors import BakeoffError, NodeLost

RENEW_S = 1.0
LATE_S = 6.0
"""A node that doesn't answer for so long is lost: a slice would have lost its requests by then."""
WAIT_S = 0.5
END_S = 25.0
"""What ending all contenders of a node may take."""


class Lost:
    """Why the cluster can't be reached any more; empty while it can."""

    def __init__(self) -> None:
        self.why = ""

    def check(self) -> None:
        """Raise `NodeLost` where it can't."""
        if self.why:
            raise NodeLost(
                f"{self.why}; what ran there ends by itself within {LEASE_S:.0f} s, and what was "
                "measured is kept"
            )


class Node:
    """One machine of the cluster, by its agent, an actor of Ray."""

    def __init__(self, agent: Any, address: str, lost: Lost) -> None:
        self.agent, self.address, self._lost = agent, address, lost

    def call(self, key: str, name: str, /, *arguments: Any, **named: Any) -> Any:
        """Call a method of an object there. Raises what it raised there, and `NodeLost`."""
        return self.begin(key, name, *arguments, **named)()

    def begin(self, key: str, name: str, /, *arguments: Any, **named: Any) -> Callable[[], Any]:
        """Call it without waiting: what is returned waits, and returns or raises what came of it.

        Raises `NodeLost`.
        """
        self._lost.check()
        return partial(self._result, self.agent.do.remote(Call(key, name, arguments, named)))

    def _result(self, asked: Any) -> Any:
        try:
            while not ray.wait([asked], timeout=WAIT_S)[0]:
                self._lost.check()
            result = ray.get(asked)
        except RayError as error:
            self._lost.why = self._lost.why or gone(self.address, error)
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
    """Renews the leases of agents, and sees which of them, or whether the head, is gone.

    `say` is told the lines that agents have.
    """

    def __init__(self, head: Callable[[], str], lost: Lost, say: Callable[[str], object]) -> None:
        super().__init__(daemon=True)
        self.nodes: list[Node] = []
        self._head, self._lost, self._say = head, lost, say
        self._done = threading.Event()

    def run(self) -> None:
        """Until `stop`, or until something is lost: then leases run out."""
        while not self._done.wait(RENEW_S) and not self._lost.why:
            self._lost.why = self._renewed() or self._head()

    def stop(self) -> None:
        """Renew no more."""
        self._done.set()
        self.join(LATE_S)

    def _renewed(self) -> str:
        asked = {
            node.agent.renew.options(concurrency_group="lease").remote(): node
            for node in self.nodes
        }
        if not asked:
            return ""
        try:
            _, late = ray.wait([*asked], num_returns=len(asked), timeout=LATE_S)
        except (RayError, RuntimeError) as error:
            return f"Ray failed: {error}"
        if late:
            return f"the node {asked[late[0]].address} has not answered for {LATE_S:.0f} s"
        for each, node in asked.items():
            try:
                for line in ray.get(each):
                    self._say(line)
            except RayError as error:
                return gone(node.address, error)
        return ""


def gone(address: str, error: Exception) -> str:
    """That the agent at `address` can't be reached; Ray's own words are of its insides."""
    return f"the node {address} is gone, or what Ray ran there for bakeoff ({type(error).__name__})"


def end(nodes: Sequence[Node], lost: Lost) -> None:
    """End what runs on the nodes, and wait for it; of nodes that are lost the leases run out."""
    asked = [node.agent.end.options(concurrency_group="lease").remote() for node in nodes]
    until_s = time.monotonic() + (LATE_S if lost.why else END_S)
    try:
        ray.wait(asked, num_returns=len(asked), timeout=until_s - time.monotonic())
    except (RayError, RuntimeError) as error:
        raise BakeoffError(f"the cluster's nodes could not be told to end: {error}") from None
