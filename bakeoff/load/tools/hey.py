"""hey 0.1: its arguments, and the summary that it prints."""

import re

from bakeoff.load.tools.output import COUNT, DECIMAL, Unreadable, find, latency, result
from bakeoff.load.tools.spec import LoadSpec, header_arguments
from bakeoff.model.load import Latency, LoadResult

# It prints seconds with four decimals.
STEP_US = 100.0
# It keeps the statuses and latencies of this many answers, and only counts the others.
KEPT_ANSWERS = 1_000_000


def arguments(spec: LoadSpec) -> tuple[str, ...]:
    """The command. Raises `BadUsage` if hey can't make this load.

    Each connection makes equally many requests: hey leaves out the remainder of their number.
    """
    spec.check("hey", http="1.1", at_most="requests")
    others = ((name, value) for name, value in spec.sent_headers if name.lower() != "host")
    return (
        "hey",
        *("-c", str(spec.connections)),
        *spec.length("-z", "s"),
        *("-cpus", str(spec.threads)),
        *(("-disable-keepalive",) if spec.connection == "close" else ()),
        # The other tools request nothing compressed, and follow no redirects.
        *("-disable-compression", "-disable-redirects"),
        *(("-host", spec.host) if spec.host != spec.url_host else ()),
        *header_arguments(others),
        spec.url,
    )


def parse(output: str, spec: LoadSpec) -> LoadResult:
    """What hey printed at the end of a run. Raises `Unreadable`.

    Kinds of errors: `status` (any except 2xx, which hey doesn't count as a failure) and `failed`
    (no answer, for whatever reason). Bytes are those of bodies whose length the server announced.
    """
    total_s = float(_figure(rf"Total:\s+{DECIMAL} secs", output))
    sent_per_s = float(_figure(rf"Requests/sec:\s+{DECIMAL}", output))
    statuses, failed = _ends(output)
    answers = sum(statuses.values())
    if answers >= KEPT_ANSWERS:
        answers = max(answers, round(sent_per_s * total_s) - failed)
    if not total_s:
        raise Unreadable("hey", output)
    good = sum(times for code, times in statuses.items() if code.startswith("2"))
    body_bytes = re.search(rf"^  Total data:\s+{COUNT} bytes$", output, re.MULTILINE)
    return result(
        "hey",
        spec,
        requests=answers,
        duration_s=total_s,
        requests_per_s=answers / total_s,
        bytes_per_s=int(body_bytes[1]) / total_s if body_bytes else 0,
        latency_us=_latency(output) if answers else None,
        errors={"status": sum(statuses.values()) - good, "failed": failed},
    )


def _figure(line: str, output: str) -> str:
    return find("hey", rf"^  {line}$", output)[0]


def _ends(output: str) -> tuple[dict[str, int], int]:
    """Status → answers, and the number of requests without an answer: the last part of the
    output."""
    statuses, errors = find(
        "hey",
        r"^Status code distribution:((?:\n  \[[0-9]{1,9}\]\t[0-9]{1,18} responses)*)\n\n"
        r"(?:\n|Error distribution:((?:\n  \[[0-9]{1,18}\]\t.*)+)\n\n)",
        output,
    )
    answered = re.findall(rf"\[([0-9]+)\]\t{COUNT} responses", statuses)
    failed = re.findall(rf"^  \[{COUNT}\]\t", errors or "", re.MULTILINE)
    return {code: int(times) for code, times in answered}, sum(map(int, failed))


def _latency(output: str) -> Latency:
    """hey prints tenths of a millisecond: 0 is anything below a half of one."""
    # Early releases print one percent sign, and a row of zeros for a rank that no answer has.
    rows = re.findall(rf"^  ([0-9]{{2}})%{{1,2}} in {DECIMAL} secs$", output, re.MULTILINE)
    return latency(
        {rank: 1e6 * float(seconds) for rank, seconds in rows},
        mean=1e6 * float(_figure(rf"Average:\s+{DECIMAL} secs", output)),
        longest=1e6 * float(_figure(rf"Slowest:\s+{DECIMAL} secs", output)),
    )
