"""The explorer's server: a socket that is ours before anything is said, and uvicorn on it."""

import logging
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from errno import EADDRINUSE

from starlette.types import ASGIApp

from bakeoff.explore.guard import LOOPBACK
from bakeoff.model.errors import BadUsage


@contextmanager
def listening(host: str, port: int, *, others: bool) -> Iterator[socket.socket]:
    """A socket at `host`; port 0 is a free one. Raises `BadUsage` where it can't be had.

    Beyond loopback only where `others` may come.
    """
    if host not in LOOPBACK and not others:
        raise BadUsage(
            f"--listen {host}: other machines could connect; --allow-others lets those in that "
            "have the token"
        )
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as bound:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            bound.bind((host, port))
            bound.listen(128)
        except OSError as error:
            if error.errno == EADDRINUSE:
                reason = "is taken; without --port a free one is chosen"
                raise BadUsage(f"--port {port}: {reason}") from None
            raise BadUsage(f"--listen {host}: {error.strerror}") from None
        yield bound


def serve(application: ASGIApp, bound: socket.socket) -> None:
    """Answer on `bound` until a signal ends it. Raises `KeyboardInterrupt` then."""
    import uvicorn

    config = uvicorn.Config(
        application,
        log_level="error",
        access_log=False,
        server_header=False,
        lifespan="off",
        ws="none",
        # Who follows a race keeps a connection open, and Ctrl-C must not wait for it.
        timeout_graceful_shutdown=2,
    )
    server = uvicorn.Server(config)
    # Who is cut off then, a picture that is being drawn or a run that is followed, is no error.
    logging.getLogger("uvicorn.error").addFilter(lambda _: not server.should_exit)
    server.run(sockets=[bound])
