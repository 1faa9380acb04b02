"""Running contenders: at least one process of each, and an engine that is connected to some."""

from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Literal

from bakeoff.load import CONNECT_TIMEOUT_MS, Generator, job
from bakeoff.model.audit import Audit, Probes
from bakeoff.model.errors import ContenderOut
from bakeoff.model.history import Program
from bakeoff.model.plan import Plan
from bakeoff.model.readings import Memory
from bakeoff.model.receipt import Stopped, Verification
from bakeoff.model.samples import LEAK_SHARE_MAX, BootEntry, BootStart
from bakeoff.runs.measuring.context import Context
from bakeoff.runs.measuring.instances import Instances, Running, infer_expectations
from bakeoff.runs.stages import program_key

PROBED_AT_A_TIME = 4
"""Some wait for 2 s. Each has a second process meanwhile, which takes memory."""
Audits = Literal["none", "unknown", "all"]
WEIGHED_MIN = 1000
"""With fewer connections, the memory of each is less than the variation of a server's memory."""


class Session:
    """The contenders `names`, running together with an engine connected to them.

    `known` is what earlier sessions of this run have shown of their programs. `audits` says of
    which contenders it is found out how they treat a connection: of those of which earlier runs
    have not shown it, or of all.

    `running` has the loaded process of each: at first its first one, later those that were drawn.
    Contenders that can't take part are in `out`, with the reason. For a `with`: whatever happens
    inside, all are stopped, and `stopped` says how.
    """

    def __init__(
        self,
        plan: Plan,
        boot: int,
        names: Sequence[str],
        context: Context,
        known: Mapping[str, Program] | None = None,
        *,
        audits: Audits = "none",
    ) -> None:
        self.plan, self.boot, self.context = plan, boot, context
        self._known = known or {}
        self._audits_of = audits
        self.instances = Instances(plan, boot, context)
        self.running: list[Running] = []
        self.out: dict[str, str] = {}
        self._names = names
        self._idle: dict[str, Memory | None] = {}
        self._holding: dict[str, Memory | None] = {}
        self._load: Generator | None = None
        self._audits: Mapping[str, Audit] = {}
        self._programs: dict[str, Program] = {}
        self._tcp = context.stages.meters.tcp()
        self.leaks = Leaks(plan)

    def __enter__(self) -> "Session":
        try:
            for name in self._names:
                self.context.check_time(f"starting {name}")
                try:
                    self.running.append(self.instances.start(self.plan.entry(name)))
                except ContenderOut as error:
                    self.out[name] = str(error)
                    self.context.watch.out(name, str(error))
            if self._audits_of == "none":
                self._hold()
            else:
                self._audit()
            self.context.stages.clock.settle()
            self._idle = {one.key: self.instances.memory(one) for one in self.running}
        except BaseException:
            self.instances.stop_all()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.disconnect()
        self.instances.stop_all()

    @property
    def names(self) -> Sequence[str]:
        return [each.entry.name for each in self.running]

    @property
    def load(self) -> Generator:
        """The engine, connected to every process of `running`, in this order."""
        assert self._load
        return self._load

    @property
    def stopped(self) -> tuple[Stopped, ...]:
        return self.instances.stopped

    @property
    def tracking_drops(self) -> int:
        """The packets that connection tracking has dropped since the session began."""
        now = self.context.stages.meters.tcp()
        return now.since(self._tcp).tracking_drops if now and self._tcp else 0

    def program(self, name: str) -> Program:
        """The findings of earlier runs on a contender's program, and of this one so far."""
        key = self._keys[name]
        if key and key not in self._programs:
            self._programs[key] = self.context.stages.programs.program(key)
        program = self._programs[key] if key else Program()
        shown = self._known.get(name, Program())
        return program.model_copy(update={key: value for key, value in shown if value is not None})

    def keep(self, name: str, **shown: object) -> None:
        """Keep the findings of this run on it for later ones."""
        if key := self._keys[name]:
            self._programs[key] = self.program(name).model_copy(update=shown)
            self.context.stages.programs.keep_program(key, self._programs[key])

    @cached_property
    def _keys(self) -> Mapping[str, str | None]:
        built = self.context.stages.built
        return {
            entry.name: program_key(self.plan, entry, built.get(Path(entry.folder or "")))
            for entry in self.plan.entries
        }

    def connect(self, running: Sequence[Running] | None = None) -> None:
        """A new engine, with new connections to those `running`; None: to the same as before."""
        self.disconnect()
        if running is not None:
            self.running = list(running)
        self._load = self.new_load()

    def weigh_connections(self) -> None:
        """Read the memory of each while it holds its connections at rest, if those are many."""
        held = self.plan.workload.held
        connections = self.plan.connections + (held.streams if held else 0)
        if self.plan.connection == "keep-alive" and connections >= WEIGHED_MIN:
            self.context.stages.clock.settle()
            self._holding = {one.key: self.instances.memory(one) for one in self.running}

    def new_load(
        self,
        running: Sequence[Running] | None = None,
        *,
        singly: bool = False,
        connect_timeout_ms: int = CONNECT_TIMEOUT_MS,
    ) -> Generator:
        """Another engine, with connections of its own to those `running`; the caller closes it.

        None: to the same as the session's own. `singly`: one connection to each, with one request
        under way. The engine leaves out connections that take longer than `connect_timeout_ms`.
        """
        loaded = self.running if running is None else running
        verified = [(each.handle, each.verification) for each in loaded]
        workload = self.plan.workload.model_copy(update={"held": None})
        one = {"connections": 1, "pipeline": 1, "streams": 1, "workload": workload}
        plan = self.plan.model_copy(update=one) if singly else self.plan
        return self.context.stages.loads.connect(
            job(plan, verified, self.context.folder, connect_timeout_ms)
        )

    def disconnect(self) -> None:
        if self._load:
            self._load.close()
            self._load = None

    @property
    def connections_open(self) -> dict[str, int]:
        return {target.name: target.open for target in self.load.ready.targets}

    def record(self) -> BootStart:
        ready = self.load.ready
        return BootStart(
            boot=self.boot,
            started=tuple(
                BootEntry(
                    name=each.entry.name,
                    pid=each.handle.pid,
                    address=each.handle.address,
                    command=each.handle.command,
                    time_to_ready_ms=each.handle.time_to_ready_ms,
                    cpu_source=each.handle.cpu.kind,
                    idle=self._idle[each.key],
                    holding=self._holding.get(each.key),
                    verification=_with_unseen(each),
                    audit=self._audits.get(each.entry.name),
                )
                for each in self.running
            ),
            out=self.out,
            engine=ready.engine,
            io=ready.io,
            threads=ready.threads,
            connections_open=self.connections_open,
            held_open={each.name: each.held.open for each in ready.targets if each.held},
            agreed={target.name: target.agreed for target in ready.targets if target.agreed},
        )

    def _audit(self) -> None:
        """Find out how each of them treats a connection, before the load, and what it answers.

        All of this waits for clocks, and so is done at once; what is asked takes milliseconds.
        """
        servers, workload = self.context.stages.servers, self.plan.workload
        asked = [
            (each.handle, each.entry)
            for each in self.running
            if self._audits_of == "all" or self.program(each.entry.name).audit is None
        ]
        # A twin is the same program.
        programs = list({entry.twin_of or entry.name: entry for _, entry in asked}.items())
        probes: dict[str, Probes] = {}
        with ThreadPoolExecutor(2) as waiting:
            # Warm-up and judge need it.
            waiting.submit(import_module, "bakeoff.judge")
            audited = waiting.submit(servers.audit, asked, workload) if asked else None
            with self.instances.probing(programs[:PROBED_AT_A_TIME]) as found:
                self._hold()
            probes |= found
            for at in range(PROBED_AT_A_TIME, len(programs), PROBED_AT_A_TIME):
                with self.instances.probing(programs[at : at + PROBED_AT_A_TIME]) as found:
                    pass
                probes |= found
            audits = audited.result() if audited else {}
        for name in {*audits} & {*self.names}:
            of_program = probes[self.plan.entry(name).twin_of or name]
            audits[name] = audits[name].model_copy(update=dict(of_program))
            self.keep(name, audit=audits[name])
        known = {name: audits.get(name) or self.program(name).audit for name in self.names}
        self._audits = {name: audit for name, audit in known.items() if audit}

    def _hold(self) -> None:
        """The expected answers of each, sampled if they were not given; a contender without them is
        stopped."""
        held, out = infer_expectations(self.plan, self.running, self.context)
        for each in self.running:
            if reason := out.get(each.entry.name):
                out[each.entry.name] = reason = self.instances.why_out(each.entry, each.key, reason)
                self.instances.stop(each)
                self.context.watch.out(each.entry.name, reason)
        self.running, self.out = held, self.out | out


def _with_unseen(running: Running) -> Verification:
    """Its verification, and why nothing is known of its processes."""
    verification, unseen = running.verification, running.handle.unseen
    if unseen is None:
        return verification
    return verification.model_copy(update={"findings": (*verification.findings, unseen)})


KNOWN_AFTER_S = 1.0
"""A collector may run only now and then: an observation of a shorter time says little."""


class Leaks:
    """CPU time that each contender used in others' turns of one boot, while it was not stopped.

    `held` has those that used more than `LEAK_SHARE_MAX` of their cores, with that share: they are
    stopped in others' turns for the rest of the boot.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._cpu_ns: Counter[str] = Counter()
        self._wall_ns: Counter[str] = Counter()
        self.held: dict[str, float] = {}

    def add(self, name: str, cpu_ns: int, wall_ns: int) -> None:
        """Count its CPU time between two of its turns."""
        # A stopped contender would send in its own turn the events that were due in the others'.
        if name in self.held or self._plan.workload.held:
            return
        self._cpu_ns[name] += cpu_ns
        self._wall_ns[name] += wall_ns
        if self._wall_ns[name] < KNOWN_AFTER_S * 1e9:
            return
        share = self._cpu_ns[name] / (self._wall_ns[name] * self._plan.server_cores_of(name))
        if share > LEAK_SHARE_MAX:
            self.held[name] = share
