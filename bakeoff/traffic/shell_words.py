"""Words of a shell's command line, as browsers write it: quotes, `$'…'` and line continuations.

shlex doesn't know `$'…'`, line continuations or the shell's substitutions.
"""

import re
from collections.abc import Iterator

from bakeoff.model.errors import BadUsage

_EXPANSION = r"(?P<expansion>\$[\w{(@*#?$!-]|`)"
_PIECE = re.compile(
    r"'(?P<single>[^']*)'"
    r"|\$'(?P<ansi>(?:\\.|[^'\\])*)'"
    r'|\$?"(?P<double>(?:\\.|[^"\\])*)"'
    r"|(?P<unclosed>\$?'|\")"
    r"|\\(?P<escaped>.?)"
    r"|(?P<end>[;&|\n])"
    r"|(?P<space>\s)"
    rf"|{_EXPANSION}"
    r"|(?P<plain>.)",
    re.S,
)
_IN_DOUBLE = re.compile(rf"\\(?P<escaped>.)|{_EXPANSION}", re.S)
_IN_ANSI = re.compile(
    r"\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|([0-7]{1,3})|(.))", re.S
)
_NAMED = {
    **{"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "f": "\f", "v": "\v"},
    **{char: char for char in "\\'\"?"},
}


def commands(text: str) -> list[list[str]]:
    """Each command's words: `;`, `&`, `|` and line breaks end one.

    Raises `BadUsage` where a quote isn't closed, or where the shell would substitute text.
    """
    found: list[list[str]] = [[]]
    for word in _words(text.replace("\r\n", "\n")):
        if word is None:
            found.append([])
        else:
            # Bytes that were written one by one may be a character.
            whole = word.encode(errors="surrogateescape")
            found[-1].append(whole.decode(errors="surrogateescape"))
    return [words for words in found if words]


def _words(text: str) -> Iterator[str | None]:
    word: str | None = None
    at = 0
    while piece := _PIECE.match(text, at):
        at = piece.end()
        kind = piece.lastgroup or ""
        inside = piece[kind]
        if kind in ("space", "end"):
            if word is not None:
                yield word
            word = None
            if kind == "end":
                yield None
        elif kind == "unclosed":
            raise BadUsage(f"curl: a {inside} is not closed; was the command cut off?")
        elif word is None and inside == "#" and kind == "plain":
            at = len(text) if (end := text.find("\n", at)) < 0 else end
        elif kind != "escaped" or inside != "\n":
            word = (word or "") + _unquoted(kind, inside, piece)
    if word is not None:
        yield word


def _unquoted(kind: str, inside: str, piece: re.Match[str]) -> str:
    if kind == "double":
        return _IN_DOUBLE.sub(_in_double, inside)
    if kind == "ansi":
        return _IN_ANSI.sub(_in_ansi, inside)
    if kind == "expansion":
        raise _expands(piece)
    return inside or ("\\" if kind == "escaped" else "")


def _in_double(found: re.Match[str]) -> str:
    escaped = found["escaped"]
    if escaped is None:
        raise _expands(found)
    return escaped if escaped in '"\\$`' else "" if escaped == "\n" else found[0]


def _in_ansi(found: re.Match[str]) -> str:
    """A character by its number; a byte beyond ASCII stays the byte (`surrogateescape`)."""
    if found[5]:
        return _NAMED.get(found[5], found[0])
    if found[1] or found[4]:
        byte = int(found[1], 16) if found[1] else int(found[4], 8) & 0xFF
        return bytes([byte]).decode(errors="surrogateescape")
    number = int(found[2] or found[3], 16)
    if number > 0x10FFFF or 0xD800 <= number < 0xE000:
        raise BadUsage(f"curl: {found[0]} is not a character")
    return chr(number)


def _expands(found: re.Match[str]) -> BadUsage:
    shown = found.string[found.start() : found.start() + 12].split()[0]
    return BadUsage(
        f"curl: the shell would fill in {shown}; write what it stands for, or quote it with '…'"
    )
