"""From a gate as it is typed, `new >= 0.98 * old`, to a `Gate`."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

from bakeoff.model.errors import BadUsage, nearest
from bakeoff.model.gate import Gate, Sign

_TOKEN = re.compile(
    r"""\s*(?:
        (?P<quoted>"[^"]*"|'[^']*')
      | (?P<sign>>=|<=|>|<)
      | (?P<times>\*)
      | (?P<bare>[^\s"'<>*]+)
    )""",
    re.VERBOSE,
)
_NUMBER = re.compile(r"(\d+(?:\.\d*)?|\.\d+)(%?)")
_SIGNS = get_args(Sign)
RACE_GRAMMAR = (
    "NAME >= [FACTOR *] NAME, with one of >= > <= <, a factor such as 0.98 or 98%, and quotes "
    "around a name with spaces, as in 'new >= 0.98 * old' or '\"node new.js\" >= \"node old.js\"'"
)
RUNS_GRAMMAR = (
    "NAME >= FACTOR, with one of >= > <= <, a factor such as 0.98 or 98%, and quotes around a name "
    "with spaces, as in 'nginx >= 0.98' or '\"node app.js\" >= 98%'"
)


@dataclass(frozen=True)
class _Token:
    """One word; a `quoted` one is a name whatever it looks like."""

    text: str
    quoted: bool = False

    @property
    def number(self) -> float | None:
        """The factor that it stands for; None: it is none."""
        match = None if self.quoted else _NUMBER.fullmatch(self.text)
        return float(match[1]) / (100 if match[2] else 1) if match else None

    @property
    def is_sign(self) -> bool:
        """Whether it is one of the four signs."""
        return not self.quoted and self.text in _SIGNS

    @property
    def is_name(self) -> bool:
        """Whether it can name a contender."""
        return self.quoted or not (self.is_sign or self.text == "*" or self.number is not None)


def race_gate(text: str, names: Sequence[str]) -> Gate:
    """`NAME >= [FACTOR *] NAME`, both among `names`. Raises `BadUsage`."""
    left, sign, *rest = _tokens(text, RACE_GRAMMAR)
    factor = 1.0
    if len(rest) == 3 and rest[1] == _Token("*") and rest[0].number is not None:
        factor = rest[0].number
        rest = rest[2:]
    if len(rest) != 1 or not rest[0].is_name:
        raise _unreadable(text, RACE_GRAMMAR)
    gate = _checked(text, left, sign, factor, rest[0].text, names)
    if gate.left == gate.right:
        raise BadUsage(f"--gate {text}: holds {gate.left} against itself; it takes two names")
    return gate


def runs_gate(text: str, names: Sequence[str]) -> Gate:
    """`NAME >= FACTOR`, one of `names` against itself in the earlier run. Raises `BadUsage`."""
    left, sign, *rest = _tokens(text, RUNS_GRAMMAR)
    factor = rest[0].number if len(rest) == 1 else None
    if factor is None:
        raise _unreadable(text, RUNS_GRAMMAR)
    return _checked(text, left, sign, factor, None, names)


def _tokens(text: str, grammar: str) -> list[_Token]:
    """The words of a gate: a name, a sign, and one word at least."""
    tokens: list[_Token] = []
    place, end = 0, len(text.rstrip())
    while place < end:
        match = _TOKEN.match(text, place)
        if match is None:
            raise _unreadable(text, grammar)
        quoted = match["quoted"]
        tokens.append(_Token(quoted[1:-1], True) if quoted else _Token(match[0].strip()))
        place = match.end()
    if len(tokens) < 3 or not tokens[0].is_name or not tokens[1].is_sign:
        raise _unreadable(text, grammar)
    return tokens


def _checked(
    text: str, left: _Token, sign: _Token, factor: float, right: str | None, names: Sequence[str]
) -> Gate:
    if factor <= 0:
        raise BadUsage(f"--gate {text}: its factor is {factor:g}; it takes a number above zero")
    for name in (left.text, right):
        if name is not None and name not in names:
            hint = nearest(name, names, "there are")
            raise BadUsage(f"--gate {text}: there is no {name} here{hint}")
    return Gate.model_validate(
        {"text": text, "left": left.text, "sign": sign.text, "factor": factor, "right": right}
    )


def _unreadable(text: str, grammar: str) -> BadUsage:
    return BadUsage(f"--gate {text}: can't be read; it takes {grammar}")
