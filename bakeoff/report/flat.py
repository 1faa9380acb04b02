"""A contract as a row of data: nested ones become columns, a ratio becomes its figure and its ends.

Column names are the keys, joined: `latency_us` with `p50` is `latency_p50_us`, and `cpu_ratio` is
`cpu_ratio`, `cpu_ratio_low_95`, `cpu_ratio_high_95`, `cpu_ratio_n`. A list has no column.
"""

from collections.abc import Collection
from datetime import datetime
from typing import Any, get_args, get_origin

from bakeoff.model.base import Contract
from bakeoff.model.finding import Finding
from bakeoff.model.ratio import Ratio
from bakeoff.report.document import Value
from bakeoff.report.sentences import joined

_UNITS = ("_us_per_request", "_us", "_mib")
_OF_RATIO = {"ratio": "", "low": "_low_95", "high": "_high_95"}


def flat(given: Contract, without: Collection[str] = ()) -> dict[str, Value]:
    return part(type(given), given, "", without)


def part(
    contract: type[Contract], given: Contract | None, name: str, without: Collection[str] = ()
) -> dict[str, Value]:
    """The columns of a part called `name`; a missing part has the same columns, without values."""
    row: dict[str, Value] = {}
    for key, field in contract.model_fields.items():
        if key not in without:
            column = _named(name, key, is_ratio=issubclass(contract, Ratio))
            row |= _column(field.annotation, given and getattr(given, key), column)
    return row


def _named(name: str, key: str, *, is_ratio: bool) -> str:
    if is_ratio and key in _OF_RATIO:
        return f"{name}{_OF_RATIO[key]}"
    unit = next((unit for unit in _UNITS if name.endswith(unit)), "")
    return "_".join(filter(None, (name.removesuffix(unit), key))) + unit


def _column(kind: Any, value: Any, name: str) -> dict[str, Value]:
    kinds = (kind, *get_args(kind))
    contract = next((of for of in kinds if isinstance(of, type) and issubclass(of, Contract)), None)
    if contract is Finding:
        return {name: joined(value if isinstance(value, tuple) else (value,) if value else ())}
    if {get_origin(of) for of in kinds} & {tuple, dict}:
        return {}
    if contract:
        return part(contract, value, name)
    if isinstance(value, datetime):
        return {name: zulu(value)}
    return {name: value}


def zulu(at: datetime) -> str:
    """A moment as JSON and CSV have it: `2026-11-28T11:34:23Z`."""
    return at.isoformat().replace("+00:00", "Z")
