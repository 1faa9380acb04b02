"""The shape that several values of JSON have in common, and the places where they differ."""

from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import JsonValue

OPTIONAL_MAX = 16
"""An object with more keys that come and go is no record but a table: its keys are data."""
_TYPES = ("string", "number", "boolean", "null")
_MISSING = object()


def shape_of(values: Sequence[Any]) -> JsonValue:
    """The narrowest shape that all of `values` have, of which there is one at least.

    What was only seen as null, or now as an object and now as something else, may be anything.
    """
    if all(isinstance(value, dict) for value in values):
        return _object(values)
    if all(isinstance(value, list) for value in values):
        elements = [element for value in values for element in value]
        return [shape_of(elements)] if elements else []
    types = {_type(value) for value in values}
    if types == {"null"} or not types <= set(_TYPES):
        return "any"
    return "|".join(each for each in _TYPES if each in types)


def varying(values: Sequence[Any], where: str = "") -> Iterator[str]:
    """Which places of `values` are not the same in all: `time`, `user.id`, `items[].price`."""
    first = values[0]
    if all(value == first for value in values):
        return
    if all(isinstance(value, dict) for value in values):
        keys = dict.fromkeys(key for value in values for key in value)
        for key in keys:
            inner = [value.get(key, _MISSING) for value in values]
            # What comes and goes varies as a whole.
            yield from [_at(where, key)] if _MISSING in inner else varying(inner, _at(where, key))
    elif all(isinstance(value, list) and len(value) == len(first) for value in values):
        places = (varying(each, f"{where}[]") for each in zip(*values, strict=True))
        yield from dict.fromkeys(name for place in places for name in place)
    else:
        yield where or "all of it"


def numbers(value: Any, where: str = "") -> Iterator[tuple[str, int]]:
    """Whole numbers in it, outside of arrays, and where."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from numbers(inner, _at(where, key))
    elif isinstance(value, int) and not isinstance(value, bool):
        yield where or "the answer", value


def _object(values: Sequence[dict[str, Any]]) -> JsonValue:
    keys = dict.fromkeys(key for value in values for key in value)
    # Whoever reads the shape takes a `?` at the end for its own.
    known = {
        key: [value[key] for value in values if key in value]
        for key in keys
        if not key.endswith("?")
    }
    always = {key: shape_of(each) for key, each in known.items() if len(each) == len(values)}
    sometimes = [key for key in known if key not in always]
    if len(sometimes) > OPTIONAL_MAX:
        return always
    return {**always, **{f"{key}?": shape_of(known[key]) for key in sometimes}}


def _type(value: Any) -> str:
    if value is None:
        return "null"
    # bool is an int to Python.
    for kind, name in (((bool,), "boolean"), ((int, float), "number"), ((str,), "string")):
        if isinstance(value, kind):
            return name
    return "object" if isinstance(value, dict) else "array"


def _at(where: str, key: str) -> str:
    return f"{where}.{key}" if where else key
