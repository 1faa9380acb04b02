"""The contenders' work for an answer: where it is unequal, so is the race."""

from typing import Literal

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveInt

from bakeoff.model.base import Contract
from bakeoff.model.finding import Finding
from bakeoff.model.plan import Skipped
from bakeoff.model.protocol import Agreed, Protocol


class TlsConduct(Contract):
    """The result of a server's TLS with a client that accepts every offer.

    `key` is the kind of its certificate's key, as EC secp256r1; `resumes`: a second connection
    could resume the first one's session.
    """

    version: str
    cipher: str
    key: str
    alpn: str | None
    resumes: bool


class Http2Conduct(Contract):
    """A server's HTTP/2 settings, None where it sent none, and its heads before and after HPACK.

    `head_bytes` is the size of an answer's head in HTTP/1.1, without its first line;
    `first_head_bytes` and `next_head_bytes` are the sizes of its HEADERS frames in the first answer
    of a connection and in one after HPACK has learned, frame heads included.
    """

    max_concurrent_streams: NonNegativeInt | None
    initial_window: NonNegativeInt | None
    header_table_size: NonNegativeInt | None
    max_frame_size: NonNegativeInt | None
    head_bytes: NonNegativeInt
    first_head_bytes: NonNegativeInt
    next_head_bytes: NonNegativeInt


class Probes(Contract):
    """How a server reacts to requests that the workload doesn't send; None: unknown.

    They went to another process of it, which was not measured. HTTP/2 has none of them.
    `awaits_request` says whether it waits for a request's end before it answers.
    """

    keeps_http_1_0: bool | None = None
    closes_when_asked: bool | None = None
    awaits_request: bool | None = None


class Audit(Probes):
    """How one server treats connections, tested while it is not loaded.

    `kept` is how many of `asked` requests one connection answered. `date` moves if two answers more
    than a second apart have different ones. `segments` is the number of an answer's TCP segments,
    which is that of its writes; None where it can't be told: one write of its size needs several.
    `apart_ms` runs from the first part of an answer to its last, `answer_ms` from the request to
    the answer's end. These three are medians over the connection. `tls` and `http2` are None where
    the requests use neither.
    """

    asked: PositiveInt
    kept: NonNegativeInt
    date: Literal["none", "moves", "frozen"]
    segments: PositiveInt | None
    apart_ms: NonNegativeFloat
    answer_ms: NonNegativeFloat
    tls: TlsConduct | None = None
    http2: Http2Conduct | None = None


class Crew(Contract):
    """The processes and threads of one contender, and how many of them did its work.

    A process is at work if it used more than a twentieth of the CPU time of the busiest one under
    load; a thread, if it used more than half of that of the busiest thread of its process.
    """

    processes: PositiveInt
    threads: PositiveInt
    processes_at_work: NonNegativeInt
    threads_at_work: NonNegativeInt


class Conduct(Contract):
    """The activity of one contender's processes while it was measured.

    `escaped` are neither in its session nor below its first process. `ended` had been at work
    before and are gone; `began` are new ones at work. `strayed` are cores that were not given to
    it, but on which threads at work may run.
    """

    escaped: NonNegativeInt = 0
    ended: NonNegativeInt = 0
    began: NonNegativeInt = 0
    strayed: tuple[NonNegativeInt, ...] = ()


class Written(Contract):
    """The growth of a contender's log, and of its scratch folder, under load, in bytes."""

    log_bytes: NonNegativeInt
    scratch_bytes: NonNegativeInt


class Work(Contract):
    """The work of one contender for an answer.

    `headers` are those of one answer, in lower case and sorted. `written_per_request` has the bytes
    of log and of scratch files per answered request. None: not known. `agreed` has the properties
    of the load generator's connections.
    """

    head_bytes: NonNegativeInt
    body_bytes: NonNegativeInt
    headers: tuple[str, ...]
    keeps_alive: bool
    workers: PositiveInt
    protocol: Protocol = "h1"
    agreed: Agreed | None = None
    audit: Audit | None = None
    crew: Crew | None = None
    written_per_request: NonNegativeFloat | None = None


class AuditReport(Contract):
    """The findings of `bakeoff contenders --audit`, without speeds."""

    schema_: Literal["bakeoff.audit/2"] = Field("bakeoff.audit/2", alias="schema")
    workload: str
    connections: PositiveInt
    works: dict[str, Work]
    unequal: tuple[Finding, ...]
    skipped: tuple[Skipped, ...]
