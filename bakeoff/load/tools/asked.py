"""What a load tool is asked to do, whichever tool it is."""

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
    engine has one for each of `cpus`, the generator's cores. `expected_body` None: nothing is
    checked.
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
    headers: tuple[tuple[str, str], ...] = ()
    expected_body: bytes | None = None

    def __post_init__(self) -> None:
        if (self.requests is None) == (self.duration_s is None):
            raise BadUsage("a run of a load tool takes either a number of requests or a duration")

    @property
    def sent_headers(self) -> tuple[tuple[str, str], ...]:
        """The headers to ask for: a tool takes Host from the URL unless it is told another."""
        if self.host == urlsplit(self.url).netloc:
            return self.headers
        return (("Host", self.host), *self.headers)

    @property
    def whole_seconds(self) -> int | None:
        """The duration as tools take it that know no fractions; they take 0 for their default."""
        return None if self.duration_s is None else max(1, ceil(self.duration_s))
