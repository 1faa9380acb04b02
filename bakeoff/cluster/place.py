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
    cluster: str | None, may_load: Sequence[str], here: Environment, say: Callable[[str], object]
) -> Iterator[tuple[Environment, Stages]]:
    """What a run is planned for, and its stages, on the `cluster` at an address; None: `here`.

    Raises `BadUsage`, and `MissingPiece` where the cluster lacks something.
    """
    if cluster is None:
        from bakeoff.runs import real_stages

        if may_load:
            from bakeoff.model.errors import BadUsage

            raise BadUsage("--i-may-load: is for --cluster, whose machines load nobody else's")
        yield here, real_stages()
        return
    # Ray takes a second to import, and isn't installed everywhere.
    from bakeoff.cluster.joining import joined

    say(f"joining the cluster {cluster}")
    with joined(cluster, may_load, say) as there:
        yield here.on(there.facts), there.stages
