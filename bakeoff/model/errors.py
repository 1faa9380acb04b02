"""Errors, with the message for the user.

BakeoffError         3      a message and the exit status that goes with it
  BadUsage           2      the command line asks for something that makes no sense
    BadFile          2      a file breaks its contract: names file, key and what would be right
  MissingPiece       3      the machine or a tool lacks something: names how to get it
  ContenderOut       4      one contender cannot take part; the others go on
  NoVerdict          3      nothing can be judged
    TooFewLeft       3      too few contenders are left to go on
  NodeLost           3      a machine of the cluster is gone: what was measured is kept
"""

from __future__ import annotations

import difflib
import errno
import json
from collections.abc import Iterable, Mapping, Sequence
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bakeoff import __version__

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError

_SHOWN = 60
"""Characters of a wrong value that a message shows."""
_TAKES = {
    "bool_parsing": "true or false",
    "bool_type": "true or false",
    "dict_type": "a table",
    "float_parsing": "a number",
    "float_type": "a number",
    "greater_than": "a number above {gt:g}",
    "greater_than_equal": "{ge:g} or more",
    "int_from_float": "a whole number",
    "int_parsing": "a whole number",
    "int_type": "a whole number",
    "less_than": "a number below {lt:g}",
    "less_than_equal": "{le} or less",
    "list_type": "a list",
    "literal_error": "{expected}",
    "model_type": "a table",
    "string_too_short": "a text that is not empty",
    "string_type": "a text",
    "too_short": "{min_length} or more",
    "tuple_type": "a list",
}
"""What a value must be, by pydantic's name for the fault."""
_FORMS = {
    r"^/": "a path that begins with /",
    r"^[A-Z]+$": "capital letters, as in GET",
    r"^[a-z0-9-]+$": "a header name of letters, digits and hyphens",
    r"^[a-z0-9][a-z0-9-]*$": "lower-case letters, digits and hyphens",
    r"^[a-z0-9][a-z0-9._-]*$": "lower-case letters, digits and . _ -",
    r"^[0-9a-fA-F]{64}$": "64 hexadecimal digits",
    r"^(json (/.*)?|cookie [^\s=;]+|header [!#-'*+.^_`|~0-9A-Za-z-]+)$": (
        "json /POINTER, cookie NAME or header NAME"
    ),
    r"^[A-Za-z0-9][A-Za-z0-9._-]*$": "a file name of letters, digits and . _ -",
    r"^p\d+$": "names such as p50 and p99",
    r"^[A-Za-z_][A-Za-z0-9_.]*/[A-Za-z_][A-Za-z0-9_]*$": "a method as package.Service/Method",
}
"""The same for texts that have a pattern."""
NO_ROOM = (errno.ENOSPC, errno.EDQUOT)
"""The numbers of an OSError for a full disk."""


class Status(IntEnum):
    """The exit statuses of all commands except those that replace other programs."""

    DONE = 0
    GATE_FAILED = 1
    BAD_USAGE = 2
    NO_VERDICT = 3
    CONTENDER_OUT = 4
    INTERRUPTED = 130


STATUSES = {
    Status.DONE: "everything that was requested was measured and judged",
    Status.GATE_FAILED: "a gate failed",
    Status.BAD_USAGE: "wrong usage",
    Status.NO_VERDICT: "nothing could be judged, or something is missing on this machine",
    Status.CONTENDER_OUT: "a contender failed, or the run ended early; the rest has a verdict",
    Status.INTERRUPTED: "interrupted; finished blocks are kept",
}


class BakeoffError(Exception):
    """A fault with a plain message; `exit_status` is that of the process."""

    exit_status = Status.NO_VERDICT

    @property
    def brief(self) -> str:
        """The message for readers of the earlier output."""
        return str(self)


class BadUsage(BakeoffError):
    """The command line's arguments, or the things that they name, are wrong."""

    exit_status = Status.BAD_USAGE


class BadFile(BadUsage):
    """A file that breaks its contract."""

    def __init__(self, where: Path | str, key: str | None, fault: str) -> None:
        self.where, self.key, self.fault = where, key, fault
        super().__init__(f"{where}: {f'`{key}` ' if key else ''}{fault}")

    @classmethod
    def from_validation(
        cls, where: Path | str, contract: type[BaseModel], error: ValidationError
    ) -> BadFile:
        """pydantic's first fault; for an unknown key, with the nearest known one.

        An unknown key is reported before a missing one, of which it is often a misspelling, and
        before both a schema of another version, which explains them.
        """
        fault = min(
            error.errors(),
            key=lambda each: (each["loc"] != ("schema",), each["type"] != "extra_forbidden"),
        )
        if fault["loc"] == ("schema",) and fault["type"] == "literal_error":
            known = contract.model_fields["schema_"].default
            return cls.of_schema(where, str(fault["input"]), [known])
        # If a name in a table is at fault, pydantic puts [key] behind it.
        place = [part for part in fault["loc"] if part != "[key]"]
        *parents, last = place or ("",)
        key = ".".join(map(str, place))
        if fault["type"] == "extra_forbidden":
            known = _keys_at(contract, parents)
            return cls(where, key, f"is not a known key{nearest(str(last), known, 'known here')}")
        if fault["type"] == "missing":
            if isinstance(last, int):
                return cls(where, ".".join(map(str, parents)), "has too few values")
            return cls(where, key, "is missing")
        return cls(where, key or None, plain_fault(fault))

    @classmethod
    def of_schema(cls, where: Path | str, schema: str, known: Iterable[str]) -> BadFile:
        """A file whose schema is not among `known`, which can be read here."""
        name, _, number = schema.rpartition("/")
        here = next((each for each in known if each.rpartition("/")[0] == name), None)
        if here is None:
            return cls(where, "schema", f"is {schema}; known here: {', '.join(sorted(known))}")
        reads = f"bakeoff {__version__} reads {here}"
        ours = here.rpartition("/")[2]
        # As texts: Python converts no number of thousands of digits.
        if number.isdigit() and (len(number), number) > (len(ours), ours):
            return cls(
                where, "schema", f"is {schema}, of a newer bakeoff; {reads}: upgrade bakeoff"
            )
        fix = "measure it again" if name.endswith("plan") else "bakeoff report judges its run again"
        return cls(where, "schema", f"is {schema}, of an earlier bakeoff; {reads}: {fix}")


class MissingPiece(BakeoffError):
    """The machine or a tool lacks something that the work needs."""


class ContenderOut(BakeoffError):
    """A contender cannot take part. `str()` is the reason that the verdict gives."""

    exit_status = Status.CONTENDER_OUT


class ToolMissing(ContenderOut):
    """A contender needs a tool that isn't on this machine."""


class NoVerdict(BakeoffError):
    """Nothing can be judged: too few contenders are left, or too little was measured."""


class TooFewLeft(NoVerdict):
    """Fewer contenders are left than the run needs; `out` has why the others are out, by name."""

    def __init__(self, left: Iterable[str], out: Mapping[str, str]) -> None:
        self.out = out
        names = " and ".join(left)
        alone = f"there is nothing to compare {names} with (--keep-going measures it alone)"
        self._why = alone if names else "no contender can take part"
        super().__init__(f"{self._why}:\n{self.reasons}")

    @property
    def reasons(self) -> str:
        """A line for each contender that is out, with the end of its log."""
        return "\n".join(f"  {name}: {reason}" for name, reason in self.out.items())

    @property
    def brief(self) -> str:
        """Without the ends of logs."""
        firsts = {
            name: reason.partition("; the end of its log")[0] for name, reason in self.out.items()
        }
        return "\n".join([f"{self._why}:", *(f"  {name}: {why}" for name, why in firsts.items())])


class NodeLost(BakeoffError):
    """A machine that a run needs can't be reached any more: the run ends, and can go on later."""


def plain_fault(fault: Mapping[str, Any]) -> str:
    """What is wrong with a value, in words; our own validators name it themselves."""
    if fault["type"] == "value_error":
        return str(fault["msg"]).removeprefix("Value error, ")
    context = fault.get("ctx", {})
    takes = _TAKES.get(fault["type"], "").format(**context) or _FORMS.get(context.get("pattern"))
    if not takes:
        return f"is wrong: {fault['msg'][:1].lower()}{fault['msg'][1:]}"
    given = json.dumps(fault["input"], ensure_ascii=False, default=str, skipkeys=True)
    return f"is {given if len(given) <= _SHOWN else f'{given[:_SHOWN]}…'}; it takes {takes}"


def nearest(word: str, known: Iterable[str], label: str) -> str:
    """A clause that helps with a misspelt `word`: its nearest neighbours, or all that is known."""
    names = sorted(known)
    if meant := near(word, names):
        return f"; {meant}"
    return f"; {label}: {', '.join(names)}" if names else ""


def near(word: str, known: Sequence[str]) -> str:
    """The question whether a neighbour of `word` was meant; empty: it has none."""
    found = difflib.get_close_matches(word, known, n=3, cutoff=0.5)
    return f"did you mean {' or '.join(found)}?" if found else ""


def _keys_at(contract: type[BaseModel], parents: list[Any]) -> list[str]:
    """The keys that `contract` knows under `parents`, as long as they lead through contracts."""
    # Imported here, not above: it takes a tenth of a second, and every command has these errors.
    from pydantic import BaseModel

    fields = contract.model_fields
    for parent in parents:
        inner = getattr(fields.get(str(parent)), "annotation", None)
        for candidate in (inner, *getattr(inner, "__args__", ())):
            if isinstance(candidate, type) and issubclass(candidate, BaseModel):
                fields = candidate.model_fields
    return list(fields)
