"""Our engine as one tool among others: `volley load --json`."""

import hashlib

from bakeoff.load.tools.output import Unreadable
from bakeoff.load.tools.spec import LoadSpec, header_arguments
from bakeoff.model.errors import BadFile
from bakeoff.model.load import LoadResult

# The limit for a command line that people read.
READABLE_BODY_BYTES = 200


def arguments(spec: LoadSpec) -> tuple[str, ...]:
    threads = max(1, min(len(spec.cpus), spec.connections))
    return (
        "volley",
        "load",
        *("-c", str(spec.connections)),
        *("-t", str(threads)),
        *spec.length("-d"),
        *(("--http1.0",) if spec.http == "1.0" else ()),
        *(("--close",) if spec.connection == "close" else ()),
        *(() if spec.protocol == "h1" else ("--protocol", spec.protocol)),
        *(("--streams", str(spec.streams)) if spec.streams > 1 else ()),
        # Over TLS it accepts any certificate, as the other tools do.
        *(("--server-name", spec.tls.server_name, "--insecure") if spec.tls else ()),
        *(("--cpus", ",".join(map(str, spec.cpus))) if spec.cpus else ()),
        *(() if spec.rate is None else ("-R", str(spec.rate))),
        *header_arguments(spec.sent_headers),
        *(() if spec.expected_body is None else (_expectation(spec.expected_body),)),
        "--json",
        spec.url,
    )


def in_place_of(command: tuple[str, ...]) -> tuple[str, ...]:
    """The command that makes the engine replace a program, and print what `parse` reads.

    `command` is that program's own, whose last argument is the URL.
    """
    return ("volley", *command[:-1], "--json", command[-1])


def _expectation(body: bytes) -> str:
    """A short printable body in clear text, any other by its hash."""
    text = body.decode(errors="replace")
    if text.isprintable() and text.encode() == body and len(body) <= READABLE_BODY_BYTES:
        return f"--expect-body={text}"
    return f"--expect-sha256={hashlib.sha256(body).hexdigest()}"


def parse(output: str, spec: LoadSpec) -> LoadResult:
    line = next((line for line in output.splitlines() if line.startswith("{")), "")
    try:
        result = LoadResult.from_json(line, "volley")
    except BadFile:
        raise Unreadable("volley", output) from None
    if result.url != spec.url:
        raise Unreadable("volley", output)
    return result
