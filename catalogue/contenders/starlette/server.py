"""Granian from Python: its command line takes no more than 60 s for idle connections."""

import os
from pathlib import Path

from granian import Granian
from granian.constants import HTTPModes, Interfaces, SSLProtocols
from granian.http import HTTP1Settings
from granian.log import LogLevels

protocol = os.environ.get("PROTOCOL", "h1")
tls = {}
if protocol in ("h1-tls", "h2"):
    tls = {
        "ssl_cert": Path(os.environ["TLS_CERT"]),
        "ssl_key": Path(os.environ["TLS_KEY"]),
        "ssl_protocol_min": SSLProtocols.tls12,
    }

if __name__ == "__main__":
    Granian(
        "app:app",
        address=os.environ["HOST"],
        port=int(os.environ["PORT"]),
        interface=Interfaces.ASGI,
        workers=int(os.environ["WORKERS"]),
        backlog=4096,
        http=HTTPModes.http2 if protocol in ("h2c", "h2") else HTTPModes.http1,
        **tls,
        # Connections per process, since one process may get every connection.
        backpressure=8192,
        # In ms, and it runs while a connection waits for its next request.
        http1_settings=HTTP1Settings(header_read_timeout=300_000),
        log_level=LogLevels.warning,
    ).serve()
