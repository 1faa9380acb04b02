"""The row of a finding: everything about one code, as data."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from bakeoff.model.findings.values import Value

_FIELD = re.compile(r"\{([\w,]+)(?::([^{}]*))?\}")
_OPTIONAL = re.compile(r"\[([^\[\]]*)\]")


@dataclass(frozen=True)
class Row:
    """The texts of a finding of one code.

    `sentence` and `several` are templates, which `report/template.py` explains. The fields of the
    sentence are the finding's values; `{because}` has the findings on which it rests.
    """

    sentence: str
    several: str = ""
    """The sentence for contenders with the same finding, whose values are then lists."""
    advice: str = ""
    """What to do, in a few words after the sentence."""
    more: str = ""
    """The documents' addition: the meaning, if the sentence does not explain it, and what to do."""
    because: str = ""
    """The code of a finding on which it may rest, for its example."""
    example: Mapping[str, Value] = field(default_factory=dict[str, Value])
    """Values of its example that are not those of `VALUES`."""

    @property
    def values(self) -> tuple[str, ...]:
        """The names of its values, in the order of the sentence."""
        return _names(self.sentence)

    @property
    def optional(self) -> set[str]:
        """The names of values that may be null: those in brackets, and the ends of intervals."""
        rest = _OPTIONAL.sub("", self.sentence)
        needed = {
            name
            for own, form in _FIELD.findall(rest)
            for name in own.split(",")[: 1 if form == "interval" else None]
        }
        return set(self.values) - needed

    @property
    def meaning(self) -> str:
        """The sentence with the names of its values, and the documents' addition."""
        said = _FIELD.sub(_named, re.sub(r"[\[\]<>]", "", self.sentence))
        return f"{said}. {self.more}".strip()


def _names(template: str) -> tuple[str, ...]:
    names = (name for field, _ in _FIELD.findall(template) for name in field.split(","))
    return tuple(dict.fromkeys(name for name in names if name != "because"))


def _named(field: re.Match[str]) -> str:
    """A field without its values: a word that depends on a number is a plural, a flag is set."""
    names, form = [f"`{name}`" for name in field[1].split(",")], field[2] or ""
    one, bar, more = form.removeprefix("# ").partition("|")
    if form.startswith("# "):
        return f"{names[0]} {more if bar else f'{one}s'}"
    if bar or form[:2] in ("; ", ", "):
        return more or form
    return f"{names[0]} ({names[1]} to {names[2]})" if form == "interval" else ", ".join(names)
