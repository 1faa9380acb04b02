"""The stages' records of one contender: it is built, it runs, it answers."""

from typing import Literal

from pydantic import NonNegativeFloat, NonNegativeInt, PositiveInt

from bakeoff.model.base import Contract, IfGiven
from bakeoff.model.finding import Finding
from bakeoff.model.protocol import Protocol, Tls
from bakeoff.model.request import ExpectSection


class Receipt(Contract):
    """A contender's build: its sources, its method, and its version."""

    name: str
    version: str
    tools: dict[str, str]
    source_sha256: str
    commands: tuple[tuple[str, ...], ...]
    log: str
    built_s: NonNegativeFloat


class CpuCounter(Contract):
    """The place where the CPU time of one contender's whole process tree is read.

    cgroup-v2: `path` is a folder with `cpu.stat`. cgroup-v1: a folder with `cpuacct.usage`. tree:
    it has no cgroup of its own; the CPU clocks of the processes in the tree of `pid`. none: a
    server that isn't ours, whose processes we can't see. `also` is added: processes in a cgroup of
    their own, such as a container.
    """

    kind: Literal["cgroup-v2", "cgroup-v1", "tree", "none"]
    path: str | None = None
    pid: PositiveInt | None = None
    also: tuple["CpuCounter", ...] = ()

    @property
    def every(self) -> tuple["CpuCounter", ...]:
        return (self, *self.also)


class Handle(Contract):
    """A server that runs and has answered once.

    `address` is numeric, `host:port`; `host` is for the Host header. `log` has all of its output,
    and `scratch` is its TMPDIR; both are None if it isn't ours. Requests go over `protocol`, with
    `tls` if that goes over TLS, and have `close` if each has a `connection` of its own. `program`
    is the name of the process behind a URL, and `unseen` the reason why it can't be seen. The
    defaults are for a server of which only the address is known.
    """

    name: str
    pid: PositiveInt | None = None
    address: str
    host: str
    port: PositiveInt
    protocol: Protocol = "h1"
    tls: Tls | None = None
    connection: Literal["keep-alive", "close"] = "keep-alive"
    cpus: tuple[NonNegativeInt, ...] = ()
    cpu: CpuCounter = CpuCounter(kind="none")
    program: str = ""
    unseen: Finding | None = None
    log: str | None = None
    scratch: str | None = None
    command: tuple[str, ...] = ()
    time_to_ready_ms: NonNegativeFloat | None = None
    reached_at: IfGiven[str] = None


class Stopped(Contract):
    """How a contender ended. `survivors` are pids that outlived SIGKILL."""

    name: str
    how: Literal["had ended", "SIGTERM", "SIGKILL"]
    survivors: tuple[PositiveInt, ...] = ()


class Expectation(Contract):
    """The constant part of `answers` to one request without an expected answer.

    `varied` names the variable parts: places of JSON as `user.id`, else `the body`. If nothing
    varied, the whole body is expected, which is not repeated here.
    """

    answers: PositiveInt
    expect: ExpectSection
    varied: tuple[str, ...] = ()


class Verification(Contract):
    """The answers of one contender before it is loaded. It may race if it has no `problems`.

    `response_base64` is one whole response as it was received, with several requests that to the
    first. Without a given right answer, every answer must equal the first (`expected_body_base64`)
    or, if they vary, match what is `held`, by request; `bodies_base64` has the body, as it comes,
    to each of several requests whose body is given or constant. `findings` are those on its
    answers.
    """

    name: str
    problems: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    status: int | None = None
    head_bytes: NonNegativeInt = 0
    body_bytes: NonNegativeInt = 0
    headers: tuple[tuple[str, str], ...] = ()
    keeps_alive: bool = False
    response_base64: str = ""
    expected_body_base64: str | None = None
    bodies_base64: dict[str, str] = {}
    held: dict[str, Expectation] = {}
    findings: tuple[Finding, ...] = ()
