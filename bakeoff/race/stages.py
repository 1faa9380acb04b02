"""The stages as a race calls them: every effect in one value, replaceable by a test."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from bakeoff.load.tools import Asked, Ran
from bakeoff.measure import Places, Tasks
from bakeoff.model.audit import Audit, Written
from bakeoff.model.capacity import CapacityReport
from bakeoff.model.contender import Contender
from bakeoff.model.engine import Job, Ready, SliceCommand, SliceEvent
from bakeoff.model.errors import ContenderOut
from bakeoff.model.grid import Grid
from bakeoff.model.load import Loader
from bakeoff.model.machine import Machine
from bakeoff.model.plan import Connection, Cores, Entry, Plan
from bakeoff.model.receipt import CpuCounter, Handle, Receipt, Stopped, Verification
from bakeoff.model.replay import Replay
from bakeoff.model.samples import CoreTime, CpuTime, Memory, Record, TcpTrouble
from bakeoff.model.verdict import Verdict
from bakeoff.model.workload import Workload

Build = Callable[
    [Sequence[tuple[Contender, Path]], Callable[[str], None]], Sequence[Receipt | ContenderOut]
]
"""Build all, saying what begins: for each its receipt, or why there is none."""

Answers = Callable[[str, int], str | None]
"""Ask host and port once: None after a real answer, else why there was none."""


class Servers(Protocol):
    """What owns the processes of the contenders and ends them, whatever becomes of us."""

    def start(
        self,
        entry: Entry,
        *,
        out: Path,
        workers: int,
        cores: Cores,
        host: str,
        log: Path,
        answers: Answers,
    ) -> Handle:
        """Start a contender and wait for its first answer. Raises `ContenderOut`."""

    def stop(self, name: str) -> Stopped:
        """End a contender with all its processes."""

    def pids(self, name: str) -> tuple[int, ...]:
        """All processes of a contender that is up."""

    def death(self, name: str) -> str | None:
        """How a contender that was up has died; None while it lives."""

    def close(self) -> None:
        """End all that is still up; idempotent."""


class Load(Protocol):
    """An engine with its connections open."""

    @property
    def ready(self) -> Ready:
        """How many connections each target has."""

    def slice(self, command: SliceCommand) -> SliceEvent:
        """Load one target for one slice."""

    def close(self) -> None:
        """End the engine; idempotent."""


class CpuClock(Protocol):
    """The CPU time of one contender, read again and again."""

    def read(self) -> CpuTime | None:
        """CPU time since it began; None where it can't be seen."""

    def close(self) -> None:
        """Let go of what it keeps open; idempotent."""


@dataclass(frozen=True)
class Stages:
    """Everything that a race does to the world, and the clock by which it does it."""

    build: Build
    servers: Callable[[Path], Servers]
    attach: Callable[[Entry], Handle]
    answers: Answers
    verify: Callable[[Handle, Entry, Workload, Connection, int], Verification]
    audit: Callable[[Sequence[tuple[Handle, Entry]], Workload], Mapping[str, Audit]]
    load: Callable[[Job], Load]
    cpu: Callable[[CpuCounter], CpuClock]
    process_tree: Callable[[int], Iterable[int]]
    memory: Callable[[Iterable[int]], Memory | None]
    tasks: Callable[[Iterable[int]], Tasks]
    places: Callable[[Iterable[tuple[int, int]]], Places]
    written: Callable[[Handle], Written | None]
    tcp: Callable[[], TcpTrouble | None]
    cores: Callable[[], tuple[CoreTime, ...]]
    pressure_cpu_us: Callable[[], int | None]
    machine: Callable[[], Machine]
    now_ns: Callable[[], int]
    settle: Callable[[], None]
    tool: Callable[[Loader, Asked], Ran]
    tool_missing: Callable[[Loader], str | None]
    write_report: Callable[[Path, Plan, Verdict, Sequence[Record], Mapping[str, Receipt]], Path]
    write_replay: Callable[[Path, Replay], Path]
    write_grid: Callable[[Path, Grid], Path]
    write_capacity: Callable[[Path, CapacityReport], Path]


class Watch(Protocol):
    """Who is told how a race gets on."""

    def step(self, text: str) -> None:
        """Something begins that may take a while."""

    def measured(self, done_s: float, of_s: float, text: str) -> None:
        """So much of the measuring is done."""

    def out(self, name: str, reason: str) -> None:
        """A contender can't take part."""
