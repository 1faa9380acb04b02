"""What these tests ask an engine: a job of one target, and a short slice of it."""

import base64

from bakeoff.model.engine import Expect, Job, Request, SliceCommand, Target

BODY = b"Hello, World!"
CLOSED = SliceCommand(target=0, block=3, ramp_ms=5, duration_ms=50)
"""A closed loop."""


def target(address: str = "127.0.0.1:1", body: bytes = BODY) -> Target:
    """`GET /`, which is to be answered with `body`; by default nobody listens there."""
    return Target(
        name="hello",
        address=address,
        request=Request(method="GET", path="/", host=address),
        expect=Expect(status=200, body_base64=base64.b64encode(body).decode()),
    )


def job(connections: int = 4, of: Target | None = None, cpus: tuple[int, ...] = ()) -> Job:
    return Job(
        targets=(of or target(),),
        connections=connections,
        threads=1,
        io="auto",
        connection="keep-alive",
        cpus=cpus,
        connect_timeout_ms=1000,
        request_timeout_ms=1000,
    )
