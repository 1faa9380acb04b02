"""The engine's job, from what was planned and verified."""

import base64
from collections.abc import Sequence

from bakeoff.model.engine import Expect, Job, Request, Target
from bakeoff.model.plan import Plan
from bakeoff.model.receipt import Handle, Verification

CONNECT_TIMEOUT_MS = 2000
REQUEST_TIMEOUT_MS = 5000


def job(plan: Plan, servers: Sequence[tuple[Handle, Verification]]) -> Job:
    """One target for each running server, in order; one thread for each client core."""
    return Job(
        targets=tuple(_target(plan, handle, verification) for handle, verification in servers),
        connections=plan.connections,
        threads=max(1, min(len(plan.cores.client), plan.connections)),
        io="auto",
        connection=plan.connection,
        http=plan.http,
        pipeline=plan.pipeline,
        streams=plan.streams,
        cpus=plan.cores.client,
        connect_timeout_ms=CONNECT_TIMEOUT_MS,
        request_timeout_ms=REQUEST_TIMEOUT_MS,
    )


def _target(plan: Plan, handle: Handle, verification: Verification) -> Target:
    workload = plan.workload
    return Target(
        name=handle.name,
        address=handle.address,
        protocol=handle.protocol,
        tls=handle.tls,
        request=Request(
            method=workload.request.method,
            path=plan.entry(handle.name).path,
            host=handle.host,
            headers=tuple(workload.request.headers.items()),
            body_base64=base64.b64encode(workload.request.content).decode(),
        ),
        expect=Expect(status=workload.expect.status, body_base64=verification.expected_body_base64),
    )
