"""The protocols that a server is asked over, by the names that they have everywhere."""

from typing import Literal, get_args

Protocol = Literal["h1", "h1-tls", "h2c", "h2"]
"""HTTP/1.1 in cleartext and over TLS; HTTP/2 in cleartext (prior knowledge) and over TLS (ALPN)."""

PROTOCOLS: tuple[Protocol, ...] = get_args(Protocol)
