"""Fields of requests, `{{COLUMN}}`, `{{random LOW HIGH}}`, `{{hex N}}`: as the engine fills them.

What is filled in here is one request to look at an answer; the engine draws its own.
"""

import re
from collections.abc import Collection, Mapping
from random import Random

from bakeoff.model.errors import nearest

FIELD = re.compile(r"\{\{(.*?)\}\}", re.DOTALL)
_RANDOM = re.compile(r"random\s+([+-]?\d+)\s+([+-]?\d+)")
_HEX = re.compile(r"hex\s+(\d+)")
HEX_MAX = 1024


def has_fields(text: str) -> bool:
    """Whether anything is filled into `text`."""
    return "{{" in text


def fault(text: str, names: Collection[str]) -> str:
    """Why `text` can't be filled in, with the columns and tokens called `names`; empty: it can."""
    if "{{" in FIELD.sub("", text):
        return "has a {{ without }}"
    for inside in (match[1].strip() for match in FIELD.finditer(text)):
        if inside in names:
            continue
        if (limits := _RANDOM.fullmatch(inside)) and int(limits[1]) <= int(limits[2]):
            continue
        if (digits := _HEX.fullmatch(inside)) and 1 <= int(digits[1]) <= HEX_MAX:
            continue
        if limits:
            return f"has {{{{{inside}}}}}, whose higher limit comes first"
        if digits:
            return f"has {{{{{inside}}}}}; hex takes 1 to {HEX_MAX} digits"
        known = [*names, "random LOW HIGH", "hex N"]
        hint = nearest(inside, known, "fields are")
        return f"has {{{{{inside[:40]}}}}}, which is not a field{hint}"
    return ""


def drawn(field: str, chance: Random) -> str:
    """A value for `random LOW HIGH` or `hex N`, which has no braces."""
    if limits := _RANDOM.fullmatch(field):
        return str(chance.randint(int(limits[1]), int(limits[2])))
    digits = _HEX.fullmatch(field)
    return "".join(chance.choices("0123456789abcdef", k=int(digits[1]))) if digits else ""


def filled(text: str, values: Mapping[str, str]) -> str:
    """`text` with `values` for its columns and tokens, the lowest number, and zeros."""

    def value(match: re.Match[str]) -> str:
        inside = match[1].strip()
        if inside in values:
            return values[inside]
        if limits := _RANDOM.fullmatch(inside):
            return str(int(limits[1]))
        digits = _HEX.fullmatch(inside)
        return "0" * int(digits[1]) if digits else match[0]

    return FIELD.sub(value, text)
