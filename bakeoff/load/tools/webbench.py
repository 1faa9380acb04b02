"""webbench 1.5: its arguments, and what it prints."""

from urllib.parse import urlsplit

from bakeoff.load.tools.asked import Asked
from bakeoff.load.tools.output import COUNT, Unreadable, find, result
from bakeoff.model.errors import BadUsage
from bakeoff.model.load import LoadResult


def words(asked: Asked) -> tuple[str, ...]:
    """The command. Raises `BadUsage` for what webbench can't do."""
    asked.no_rate("webbench")
    if asked.requests is not None:
        raise BadUsage("webbench counts no requests, it takes a duration: -n takes ab")
    if asked.connection == "keep-alive":
        raise BadUsage("webbench makes a connection per request: keep-alive takes ab or wrk")
    # It says the URL's host without its port, whatever the port.
    if asked.headers or urlsplit(f"//{asked.host}").hostname != urlsplit(asked.url).hostname:
        raise BadUsage("webbench sends no headers of ours, nor another Host than the URL's")
    return (
        "webbench",
        *("-c", str(asked.connections)),
        *("-t", str(asked.whole_seconds)),
        *(("--http11",) if asked.http == "1.1" else ()),
        asked.url,
    )


def parse(output: str, asked: Asked) -> LoadResult:
    """What webbench says of a run that came to its end. Raises `Unreadable`.

    Its errors are all `failed`: whatever kept a request from being sent or answered. Any status is
    a success to it.
    """
    # Written into a pipe, this line stands there once for each client: they inherit the buffer.
    (seconds,) = find("webbench", rf"running {COUNT} sec", output)
    (bytes_per_s,) = find("webbench", rf"^\s*Speed=[0-9]+ pages/min, {COUNT} bytes/sec\.$", output)
    right, failed = find("webbench", rf"^\s*Requests: {COUNT} susceed, ?{COUNT} failed\.$", output)
    if not int(seconds):
        raise Unreadable("webbench", output)
    return result(
        "webbench",
        asked,
        requests=int(right),
        duration_s=int(seconds),
        # Its pages per minute have the failures among them.
        requests_per_s=int(right) / int(seconds),
        bytes_per_s=int(bytes_per_s),
        latency_us=None,
        errors={"failed": int(failed)},
    )
