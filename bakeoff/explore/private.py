"""Private text that others must not see: names of people and machines, and folders."""

import getpass
import re
import socket
import tempfile
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HOMES = r"/(?:home|Users)/[^/\s\"'<>:;,()\[\]]+|/root(?=[/\s\"']|$)"
"""Any user's folders: a run may be from another machine."""
HOMES_SIGNS = ("/home/", "/Users/", "/root")
"""Every match of `HOMES` contains one of them."""
SHORTEST = 3
"""A shorter name is a part of too many words."""
NOBODY = {"root", "user", "localhost"}


@dataclass(frozen=True, eq=False)
class Private:
    """Replaces private parts of a text: folders become `…` or `~`, and names the word for their
    kind."""

    pattern: re.Pattern[str]
    instead: dict[str, str]
    signs: tuple[str, ...]
    """A text with none of these has nothing private: that check takes a tenth of the pattern's
    time, and ten thousand runs have millions of texts."""
    replaced: Counter[str] = field(default_factory=Counter)
    """How often each replacement was made: `~`, `…`, host, user."""

    @classmethod
    def here(cls, folders: Iterable[Path], public: Collection[str]) -> "Private":
        """The names of this machine, this user and `folders`, except those that are `public`
        anyway: a contender with the machine's name."""
        instead = dict(_words(public)) | dict(_places(folders))
        # The longest first: a folder before its parent.
        known = sorted(instead, key=len, reverse=True)
        parts = [rf"(?<![\w-]){re.escape(name)}(?![\w-])" for name in known]
        return cls(re.compile("|".join([*parts, HOMES])), instead, (*known, *HOMES_SIGNS))

    def __call__(self, text: str) -> str:
        if not any(sign in text for sign in self.signs):
            return text
        return self.pattern.sub(self._instead, text)

    def _instead(self, found: re.Match[str]) -> str:
        instead = self.instead.get(found[0], "~")
        self.replaced[instead] += 1
        return instead

    def within(self, value: Any) -> Any:
        match value:
            case str():
                return self(value)
            case list() | tuple():
                return [self.within(item) for item in value]
            case dict():
                return {self(key): self.within(inner) for key, inner in value.items()}
        return value


def _words(public: Collection[str]) -> Iterator[tuple[str, str]]:
    host = socket.gethostname()
    for name, instead in ((_user(), "user"), (host, "host"), (host.partition(".")[0], "host")):
        if len(name) >= SHORTEST and name not in NOBODY and name not in public:
            yield name, instead


def _places(folders: Iterable[Path]) -> Iterator[tuple[str, str]]:
    for place in {Path.cwd(), Path(tempfile.gettempdir()), *folders}:
        if place != Path("/"):
            yield str(place), "…"
    yield str(Path.home()), "~"


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return ""
