"""earlier.json: what the history had of other races in a race's setting when it ended.

A race is judged from its folder alone, so what is needed of its past is kept there. And what
earlier runs on this machine have shown of a program.
"""

from typing import Annotated, Literal

from pydantic import Field, NonNegativeFloat

from bakeoff.model.audit import Audit
from bakeoff.model.base import Contract
from bakeoff.model.history import Id

EARLIER_MIN = 4
"""Fewer earlier races predict nothing: Student's quantile would be above 3."""


class EarlierRatio(Contract):
    """The ratio of `a` over `b` in a `run`, with the standard error of its logarithm.

    Both are builds: servers whose version, sources and surroundings (kernel, bakeoff) are the same
    have the same id, as far as the history knows them.
    """

    run: Id
    a: Id
    b: Id
    ratio: float
    error: Annotated[float, Field(gt=0)]


class Earlier(Contract):
    """Races of the same workload, load and protocol on the same class of machine.

    `builds` are those of this race, by entry.
    """

    schema_: Literal["bakeoff.earlier/1"] = Field("bakeoff.earlier/1", alias="schema")
    builds: dict[str, Id]
    ratios: tuple[EarlierRatio, ...] = ()


class Program(Contract):
    """`audit` is how it treats a connection; `flat`: it was as fast as ever from its first slice
    on; `warming_ms` is for how long a process was loaded before a draw, the median. None: nobody
    knows."""

    audit: Audit | None = None
    flat: bool | None = None
    warming_ms: NonNegativeFloat | None = None
