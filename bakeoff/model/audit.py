"""What contenders do for an answer: where that is unequal, so is the race."""

from typing import Annotated, Literal

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveInt

from bakeoff.model.base import Contract, reads
from bakeoff.model.finding import Finding
from bakeoff.model.plan import Skipped


class Audit(Contract):
    """How one server treats connections, tested while it is not loaded.

    `kept` is how many of `asked` requests one connection was good for. `date` moves where two
    answers more than a second apart have different ones. `segments` is in how many TCP segments
    an answer comes, which is in how many writes it was sent; None where it can't be told: one
    write of its size takes several. `apart_ms` runs from the first part of an answer to its last,
    `answer_ms` from the request to the answer's end. These three are medians over the connection.
    `awaits_request` says whether it waits for a request's end before it answers.
    """

    asked: PositiveInt
    kept: NonNegativeInt
    keeps_http_1_0: bool
    closes_when_asked: bool
    date: Literal["none", "moves", "frozen"]
    segments: PositiveInt | None
    apart_ms: NonNegativeFloat
    answer_ms: NonNegativeFloat
    awaits_request: bool = True


class Crew(Contract):
    """The processes and threads of one contender, and how many of them did its work.

    A process is at work that used more than a twentieth of the CPU time that the busiest one used
    under load; a thread, more than half of what the busiest thread of its process used.
    """

    processes: PositiveInt
    threads: PositiveInt
    processes_at_work: NonNegativeInt
    threads_at_work: NonNegativeInt


class Conduct(Contract):
    """What one contender's processes did while it was measured.

    `escaped` are neither of its session nor below its first process. Of those that had been at work
    before, `ended` are gone; `began` are at work that had not been there. `strayed` are the cores
    that threads at work may run on and that were not given to it.
    """

    escaped: NonNegativeInt = 0
    ended: NonNegativeInt = 0
    began: NonNegativeInt = 0
    strayed: tuple[NonNegativeInt, ...] = ()


class Written(Contract):
    """By how many bytes a contender's log, and its scratch folder, grew under load."""

    log_bytes: NonNegativeInt
    scratch_bytes: NonNegativeInt


class Work(Contract):
    """What one contender does for an answer.

    `headers` are those of one answer, in lower case and sorted. `written_per_request` is bytes
    of log and of scratch files per answered request. None: not known.
    """

    head_bytes: NonNegativeInt
    body_bytes: NonNegativeInt
    headers: tuple[str, ...]
    keeps_alive: bool
    workers: PositiveInt
    audit: Audit | None = None
    crew: Crew | None = None
    written_per_request: NonNegativeFloat | None = None


class AuditReport(Contract):
    """What `bakeoff contenders --audit` finds: no word on speed."""

    schema_: Annotated[Literal["bakeoff.audit/2"], reads("bakeoff.audit/1", "bakeoff.audit/2")] = (
        Field("bakeoff.audit/2", alias="schema")
    )
    workload: str
    connections: PositiveInt
    works: dict[str, Work]
    unequal: tuple[Finding, ...]
    skipped: tuple[Skipped, ...]
