"""What the tools' outputs have in common: finding a figure, and what it becomes."""

import re

from bakeoff.load.tools.asked import Asked
from bakeoff.model.errors import BakeoffError
from bakeoff.model.load import LoadResult, Tool
from bakeoff.model.verdict import Latency

# What a tool prints whatever happens: its name, whose it is, and how far it has come.
_SAYS_NOTHING = re.compile(
    r"\s*$|This is ApacheBench|Copyright |Licensed to |Benchmarking \S+ \(be patient\)[.]*(done)?$"
    r"|(Completed|Finished) [0-9]+ requests|Webbench - |Benchmarking: |Running .* test @"
)


# Bounded, so that garbage that looks like a number is no error of its own.
COUNT = r"([0-9]{1,18})"
DECIMAL = r"([0-9]{1,15}(?:\.[0-9]{1,9})?)"


class Unreadable(BakeoffError):
    """A tool's output isn't what the tool prints at the end of a run."""

    def __init__(self, tool: str, output: str) -> None:
        line = telling_line(output) or ("only its banner" if output.strip() else "no output")
        super().__init__(f"{tool} printed nothing that can be read: {line}")


def telling_line(output: str) -> str:
    """The first line that is no banner and no progress; empty where there is none."""
    for line in output.splitlines():
        if not _SAYS_NOTHING.match(line):
            return line.strip()
    return ""


def find(tool: str, pattern: str, output: str) -> tuple[str, ...]:
    """The groups of the first line that matches `pattern`. Raises `Unreadable`."""
    found = re.search(pattern, output, re.MULTILINE)
    if found is None:
        raise Unreadable(tool, output)
    return found.groups()


def count(label: str, output: str) -> int:
    """The count after `label`, in a line that is only printed where there is one; else 0."""
    found = re.search(rf"^\s*{label}\s+{COUNT}$", output, re.MULTILINE)
    return int(found[1]) if found else 0


def result(
    tool: Tool,
    asked: Asked,
    *,
    requests: int,
    duration_s: float,
    requests_per_s: float,
    bytes_per_s: float,
    latency_us: Latency | None,
    errors: dict[str, int],
    service_us: Latency | None = None,
) -> LoadResult:
    """The result of a tool that isn't ours.

    These tools check no body, so none of their `errors` is a mismatch: there may have been some.
    """
    return LoadResult(
        tool=tool,
        url=asked.url,
        requests=requests,
        duration_s=duration_s,
        requests_per_s=requests_per_s,
        bytes_per_s=bytes_per_s,
        latency_us=latency_us,
        service_us=service_us,
        send_lag_us=None,
        errors={kind: times for kind, times in errors.items() if times},
        misses=0,
        unsent=0,
        redirects=0,
        connects=0,
        first_bad=None,
        client=None,
        little=None,
        limited_by="unknown",
        ceiling=None,
        mode="open" if asked.rate else "closed",
        connections=asked.connections,
        rate=asked.rate,
        io=None,
    )
