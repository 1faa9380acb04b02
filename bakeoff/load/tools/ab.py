"""ab, the ApacheBench of Debian's apache2-utils: its arguments, and what it prints.

The outputs of 2012 (ab 2.3 of httpd 2.2) and of today (ab 2.3 of httpd 2.4) are both read.
"""

import re

from bakeoff.load.tools.asked import Asked, header_words
from bakeoff.load.tools.output import COUNT, DECIMAL, count, find, result
from bakeoff.model.errors import BadUsage
from bakeoff.model.load import LoadResult
from bakeoff.model.verdict import Latency

# ab gives up as soon as no connection has said anything for so long.
SILENCE_S = 10

# It prints whole milliseconds.
STEP_US = 1000.0

# ab reserves memory for every request that it may make, so -n is no larger than a run with -t can
# use up: its one thread makes some ten thousands a second.
AT_MOST_PER_S = 200_000


def words(asked: Asked) -> tuple[str, ...]:
    """The command. Raises `BadUsage` for what ab can't do."""
    if asked.http == "1.1":
        raise BadUsage("ab speaks HTTP/1.0 only: HTTP/1.1 takes wrk or our engine")
    asked.no_rate("ab")
    if asked.requests is not None and asked.connections > asked.requests:
        raise BadUsage(
            f"ab takes no more connections than requests: it can't make {asked.requests} requests"
            f" over {asked.connections} connections"
        )
    return (
        "ab",
        *_ends(asked),
        *("-c", str(asked.connections)),
        *(("-k",) if asked.connection == "keep-alive" else ()),
        *("-s", str(SILENCE_S)),
        # Without -r the first connection that is reset ends the run, and nothing is printed of it.
        "-r",
        *header_words(asked.sent_headers),
        asked.url,
    )


def _ends(asked: Asked) -> tuple[str, ...]:
    seconds = asked.whole_seconds
    if seconds is None:
        return ("-n", str(asked.requests))
    # -t sets -n to 50000, and ends the run there unless a later -n says otherwise.
    return ("-t", str(seconds), "-n", str(seconds * AT_MOST_PER_S))


def parse(output: str, asked: Asked) -> LoadResult:
    """What ab says of a run that came to its end. Raises `Unreadable`.

    Kinds of errors: `connect`, `read` (ab's "Receive"), `length`, `exception` (an error on a socket
    that was being waited for), `write`, and `status`, which to ab is no failure. `length` is an
    answer of another length than the first one had: ab knows no right one. An answer that was cut
    off may be in `read` and in `length`.
    """
    complete = int(_figure(rf"Complete requests:\s+{COUNT}", output))
    requests_per_s = float(_figure(rf"Requests per second:\s+{DECIMAL} \[#/sec\] \(mean\)", output))
    errors = _errors(output)
    # With -r ab counts a request whose connection was refused or reset as complete, and prints tens
    # of thousands a second of a server that isn't there. Only answers are throughput.
    answers = max(0, complete - errors["read"])
    return result(
        "ab",
        asked,
        requests=answers,
        duration_s=float(_figure(rf"Time taken for tests:\s+{DECIMAL} seconds", output)),
        requests_per_s=requests_per_s * answers / complete if complete else 0,
        bytes_per_s=1024
        * float(_figure(rf"Transfer rate:\s+{DECIMAL} \[Kbytes/sec\] received", output)),
        latency_us=_latency(output) if answers else None,
        errors=errors,
    )


def _figure(line: str, output: str) -> str:
    """The figure in a line that ab always prints."""
    return find("ab", rf"^\s*{line}$", output)[0]


def _errors(output: str) -> dict[str, int]:
    connect = read = length = exception = "0"
    if int(_figure(rf"Failed requests:\s+{COUNT}", output)):
        by_kind = rf"\(Connect: {COUNT}, Receive: {COUNT}, Length: {COUNT}, Exceptions: {COUNT}\)"
        connect, read, length, exception = find("ab", rf"^\s*{by_kind}$", output)
    return {
        "connect": int(connect),
        "read": int(read),
        "length": int(length),
        "exception": int(exception),
        "write": count("Write errors:", output),
        "status": count("Non-2xx responses:", output),
    }


def _latency(output: str) -> Latency | None:
    """None where there are no tables.

    ab prints whole milliseconds (but for the standard deviation): 0 is anything below a half.
    """
    if "Connection Times (ms)" not in output:
        return None
    row = rf"^\s*Total:\s+{COUNT}\s+{COUNT}\s+{DECIMAL}\s+{COUNT}\s+{COUNT}$"
    _, mean, stdev, median, longest = (1000 * float(ms) for ms in find("ab", row, output))
    percentiles = _percentiles(output)
    return Latency(
        mean=mean,
        # A single request has no table of percentiles.
        p50=percentiles.get("50", median),
        p75=percentiles.get("75"),
        p90=percentiles.get("90"),
        p99=percentiles.get("99"),
        p99_9=None,
        max=longest,
        stdev=stdev,
    )


def _percentiles(output: str) -> dict[str, float]:
    if "Percentage of the requests served" not in output:
        return {}
    # The last row: without it the table was cut off.
    find("ab", r"^\s*100%\s+[0-9]+ \(longest request\)$", output)
    rows = re.findall(rf"^\s*([0-9]{{2}})%\s+{COUNT}$", output, re.MULTILINE)
    return {rank: 1000 * float(ms) for rank, ms in rows}
