"""The engine's job, by the plan and the verification."""

import base64
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from bakeoff.load.request_file import write_request_file
from bakeoff.model.engine import (
    Expect,
    ExpectEvents,
    Held,
    Job,
    Message,
    Request,
    Requests,
    Target,
)
from bakeoff.model.plan import NetworkPath, Plan
from bakeoff.model.receipt import Handle, Verification
from bakeoff.model.request import ExpectSection
from bakeoff.model.workload import Workload

CONNECT_TIMEOUT_MS = 2000
REQUEST_TIMEOUT_MS = 5000
ROUND_TRIPS = 10
"""A handshake with TLS takes three of them, and an answer of 1 MiB from a cold connection seven."""
LOSSY_TIMES = 3
"""The first SYN is sent again after 1 s, a request after 0.2 s, each twice as long as before."""


def job(
    plan: Plan,
    servers: Sequence[tuple[Handle, Verification]],
    folder: Path,
    connect_timeout_ms: int = CONNECT_TIMEOUT_MS,
) -> Job:
    """One target for each running server, in order; one thread for each client core.

    More than one fixed request with one answer needs request files, in the run's `folder`.
    """
    grpc = plan.workload.grpc
    return Job(
        targets=tuple(
            _target(plan, handle, verification, folder) for handle, verification in servers
        ),
        connections=plan.connections,
        threads=max(1, min(len(plan.cores.client), plan.connections // plan.workload.listeners)),
        io="auto",
        connection=plan.connection,
        http=plan.http,
        pipeline=plan.pipeline,
        streams=plan.streams,
        cpus=plan.cores.client,
        # Of servers on another machine no core is at hand.
        fixed_work_cpu=None if plan.cores.apart else min(plan.cores.server, default=None),
        connect_timeout_ms=_over(plan.path, connect_timeout_ms),
        request_timeout_ms=(grpc and grpc.timeout_ms) or _over(plan.path, REQUEST_TIMEOUT_MS),
    )


def _over(path: NetworkPath | None, timeout_ms: int) -> int:
    """A timeout of loopback, lengthened for a path."""
    if path is None:
        return timeout_ms
    return round(timeout_ms * (LOSSY_TIMES if path.loss else 1) + ROUND_TRIPS * path.delay_ms)


def _held(workload: Workload, handle: Handle) -> Held | None:
    if not workload.held:
        return None
    asked = workload.held.request
    headers = tuple(asked.headers.items())
    return Held(
        streams=workload.held.streams,
        request=Request(method=asked.method, path=asked.path, host=handle.host, headers=headers),
        expect=Expect(status=200, body_base64=None, events=ExpectEvents(count=None)),
    )


def _target(plan: Plan, handle: Handle, verification: Verification, folder: Path) -> Target:
    workload, entry = plan.workload, plan.entry(handle.name)
    target = partial(
        Target,
        name=handle.name,
        address=handle.reached_at or handle.address,
        protocol=handle.protocol,
        tls=handle.tls,
        held=_held(workload, handle),
    )
    if verification.held or not workload.is_fixed:
        file = write_request_file(folder, entry, workload, verification)
        return target(requests=Requests(file=str(file), host=handle.host, seed=plan.seed))
    asked = workload.first
    expect = asked.expect or ExpectSection()
    body_base64 = base64.b64encode(workload.body(asked)).decode()
    request = Request(
        method=asked.method, path=entry.path, host=handle.host, headers=tuple(asked.headers.items())
    )
    if workload.websocket:
        message = Message(
            message_base64=body_base64,
            binary=workload.websocket.binary,
            compression=workload.websocket.compression,
            room=workload.room,
        )
        return target(request=request, websocket=message)
    return target(
        request=request.model_copy(update={"body_base64": body_base64}),
        expect=Expect(
            status=expect.status,
            body_base64=verification.expected_body_base64,
            grpc=workload.grpc is not None,
            events=ExpectEvents(count=workload.events.count) if workload.events else None,
        ),
    )
