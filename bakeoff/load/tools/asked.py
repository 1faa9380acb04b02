"""What a load tool is asked to do, whichever tool it is."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil
from typing import Literal
from urllib.parse import urlsplit

from bakeoff.model.errors import BadUsage
from bakeoff.model.plan import Connection


@dataclass(frozen=True)
class Asked:
    """One run against `url`, of so many `requests` or of `duration_s`.

    Raises `BadUsage` where it is both or none.

    `host` is what the Host header says, as in `Handle.host`. `threads` are the tool's own; the
    engine has one for each of `cpus`, the generator's cores. `rate` is in requests per second, all
    connections together; None: as many as there can be (a closed loop). `expected_body` None:
    nothing is checked.
    """

    url: str
    host: str
    connections: int
    connection: Connection
    http: Literal["1.0", "1.1"]
    threads: int
    requests: int | None
    duration_s: float | None
    cpus: tuple[int, ...]
    rate: int | None = None
    headers: tuple[tuple[str, str], ...] = ()
    expected_body: bytes | None = None

    def __post_init__(self) -> None:
        if (self.requests is None) == (self.duration_s is None):
            raise BadUsage("a run of a load tool takes either a number of requests or a duration")

    @property
    def url_host(self) -> str:
        """The URL's host, with its port where it says one."""
        return urlsplit(self.url).netloc

    @property
    def sent_headers(self) -> tuple[tuple[str, str], ...]:
        """The headers to ask for: a tool takes Host from the URL unless it is told another."""
        if self.host == self.url_host:
            return self.headers
        return (("Host", self.host), *self.headers)

    @property
    def close_header(self) -> tuple[tuple[str, str], ...]:
        """For a tool that closes a connection after each answer where a header says so."""
        return (("Connection", "close"),) if self.connection == "close" else ()

    @property
    def whole_seconds(self) -> int | None:
        """The duration as tools take it that know no fractions; they take 0 for their default."""
        return None if self.duration_s is None else max(1, ceil(self.duration_s))

    def no_rate(self, tool: str) -> None:
        """Raise `BadUsage` where a rate is asked of a `tool` that keeps none."""
        if self.rate is not None:
            raise BadUsage(f"{tool} keeps no rate: --rate takes wrk2, oha or our engine")


def header_words(headers: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """The headers as most tools take them: -H 'Name: value' for each."""
    return tuple(word for name, value in headers for word in ("-H", f"{name}: {value}"))
