"""Contenders that are up: started, verified, connected; and taken down again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bakeoff.build import out_folder
from bakeoff.load import job
from bakeoff.model.audit import Audit
from bakeoff.model.errors import ContenderOut
from bakeoff.model.plan import Entry, Plan
from bakeoff.model.receipt import Handle, Stopped, Verification
from bakeoff.model.samples import BootEntry, BootStart, Memory
from bakeoff.race.folder import RunFolder
from bakeoff.race.stages import CpuClock, Load, Servers, Stages, Watch


@dataclass(frozen=True)
class Setting:
    """What every part of one race works with."""

    stages: Stages
    servers: Servers
    folder: RunFolder
    watch: Watch


@dataclass(frozen=True)
class Running:
    """One contender, up and verified."""

    entry: Entry
    handle: Handle
    verification: Verification
    idle: Memory | None
    cpu: CpuClock


class Up:
    """The contenders called `names`, up together with an engine connected to them.

    Those that can't be are in `out`, with the reason. Used with `with`: whatever happens inside,
    all are stopped, and `stopped` says how.
    """

    def __init__(self, plan: Plan, boot: int, names: Sequence[str], setting: Setting) -> None:
        self.plan, self.boot, self.setting = plan, boot, setting
        self.running: list[Running] = []
        self.out: dict[str, str] = {}
        self.stopped: list[Stopped] = []
        self._names = names
        self._started: list[str] = []
        self._load: Load | None = None
        self._audits: Mapping[str, Audit] = {}

    def __enter__(self) -> "Up":
        try:
            self._bring_up()
        except BaseException:
            self._take_down()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._take_down()

    @property
    def load(self) -> Load:
        """The engine, connected to every contender that is up, in the order of `running`."""
        assert self._load
        return self._load

    def audit(self) -> None:
        """See how each of them treats a connection, before the load comes."""
        asked = [(one.handle, one.entry) for one in self.running]
        self._audits = self.setting.stages.audit(asked, self.plan.workload)

    def connect(self) -> None:
        """Open the connections to all that are up."""
        verified = [(one.handle, one.verification) for one in self.running]
        self._load = self.setting.stages.load(job(self.plan, verified))

    def record(self) -> BootStart:
        """How this boot began."""
        ready = self.load.ready
        return BootStart(
            boot=self.boot,
            started=tuple(
                BootEntry(
                    name=one.entry.name,
                    pid=one.handle.pid,
                    address=one.handle.address,
                    command=one.handle.command,
                    time_to_ready_ms=one.handle.time_to_ready_ms,
                    cpu_source=one.handle.cpu.kind,
                    idle=one.idle,
                    verification=one.verification,
                    audit=self._audits.get(one.entry.name),
                )
                for one in self.running
            ),
            out=self.out,
            engine=ready.engine,
            io=ready.io,
            threads=ready.threads,
            connections_open={target.name: target.open for target in ready.targets},
        )

    def pids(self, handle: Handle) -> tuple[int, ...]:
        """All processes of a contender; none where they can't be seen."""
        if handle.name in self._started:
            return self.setting.servers.pids(handle.name)
        return tuple(self.setting.stages.process_tree(handle.pid)) if handle.pid else ()

    def loaded_memory(self) -> dict[str, Memory]:
        """What each contender holds in memory now."""
        read = {one.entry.name: self._memory(one.handle) for one in self.running}
        return {name: memory for name, memory in read.items() if memory}

    def _bring_up(self) -> None:
        verified: list[tuple[Entry, Handle, Verification]] = []
        for name in self._names:
            entry = self.plan.entry(name)
            try:
                handle = self._start(entry)
                verification = self.setting.stages.verify(
                    handle, entry, self.plan.workload, self.plan.connection, self.plan.pipeline
                )
                if verification.problems:
                    raise ContenderOut("; ".join(verification.problems))
            except ContenderOut as error:
                self.out[name] = str(error)
                self.setting.watch.out(name, str(error))
                self._stop(name)
                continue
            verified.append((entry, handle, verification))
        stages = self.setting.stages
        stages.settle()
        for entry, handle, verification in verified:
            idle = self._memory(handle)
            self.running.append(Running(entry, handle, verification, idle, stages.cpu(handle.cpu)))

    def _memory(self, handle: Handle) -> Memory | None:
        pids = self.pids(handle)
        return self.setting.stages.memory(pids) if pids else None

    def _start(self, entry: Entry) -> Handle:
        if entry.attached:
            return self.setting.stages.attach(entry)
        assert entry.folder
        handle = self.setting.servers.start(
            entry,
            out=out_folder(Path(entry.folder)),
            workers=self.plan.workers_of(entry.name),
            cores=self.plan.cores,
            host=self.plan.host,
            log=self.setting.folder.log(entry.name, self.boot),
            answers=self.setting.stages.answers,
        )
        self._started.append(entry.name)
        return handle

    def _stop(self, name: str) -> None:
        """End one of ours; one that never came up has been ended already."""
        if name in self._started:
            self._started.remove(name)
            self.stopped.append(self.setting.servers.stop(name))

    def _take_down(self) -> None:
        if self._load:
            self._load.close()
        for one in self.running:
            one.cpu.close()
        for name in reversed(self._started.copy()):
            self._stop(name)
