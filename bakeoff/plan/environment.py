"""The machine, folder and time for which a plan is made."""

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bakeoff.model.errors import BadUsage
from bakeoff.model.machine import Cluster
from bakeoff.model.plan import Cores
from bakeoff.plan.catalogue import Catalogue
from bakeoff.plan.values import default_cores, parse_cores, spare_cpus

LOOPBACK = "127.0.0.1"


@dataclass(frozen=True)
class Environment:
    """`cores` are the processors that may be used, sorted; `time` begins a run's name, in UTC.

    Commands and relative paths start from `directory`. `command_line` is kept with the run. With a
    `cluster`, servers and generator run on its machines.
    """

    catalogue: Catalogue
    directory: Path
    cores: Sequence[int]
    time: str
    command_line: tuple[str, ...]
    cluster: Cluster | None = None

    @classmethod
    def here(cls, command_line: Sequence[str]) -> "Environment":
        cores = sorted(os.sched_getaffinity(0))
        now = time.strftime("%Y-%m-%dT%H-%M-%SZ", time.gmtime())
        return cls(Catalogue.shipped(), Path.cwd(), cores, now, tuple(command_line))

    def on(self, cluster: Cluster) -> "Environment":
        """The same, with servers and generator on the machines of a cluster."""
        return replace(self, cluster=cluster)

    @property
    def host(self) -> str:
        return self.cluster.server.address if self.cluster else LOOPBACK

    def spare_cpus(self, cores: Cores) -> tuple[int, ...]:
        """The cores of the servers' machine for everything except servers and generator."""
        return spare_cpus(self.cluster.server_cpus if self.cluster else self.cores, cores)

    def cores_for(self, cpus: str | None, *, upstream: bool = False) -> Cores:
        """The cores of `--cpus`, or the usual ones, beside those of an `upstream`; on a cluster
        those that all nodes of a role have in common. Raises `BadUsage`."""
        if self.cluster is None:
            if cpus:
                return parse_cores(cpus, self.cores)
            return default_cores(self.cores, upstream=upstream)
        server, client = self.cluster.server_cpus, self.cluster.load_cpus
        for role, common, nodes in (
            ("server", server, self.cluster.servers),
            ("load", client, self.cluster.loads),
        ):
            if not common:
                have = "; ".join(f"{e.address}: {', '.join(map(str, e.cpus))}" for e in nodes)
                raise BadUsage(
                    f"--cluster: no core has the same number on all {role} nodes ({have}), and all "
                    "are pinned to the same ones; let Ray run on machines with the same cores"
                )
        if cpus is None:
            return Cores(server=server, client=client, apart=True)
        return parse_cores(cpus, server, client).model_copy(update={"apart": True})
