"""The load that a tool must make, whichever tool it is."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from math import ceil
from typing import Literal
from urllib.parse import urlsplit

from bakeoff.model.errors import BadUsage
from bakeoff.model.plan import Connection, HttpVersion
from bakeoff.model.protocol import HTTP_2, OVER_UDP, Protocol, Tls

_SPEAKERS = {"1.0": "ab, webbench or the engine", "1.1": "wrk, oha, hey or the engine"}
_BY_VERSION = {
    1: "wrk or oha",
    2: "h2load, oha or the engine",
    3: "oha, quic-go-load or the engine",
}


@dataclass(frozen=True)
class LoadSpec:
    """One run against `url`, of a number of `requests` or of `duration_s`.

    Raises `BadUsage` if it has both or neither.

    `host` is the value of the Host header, as in `Handle.host`. `threads` is for foreign tools; the
    engine has one for each of `cpus`, the generator's cores. `rate` is in requests per second over
    all connections; None is a closed loop. Without an `expected_body` bodies aren't checked. Over
    HTTP/2 and HTTP/3 up to `streams` requests are under way on a connection. `tls`: it goes over
    TLS, and the caller has checked the certificate, which the tools don't check.
    """

    url: str
    host: str
    connections: int
    connection: Connection
    http: HttpVersion
    threads: int
    requests: int | None
    duration_s: float | None
    cpus: tuple[int, ...]
    rate: int | None = None
    protocol: Protocol = "h1"
    streams: int = 1
    tls: Tls | None = None
    headers: tuple[tuple[str, str], ...] = ()
    expected_body: bytes | None = None

    def __post_init__(self) -> None:
        if (self.requests is None) == (self.duration_s is None):
            raise BadUsage("a run of a load tool takes either a number of requests or a duration")

    @property
    def url_host(self) -> str:
        return urlsplit(self.url).netloc

    @property
    def sent_headers(self) -> tuple[tuple[str, str], ...]:
        """The headers to name: a tool takes Host from the URL unless another is given."""
        return self.headers if self.host == self.url_host else (("Host", self.host), *self.headers)

    @property
    def whole_seconds(self) -> int | None:
        """The duration for tools that take no fractions; 0 would be their default."""
        return None if self.duration_s is None else max(1, ceil(self.duration_s))

    def length(self, flag: str, unit: str = "") -> tuple[str, str]:
        """`-n` and the requests, or `flag` and the duration in s, followed by `unit`."""
        if self.duration_s is None:
            return ("-n", str(self.requests))
        return (flag, f"{self.duration_s:g}{unit}")

    def check(
        self,
        tool: str,
        *,
        http: Literal["1.0", "1.1", "both"] = "both",
        versions: Collection[int] = (1,),
        over_tls: bool = True,
        takes_requests: bool = True,
        keeps_rate: bool = False,
        at_most: Literal["requests", "connections", "any"] = "any",
    ) -> None:
        """Raise `BadUsage` if `tool` can't make this load.

        `versions` are those of HTTP for which it is used. `at_most` "requests": it takes no more
        connections than requests; "connections": it takes no more threads than connections.
        """
        version = 3 if self.protocol in OVER_UDP else 2 if self.protocol in HTTP_2 else 1
        if version not in versions:
            raise BadUsage(
                f"{tool} is not used for HTTP/{version}; "
                f"for {self.protocol} use {_BY_VERSION[version]}"
            )
        if self.tls and not over_tls:
            raise BadUsage(
                f"{tool} doesn't speak TLS; for {self.protocol} use wrk, oha or the engine"
            )
        if http not in ("both", self.http):
            other = f"for HTTP/{self.http} use {_SPEAKERS[self.http]}"
            raise BadUsage(f"{tool} speaks HTTP/{http} only; {other}")
        if self.rate is not None and not keeps_rate:
            raise BadUsage(f"{tool} can't keep a rate; for --rate use wrk2, oha or the engine")
        if self.requests is not None and not takes_requests:
            raise BadUsage(f"{tool} takes a duration, not a number of requests; for one use ab")
        if at_most == "requests" and self.connections > (self.requests or self.connections):
            raise BadUsage(
                f"{tool} takes no more connections than requests: it can't make"
                f" {self.requests} requests over {self.connections} connections"
            )
        if at_most == "connections" and self.threads > self.connections:
            raise BadUsage(
                f"{tool} takes no more threads than connections: {self.threads} threads can't share"
                f" {self.connections} connections"
            )


def header_arguments(headers: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """The headers as most tools take them: -H 'Name: value' for each."""
    return tuple(part for name, value in headers for part in ("-H", f"{name}: {value}"))
