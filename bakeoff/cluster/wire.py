"""What goes between the nodes: calls, and what they come to.

Apart from the host, which runs as `__main__`: its classes couldn't be read elsewhere.
"""

from dataclasses import dataclass
from typing import Any

from bakeoff.model.errors import BadFile, BadUsage, BakeoffError


@dataclass(frozen=True)
class Call:
    """A method of the object that the node knows by `key`, with its arguments."""

    key: str
    name: str
    arguments: tuple[Any, ...]
    named: dict[str, Any]


@dataclass(frozen=True)
class Resident:
    """What came of a call that stays on its node: its key there, and attributes that don't change.

    A process can't be sent, nor can an open file.
    """

    key: str
    seen: dict[str, Any]


@dataclass(frozen=True)
class Failed:
    """The error that a call ended with."""

    error: BakeoffError

    @classmethod
    def of(cls, error: BakeoffError) -> "Failed":
        return cls(BadUsage(str(error)) if isinstance(error, BadFile) else error)
