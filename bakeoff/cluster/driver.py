"""Ray's driver: all calls of Ray are made here, in a process of their own.

When the head is lost, Ray blocks all threads of its process for a minute, and then ends it. So that
process is neither bakeoff nor a program that imports it, but `python -m bakeoff.cluster.driver`.
"""

import os
from typing import Any

import ray
from ray import cloudpickle
from ray.exceptions import ActorAlreadyExistsError
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from bakeoff.cluster import agent
from bakeoff.cluster.calls import serve
from bakeoff.cluster.head import Member, unreachable


class Driver:
    """A driver of Ray. It knows the agents that it started by the addresses of their nodes."""

    def __init__(self) -> None:
        self._agents: dict[str, Any] = {}

    def join(self, address: str) -> str:
        """Join the cluster at an address, or `auto`; returns its head's address."""
        # Ray must not give up: our parent notices that the head is gone, and ends this process.
        os.environ.setdefault("RAY_gcs_rpc_server_reconnect_timeout_s", "3600")
        ray.init(
            address=address,
            namespace="bakeoff",
            logging_level="CRITICAL",
            configure_logging=False,
            log_to_driver=False,
        )
        return str(ray.get_runtime_context().gcs_address)

    def members(self) -> list[Member]:
        """The nodes that Ray has, in the order of their addresses.

        Ray takes half a minute to notice that a node has died, so its port must accept a
        connection.
        """
        return sorted(
            (
                Member(each["NodeID"], each["NodeManagerAddress"], each["Resources"])
                for each in ray.nodes()
                if each["Alive"]
                and not unreachable(each["NodeManagerAddress"], each["NodeManagerPort"])
            ),
            key=lambda each: [part.zfill(3) for part in each.address.split(".")],
        )

    def place(self, role: str, member: Member) -> bool:
        """Start the agent of a node. False: it has the agent of another run; there is one at a
        time."""
        cloudpickle.register_pickle_by_value(agent)
        remote = ray.remote(concurrency_groups={"lease": 1})(agent.Agent)
        options = remote.options(
            name=f"{role} {member.address}",
            num_cpus=0,
            resources={role: 1},
            max_restarts=0,
            scheduling_strategy=NodeAffinitySchedulingStrategy(member.id, soft=False),
        )
        try:
            self._agents[member.address] = options.remote()
        except ActorAlreadyExistsError:
            return False
        return True

    def begin(self, address: str, *arguments: object) -> Any:
        return ray.get(self._agents[address].begin.remote(address, *arguments))

    def do(self, address: str, call: bytes) -> Any:
        return ray.get(self._agents[address].do.remote(call))

    def renew(self, address: str) -> Any:
        return ray.get(self._agents[address].renew.options(concurrency_group="lease").remote())

    def end(self, address: str) -> None:
        ray.get(self._agents[address].end.options(concurrency_group="lease").remote())

    def leave(self) -> None:
        for each in self._agents.values():
            ray.kill(each)
        ray.shutdown()


if __name__ == "__main__":
    serve(Driver())
