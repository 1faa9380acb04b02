"""oha: its arguments, and the JSON that it prints."""

import json
from typing import Annotated

from pydantic import BaseModel, Field, ValidationError

from bakeoff.load.tools.asked import Asked, header_words
from bakeoff.load.tools.output import Unreadable, result
from bakeoff.model.errors import BadUsage
from bakeoff.model.load import LoadResult
from bakeoff.model.verdict import Latency

# What oha calls the requests that were on their way when its time was over.
IN_FLIGHT = "aborted due to deadline"

_Count = Annotated[int, Field(ge=0, lt=10**18, strict=True)]
_Seconds = Annotated[float, Field(ge=0, lt=10**9, strict=True)]


class _Summary(BaseModel):
    total: Annotated[float, Field(gt=0, lt=10**9, strict=True)]
    slowest: _Seconds | None
    average: _Seconds | None
    size_per_s: Annotated[float, Field(ge=0, lt=10**18, strict=True, alias="sizePerSec")]


class _Printed(BaseModel):
    """What is read of `oha --output-format json`, whose times are in seconds."""

    summary: _Summary
    percentiles: Annotated[dict[str, _Seconds | None], Field(alias="latencyPercentiles")]
    statuses: Annotated[dict[str, _Count], Field(alias="statusCodeDistribution")]
    errors: Annotated[dict[str, _Count], Field(alias="errorDistribution")]


def words(asked: Asked) -> tuple[str, ...]:
    """The command. Raises `BadUsage` for what oha can't do."""
    if asked.http == "1.0" and asked.connection == "keep-alive":
        raise BadUsage("oha asks for no keep-alive over HTTP/1.0: that takes ab or our engine")
    size = ("-n", str(asked.requests))
    return (
        "oha",
        *("--no-tui", "--output-format", "json"),
        *("-c", str(asked.connections)),
        *(size if asked.duration_s is None else ("-z", f"{asked.duration_s:g}s")),
        *(() if asked.rate is None else ("-q", str(asked.rate), "--latency-correction")),
        *("--worker-threads", str(asked.threads)),
        *("--http-version", asked.http),
        *(("--disable-keepalive",) if asked.connection == "close" else ()),
        # The other tools ask for nothing compressed.
        "--disable-compression",
        *header_words(asked.sent_headers),
        asked.url,
    )


def parse(output: str, asked: Asked) -> LoadResult:
    """What oha says of a run. Raises `Unreadable`.

    Kinds of errors: `status` (any but 2xx, which to oha is no failure) and `failed` (no answer, for
    whatever reason). Its bytes are those of bodies.
    """
    printed = _printed(output)
    # Its own requests per second have those among them that failed.
    answers, duration_s = sum(printed.statuses.values()), printed.summary.total
    failed = {what: times for what, times in printed.errors.items() if what != IN_FLIGHT}
    good = sum(times for code, times in printed.statuses.items() if code.startswith("2"))
    return result(
        "oha",
        asked,
        requests=answers,
        duration_s=duration_s,
        requests_per_s=answers / duration_s,
        bytes_per_s=printed.summary.size_per_s,
        latency_us=_latency(printed),
        errors={"status": answers - good, "failed": sum(failed.values())},
    )


def _printed(output: str) -> _Printed:
    start = output.find("{\n")
    try:
        value, _ = json.JSONDecoder().raw_decode(output, max(0, start))
        return _Printed.model_validate(value)
    except (ValueError, RecursionError, ValidationError):
        raise Unreadable("oha", output) from None


def _latency(printed: _Printed) -> Latency | None:
    """None where there was no answer."""
    if printed.summary.average is None:
        return None
    us = {rank: None if s is None else 1e6 * s for rank, s in printed.percentiles.items()}
    slowest = printed.summary.slowest
    return Latency(
        mean=1e6 * printed.summary.average,
        p50=us.get("p50"),
        p75=us.get("p75"),
        p90=us.get("p90"),
        p99=us.get("p99"),
        p99_9=us.get("p99.9"),
        max=None if slowest is None else 1e6 * slowest,
    )
