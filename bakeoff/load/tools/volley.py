"""Our engine as one tool among others: `volley load --json`."""

import hashlib

from bakeoff.load.tools.asked import Asked
from bakeoff.load.tools.output import Unreadable
from bakeoff.model.errors import BadFile
from bakeoff.model.load import LoadResult

# What fits on a command line that is meant to be read.
READABLE_BODY_BYTES = 200


def words(asked: Asked) -> tuple[str, ...]:
    """The command."""
    threads = max(1, min(len(asked.cpus), asked.connections))
    seconds = asked.duration_s
    return (
        "volley",
        "load",
        *("-c", str(asked.connections)),
        *("-t", str(threads)),
        *(("-n", str(asked.requests)) if seconds is None else ("-d", f"{seconds:g}")),
        *(("--http1.0",) if asked.http == "1.0" else ()),
        *(("--close",) if asked.connection == "close" else ()),
        *(("--cpus", ",".join(map(str, asked.cpus))) if asked.cpus else ()),
        *(word for name, value in asked.sent_headers for word in ("-H", f"{name}: {value}")),
        *(() if asked.expected_body is None else (_expectation(asked.expected_body),)),
        "--json",
        asked.url,
    )


def _expectation(body: bytes) -> str:
    """A body that is a short text as it is, any other one by its hash."""
    text = body.decode(errors="replace")
    if text.isprintable() and text.encode() == body and len(body) <= READABLE_BODY_BYTES:
        return f"--expect-body={text}"
    return f"--expect-sha256={hashlib.sha256(body).hexdigest()}"


def parse(output: str, asked: Asked) -> LoadResult:
    """The result that volley printed. Raises `Unreadable`."""
    line = next((line for line in output.splitlines() if line.startswith("{")), "")
    try:
        result = LoadResult.from_json(line, "volley")
    except BadFile:
        raise Unreadable("volley", output) from None
    if result.url != asked.url:
        raise Unreadable("volley", output)
    return result
