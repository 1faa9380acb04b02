"""Where our personalities can't be as the originals, or must not: docs/personalities.md shows it.

`theirs` and `ours` are patterns of what is said, with `here` the stream. Where a pattern matches,
the text is taken for `<name>`: both sides have to have it, in the same place.
"""

import re
from dataclasses import dataclass
from typing import Literal

from tests.personality.programs import Program, real


@dataclass(frozen=True)
class Difference:
    """Words that differ by design."""

    program: str
    name: str
    theirs: str
    ours: str
    why: str
    here: Literal["out", "err"] = "out"


DIFFERENCES = [
    Difference(
        "ab",
        "banner",
        r"\A(?:<p>\n)?( ?This is ApacheBench, .*\n.*\n.*\n)",
        r"\A(?:<p>\n)?((?:(?!Benchmarking|<).*\n){3})",
        "Three lines that say whose program it is: ours is not the Apache Software Foundation's.",
    ),
    Difference(
        "ab",
        "usage",
        r"(?ms)^(Usage: .*)\Z",
        r"(?ms)^(Usage: .*)\Z",
        "Help in our own words, with the same flags and a few more.",
        "err",
    ),
    Difference(
        "wrk",
        "version",
        r"(?m)^(wrk .* Copyright .*\n)",
        r"(?m)\A(wrk .*\n)",
        "The line that says whose program it is: ours is not wrk.",
    ),
    Difference(
        "wrk",
        "usage",
        r"(?ms)^(Usage: .*)\Z",
        r"(?ms)^(Usage: .*)\Z",
        "Help in our own words, with the same flags and a few more.",
    ),
]
# Cases of the tables that have to differ, by their note.
BY_DESIGN = {
    "ab": {
        "what the certificate says": "with -v 2 ab prints OpenSSL's view of the certificate.",
    },
    "wrk": {
        "199": "a 1xx answer is interim (RFC 9110): the real answer follows. wrk counts it as one.",
        "100 Continue first": "the same",
        "a function can't be got": "wrk names the global; ours says what can't be transferred.",
        "304": "a 304 has no body, whatever its Content-Length says (RFC 9112). wrk waits for one.",
    },
}
ADVICE = re.compile(r"(?m)^advice: .*\n")
# TLS is rustls's here: where OpenSSL explains a failure in its own words, we have none.
OPENSSL = re.compile(r"(?m)^[0-9A-F]{16}:error:.*\n")


def are_meant(program: str, note: str) -> bool:
    """Whether this case differs by design, so that alike is wrong."""
    return note in BY_DESIGN.get(program, {})


def settled(program: Program, out: str, err: str) -> tuple[str, str]:
    """The two streams without what differs by design, and without our advice."""
    ours = program.path != real(program.name).path
    err = ADVICE.sub("", err) if ours else OPENSSL.sub("", err)
    texts = {"out": out, "err": err}
    for difference in DIFFERENCES:
        if difference.program == program.name:
            pattern = difference.ours if ours else difference.theirs
            texts[difference.here] = _named(texts[difference.here], pattern, difference.name)
    return texts["out"], texts["err"]


def _named(text: str, pattern: str, name: str) -> str:
    found = re.search(pattern, text)
    return text[: found.start(1)] + f"<{name}>\n" + text[found.end(1) :] if found else text
