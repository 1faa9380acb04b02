"""The shape of a JSON value: `expect.json` of workloads and of the engine's request files.

A string names a type, or several: "number", "string|null", "any". An object has the required keys
(others are allowed, and `"note?"` may be missing), an array the one shape of all its elements, or
none: any array.
"""

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import AfterValidator, JsonValue

TYPES = ("string", "number", "boolean", "null", "any")


def checked_shape(shape: JsonValue) -> JsonValue:
    """`shape`. Raises ValueError with the place that is not a shape."""
    if fault := _fault(shape, ""):
        raise ValueError(fault)
    return shape


def mismatch(value: Any, shape: JsonValue, place: str = "") -> str:
    """Where a value read from JSON differs from `shape`, as in `/id is string, not number`.

    Empty: they agree.
    """
    if isinstance(shape, str):
        names = shape.split("|")
        if "any" in names or _type(value) in names:
            return ""
        return f"{place or 'it'} is {_type(value)}, not {' or '.join(names)}"
    if isinstance(shape, list):
        if not isinstance(value, list):
            return f"{place or 'it'} is {_type(value)}, not an array"
        each = (mismatch(one, shape[0], f"{place}/{n}") for n, one in enumerate(value) if shape)
        return next(filter(None, each), "")
    assert isinstance(shape, dict)
    if not isinstance(value, dict):
        return f"{place or 'it'} is {_type(value)}, not an object"
    for key, inner in shape.items():
        name = key.removesuffix("?")
        if name in value:
            if fault := mismatch(value[name], inner, f"{place}/{name}"):
                return fault
        elif name == key:
            return f"{place}/{name} is missing"
    return ""


def shape_of(values: Sequence[Any]) -> JsonValue:
    """The narrowest shape that all of `values` have; there is at least one.

    A place that was only null, or sometimes an object and sometimes not, may be anything.
    """
    types = {_type(value) for value in values}
    if types == {"object"}:
        keys = dict.fromkeys(key for value in values for key in value)
        # A `?` at the end of a key would be read as optional.
        found = {
            key: [value[key] for value in values if key in value]
            for key in keys
            if not key.endswith("?")
        }
        return {
            key if len(inner) == len(values) else f"{key}?": shape_of(inner)
            for key, inner in found.items()
        }
    if types == {"array"}:
        elements = [element for value in values for element in value]
        return [shape_of(elements)] if elements else []
    if types == {"null"} or not types <= set(TYPES):
        return "any"
    return "|".join(name for name in TYPES if name in types)


def _type(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    names = {str: "string", int: "number", float: "number", dict: "object", list: "array"}
    return names.get(type(value), "null")


def _fault(shape: JsonValue, place: str) -> str:
    where = f"at {place} " if place else ""
    if isinstance(shape, str):
        wrong = [name for name in shape.split("|") if name not in TYPES]
        known = f"there are {', '.join(TYPES)}, and several as in string|null"
        return f"has {where}`{wrong[0]}`, which is not a type; {known}" if wrong else ""
    if isinstance(shape, list):
        if len(shape) > 1:
            return f"has {where}an array of {len(shape)} shapes; it takes one for all elements"
        return _fault(shape[0], f"{place}/0") if shape else ""
    if isinstance(shape, dict):
        each = (_fault(inner, f"{place}/{key}") for key, inner in shape.items())
        return next(filter(None, each), "")
    return f'has {where}{shape!r}; it takes the name of a type ("number"), an object or an array'


Shape = Annotated[JsonValue, AfterValidator(checked_shape)]
