"""ab, the ApacheBench of Debian's apache2-utils: its arguments, and what it prints.

Reads the outputs of 2012 (ab 2.3 of httpd 2.2) and of today (ab 2.3 of httpd 2.4).
"""

import re

from bakeoff.load.tools.output import COUNT, DECIMAL, count, find, latency, result
from bakeoff.load.tools.spec import LoadSpec, header_arguments
from bakeoff.model.load import Latency, LoadResult

# ab gives up as soon as no connection has sent anything for this long.
SILENCE_S = 10

# It prints whole milliseconds.
STEP_US = 1000.0

# ab reserves memory for every request that it may make, so -n is no larger than a run with -t can
# use up: its one thread makes some ten thousands a second.
AT_MOST_PER_S = 200_000


def arguments(spec: LoadSpec) -> tuple[str, ...]:
    spec.check("ab", http="1.0", at_most="requests")
    seconds = spec.whole_seconds
    # -t sets -n to 50000, and ends the run there unless a later -n changes that.
    duration = ("-t", str(seconds), "-n", str(seconds * AT_MOST_PER_S)) if seconds else ()
    return (
        "ab",
        *(duration or ("-n", str(spec.requests))),
        *("-c", str(spec.connections)),
        *(("-k",) if spec.connection == "keep-alive" else ()),
        *("-s", str(SILENCE_S)),
        # Without -r the first reset connection ends the run, and nothing is printed.
        "-r",
        *header_arguments(spec.sent_headers),
        spec.url,
    )


def parse(output: str, spec: LoadSpec) -> LoadResult:
    """What ab printed at the end of a run. Raises `Unreadable`.

    Kinds of errors: `connect`, `read` (ab's "Receive"), `length`, `exception` (an error on a socket
    for which ab was waiting), `write`, and `status`, which ab doesn't count as a failure. `length`
    is an answer whose length isn't the first one's: ab knows no right answer. A truncated answer
    may be in `read` and in `length`.
    """
    complete = int(_figure(rf"Complete requests:\s+{COUNT}", output))
    requests_per_s = float(_figure(rf"Requests per second:\s+{DECIMAL} \[#/sec\] \(mean\)", output))
    errors = _errors(output)
    # With -r ab counts a request whose connection was refused or reset as complete, and prints tens
    # of thousands a second for a server that doesn't exist. Only answers are throughput.
    answers = max(0, complete - errors["read"])
    return result(
        "ab",
        spec,
        requests=answers,
        duration_s=float(_figure(rf"Time taken for tests:\s+{DECIMAL} seconds", output)),
        requests_per_s=requests_per_s * answers / complete if complete else 0,
        bytes_per_s=1024
        * float(_figure(rf"Transfer rate:\s+{DECIMAL} \[Kbytes/sec\] received", output)),
        latency_us=_latency(output) if answers else None,
        errors=errors,
    )


def _figure(line: str, output: str) -> str:
    """The figure on a line that ab always prints."""
    return find("ab", rf"^\s*{line}$", output)[0]


def _errors(output: str) -> dict[str, int]:
    kinds = ("connect", "read", "length", "exception")
    failed = dict.fromkeys(kinds, 0)
    if int(_figure(rf"Failed requests:\s+{COUNT}", output)):
        by_kind = rf"\(Connect: {COUNT}, Receive: {COUNT}, Length: {COUNT}, Exceptions: {COUNT}\)"
        failed = dict(zip(kinds, map(int, find("ab", rf"^\s*{by_kind}$", output)), strict=True))
    write, status = (count(label, output) for label in ("Write errors:", "Non-2xx responses:"))
    return {**failed, "write": write, "status": status}


def _latency(output: str) -> Latency | None:
    """None if there are no tables.

    ab prints whole milliseconds (except the standard deviation): 0 is anything below a half.
    """
    if "Connection Times (ms)" not in output:
        return None
    row = rf"^\s*Total:\s+{COUNT}\s+{COUNT}\s+{DECIMAL}\s+{COUNT}\s+{COUNT}$"
    _, mean, stdev, median, longest = (1000 * float(ms) for ms in find("ab", row, output))
    percentiles = {"50": median}
    # A single request has no table of percentiles.
    if "Percentage of the requests served" in output:
        # The last row: without it the table was cut off.
        find("ab", r"^\s*100%\s+[0-9]+ \(longest request\)$", output)
        rows = re.findall(rf"^\s*([0-9]{{2}})%\s+{COUNT}$", output, re.MULTILINE)
        percentiles |= {rank: 1000 * float(ms) for rank, ms in rows}
    return latency(percentiles, mean=mean, longest=longest, stdev=stdev)
