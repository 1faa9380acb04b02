"""wrk: its arguments, and what it prints."""

import re

from bakeoff.load.tools.asked import Asked
from bakeoff.load.tools.output import COUNT, DECIMAL, count, find, result
from bakeoff.model.errors import BadUsage
from bakeoff.model.load import LoadResult
from bakeoff.model.verdict import Latency

_US = {"us": 1, "ms": 1e3, "s": 1e6, "m": 60e6, "h": 3600e6}
_BYTES = {unit: 2.0 ** (10 * power) for power, unit in enumerate(("", "K", "M", "G", "T", "P"))}
_TIME = DECIMAL + "(us|ms|s|m|h)"
_SIZE = DECIMAL + "([KMGTP]?)B"


def words(asked: Asked) -> tuple[str, ...]:
    """The command. Raises `BadUsage` for what wrk can't do."""
    if asked.http == "1.0":
        raise BadUsage("wrk speaks HTTP/1.1 only: HTTP/1.0 takes ab, webbench or our engine")
    if asked.requests is not None:
        raise BadUsage("wrk counts no requests, it takes a duration: a number of them takes ab")
    if asked.threads > asked.connections:
        raise BadUsage(
            f"wrk takes no more threads than connections: {asked.threads} threads can't share"
            f" {asked.connections} connections"
        )
    closing = (("Connection", "close"),) if asked.connection == "close" else ()
    return (
        "wrk",
        *("-t", str(asked.threads)),
        *("-c", str(asked.connections)),
        *("-d", f"{asked.whole_seconds}s"),
        "--latency",
        *(
            word
            for name, value in (*asked.sent_headers, *closing)
            for word in ("-H", f"{name}: {value}")
        ),
        asked.url,
    )


def parse(output: str, asked: Asked) -> LoadResult:
    """What wrk says of a run that came to its end. Raises `Unreadable`.

    Kinds of errors: `connect`, `read`, `write`, `status` (above 399), and `timeout`, an answer that
    came after wrk's 2 s: it is in `requests` too, and left out of the latencies.
    """
    requests, *time, _, _ = find("wrk", rf"^\s*{COUNT} requests in {_TIME}, {_SIZE} read$", output)
    (requests_per_s,) = find("wrk", rf"^\s*Requests/sec:\s+{DECIMAL}$", output)
    return result(
        "wrk",
        asked,
        requests=int(requests),
        duration_s=_us(*time) / 1e6,
        requests_per_s=float(requests_per_s),
        bytes_per_s=_size(*find("wrk", rf"^\s*Transfer/sec:\s+{_SIZE}$", output)),
        latency_us=_latency(output),
        errors=_errors(output),
    )


def _errors(output: str) -> dict[str, int]:
    kinds = ("connect", "read", "write", "timeout")
    line = ", ".join(f"{kind} {COUNT}" for kind in kinds)
    found = re.search(rf"^\s*Socket errors: {line}$", output, re.MULTILINE)
    socket = dict(zip(kinds, map(int, found.groups()), strict=True)) if found else {}
    return {**socket, "status": count("Non-2xx or 3xx responses:", output)}


def _latency(output: str) -> Latency | None:
    """wrk's latencies, which it has "corrected"; None where not a single one was measured.

    Its correction adds waiting that nobody measured: they are no lower than the true ones.
    """
    spread = rf"^\s*Latency\s+{_TIME}\s+{_TIME}\s+{_TIME}\s+([0-9.]+|-?nan)%$"
    *times, within = find("wrk", spread, output)
    if within.endswith("nan"):
        return None
    mean, stdev, longest = (_us(*times[at : at + 2]) for at in (0, 2, 4))
    rows = re.findall(rf"^\s*([0-9]{{2}})%\s+{_TIME}$", output, re.MULTILINE)
    percentiles = {rank: _us(*time) for rank, *time in rows}
    return Latency(
        mean=mean,
        p50=percentiles.get("50"),
        p75=percentiles.get("75"),
        p90=percentiles.get("90"),
        p99=percentiles.get("99"),
        p99_9=None,
        max=longest,
        stdev=stdev,
    )


def _us(value: str, unit: str) -> float:
    return float(value) * _US[unit]


def _size(value: str, unit: str) -> float:
    return float(value) * _BYTES[unit]
