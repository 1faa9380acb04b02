"""The common part of the tools' outputs: how a figure is found, and how it is converted."""

import re
from collections.abc import Mapping

from bakeoff.load.tools.spec import LoadSpec
from bakeoff.model.errors import BakeoffError
from bakeoff.model.load import Latency, LoadResult, Tool

# Banners and progress, which a tool prints in any case.
_SAYS_NOTHING = re.compile(
    r"\s*$|This is ApacheBench|Copyright |Licensed to |Benchmarking \S+ \(be patient\)[.]*(done)?$"
    r"|(Completed|Finished) [0-9]+ requests|Webbench - |Benchmarking: |Running .* test @"
)

# Bounded, so that garbage that looks like a number does not cause another error.
COUNT = r"([0-9]{1,18})"
DECIMAL = r"([0-9]{1,15}(?:\.[0-9]{1,9})?)"


class Unreadable(BakeoffError):
    """A tool's output doesn't have the form of a finished run."""

    def __init__(self, tool: str, output: str) -> None:
        line = telling_line(output) or ("only its banner" if output.strip() else "no output")
        super().__init__(f"{tool}'s output can't be read: {line}")


def telling_line(output: str) -> str:
    """The first line that is neither a banner nor progress; empty: there is none."""
    lines = (line.strip() for line in output.splitlines() if not _SAYS_NOTHING.match(line))
    return next(lines, "")


def find(tool: str, pattern: str, output: str) -> tuple[str, ...]:
    match = re.search(pattern, output, re.MULTILINE)
    if match is None:
        raise Unreadable(tool, output)
    return match.groups()


def count(label: str, output: str) -> int:
    """The count after `label`, on a line that is printed only if it is not 0; else 0."""
    match = re.search(rf"^\s*{label}\s+{COUNT}$", output, re.MULTILINE)
    return int(match[1]) if match else 0


def latency(
    percentiles: Mapping[str, float | None],
    *,
    mean: float,
    longest: float | None,
    stdev: float | None = None,
) -> Latency:
    """Latencies in µs; `percentiles` by rank as it is printed: 50, 50.000, 99.9."""
    by_rank = {float(rank): us for rank, us in percentiles.items()}
    return Latency(
        mean=mean,
        p50=by_rank.get(50),
        p75=by_rank.get(75),
        p90=by_rank.get(90),
        p99=by_rank.get(99),
        p99_9=by_rank.get(99.9),
        max=longest,
        stdev=stdev,
    )


def result(
    tool: Tool,
    spec: LoadSpec,
    *,
    requests: int,
    duration_s: float,
    requests_per_s: float,
    bytes_per_s: float,
    latency_us: Latency | None,
    errors: Mapping[str, int],
    service_us: Latency | None = None,
) -> LoadResult:
    """The result of a foreign tool.

    These tools check no body, so none of their `errors` is a mismatch, though there may have been
    some.
    """
    return LoadResult(
        tool=tool,
        url=spec.url,
        requests=requests,
        duration_s=duration_s,
        requests_per_s=requests_per_s,
        bytes_per_s=bytes_per_s,
        latency_us=latency_us,
        service_us=service_us,
        send_lag_us=None,
        errors={kind: times for kind, times in errors.items() if times},
        misses=None,
        unsent=None,
        redirects=None,
        connects=None,
        first_bad=None,
        client=None,
        little=None,
        limited_by=None,
        ceiling=None,
        mode="open" if spec.rate else "closed",
        connections=spec.connections,
        rate=spec.rate,
        io=None,
    )
