"""The state of each view as an address; links to it, in the application and in the static site."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from posixpath import dirname, relpath
from typing import Protocol, Self
from urllib.parse import parse_qsl, quote, unquote, urlencode

OF_VIEWS = ("badge", "chart", "embed")
"""Folders beside a view, with its badge, its pictures, and pages to embed."""
DATA = ("data.csv", "data.json", "data.parquet")
"""The figures of a view, unrounded."""


@dataclass(frozen=True)
class Address:
    """A view with all of its state: the parts of its path, and its query.

    `/run/0123456789ab?of=0.2` has the parts `run` and `0123456789ab`, and the query `of` = `0.2`.
    """

    parts: tuple[str, ...] = ()
    query: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, *parts: str, **query: str) -> Self:
        """An address in its one form: keys in order, without empty ones."""
        return cls(parts, tuple(sorted((key, value) for key, value in query.items() if value)))

    @classmethod
    def parse(cls, raw_path: str, query: str) -> Self:
        """The address of a URL's path, still quoted, and its query.

        Several values of one key, such as a form's check boxes, are joined with dots.
        """
        parts = [unquote(part, errors="replace") for part in raw_path.split("/") if part]
        asked: dict[str, list[str]] = {}
        for key, value in parse_qsl(query, errors="replace"):
            asked.setdefault(key, []).append(value)
        return cls.of(*parts, **{key: ".".join(values) for key, values in asked.items()})

    @classmethod
    def of_link(cls, link: str) -> Self:
        path, _, query = link.partition("?")
        return cls.parse(path, query)

    def asked(self, key: str) -> str:
        return dict(self.query).get(key, "")

    def asking(self, **query: str) -> "Address":
        """The same view with another query; an empty value removes the key."""
        return Address.of(*self.parts, **{**dict(self.query), **query})

    def is_in_its_one_form(self, query: str) -> bool:
        """Whether the query has nothing else: a form also sends empty values."""
        return len(parse_qsl(query, keep_blank_values=True)) == len(self.query)

    def file(self, *parts: str) -> "Address":
        return Address((*self.parts, *parts), self.query)


def shelf(**query: str) -> Address:
    return Address.of(**query)


def run(run: str, of: Sequence[int] = (), part: str = "", against: int | None = None) -> Address:
    chosen = ".".join(map(str, of))
    return Address.of(
        "run", run, of=chosen, part=part, against="" if against is None else str(against)
    )


def two(before: str, after: str, **query: str) -> Address:
    return Address.of("two", before, after, **query)


def contender(name: str = "", **query: str) -> Address:
    return Address.of("contender", *([name] if name else []), **query)


def matrix(**query: str) -> Address:
    return Address.of("matrix", **query)


def article(name: str = "") -> Address:
    return Address.of("article", *([name] if name else []))


def words() -> Address:
    return Address.of("words")


def running(name: str) -> Address:
    """A run that goes on, by its folder's name. A static site has no such runs."""
    return Address.of("live", name)


def asset(name: str) -> Address:
    return Address.of("assets", name)


class Links(Protocol):
    """How one page links to another."""

    def __call__(self, address: Address) -> str:
        """The link to `address`."""


def live(address: Address) -> str:
    path = "/" + "/".join(map(_segment, address.parts))
    return f"{path}?{urlencode(address.query, quote_via=quote)}" if address.query else path


@dataclass(frozen=True)
class Still:
    """Links between the files of a static site, from the page at `here`: they work on any host, in
    any folder, and from `file://`."""

    here: Address

    def __call__(self, address: Address) -> str:
        return quote(relpath(file_of(address), dirname(file_of(self.here)) or "."))


def file_of(address: Address) -> str:
    """The path of an address in a static site: `run/0123456789ab.html`. It never leaves the site.

    The query is in the name as a hash, since it can't be a part of a file's name.
    """
    *folders, last = map(_segment, address.parts or ("index",))
    stem, dot, ending = last.rpartition(".")
    # A contender may be called `server.js`: its page is not a script.
    if not is_file(address) or not stem:
        stem, dot, ending = last, ".", "html"
    if address.query:
        stem += "-" + sha256(urlencode(address.query).encode()).hexdigest()[:12]
    return "/".join((*folders, f"{stem}{dot}{ending}"))


def is_file(address: Address) -> bool:
    """Whether it is not a view, but belongs to one, or to all."""
    parts = address.parts
    return bool(parts) and (
        parts[0] == "assets" or parts[-1] in DATA or parts[-2:-1] in [(name,) for name in OF_VIEWS]
    )


def _segment(part: str) -> str:
    # Neither `..` nor a hidden file: a leading dot is encoded.
    quoted = quote(part, safe="")
    return f"%2E{quoted[1:]}" if quoted.startswith(".") else quoted
