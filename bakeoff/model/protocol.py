"""The protocols of requests, by their names in all parts of bakeoff."""

from typing import Literal, Self, get_args

from pydantic import PositiveInt, model_validator

from bakeoff.model.base import Contract

Protocol = Literal["h1", "h1-tls", "h2c", "h2", "h3"]
"""HTTP/1.1 in cleartext and over TLS; HTTP/2 in cleartext (prior knowledge) and over TLS (ALPN);
HTTP/3, over QUIC."""

PROTOCOLS: tuple[Protocol, ...] = get_args(Protocol)

OVER_TLS: frozenset[Protocol] = frozenset({"h1-tls", "h2", "h3"})
OVER_UDP: frozenset[Protocol] = frozenset({"h3"})
HTTP_2: frozenset[Protocol] = frozenset({"h2c", "h2"})
WITH_STREAMS: frozenset[Protocol] = HTTP_2 | OVER_UDP

ALPN: dict[Protocol, str] = {"h1-tls": "http/1.1", "h2": "h2", "h3": "h3"}
"""A client's offer by ALPN, and its only one, so that no server falls back silently."""


class Tls(Contract):
    """The certificates that a client of a server trusts, and the name that it sends by SNI.

    The certificate must be signed by a root of `ca_pem`, PEM, and be that of `server_name`.
    `insecure`: any certificate is accepted, and `ca_pem` is None. `resume`: later connections may
    resume the session of an earlier one; without it every handshake is full.
    """

    server_name: str
    ca_pem: str | None = None
    insecure: bool = False
    resume: bool = False

    @model_validator(mode="after")
    def _believes_somebody(self) -> Self:
        if (self.ca_pem is None) != self.insecure:
            raise ValueError("takes either `ca_pem` or `insecure`")
        return self


SERVER_NAME = "localhost"
"""The name of a server that we start, for TLS: SNI knows no addresses."""


class Certificate(Contract):
    """A server's certificate for TLS: files in PEM, and the root by which clients trust it."""

    cert: str
    key: str
    ca_pem: str

    @property
    def client(self) -> Tls:
        return Tls(server_name=SERVER_NAME, ca_pem=self.ca_pem)


class Agreed(Contract):
    """The properties of a connection: by the TLS handshake, and by the server's HTTP/2 SETTINGS.

    `cipher` is named as in RFC 8446 (TLS13_AES_128_GCM_SHA256). None: over cleartext, or in a
    protocol without it. For the settings None means that the server sent none, and the default
    holds.
    """

    tls_version: str | None = None
    cipher: str | None = None
    alpn: str | None = None
    resumed: bool = False
    max_concurrent_streams: int | None = None
    initial_window: int | None = None
    header_table_size: int | None = None
    max_frame_size: PositiveInt | None = None
