"""h2load, of nghttp2: its arguments, and the text that it prints."""

from bakeoff.load.tools.output import COUNT, DECIMAL, Unreadable, find, latency, result
from bakeoff.load.tools.spec import LoadSpec, header_arguments
from bakeoff.model.errors import BadUsage
from bakeoff.model.load import Latency, LoadResult
from bakeoff.model.protocol import Protocol

STEP_DIGITS = 100
"""It prints a time with two decimals of its unit, or as whole µs."""
_US = {"us": 1.0, "ms": 1e3, "s": 1e6}
_TIME = r"([0-9]{1,15}(?:\.[0-9]{1,9})?)(us|ms|s)"
_SPOKEN: dict[Protocol, str] = {"h1": "http/1.1", "h1-tls": "http/1.1", "h2c": "h2c", "h2": "h2"}
"""Its names of the protocols."""


def arguments(spec: LoadSpec) -> tuple[str, ...]:
    spec.check("h2load", versions=(2,), at_most="requests")
    if spec.connection == "close":
        raise BadUsage("h2load keeps its connections; for one per request use the engine")
    return (
        "h2load",
        *("-c", str(spec.connections)),
        *("-t", str(min(spec.threads, spec.connections))),
        *("-m", str(spec.streams)),
        *spec.length("-D"),
        # With ALPN it would fall back to HTTP/1.1, and go on.
        *(("--npn-list", "h2") if spec.tls else ()),
        *header_arguments(spec.headers),
        *(() if spec.host == spec.url_host else ("-H", f":authority: {spec.host}")),
        spec.url,
    )


def parse(output: str, spec: LoadSpec) -> LoadResult:
    """What h2load printed. Raises `Unreadable`, also where it spoke another protocol.

    Kinds of errors: `status` (any except 2xx and 3xx), `failed` (no answer: the stream or the
    connection ended) and `timeout`. Its bytes are all that was received, frames included.
    """
    (spoken,) = find("h2load", r"^Application protocol: (\S+)", output)
    if spoken != _SPOKEN[spec.protocol]:
        raise Unreadable("h2load", f"it loads {spec.protocol}, and the server spoke {spoken}")
    duration, unit, *_ = find("h2load", rf"^finished in {_TIME}, {DECIMAL} req/s", output)
    duration_s = float(duration) * _US[unit] / 1e6
    lost = rf"^requests: .* {COUNT} errored, {COUNT} timeout$"
    errored, timeout = map(int, find("h2load", lost, output))
    codes = rf"^status codes: {COUNT} 2xx, {COUNT} 3xx, {COUNT} 4xx, {COUNT} 5xx$"
    good, moved, bad, worse = map(int, find("h2load", codes, output))
    (received,) = find("h2load", rf"^traffic: \S+ \({COUNT}\) total", output)
    if not duration_s:
        raise Unreadable("h2load", output)
    answers = good + moved + bad + worse
    return result(
        "h2load",
        spec,
        requests=answers,
        duration_s=duration_s,
        requests_per_s=answers / duration_s,
        bytes_per_s=int(received) / duration_s,
        latency_us=_latency(output) if answers else None,
        errors={"status": bad + worse, "failed": max(0, errored - timeout), "timeout": timeout},
    )


def step_us(latency_us: float) -> float:
    """The distance between two printed times, about `latency_us`."""
    unit = next((each for each in (1e6, 1e3) if latency_us >= 10 * each), 1.0)
    return max(1.0, unit / STEP_DIGITS)


def _latency(output: str) -> Latency:
    """It prints no percentiles: the mean, the longest, and how far they are spread."""
    times = find("h2load", rf"^time for request:\s+{_TIME}\s+{_TIME}\s+{_TIME}\s+{_TIME}", output)
    _, longest, mean, spread = (
        float(number) * _US[unit] for number, unit in zip(times[::2], times[1::2], strict=True)
    )
    return latency({}, mean=mean, longest=longest, stdev=spread)
