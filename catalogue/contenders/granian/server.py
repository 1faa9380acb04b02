"""Granian from Python: its command line takes no more than 60 s for idle connections."""

import os

from granian import Granian
from granian.constants import Interfaces
from granian.http import HTTP1Settings
from granian.log import LogLevels

if __name__ == "__main__":
    Granian(
        "app:app",
        address=os.environ["HOST"],
        port=int(os.environ["PORT"]),
        # ASGI without the lifespan protocol, which a bare application doesn't speak.
        interface=Interfaces.ASGINL,
        workers=int(os.environ["WORKERS"]),
        backlog=4096,
        # Connections per process, since one process may get every connection.
        backpressure=8192,
        # In ms, and it runs while a connection waits for its next request.
        http1_settings=HTTP1Settings(header_read_timeout=300_000),
        log_level=LogLevels.warning,
    ).serve()
