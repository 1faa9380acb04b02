"""wrk, and wrk2, which is wrk at a constant rate: their arguments, and what they print."""

import re
from collections.abc import Sequence

from bakeoff.load.tools.output import COUNT, DECIMAL, Unreadable, count, find, latency, result
from bakeoff.load.tools.spec import LoadSpec, header_arguments
from bakeoff.model.errors import BadUsage
from bakeoff.model.load import Latency, LoadResult, Tool

_US = {"us": 1, "ms": 1e3, "s": 1e6, "m": 60e6, "h": 3600e6}
_BYTES = {unit: 2.0 ** (10 * power) for power, unit in enumerate(("", "K", "M", "G", "T", "P"))}
_TIME = DECIMAL + "(us|ms|s|m|h)"
_SIZE = DECIMAL + "([KMGTP]?)B"


def arguments(spec: LoadSpec) -> tuple[str, ...]:
    spec.check("wrk", http="1.1", takes_requests=False, at_most="connections")
    return ("wrk", *_shape(spec), "--latency", *_target(spec))


def wrk2_arguments(spec: LoadSpec) -> tuple[str, ...]:
    if spec.rate is None:
        raise BadUsage("wrk2 needs a rate; without one use wrk")
    spec.check("wrk2", http="1.1", takes_requests=False, keeps_rate=True, at_most="connections")
    # --u_latency prints the same as --latency, and the latencies since each sending.
    return ("wrk2", *_shape(spec), "-R", str(spec.rate), "--u_latency", *_target(spec))


def _shape(spec: LoadSpec) -> tuple[str, ...]:
    threads, connections = ("-t", str(spec.threads)), ("-c", str(spec.connections))
    return (*threads, *connections, "-d", f"{spec.whole_seconds}s")


def _target(spec: LoadSpec) -> tuple[str, ...]:
    close = (("Connection", "close"),) if spec.connection == "close" else ()
    return (*header_arguments((*spec.sent_headers, *close)), spec.url)


def parse(output: str, spec: LoadSpec) -> LoadResult:
    """What wrk printed at the end of a run. Raises `Unreadable`.

    Kinds of errors: `connect`, `read`, `write`, `status` (above 399), and `timeout`, an answer that
    came after wrk's 2 s: it is in `requests` too, and left out of the latencies.

    wrk "corrects" its latencies by adding waits that were not measured: they are no lower than the
    true ones.
    """
    rows = re.findall(rf"^\s*([0-9]{{2}})%\s+{_TIME}$", output, re.MULTILINE)
    return _result("wrk", output, spec, _summary("wrk", output, rows))


def parse_wrk2(output: str, spec: LoadSpec) -> LoadResult:
    """What wrk2 printed at the end of a run. Raises `Unreadable`.

    Its recorded latency runs from the moment when a request was due; the uncorrected one, which it
    prints with -U only, is `service_us`. Without -L there are no percentiles. Kinds of errors are
    wrk's, but a `timeout` is a request that was not answered yet when wrk2 looked.
    """
    recorded, uncorrected = _block(output, "Recorded"), _block(output, "Uncorrected")
    return _result(
        "wrk2",
        output,
        spec,
        _distribution(recorded) if recorded else _summary("wrk2", output, ()),
        _distribution(uncorrected) if uncorrected else None,
    )


def _result(
    tool: Tool,
    output: str,
    spec: LoadSpec,
    latency_us: Latency | None,
    service_us: Latency | None = None,
) -> LoadResult:
    """The result with the sums at the end of both tools' output."""
    requests, *time, _, _ = find(tool, rf"^\s*{COUNT} requests in {_TIME}, {_SIZE} read$", output)
    (requests_per_s,) = find(tool, rf"^\s*Requests/sec:\s+{DECIMAL}$", output)
    size, unit = find(tool, rf"^\s*Transfer/sec:\s+{_SIZE}$", output)
    return result(
        tool,
        spec,
        requests=int(requests),
        duration_s=_us(*time) / 1e6,
        requests_per_s=float(requests_per_s),
        bytes_per_s=float(size) * _BYTES[unit],
        latency_us=latency_us,
        service_us=service_us,
        errors=_errors(output),
    )


def _errors(output: str) -> dict[str, int]:
    kinds = ("connect", "read", "write", "timeout")
    line = ", ".join(f"{kind} {COUNT}" for kind in kinds)
    match = re.search(rf"^\s*Socket errors: {line}$", output, re.MULTILINE)
    socket = dict(zip(kinds, map(int, match.groups()), strict=True)) if match else {}
    return {**socket, "status": count("Non-2xx or 3xx responses:", output)}


def _summary(tool: Tool, output: str, rows: Sequence[tuple[str, ...]]) -> Latency | None:
    """The line `Latency`, with percentiles from `rows`; None: nothing was measured."""
    if re.search(r"^\s*Latency\s+(-?nan|.*\s-?nan%$)", output, re.MULTILINE):
        return None
    line = rf"^\s*Latency\s+{_TIME}\s+{_TIME}\s+{_TIME}\s+[0-9.]+%$"
    times = find(tool, line, output)
    mean, stdev, longest = (_us(*times[at : at + 2]) for at in (0, 2, 4))
    percentiles = {rank: _us(*time) for rank, *time in rows}
    return latency(percentiles, mean=mean, longest=longest, stdev=stdev)


def _block(output: str, kind: str) -> str:
    """The lines from a distribution's head to the next rule; empty: the head is missing."""
    head = rf"^\s*Latency Distribution \(HdrHistogram - {kind} Latency.*$"
    match = re.search(head + r"(?P<block>(?s:.*?))^\s*-{58}$", output, re.MULTILINE)
    if match is None and re.search(head, output, re.MULTILINE):
        raise Unreadable("wrk2", output)
    return match["block"] if match else ""


def _distribution(block: str) -> Latency | None:
    """None: nothing was measured, as in a run that ends before its calibration."""
    figures = rf"^\s*#\[Max\s+=\s+{DECIMAL},\s+Total count\s+=\s+{COUNT}\]$"
    longest_ms, total = find("wrk2", figures, block)
    if not int(total):
        return None
    moments = rf"^\s*#\[Mean\s+=\s+{DECIMAL},\s+StdDeviation\s+=\s+{DECIMAL}\]$"
    mean_ms, stdev_ms = find("wrk2", moments, block)
    rows = re.findall(rf"^\s*([0-9]{{2}}\.[0-9]{{3}})%\s+{_TIME}\s*$", block, re.MULTILINE)
    return latency(
        {rank: _us(*time) for rank, *time in rows},
        mean=1e3 * float(mean_ms),
        longest=1e3 * float(longest_ms),
        stdev=1e3 * float(stdev_ms),
    )


def step_us(latency_us: float) -> float:
    """The distance between two latencies that wrk prints, about `latency_us`.

    It prints two decimals, and the next larger unit from 0.85 of it on.
    """
    if latency_us < 0.85 * _US["ms"]:
        return 1.0
    return 0.01 * max(_US[unit] for unit in ("ms", "s", "m") if latency_us >= 0.85 * _US[unit])


def _us(value: str, unit: str) -> float:
    return float(value) * _US[unit]
