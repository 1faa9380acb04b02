"""The questions of a build of volley beside earlier ones, in the same rounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import generators as g
import readings
import servers
from questions import NGINX_SERVERS, Claim, Protocol, Question, Server, at_least, at_most

# Of nginx, where it sends piece by piece what was asked at once, or seals it.
PROTOCOLS_BEFORE: tuple[tuple[Protocol, int], ...] = (
    ("h2c", 1),
    ("h2c", 8),
    ("h2c", 32),
    ("h1-tls", 1),
)
RATE_BEFORE = 20_000


def against(before: Sequence[Path]) -> dict[str, Question]:
    """Whether volley is as fast as other builds of it and as bare, its latency at a rate as low."""

    def question(
        asks: str, server: Server, generators: tuple[g.Generator, ...], wrk: float = 1.5
    ) -> Question:
        claims: list[Claim] = []
        for generator in generators[1:]:
            least = {"bare": 0.98, "wrk": wrk}.get(generator.name, 0.99)
            claims += [
                Claim("requests_per_s", "ratio to", generator.name, at_least(least)),
                Claim("work_us_per_request", "ratio to", generator.name, at_most(1 / least)),
            ]
        return Question(asks, server, generators, tuple(claims))

    late = tuple(
        Claim(f"latency_{name}_us", "ratio to", path.stem)
        for path in before
        for name in readings.TAIL
    )
    asks = "is it as fast as other builds"
    pipelined = question(
        f"{asks}, with 16 requests at a time on each connection?",
        "null for pipelines",
        (*g.volleys(before, *g.PIPELINED), g.BARE_PIPELINED, g.WRK_PIPELINED),
        2.1,
    )
    large = question(
        f"{asks} with answers of 100 KB?",
        "null, 100 KB",
        g.volleys(before, length=servers.LENGTHS[0]),
    )
    closing = question(
        f"{asks} with a connection per request?",
        "nginx",
        (*g.volleys(before, "--close"), g.BARE_CLOSING, g.WRK_CLOSING),
    )
    questions = {
        "as before": question(f"{asks}?", "null", (*g.volleys(before), g.BARE, g.WRK)),
        "as before, pipelined": replace(pipelined, connections=(64,)),
        "as before, 100 KB": replace(large, connections=(64,)),
        "as before, closing": replace(closing, connections=(64,)),
    }
    for protocol, streams in PROTOCOLS_BEFORE:
        name = f"{protocol}, {streams} at a time"
        server = NGINX_SERVERS[protocol]
        volleys = g.before_in_protocol(before, protocol, streams)
        questions[f"as before, {name}"] = replace(
            question(f"{asks}, in {name}?", server, volleys), connections=(64,)
        )
        questions[f"as before, {name}, at a rate"] = Question(
            f"are answers of {name} read as soon, {RATE_BEFORE} a second?",
            server,
            tuple(g.at_rate(volley, RATE_BEFORE) for volley in volleys),
            late,
            connections=(64,),
        )
    return questions
