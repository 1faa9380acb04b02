"""Processes of contenders: started, verified, and stopped; several of one where they are drawn."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from bakeoff.build import out_folder
from bakeoff.measure import CpuReader
from bakeoff.model.errors import ContenderOut
from bakeoff.model.plan import Entry, Plan
from bakeoff.model.protocol import OVER_TLS
from bakeoff.model.readings import Memory
from bakeoff.model.receipt import Handle, Stopped, Verification
from bakeoff.runs.measuring.context import Context
from bakeoff.runs.stages import Meters
from bakeoff.start import GRACE_S

_WORST = ("SIGTERM", "had ended", "SIGKILL")


@dataclass(frozen=True)
class Running:
    """One process of a contender, with all that it forked: running and verified.

    `key` is its name at the keeper, where a contender can have several.
    """

    entry: Entry
    key: str
    handle: Handle
    verification: Verification
    cpu: CpuReader


class Instances:
    """The processes of one boot. Those that end are in `stopped`, once for each contender."""

    def __init__(self, plan: Plan, boot: int, context: Context) -> None:
        self._plan, self._boot, self._context = plan, boot, context
        self._up: dict[str, Running] = {}
        self._started: list[tuple[str, str]] = []
        self._count: Counter[str] = Counter()
        self._stopped: dict[str, Stopped] = {}

    @property
    def up(self) -> Sequence[Running]:
        """All that run."""
        return tuple(self._up.values())

    @property
    def stopped(self) -> tuple[Stopped, ...]:
        """How each contender's processes ended; of several the worst."""
        return tuple(self._stopped.values())

    def start(self, entry: Entry) -> Running:
        """Another process of `entry`, verified. Raises `ContenderOut`."""
        key = f"{entry.name}/{self._count[entry.name]}"
        self._count[entry.name] += 1
        servers = self._context.stages.servers
        try:
            handle = self._attach(entry) if entry.attached else self._start(entry, key)
            known = self._context.known.get(entry.name)
            verification = servers.verify(
                handle,
                entry,
                self._plan.workload,
                self._plan.connection,
                self._plan.pipeline,
                known.held if known else None,
            )
            if verification.problems:
                raise ContenderOut("; ".join(verification.problems))
            verification = known.of(verification) if known else verification
        except ContenderOut:
            self._stop(entry.name, key)
            raise
        cpu = self._context.stages.meters.at(handle.address).cpu(handle.cpu)
        self._up[key] = Running(entry, key, handle, verification, cpu)
        return self._up[key]

    def stop(self, running: Running) -> None:
        """End it; one that isn't ours is only forgotten. May be called again."""
        if self._up.pop(running.key, None):
            running.cpu.close()
            self._stop(running.entry.name, running.key)

    def stop_all(self) -> None:
        """End all that run, the last one first, and what was interrupted while it started."""
        for each in reversed(self.up):
            self.stop(each)
        for name, key in reversed(self._started.copy()):
            self._stop(name, key)

    def pids(self, running: Running) -> tuple[int, ...]:
        """All its processes; none where they can't be seen."""
        handle = running.handle
        if (running.entry.name, running.key) in self._started:
            return self._context.keeper.pids(running.key)
        return tuple(self._meters(running).process_tree(handle.pid)) if handle.pid else ()

    def memory(self, running: Running) -> Memory | None:
        """What it holds now; None where it can't be seen."""
        pids = self.pids(running)
        return self._meters(running).memory(pids) if pids else None

    def death(self, running: Running) -> str | None:
        """How it died; None while it lives, or where it isn't ours."""
        return None if running.entry.attached else self._context.keeper.death(running.key)

    def _meters(self, running: Running) -> Meters:
        return self._context.stages.meters.at(running.handle.address)

    def _attach(self, entry: Entry) -> Handle:
        protocol = self._plan.protocol_of(entry.name)
        return self._context.stages.servers.attach(entry, protocol)

    def _start(self, entry: Entry, key: str) -> Handle:
        assert entry.folder
        protocol = self._plan.protocol_of(entry.name)
        certificate = self._context.certificate if protocol in OVER_TLS else None
        tls = certificate.client if certificate else None
        handle = self._context.keeper.start(
            entry,
            key=key,
            out=out_folder(Path(entry.folder)),
            workers=self._plan.workers_of(entry.name),
            cores=self._plan.cores,
            host=self._plan.host_of(entry.name, self._boot),
            log=self._context.log(entry.name, self._boot),
            answers=partial(self._context.stages.servers.answers, protocol=protocol, tls=tls),
            protocol=protocol,
            certificate=certificate,
            environment=self._context.surroundings(self._plan).environment,
        )
        self._started.append((entry.name, key))
        return handle

    def _stop(self, name: str, key: str) -> None:
        """End one of ours; one that never started has been ended already."""
        if (name, key) not in self._started:
            return
        self._started.remove((name, key))
        before = self._stopped.get(name)
        # Whoever ignored SIGTERM once is not waited for in each draw.
        grace_s = 0.0 if before and before.how == "SIGKILL" else GRACE_S
        now = self._context.keeper.stop(key, grace_s)
        how = max(now.how, before.how if before else now.how, key=_WORST.index)
        survivors = (*(before.survivors if before else ()), *now.survivors)
        self._stopped[name] = Stopped(name=name, how=how, survivors=survivors)
