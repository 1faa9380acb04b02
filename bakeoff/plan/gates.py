"""From a gate as it is typed, `new >= 0.98 * old`, to a `Gate`."""

import re
from collections.abc import Mapping, Sequence
from math import log, log1p

from bakeoff.model.errors import BadUsage, nearest
from bakeoff.model.gate import Gate

_FACTOR = r"(?:\d+(?:\.\d*)?|\.\d+)%?"
# A bare word that looks like a factor isn't a name, but a quoted one is.
_NAME = rf"""(?:"[^"]*"|'[^']*'|(?!{_FACTOR}(?:[\s"'<>*]|$))[^\s"'<>*]+)"""
_LEFT = rf"\s*(?P<left>{_NAME})\s*(?P<sign>[<>]=|[<>](?!=))\s*"
_RACE_GATE = re.compile(rf"{_LEFT}(?:(?P<factor>{_FACTOR})\s*\*\s*)?(?P<right>{_NAME})\s*")
_RUNS_GATE = re.compile(rf"{_LEFT}(?P<factor>{_FACTOR})\s*")
RACE_GRAMMAR = (
    "NAME >= [FACTOR *] NAME, with one of >= > <= <, a factor such as 0.98 or 98%, and quotes "
    "around a name with spaces, as in 'new >= 0.98 * old' or '\"app.js --new\" >= app.js'"
)
RUNS_GRAMMAR = (
    "NAME >= FACTOR, with one of >= > <= <, a factor such as 0.98 or 98%, and quotes around a name "
    "with spaces, as in 'nginx >= 0.98' or '\"node app.js\" >= 98%'"
)


def race_gate(
    text: str,
    names: Sequence[str],
    typed: Mapping[str, str] | None = None,
    *,
    within: float | None = None,
    precision: float | None = None,
) -> Gate:
    """`NAME >= [FACTOR *] NAME`, both among `names`, or as in the command line (`typed`: text →
    name).

    A margin `within` takes the place of a factor. An interval of ± `precision` must be able to
    decide the gate. Raises `BadUsage`.
    """
    gate = _gate(text, _RACE_GATE, RACE_GRAMMAR, names, typed or {})
    if gate.left == gate.right:
        raise BadUsage(f"--gate {text}: compares {gate.left} with itself; it takes two names")
    if within:
        if gate.factor != 1:
            raise BadUsage(
                f"--gate {text}: has a margin of its own, and --within {within * 100:g}% is "
                f"another; write '{gate.left} {gate.sign} {gate.right}', or leave --within out"
            )
        lower = gate.sign in (">", ">=")
        factor = 1 / (1 + within) if lower else 1 + within
        gate = gate.model_copy(update={"factor": factor})
    if precision and log1p(precision) >= abs(log(gate.factor)):
        way = "a smaller --precision" if gate.factor != 1 else "a larger margin, as --within has"
        raise BadUsage(
            f"--gate {text}: a precision of ±{precision * 100:g} % can't decide it for equal "
            f"servers; take {way}, or --until decided"
        )
    return gate


def runs_gate(text: str, names: Sequence[str]) -> Gate:
    """`NAME >= FACTOR`: one of `names` and itself in the earlier run. Raises `BadUsage`."""
    return _gate(text, _RUNS_GATE, RUNS_GRAMMAR, names, {})


def _gate(
    text: str,
    pattern: re.Pattern[str],
    grammar: str,
    names: Sequence[str],
    typed: Mapping[str, str],
) -> Gate:
    match = pattern.fullmatch(text)
    if match is None:
        raise BadUsage(f"--gate {text}: can't be read; it takes {grammar}")
    parts = match.groupdict()
    factor = parts["factor"] or "1"
    number = float(factor.rstrip("%")) / (100 if factor.endswith("%") else 1)
    if number <= 0:
        raise BadUsage(f"--gate {text}: its factor is {number:g}; it takes a number above zero")
    sides = {
        side: name[1:-1] if name and name[0] in "\"'" else name
        for side in ("left", "right")
        for name in [parts.get(side)]
    }
    sides = {side: typed.get(name or "", name) for side, name in sides.items()}
    for name in sides.values():
        if name is not None and name not in names:
            hint = nearest(name, names, "there are")
            raise BadUsage(f"--gate {text}: there is no {name} here{hint}")
    return Gate.model_validate({"text": text, "sign": parts["sign"], "factor": number, **sides})
