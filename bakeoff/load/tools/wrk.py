"""wrk: its arguments, and what it prints."""

import re

from bakeoff.load.tools.asked import Asked, header_words
from bakeoff.load.tools.output import COUNT, DECIMAL, count, find, result
from bakeoff.model.errors import BadUsage
from bakeoff.model.load import LoadResult, Tool
from bakeoff.model.verdict import Latency

_US = {"us": 1, "ms": 1e3, "s": 1e6, "m": 60e6, "h": 3600e6}
_BYTES = {unit: 2.0 ** (10 * power) for power, unit in enumerate(("", "K", "M", "G", "T", "P"))}
TIME = DECIMAL + "(us|ms|s|m|h)"
_SIZE = DECIMAL + "([KMGTP]?)B"


def words(asked: Asked) -> tuple[str, ...]:
    """The command. Raises `BadUsage` for what wrk can't do."""
    asked.no_rate("wrk")
    return ("wrk", *load_words("wrk", asked), "--latency", *url_words(asked))


def load_words(tool: str, asked: Asked) -> tuple[str, ...]:
    """The load, as wrk and wrk2 take it. Raises `BadUsage` for what they can't do."""
    if asked.http == "1.0":
        raise BadUsage(f"{tool} speaks HTTP/1.1 only: HTTP/1.0 takes ab, webbench or our engine")
    if asked.requests is not None:
        raise BadUsage(f"{tool} counts no requests, it takes a duration: a number of them takes ab")
    if asked.threads > asked.connections:
        raise BadUsage(
            f"{tool} takes no more threads than connections: {asked.threads} threads can't share"
            f" {asked.connections} connections"
        )
    return (
        *("-t", str(asked.threads)),
        *("-c", str(asked.connections)),
        *("-d", f"{asked.whole_seconds}s"),
    )


def url_words(asked: Asked) -> tuple[str, ...]:
    """What is asked for, as wrk and wrk2 take it."""
    return (*header_words((*asked.sent_headers, *asked.close_header)), asked.url)


def parse(output: str, asked: Asked) -> LoadResult:
    """What wrk says of a run that came to its end. Raises `Unreadable`.

    Kinds of errors: `connect`, `read`, `write`, `status` (above 399), and `timeout`, an answer that
    came after wrk's 2 s: it is in `requests` too, and left out of the latencies.
    """
    return totals("wrk", output, asked, _latency(output))


def totals(
    tool: Tool,
    output: str,
    asked: Asked,
    latency_us: Latency | None,
    service_us: Latency | None = None,
) -> LoadResult:
    """The result with the sums that wrk and wrk2 end with. Raises `Unreadable`."""
    requests, *time, _, _ = find(tool, rf"^\s*{COUNT} requests in {TIME}, {_SIZE} read$", output)
    (requests_per_s,) = find(tool, rf"^\s*Requests/sec:\s+{DECIMAL}$", output)
    return result(
        tool,
        asked,
        requests=int(requests),
        duration_s=us(*time) / 1e6,
        requests_per_s=float(requests_per_s),
        bytes_per_s=_size(*find(tool, rf"^\s*Transfer/sec:\s+{_SIZE}$", output)),
        latency_us=latency_us,
        service_us=service_us,
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
    spread = rf"^\s*Latency\s+{TIME}\s+{TIME}\s+{TIME}\s+([0-9.]+|-?nan)%$"
    *times, within = find("wrk", spread, output)
    if within.endswith("nan"):
        return None
    mean, stdev, longest = (us(*times[at : at + 2]) for at in (0, 2, 4))
    rows = re.findall(rf"^\s*([0-9]{{2}})%\s+{TIME}$", output, re.MULTILINE)
    percentiles = {rank: us(*time) for rank, *time in rows}
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


def step_us(latency_us: float) -> float:
    """The distance between two latencies that wrk prints, about `latency_us`.

    It prints two decimals, and the next larger unit from 0.85 of it on.
    """
    if latency_us < 0.85 * _US["ms"]:
        return 1.0
    return 0.01 * max(_US[unit] for unit in ("ms", "s", "m") if latency_us >= 0.85 * _US[unit])


def us(value: str, unit: str) -> float:
    """A time that wrk printed, in µs."""
    return float(value) * _US[unit]


def _size(value: str, unit: str) -> float:
    return float(value) * _BYTES[unit]
