"""oha: its arguments, and the JSON that it prints."""

import json
from functools import lru_cache
from typing import Annotated

from pydantic import BaseModel, Field, ValidationError

from bakeoff.load.tools.output import Unreadable, latency, result
from bakeoff.load.tools.spec import LoadSpec, header_arguments
from bakeoff.model.errors import BadUsage
from bakeoff.model.load import Latency, LoadResult
from bakeoff.model.protocol import OVER_UDP, WITH_STREAMS

# oha's name of the requests that were in flight when its time was over.
IN_FLIGHT = "aborted due to deadline"

_Count = Annotated[int, Field(ge=0, lt=10**18, strict=True)]
_Seconds = Annotated[float, Field(ge=0, lt=10**9, strict=True)]


class _Summary(BaseModel):
    total: Annotated[float, Field(gt=0, lt=10**9, strict=True)]
    slowest: _Seconds | None
    average: _Seconds | None
    size_per_s: Annotated[float, Field(ge=0, lt=10**18, strict=True, alias="sizePerSec")]


class _Printed(BaseModel):
    """The part of `oha --output-format json` that is read; its times are in seconds."""

    summary: _Summary
    percentiles: Annotated[dict[str, _Seconds | None], Field(alias="latencyPercentiles")]
    statuses: Annotated[dict[str, _Count], Field(alias="statusCodeDistribution")]
    errors: Annotated[dict[str, _Count], Field(alias="errorDistribution")]


def arguments(spec: LoadSpec) -> tuple[str, ...]:
    over_udp = spec.protocol in OVER_UDP
    # Its time includes its end over HTTP/3, and nothing else shows when the last answer came.
    spec.check("oha", versions=(1, 2, 3), keeps_rate=True, takes_requests=not over_udp)
    if spec.http == "1.0" and spec.connection == "keep-alive":
        raise BadUsage("oha can't keep connections over HTTP/1.0; use ab or the engine")
    if over_udp and spec.connection == "close":
        raise BadUsage("oha keeps its connections over HTTP/3; for one per request use the engine")
    version = "3" if over_udp else "2"
    streams = ("-p", str(spec.streams))
    http = (version, *streams) if spec.protocol in WITH_STREAMS else (spec.http,)
    return (
        "oha",
        *("--no-tui", "--output-format", "json"),
        *("-c", str(spec.connections)),
        *spec.length("-z", "s"),
        *(() if spec.rate is None else ("-q", str(spec.rate), "--latency-correction")),
        *("--worker-threads", str(spec.threads)),
        *("--http-version", *http),
        *(("--insecure",) if spec.tls else ()),
        *(("--disable-keepalive",) if spec.connection == "close" else ()),
        # The other tools request nothing compressed.
        "--disable-compression",
        *header_arguments(spec.sent_headers),
        spec.url,
    )


def parse(output: str, spec: LoadSpec) -> LoadResult:
    """What oha printed. Raises `Unreadable`.

    Kinds of errors: `status` (any except 2xx, which oha doesn't count as a failure) and `failed`
    (no answer, for whatever reason). Its bytes are those of bodies.
    """
    printed = _printed(output)
    # Its own requests per second include those that failed.
    answers = sum(printed.statuses.values())
    duration_s = printed.summary.total - waited_s(output, spec)
    failed = sum(times for reason, times in printed.errors.items() if reason != IN_FLIGHT)
    good = sum(times for code, times in printed.statuses.items() if code.startswith("2"))
    return result(
        "oha",
        spec,
        requests=answers,
        duration_s=duration_s,
        requests_per_s=answers / duration_s,
        bytes_per_s=printed.summary.size_per_s * printed.summary.total / duration_s,
        latency_us=_latency(printed),
        errors={"status": answers - good, "failed": failed},
    )


def waited_s(output: str, spec: LoadSpec) -> float:
    """Over HTTP/3 it waits at its end until the server closes the connections, which a server may
    do only after its idle timeout. Raises `Unreadable`."""
    if spec.protocol not in OVER_UDP or spec.duration_s is None:
        return 0.0
    return max(0.0, _printed(output).summary.total - spec.duration_s)


@lru_cache(maxsize=1)
def _printed(output: str) -> _Printed:
    """Read once for both the result and its wait."""
    start = output.find("{\n")
    try:
        value, _ = json.JSONDecoder().raw_decode(output, max(0, start))
        return _Printed.model_validate(value)
    except (ValueError, RecursionError, ValidationError):
        raise Unreadable("oha", output) from None


def _latency(printed: _Printed) -> Latency | None:
    """None if there was no answer."""
    average, slowest = printed.summary.average, printed.summary.slowest
    if average is None:
        return None
    ranks = ("50", "75", "90", "99", "99.9")
    seconds = {rank: printed.percentiles.get(f"p{rank}") for rank in ranks}
    return latency(
        {rank: None if s is None else 1e6 * s for rank, s in seconds.items()},
        mean=1e6 * average,
        longest=None if slowest is None else 1e6 * slowest,
    )
