"""Our engine as one tool among others: `volley load --json`."""

import hashlib

from bakeoff.load.tools.asked import Asked, header_words
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
        *(() if asked.rate is None else ("-R", str(asked.rate))),
        *header_words(asked.sent_headers),
        *(() if asked.expected_body is None else (_expectation(asked.expected_body),)),
        "--json",
        asked.url,
    )


def in_place_of(words: tuple[str, ...]) -> tuple[str, ...]:
    """The command that makes the engine stand in for a program, and print what `parse` reads.

    `words` is that program's own command; its last word is the URL.
    """
    return ("volley", *words[:-1], "--json", words[-1])


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
