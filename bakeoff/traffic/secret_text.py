"""Secrets in text of any kind: `name: value`, XML, GraphQL, addresses with a password."""

import re
from collections.abc import Callable, Iterator

from bakeoff.traffic.tokens import LEFT_OUT, TOKEN, called, is_secret, without_tokens

_NAME = r"(?P<name>[A-Za-z_][\w.\[\]-]{0,80})"
_BEGIN = r"(?<![\w.])(?<!://)"
# `password: "x"`, `"password":"x"`, the same with `\"`, and GraphQL's `$password: String = "x"`.
_QUOTED = re.compile(
    _BEGIN
    + _NAME
    + r"""\\*["']?\s*(?:=>|:=|[:=])\s*(?:\w+!?\s*=\s*)?"""
    + r"""(?P<open>\"{3}|\\+["']|["'`])(?P<value>(?:\\.|(?!(?P=open)).)*?)(?:(?P=open)|\Z)""",
    re.S,
)
# A line of its own, as in a file of settings, a head, or a form that is sent as text.
_LINE = re.compile(
    rf"^[ \t]*(?:- |export |set )?{_NAME}[ \t]*[:=](?!//)[ \t]*(?P<value>\S.*)", re.M
)
_BARE = re.compile(
    _BEGIN + _NAME + r"""\\*["']?\s*(?:=>|:=|:(?!:|//)|=)\s*(?P<value>[^\s&;,(){}\[\]<>"'`\\]+)"""
)
_NUMBER = re.compile(_NAME + r"\s*:\s*(?P<value>\d[\d.]*)")
_BEARER = re.compile(r"\bBearer (?P<value>[^\s\"'<>,;]{6,})", re.I)
_BASIC = re.compile(r"\bBasic (?P<value>(?=\S*[A-Z0-9=])[A-Za-z0-9+/_-]{6,}=*)", re.I)
_USER = re.compile(r"://[^\s/:@\"'<>]*:(?P<value>[^\s/@\"'<>]+)@")
_GRAPHQL = re.compile(
    r"\s*(?:#.*\n\s*)*(?:(?:query|mutation|subscription|fragment)\b[^{]*)?\{\s*[\w.#]"
)
_MARKUP = re.compile(
    r"<!--.*?(?:-->|\Z)|<!\[CDATA\[(?P<data>.*?)(?:\]\]>|\Z)"
    r"|<(?P<close>/?)(?P<tag>[A-Za-z_][\w:.-]*)(?:[^<>\"']++|\"[^\"]*\"|'[^']*')*+>|(?P<text>[^<]+)",
    re.S,
)
_ATTRIBUTE = re.compile(r"""(?P<name>[\w:.-]+)\s*=\s*(?P<value>"[^"]*"|'[^']*')""")
_NAMES = {"name", "key", "id", "field"}
"""Names of elements and attributes whose content is the name of the value beside them."""
_OPEN_MAX = 16
"""An element may have this many inside it without end tags."""


def cleaned_text(text: str, found: set[str]) -> str:
    """`text` with `LEFT_OUT` for its secrets, whose names go into `found`."""
    if text.lstrip("\ufeff \t\r\n").startswith("<"):
        return "".join(_markup(text, found))
    if _GRAPHQL.match(text):
        # A value without quotes is a variable or a type; the secrets are where these are set.
        return _in_line(text, found, (_QUOTED, _NUMBER))
    return _in_line(text, found, (_QUOTED, _LINE, _BARE))


def cleaned_line(text: str, found: set[str]) -> str:
    """The same for a piece of text in which lines have no meaning."""
    return _in_line(text, found, (_QUOTED, _BARE))


def _in_line(text: str, found: set[str], rules: tuple[re.Pattern[str], ...]) -> str:
    without = without_tokens(text)
    if without != text:
        found.add(TOKEN)
    for rule in rules:
        without = rule.sub(_named(found), without)
    for rule in (_BEARER, _BASIC, _USER):
        without = rule.sub(_replaced(found), without)
    return without


def _named(found: set[str]) -> Callable[[re.Match[str]], str]:
    def replaced(match: re.Match[str]) -> str:
        nothing = match["value"].strip().lower() in ("", "null", "true", "false")
        if nothing or not is_secret(match["name"], match["value"]):
            return match[0]
        found.add(called(match["name"]))
        return _with(match, "value", LEFT_OUT)

    return replaced


def _replaced(found: set[str]) -> Callable[[re.Match[str]], str]:
    def replaced(match: re.Match[str]) -> str:
        if match["value"] != LEFT_OUT:
            found.add(TOKEN)
        return _with(match, "value", LEFT_OUT)

    return replaced


def _with(match: re.Match[str], group: str, value: str) -> str:
    begin, end = (at - match.start() for at in match.span(group))
    return match[0][:begin] + value + match[0][end:]


def _markup(text: str, found: set[str]) -> Iterator[str]:
    """The text of an element whose name, or whose `name="…"`, is a secret's is left out."""
    within: list[tuple[str, str | None]] = []
    of_next: str | None = None
    end = 0
    for match in _MARKUP.finditer(text):
        yield text[end : match.start()]
        end = match.end()
        if tag := match["tag"]:
            if match["close"]:
                _close(within, tag)
            elif not match[0].endswith("/>"):
                within.append((tag, _secret_of(tag, match[0])))
            yield _tag(match[0], tag, found)
            continue
        group = "data" if match["data"] is not None else "text" if match["text"] else None
        tag, secret = within[-1] if within else ("", None)
        if not group or not match[group].strip():
            yield cleaned_line(match[0], found)
        elif name := secret or of_next:
            found.add(called(name))
            of_next = None
            yield _with(match, group, LEFT_OUT)
        else:
            # As in a property list: <key>password</key><string>…
            inner = match[group].strip()
            of_next = inner if tag in _NAMES and is_secret(inner) else None
            yield _with(match, group, cleaned_line(match[group], found))
    yield text[end:]


def _close(within: list[tuple[str, str | None]], tag: str) -> None:
    """Close an element, and those in it without an end, as in HTML."""
    for at in reversed(range(max(0, len(within) - _OPEN_MAX), len(within))):
        if within[at][0] == tag:
            del within[at:]
            return


def _secret_of(tag: str, whole: str) -> str | None:
    """The name of the secret that an element holds, by its own name or that in an attribute."""
    if is_secret(_local(tag)):
        return tag
    named = (
        match["value"][1:-1]
        for match in _ATTRIBUTE.finditer(whole)
        if match["name"].lower() in _NAMES
    )
    return next(filter(is_secret, named), None)


def _tag(whole: str, tag: str, found: set[str]) -> str:
    """A tag with its attributes: `password="…"`, and `name="password" value="…"`."""
    held = _secret_of(tag, whole)

    def attribute(match: re.Match[str]) -> str:
        name, value = match["name"], match["value"][1:-1]
        is_held = held is not None and name.lower() in ("value", "content")
        if name.startswith("xmlns"):
            return match[0]
        if value and (is_held or is_secret(_local(name), value)):
            found.add(called(held if held and is_held else name))
            return _with(match, "value", f'"{LEFT_OUT}"')
        return _with(
            match, "value", match["value"][0] + cleaned_line(value, found) + match["value"][0]
        )

    return _ATTRIBUTE.sub(attribute, whole)


def _local(name: str) -> str:
    return name.rpartition(":")[2]
