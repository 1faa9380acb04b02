"""webbench 1.5: its arguments, and what it prints."""

from urllib.parse import urlsplit

from bakeoff.load.tools.output import COUNT, Unreadable, find, result
from bakeoff.load.tools.spec import LoadSpec
from bakeoff.model.errors import BadUsage
from bakeoff.model.load import LoadResult


def arguments(spec: LoadSpec) -> tuple[str, ...]:
    spec.check("webbench", over_tls=False, takes_requests=False)
    if spec.connection == "keep-alive":
        raise BadUsage("webbench opens a connection for each request; for keep-alive use ab or wrk")
    # It sends the URL's host without its port, whatever the port.
    if spec.headers or urlsplit(f"//{spec.host}").hostname != urlsplit(spec.url).hostname:
        raise BadUsage("webbench can't send headers, nor another Host than that of the URL")
    return (
        "webbench",
        *("-c", str(spec.connections)),
        *("-t", str(spec.whole_seconds)),
        *(("--http11",) if spec.http == "1.1" else ()),
        spec.url,
    )


def parse(output: str, spec: LoadSpec) -> LoadResult:
    """What webbench printed at the end of a run. Raises `Unreadable`.

    Its errors are all `failed`, for any reason why a request was not sent or answered. It counts
    answers of any status as a success.
    """
    # Written into a pipe, this line is there once for each client: they inherit the buffer.
    (seconds,) = find("webbench", rf"running {COUNT} sec", output)
    (bytes_per_s,) = find("webbench", rf"^\s*Speed=[0-9]+ pages/min, {COUNT} bytes/sec\.$", output)
    right, failed = find("webbench", rf"^\s*Requests: {COUNT} susceed, ?{COUNT} failed\.$", output)
    if not int(seconds):
        raise Unreadable("webbench", output)
    return result(
        "webbench",
        spec,
        requests=int(right),
        duration_s=int(seconds),
        # Its pages per minute include the failures.
        requests_per_s=int(right) / int(seconds),
        bytes_per_s=int(bytes_per_s),
        latency_us=None,
        errors={"failed": int(failed)},
    )
