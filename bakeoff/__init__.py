"""bakeoff: head-to-head HTTP server benchmarks that know when it is a tie.

    import bakeoff

    run = bakeoff.race("nginx", "./mine", connections=64, duration="20s")
    run.verdict.pairs                               who is faster, by how much, how sure
    run.entries(), run.blocks()                     data frames
    run.latencies("nginx").percentile(99.9)         µs
    bakeoff.open_run("runs/latest").to_markdown()
    bakeoff.compare("runs/before", "runs/after")

Importing this package loads nothing else until one of its names is used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bakeoff.library import (
        capacity,
        compare,
        crosscheck,
        day,
        draws,
        open_run,
        race,
        replay,
        why,
    )
    from bakeoff.model.errors import (
        BadFile,
        BadUsage,
        BakeoffError,
        ContenderOut,
        MissingPiece,
        NoVerdict,
    )
    from bakeoff.runs.results import Comparison, Latencies
    from bakeoff.runs.run import AnyRun as Run

__version__ = "0.2.0"
__repository__ = "OWNER/bakeoff"
"""Where it is published. This and the version are named here alone: the package's metadata takes
them from here, and `make schemas` writes them into documents."""

__all__ = [
    "BadFile",
    "BadUsage",
    "BakeoffError",
    "Comparison",
    "ContenderOut",
    "Latencies",
    "MissingPiece",
    "NoVerdict",
    "Run",
    "capacity",
    "compare",
    "crosscheck",
    "day",
    "draws",
    "open_run",
    "race",
    "replay",
    "why",
]

_HOMES = {
    "Comparison": "bakeoff.runs.results",
    "Latencies": "bakeoff.runs.results",
    "Run": "bakeoff.runs",
}
"""Where a name is, if it is neither a function of the library nor an error."""


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name not in __all__:
        raise AttributeError(f"module 'bakeoff' has no attribute {name!r}")
    usual = "bakeoff.library" if name.islower() else "bakeoff.model.errors"
    value = getattr(import_module(_HOMES.get(name, usual)), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
