"""The effects of a run on the world, as seven objects. Tests and simulations bring their own."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import bakeoff
from bakeoff import load, measure, start
from bakeoff import verify as verifying
from bakeoff.build import Wanted, build_several
from bakeoff.installation import cache_folder, engine_version
from bakeoff.model.errors import BadFile, ContenderOut, MissingPiece
from bakeoff.model.history import Earlier, Program
from bakeoff.model.machine import Machine
from bakeoff.model.plan import Entry, Plan
from bakeoff.model.protocol import Certificate
from bakeoff.model.readings import NetworkSeen
from bakeoff.model.receipt import Receipt
from bakeoff.model.verdict import Verdict
from bakeoff.runs.results import Results
from bakeoff.why import Profiler

SETTLE_S = 0.3
"""Time for servers to come to rest before their idle memory is read."""
JOBS_MAX = 4
"""Each build takes memory and network too; compilers use several cores by themselves."""


class Programs:
    """Findings of earlier runs on programs: a file for each in `folder`, by default in the user's
    cache. A file that can't be read or written counts as missing.

    A program of the same sources and tools, started in the same way, treats connections under the
    same requests alike: its audit takes 1.2 s, for a Date that moves.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or cache_folder() / "programs"

    def program(self, key: str) -> Program:
        try:
            return Program.read_json(self._folder / key)
        except BadFile:
            return Program()

    def keep_program(self, key: str, program: Program) -> None:
        draft = self._folder / f".{key}-{os.getpid()}"
        with suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True)
            draft.write_text(program.to_json())
            draft.replace(self._folder / key)


def program_key(plan: Plan, entry: Entry, built: Receipt | ContenderOut | None) -> str | None:
    """The key of a program under the plan's requests; None for a command, whose sources are
    unknown, and for an entry that wasn't `built`."""
    if not isinstance(built, Receipt) or not entry.contender or entry.origin == "command":
        return None
    given = (
        platform.release(),
        built.model_dump(include={"source_sha256", "version", "tools", "commands"}),
        entry.contender.model_dump(mode="json"),
        plan.workload.model_dump(mode="json"),
        plan.protocol_of(entry.name),
        plan.workers_of(entry.name),
        plan.connection,
        plan.probes,
    )
    return hashlib.sha256(json.dumps(given).encode()).hexdigest()


class Servers:
    """Contenders as processes of this machine: built, started, sent requests."""

    keeper = start.Keeper
    freezer: Callable[[Iterable[int]], start.Freezer] | None = start.Freezer
    """None where contenders' processes are not on this machine."""
    profiler: Callable[[], Profiler] | None = Profiler
    """None where they are not on this machine."""
    attach = staticmethod(start.attach)
    answers = staticmethod(verifying.answers)
    admits = staticmethod(verifying.admits)
    verify = staticmethod(verifying.verify)
    sample_answers = staticmethod(verifying.sample_answers)
    audit = staticmethod(verifying.audit)
    probe = staticmethod(verifying.probe)
    connections_at_a_time = staticmethod(verifying.connections_at_a_time)

    def certificate(self, folder: Path) -> Certificate:
        """A certificate for servers that speak TLS, in `folder`. Raises `MissingPiece`."""
        try:
            # Imported here, not above: the import takes as long as all others that planning a race
            # needs.
            from bakeoff.start.certificate import make_certificate
        except ImportError as error:
            raise MissingPiece(
                f"no certificate can be made for TLS: {error}; install bakeoff with all that it "
                "needs (`pip install cryptography`), or race h1 and h2c"
            ) from None
        return make_certificate(folder)

    def build(self, wanted: Sequence[Wanted], watch: Watch) -> list[Receipt | ContenderOut]:
        """For each of `wanted` its receipt, or why there is none; each build is a step of
        `watch`."""
        return build_several(wanted, default_jobs(), BuildLines(watch.step, watch.note))


class LoadGenerators:
    """The makers of load: our engine, or an installed load tool."""

    connect = load.Engine
    forwarder = load.Forwarder
    slow_clients = load.SlowClients
    run_tool = staticmethod(load.run)
    tool_missing = staticmethod(load.missing)


class Meters:
    """What this machine's kernel reports on processes, on TCP and on itself."""

    cpu = measure.CpuReader
    counted_pids = staticmethod(measure.counted_pids)
    memory = staticmethod(measure.read_memory)
    thread_times = staticmethod(measure.read_thread_times)
    usage = staticmethod(measure.read_usage)
    placement = staticmethod(measure.read_placement)
    written = staticmethod(measure.read_written)
    free_memory_mib = staticmethod(measure.read_free_memory_mib)
    free_files = staticmethod(measure.read_free_files)
    tcp = staticmethod(measure.read_tcp)
    udp_drops = staticmethod(measure.read_udp_drops)
    received = staticmethod(measure.read_received)
    listen_queue = staticmethod(measure.read_listen_queue)
    cores = staticmethod(measure.read_cores)
    used_ns = staticmethod(measure.read_used_ns)
    energy_uj = staticmethod(measure.read_energy_uj)

    def at(self, address: str) -> Meters:  # noqa: ARG002
        """The meters of the machine whose servers listen at an `address`."""
        return self

    def network(self) -> NetworkSeen | None:
        """What went over the network; None: server and generator are on this machine."""
        return None

    def machine(self) -> Machine:
        """The machine's facts, with the versions of engine and package."""
        return measure.machine(engine=engine_version(), bakeoff=bakeoff.__version__)


class Clock:
    """This machine's time."""

    now_ns = staticmethod(time.monotonic_ns)
    worked_ns = staticmethod(time.thread_time_ns)
    """The CPU time that the calling thread has used."""
    wait = staticmethod(time.sleep)

    def settle(self) -> None:
        """Wait until servers that have just started are at rest."""
        time.sleep(SETTLE_S)


class Reports:
    """Reports as files in the run's folder."""

    def write(self, run: Results) -> Path:
        """Write the report of a run that is judged; returns the path of its page."""
        # Imported here: commands that only plan need no report.
        from bakeoff.report import render

        return render.write(run.path, run.document())


class History:
    """A history that remembers nothing: a real one is in a part that may be missing."""

    def add(self, folder: Path) -> str:  # noqa: ARG002
        """Add the run in a folder, which has ended; returns a description of any failure, or
        nothing."""
        return ""

    def earlier(self, folder: Path, verdict: Verdict) -> Earlier | None:  # noqa: ARG002
        """Earlier races in the setting of the one in a folder; None: the history is off or
        missing."""
        return None

    def block_error(self, machine: Machine) -> float | None:  # noqa: ARG002
        """The median standard error of a pair's ln ratio on machines like this one, times the root
        of its blocks; None: no race is known."""
        return None


@dataclass(frozen=True)
class Stages:
    """Every effect of a run; by default the real ones, without a history.

    `built` has the builds so far, by folder: the parts of one run build each contender once.
    """

    servers: Servers = field(default_factory=Servers)
    loads: LoadGenerators = field(default_factory=LoadGenerators)
    meters: Meters = field(default_factory=Meters)
    clock: Clock = field(default_factory=Clock)
    reports: Reports = field(default_factory=Reports)
    history: History = field(default_factory=History)
    programs: Programs = field(default_factory=Programs)
    built: dict[Path, Receipt | ContenderOut] = field(default_factory=dict)


class Watch(Protocol):
    """The receiver of a run's progress. `live`: it also gets the standings while they are measured.

    `step`: a step begins that may take a while. `note`: something happened, and the step goes on.
    `measured`: the share of the measuring that is done, with the contenders' latest throughputs.
    `stands`: None where nothing is known yet. `out`: a contender can't take part. `judged`: reports
    are still to be drawn.
    """

    @property
    def live(self) -> bool: ...
    def step(self, text: str) -> None: ...
    def note(self, text: str) -> None: ...
    def measured(
        self, done: float, of: float, text: str, rates: Mapping[str, float] | None = None
    ) -> None: ...
    def stands(self, verdict: Verdict | None) -> None: ...
    def out(self, name: str, reason: str) -> None: ...
    def judged(self, run: Results) -> None: ...


class BuildLines:
    """A line when a build begins and when it ends; none where nothing has to be built."""

    def __init__(self, began: Callable[[str], None], ended: Callable[[str], None]) -> None:
        self._say_began, self._say_ended = began, ended

    def began(self, name: str) -> None:
        self._say_began(f"building {name}")

    def ended(self, name: str, built: bool, seconds_s: float | None) -> None:
        if seconds_s is not None:
            self._say_ended(
                f"{name}: {'built' if built else 'could not be built'}, {seconds_s:.0f} s"
            )


def default_jobs() -> int:
    """How many contenders are built at a time by default."""
    return min(JOBS_MAX, len(os.sched_getaffinity(0)))
