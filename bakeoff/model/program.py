"""What earlier runs on this machine have shown of a program."""

from bakeoff.model.audit import Audit
from bakeoff.model.base import Contract


class Program(Contract):
    """`audit` is how it treats a connection; `flat`: it was as fast as ever from its first slice
    on. None: nobody knows."""

    audit: Audit | None = None
    flat: bool | None = None
