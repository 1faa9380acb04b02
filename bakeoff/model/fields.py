"""Parts of requests and answers: fields that are filled in, numbers, rows of data."""

import csv
import io
import re
from collections.abc import Collection, Mapping
from functools import cache
from random import Random

from bakeoff.model.errors import nearest


@cache
def numbers(length: int) -> bytes:
    """The numbers from 1, one a line, cut after `length` bytes: `seq 1 1000000 | head -c LENGTH`.

    All pieces of it differ, so omitted and repeated parts are noticed.
    """
    text = bytearray()
    number = 1
    while len(text) < length:
        text += b"%d\n" % number
        number += 1
    return bytes(text[:length])


def rows_of(data: bytes) -> list[list[str]]:
    """Comma-separated values, the columns' names first; there is at least one row of values.

    Raises ValueError that names the line.
    """
    try:
        reader = csv.reader(io.StringIO(data.decode(), newline=""), strict=True)
        rows = [(reader.line_num, row) for row in reader if row]
    except UnicodeDecodeError as error:
        raise ValueError(f"line {data[: error.start].count(10) + 1}: is not UTF-8") from None
    except csv.Error as error:
        raise ValueError(f"line {reader.line_num}: {error}") from None
    columns = [name.strip() for name in rows[0][1]] if rows else []
    if not all(columns):
        raise ValueError(f"line 1: column {columns.index('') + 1} has no name")
    if twice := [name for name in columns if columns.count(name) > 1]:
        raise ValueError(f"line 1: two columns are called {twice[0]}")
    if len(rows) < 2:
        raise ValueError("there is no row of values below the line that names the columns")
    for line, row in rows:
        if len(row) != len(columns):
            values = f"the row has {len(row)} of {len(columns)} values"
            raise ValueError(f"line {line}: {values}")
    return [columns, *(row for _, row in rows[1:])]


FIELD = re.compile(r"\{\{(.*?)\}\}", re.DOTALL)
_RANDOM = re.compile(r"random\s+([+-]?\d+)\s+([+-]?\d+)")
_HEX = re.compile(r"hex\s+(\d+)")
HEX_MAX = 1024


def has_fields(text: str) -> bool:
    """Whether `text` has fields to fill in."""
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
