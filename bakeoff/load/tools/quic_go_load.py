"""quic-go-load, quic-go's HTTP/3 client as a load tool: its arguments, and the JSON that it prints.

Its source is `catalogue/clients/quic-go-load`.
"""

import json
from typing import Annotated

from pydantic import BaseModel, Field, ValidationError

from bakeoff.load.tools.output import Unreadable, latency, result
from bakeoff.load.tools.spec import LoadSpec, header_arguments
from bakeoff.model.load import LoadResult

_Count = Annotated[int, Field(ge=0, lt=10**18, strict=True)]
_Figure = Annotated[float, Field(ge=0, lt=10**15)]


class _Printed(BaseModel):
    """`latency_us` by rank, with the `mean` and `max`; None where nothing was answered."""

    requests: _Count
    duration_s: Annotated[float, Field(gt=0, lt=10**9)]
    bytes: _Count
    status: _Count
    failed: _Count
    latency_us: dict[str, _Figure] | None


def arguments(spec: LoadSpec) -> tuple[str, ...]:
    spec.check("quic-go-load", versions=(3,))
    name = spec.tls.server_name if spec.tls else ""
    return (
        "quic-go-load",
        *("-c", str(spec.connections)),
        *("-t", str(spec.threads)),
        *("-m", str(spec.streams)),
        *spec.length("-d"),
        *(("-close",) if spec.connection == "close" else ()),
        *(("-host", spec.host) if spec.host != spec.url_host else ()),
        *(("-server-name", name) if name else ()),
        *header_arguments(spec.headers),
        spec.url,
    )


def parse(output: str, spec: LoadSpec) -> LoadResult:
    """What quic-go-load printed. Raises `Unreadable`.

    Kinds of errors: `status` (any except 2xx) and `failed` (no answer). Its bytes are those of
    bodies.
    """
    try:
        value, _ = json.JSONDecoder().raw_decode(output, max(0, output.find("{")))
        printed = _Printed.model_validate(value)
        times = printed.latency_us and dict(printed.latency_us)
        mean, longest = (times.pop("mean"), times.pop("max")) if times else (0.0, 0.0)
        latency_us = latency(times, mean=mean, longest=longest) if times else None
    except (ValueError, RecursionError, ValidationError, KeyError):
        raise Unreadable("quic-go-load", output) from None
    return result(
        "quic-go-load",
        spec,
        requests=printed.requests,
        duration_s=printed.duration_s,
        requests_per_s=printed.requests / printed.duration_s,
        bytes_per_s=printed.bytes / printed.duration_s,
        latency_us=latency_us,
        errors={"status": printed.status, "failed": printed.failed},
    )
