"""The parts that depend on the core, each of which may be missing in an installation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING

from bakeoff.model.errors import BadUsage, MissingPiece

if TYPE_CHECKING:
    from bakeoff.plan import Environment
    from bakeoff.runs import Stages


@contextmanager
def needed() -> Iterator[None]:
    """Import parts that may be missing. Raises `MissingPiece` for a missing part."""
    try:
        yield
    except ModuleNotFoundError as error:
        part = error.name or ""
        if not part.startswith("bakeoff."):
            raise
        raise MissingPiece(
            f"this needs {part}, which is not installed; install the whole of bakeoff again"
        ) from None


def real_stages() -> Stages:
    """Real servers, the real engine, the real clock, and the user's history if it is installed."""
    from bakeoff.runs import Stages

    return _with_history(Stages())


def _with_history(stages: Stages) -> Stages:
    if not find_spec("bakeoff.history"):
        return stages
    from bakeoff.history.user import UserHistory

    return replace(stages, history=UserHistory())


@contextmanager
def place(
    cluster: str | None,
    may_load: Sequence[str],
    here: Environment,
    say: Callable[[str], object],
    server_nodes: int = 1,
) -> Iterator[tuple[Environment, Stages]]:
    """The environment of a run, and its stages, on the `cluster` at an address; None: `here`.

    Contenders are rotated over this number of `server_nodes`. Raises `BadUsage`, and `MissingPiece`
    where the cluster lacks something.
    """
    if cluster is None:
        if server_nodes > 1:
            raise BadUsage(f"--server-nodes {server_nodes}: is for --cluster; this is one machine")
        yield here, real_stages()
        return
    with needed():
        from bakeoff.cluster.joining import joined

    say(f"joining the cluster {cluster}")
    with joined(cluster, may_load, say, server_nodes) as there:
        yield here.on(there.facts), _with_history(there.stages)
