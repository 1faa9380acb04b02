"""Where a run is measured: on this machine, or on those of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bakeoff.plan import Environment
    from bakeoff.runs import Stages


@contextmanager
def place(
    cluster: str | None,
    may_load: Sequence[str],
    here: Environment,
    say: Callable[[str], object],
    server_nodes: int = 1,
) -> Iterator[tuple[Environment, Stages]]:
    """What a run is planned for, and its stages, on the `cluster` at an address; None: `here`.

    Contenders are rotated over so many `server_nodes`.

    Raises `BadUsage`, and `MissingPiece` where the cluster lacks something.
    """
    if cluster is None:
        from bakeoff.model.errors import BadUsage
        from bakeoff.runs import real_stages

        if server_nodes > 1:
            raise BadUsage(f"--server-nodes {server_nodes}: is for --cluster; this is one machine")
        if may_load:
            raise BadUsage("--i-may-load: is for --cluster")
        yield here, real_stages()
        return
    from bakeoff.cluster.joining import joined

    say(f"joining the cluster {cluster}")
    with joined(cluster, may_load, say, server_nodes) as there:
        yield here.on(there.facts), there.stages
