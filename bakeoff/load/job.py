"""The engine's job, from what was planned and verified."""

import base64
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from bakeoff.load.request_file import write_request_file
from bakeoff.model.engine import Expect, Job, Request, Requests, Target
from bakeoff.model.plan import Plan
from bakeoff.model.receipt import Handle, Verification
from bakeoff.model.workload import ExpectSection

CONNECT_TIMEOUT_MS = 2000
REQUEST_TIMEOUT_MS = 5000


def job(
    plan: Plan,
    servers: Sequence[tuple[Handle, Verification]],
    folder: Path,
    connect_timeout_ms: int = CONNECT_TIMEOUT_MS,
) -> Job:
    """One target for each running server, in order; one thread for each client core.

    What is more than one fixed request with one answer goes into request files, in the run's
    `folder`.
    """
    grpc = plan.workload.grpc
    return Job(
        targets=tuple(
            _target(plan, handle, verification, folder) for handle, verification in servers
        ),
        connections=plan.connections,
        threads=max(1, min(len(plan.cores.client), plan.connections)),
        io="auto",
        connection=plan.connection,
        http=plan.http,
        pipeline=plan.pipeline,
        streams=plan.streams,
        cpus=plan.cores.client,
        # Of servers on another machine no core is at hand.
        fixed_work_cpu=None if plan.cores.apart else min(plan.cores.server, default=None),
        connect_timeout_ms=connect_timeout_ms,
        request_timeout_ms=(grpc and grpc.timeout_ms) or REQUEST_TIMEOUT_MS,
    )


def _target(plan: Plan, handle: Handle, verification: Verification, folder: Path) -> Target:
    workload, entry = plan.workload, plan.entry(handle.name)
    target = partial(
        Target, name=handle.name, address=handle.address, protocol=handle.protocol, tls=handle.tls
    )
    if verification.held or not workload.is_fixed:
        file = write_request_file(folder, entry, workload, verification)
        return target(requests=Requests(file=str(file), host=handle.host, seed=plan.seed))
    asked = workload.first
    expect = asked.expect or ExpectSection()
    return target(
        request=Request(
            method=asked.method,
            path=entry.path,
            host=handle.host,
            headers=tuple(asked.headers.items()),
            body_base64=base64.b64encode(workload.body(asked)).decode(),
        ),
        expect=Expect(
            status=expect.status,
            body_base64=verification.expected_body_base64,
            grpc=workload.grpc is not None,
        ),
    )
