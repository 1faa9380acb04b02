"""What earlier runs on this machine have shown of a program."""

from pydantic import NonNegativeFloat

from bakeoff.model.audit import Audit
from bakeoff.model.base import Contract


class Program(Contract):
    """`audit` is how it treats a connection; `flat`: it was as fast as ever from its first slice
    on; `warming_ms` is for how long a process was loaded before a draw, the median. None: nobody
    knows."""

    audit: Audit | None = None
    flat: bool | None = None
    warming_ms: NonNegativeFloat | None = None
