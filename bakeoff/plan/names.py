"""Names of contenders: given ones, or the shortest words that differ."""

import re
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from bakeoff.model.errors import BadUsage

NAME_LENGTH_MAX = 28
"""With ` (twin)` behind it, it leaves room for the standings' ratio at 80 columns."""
_GIVEN = re.compile(r"(?P<name>[^\s=./-][^\s=]*)=(?P<rest>.*)", re.DOTALL)
_NAME = re.compile(r"[\w.+@-]+")
_FACTOR = re.compile(r"[\d.]+")
_VARIABLE = re.compile(r"[A-Za-z_]\w*=.*", re.DOTALL)
_FILLED_IN = re.compile(r"\{\w+\}|\$\{?(PORT|HOST|PROTOCOL)\b")
_SHELL = re.compile(r"(ba|da|z)?sh")
_PLACE = re.compile(r"(?=.*[./:]).*[A-Za-z]", re.DOTALL)
_RUNS_ANOTHER = re.compile(
    r"(python|pypy|ruby|php|perl|lua)[\d.]*|node|nodejs|deno|bun|npx|uvx?|pipx|poetry|npm|pnpm|yarn"
    r"|java|dotnet|go|cargo|busybox|(ba|da|z)?sh|env|exec|nice|taskset|run|start"
)
"""Programs that are named by the file that they run: `python3 app.py` is app.py."""


@dataclass(frozen=True)
class _Phrase:
    """A word of a command, or an option with its value."""

    text: str
    is_option: bool = False


def split_name(operand: str) -> tuple[str | None, str]:
    """The name that `NAME=…` gives to a contender, and the rest; None: without a name.

    Raises `BadUsage` for a name that can't be one.
    """
    match = _GIVEN.fullmatch(operand.strip())
    if match is None or "://" in match["name"]:
        return None, operand
    name, rest = match["name"], match["rest"].strip()
    if not _NAME.fullmatch(name):
        raise BadUsage(
            f"{operand}: {name} can't be a name: names have letters, digits and . _ + @ -"
        )
    if not rest:
        raise BadUsage(
            f"{operand}: has a name, but no contender; write NAME=CONTENDER: api='node app.js'"
        )
    if _FACTOR.fullmatch(name):
        raise BadUsage(f"{operand}: {name} can't be a name: a gate would read it as a number")
    if len(name) > NAME_LENGTH_MAX:
        raise BadUsage(
            f"{operand}: the name {name} has {len(name)} characters; tables have room for "
            f"{NAME_LENGTH_MAX}"
        )
    return name, rest


def short_names(texts: Sequence[str], shorten: Callable[[Sequence[str]], list[str]]) -> list[str]:
    """A short name for each of `texts`; the whole text where short names would be equal.

    Equal texts have equal names.
    """
    different = list(dict.fromkeys(texts))
    names = dict(zip(different, shorten(different), strict=True))
    seen = list(names.values())
    return [
        cut(names[text] if seen.count(names[text]) == 1 and names[text] else text) for text in texts
    ]


def cut(name: str) -> str:
    return name if len(name) <= NAME_LENGTH_MAX else f"{name[: NAME_LENGTH_MAX - 1]}…"


def command_names(commands: Sequence[str]) -> list[str]:
    """The programs or scripts of commands; if those are equal, words that only one has."""
    words = [_words(command) for command in commands]
    subjects, phrases = list(map(_subject, words)), list(map(_phrases, words))
    names = []
    for place, subject in enumerate(subjects):
        alike = [n for n, other in enumerate(subjects) if other == subject and n != place]
        names.append(_told_apart(subject, phrases[place], [phrases[n] for n in alike]))
    return names


def folder_names(paths: Sequence[str]) -> list[str]:
    """The ends of paths, from the last part that differs."""
    parts = [path.strip("/").split("/") for path in paths]
    return [
        next(
            (
                "/".join(own[-n:])
                for n in range(1, len(own) + 1)
                if sum(other[-n:] == own[-n:] for other in parts) == 1
            ),
            path,
        )
        for own, path in zip(parts, paths, strict=True)
    ]


def url_names(urls: Sequence[str]) -> list[str]:
    """The hosts of URLs, and their paths where several have one host."""
    places = [urlsplit(url).netloc for url in urls]
    paths = [
        (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        for parts in map(urlsplit, urls)
    ]
    return [
        place if places.count(place) == 1 else path if len(set(places)) == 1 else place + path
        for place, path in zip(places, paths, strict=True)
    ]


def _words(command: str) -> list[str]:
    """The words of a command, or of the last command that its shell runs."""
    words = _last_command(shlex.split(command))
    if len(words) == 3 and _SHELL.fullmatch(_base(words[0])) and words[1] == "-c":
        try:
            words = _last_command(shlex.split(words[2]))
        except ValueError:
            return words
    return words


def _last_command(words: Sequence[str]) -> list[str]:
    """The words after the last `&&` or `;`: `cd app && node a.js` is a.js."""
    starts = [n + 1 for n, word in enumerate(words) if word == "&&" or word.endswith(";")]
    start = max((n for n in starts if n < len(words)), default=0)
    return list(words[start:])


def _subject(words: Sequence[str]) -> str:
    """The program that runs, or the script or module that it runs."""
    said = [
        _base(word)
        for word in words
        if not (word.startswith("-") or _VARIABLE.fullmatch(word) or _FILLED_IN.search(word))
    ]
    for word in said:
        if not _RUNS_ANOTHER.fullmatch(word):
            return word
    return said[0] if said else words[0]


def _base(word: str) -> str:
    return word.rstrip("/").rpartition("/")[2] or word


def _phrases(words: Sequence[str]) -> list[_Phrase]:
    """The words and options of a command, without placeholders and their options."""
    phrases: list[_Phrase] = []
    takes = False
    for word in words:
        if _FILLED_IN.search(word):
            if takes:
                phrases.pop()
            takes = False
        # A file, a module or an address is not the value of an option.
        elif takes and not word.startswith("-") and not _PLACE.search(word):
            phrases[-1] = _Phrase(f"{phrases[-1].text} {word}", is_option=True)
            takes = False
        else:
            phrases.append(_Phrase(word, word.startswith("-")))
            takes = word.startswith("-") and "=" not in word
    return phrases


def _told_apart(subject: str, own: Sequence[_Phrase], others: Sequence[Sequence[_Phrase]]) -> str:
    """`subject` if no other command has it, else phrases that the others lack."""
    if not others:
        return subject
    only = [phrase for phrase in own if not any(phrase in other for other in others)]
    # Some of the others lack these, so that together they may differ from all.
    some = [phrase for phrase in own if not all(phrase in other for other in others)]
    chosen = [min(only, key=lambda phrase: phrase.is_option)] if only else some
    if not chosen:
        return subject
    texts = [phrase.text for other in others for phrase in other]
    # A path is named by its end, as long as it needs to be to differ from the others.
    words = " ".join(
        folder_names([phrase.text, *(text for text in texts if text != phrase.text)])[0]
        if "/" in phrase.text and " " not in phrase.text
        else phrase.text
        for phrase in chosen
    )
    # A command without any phrase of its own is called by the subject alone.
    bare = any(all(phrase in own for phrase in other) for other in others)
    return f"{subject} {words}" if bare or not only else words
