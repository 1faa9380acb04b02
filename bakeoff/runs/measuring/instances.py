"""Processes of contenders: started, verified, and stopped; several of one if they are drawn."""

import base64
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from bakeoff.build import out_folder
from bakeoff.measure import CpuReader
from bakeoff.model.audit import Probes
from bakeoff.model.engine import SliceEvent
from bakeoff.model.errors import ContenderOut
from bakeoff.model.finding import Finding
from bakeoff.model.plan import Entry, Plan
from bakeoff.model.protocol import OVER_TLS
from bakeoff.model.readings import Memory
from bakeoff.model.receipt import Handle, Stopped, Verification
from bakeoff.plan import START_S_MAX, ready_within
from bakeoff.runs.measuring.context import Context, Inferred
from bakeoff.runs.stages import Meters
from bakeoff.start import GRACE_S, endpoint
from bakeoff.verify import differences, opening

LATER_START = 5.0
"""A further process may take this many times as long to start as the first one did."""
DYING_MS, LOOK_MS = 200, 20
"""A process that exits closes its connections some time before it has ended."""
_WORST = ("SIGTERM", "had ended", "SIGKILL")


@dataclass(frozen=True)
class Running:
    """One process of a contender, with all that it forked: running and verified.

    `key` is its name at the keeper, where a contender may have several processes.
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
        self._answers: Counter[str] = Counter()

    @property
    def up(self) -> Sequence[Running]:
        return tuple(self._up.values())

    @property
    def stopped(self) -> tuple[Stopped, ...]:
        return tuple(self._stopped.values())

    def start(self, entry: Entry, log: str = "") -> Running:
        """Another process of `entry`, verified. Raises `ContenderOut`.

        It prints to the log of that name, by default that of all processes of the entry.
        """
        key = f"{entry.name}/{self._count[entry.name]}"
        self._count[entry.name] += 1
        servers = self._context.stages.servers
        try:
            handle = self._attach(entry) if entry.attached else self._start(entry, key, log)
            known = self._context.inferred.get(entry.name)
            verification = servers.verify(
                handle,
                entry,
                self._plan.workload,
                self._plan.pipeline,
                known.held if known else None,
            )
            if verification.problems:
                problems = "; ".join(verification.problems)
                raise ContenderOut(self.why_out(entry, key, problems))
            verification = known.of(verification) if known else verification
        except ContenderOut:
            self._stop(entry.name, key)
            raise
        cpu = self._context.stages.meters.at(handle.address).cpu(handle.cpu)
        self._up[key] = Running(entry, key, handle, verification, cpu)
        return self._up[key]

    def stop(self, running: Running) -> None:
        """End it; a process that isn't ours is only forgotten. May be called again."""
        if self._up.pop(running.key, None):
            running.cpu.close()
            self._stop(running.entry.name, running.key)

    def stop_all(self) -> None:
        """End all running processes, the last one first, and any whose start was interrupted."""
        for each in reversed(self.up):
            self.stop(each)
        for name, key in reversed(self._started.copy()):
            self._stop(name, key)

    def pids(self, running: Running) -> tuple[int, ...]:
        """All its processes; empty where they can't be seen."""
        cpu = running.handle.cpu
        if (running.entry.name, running.key) in self._started and not cpu.also:
            return self._context.keeper.pids(running.key)
        return self._meters(running).counted_pids(cpu)

    def memory(self, running: Running) -> Memory | None:
        pids = self.pids(running)
        return self._meters(running).memory(pids) if pids else None

    def count(self, running: Running, event: SliceEvent) -> None:
        self._answers[running.key] += event.requests_all

    def death(self, running: Running, doing: str = "", *, dying: bool = False) -> str | None:
        """How it ended, and after how many answers; None: it lives, or it isn't ours.

        With `dying` this waits for its end: its connections are broken, so it may be about to end.
        """
        answers = self._answers[running.key]
        return self._death(running.entry, running.key, answers, doing, DYING_MS if dying else 0)

    def why_out(self, entry: Entry, key: str, reason: str) -> str:
        """The `reason` for which its verification fails or, if it ended, how."""
        how = self._death(entry, key, None, f"at its verification: {reason}", DYING_MS)
        return how or reason

    def _death(
        self, entry: Entry, key: str, answers: int | None, doing: str, within_ms: int
    ) -> str | None:
        if entry.attached:
            return None
        for _ in range(within_ms // LOOK_MS):
            if how := self._context.keeper.death(key, answers, doing):
                return how
            self._context.stages.clock.wait(LOOK_MS / 1000)
        return self._context.keeper.death(key, answers, doing)

    @contextmanager
    def probing(self, programs: Sequence[tuple[str, Entry]]) -> Iterator[dict[str, Probes]]:
        """How another process of each of `programs` reacts to requests that the workload doesn't
        send; known at the end of the `with`, since each waits for a while."""
        servers, workload = self._context.stages.servers, self._plan.workload
        found = {name: Probes() for name, _ in programs}
        up: dict[str, Running] = {}
        try:
            for name, entry in programs:
                if another := self._another(entry):
                    up[name] = another
            with ThreadPoolExecutor(max(1, len(up))) as clients:
                asked = {
                    name: clients.submit(servers.probe, each.handle, each.entry, workload)
                    for name, each in up.items()
                }
                yield found
            for name, running in up.items():
                found[name] = asked[name].result()
                if how := self.death(running):
                    self._context.watch.note(f"{running.entry.name}: its probed process {how}")
        finally:
            for each in up.values():
                self.stop(each)

    def _another(self, entry: Entry) -> Running | None:
        """A process of `entry` to be probed; None: it can't have another one."""
        if not self._plan.probes or entry.attached or entry.fixed_port:
            return None
        try:
            return self.start(entry, f"{entry.name}-probed")
        except ContenderOut as error:
            self._context.watch.note(
                f"{entry.name} can't be probed: a second process of it: {error}"
            )
            return None

    def _meters(self, running: Running) -> Meters:
        return self._context.stages.meters.at(running.handle.address)

    def _attach(self, entry: Entry) -> Handle:
        protocol = self._plan.protocol_of(entry.name)
        handle = self._context.stages.servers.attach(entry, protocol)
        if handle.pid and not entry.twin_of:
            whole = "all below it" if handle.cpu.kind == "tree" else "its control group"
            self._context.watch.note(
                f"{entry.name}: measuring CPU and memory of {handle.program} (pid {handle.pid}) "
                f"and {whole}"
            )
        return handle.model_copy(update={"connection": self._plan.connection})

    def _start(self, entry: Entry, key: str, log: str) -> Handle:
        assert entry.folder and entry.contender
        plan, context = self._plan, self._context
        protocol = plan.protocol_of(entry.name)
        certificate = context.certificate if protocol in OVER_TLS else None
        answers = partial(
            context.stages.servers.answers,
            request=opening(entry, plan.workload),
            protocol=protocol,
            tls=certificate.client if certificate else None,
            close=plan.connection == "close",
        )
        environment = context.surroundings(plan).environment
        timeout_s = entry.contender.run.ready_timeout_s
        if (first_s := context.ready_s.get(entry.name)) is not None:
            timeout_s = min(timeout_s, max(START_S_MAX, LATER_START * first_s))
        forwarder = context.forwarder(plan)
        with context.time_for_a_start():
            handle = context.keeper.start(
                ready_within(entry, timeout_s),
                key=key,
                out=out_folder(Path(entry.folder)),
                workers=plan.workers_of(entry.name),
                cores=plan.cores,
                host=forwarder.near if forwarder else plan.host_of(entry.name, self._boot),
                log=context.log(log or entry.name, self._boot),
                answers=answers,
                protocol=protocol,
                certificate=certificate,
                environment=environment,
                say=lambda text: context.watch.note(f"{entry.name}: {text}"),
            )
        context.ready_s.setdefault(entry.name, (handle.time_to_ready_ms or 0.0) / 1000)
        self._started.append((entry.name, key))
        reached_at = endpoint(forwarder.far, handle.port) if forwarder else None
        return handle.model_copy(update={"connection": plan.connection, "reached_at": reached_at})

    def _stop(self, name: str, key: str) -> None:
        """End one of our processes; one that never started has been ended already."""
        if (name, key) not in self._started:
            return
        self._started.remove((name, key))
        before = self._stopped.get(name)
        # A process that ignored SIGTERM once is not waited for in each draw.
        grace_s = 0.0 if before and before.how == "SIGKILL" else GRACE_S
        now = self._context.keeper.stop(key, grace_s)
        how = max(now.how, before.how if before else now.how, key=_WORST.index)
        survivors = (*(before.survivors if before else ()), *now.survivors)
        self._stopped[name] = Stopped(name=name, how=how, survivors=survivors)


def infer_expectations(
    plan: Plan, running: Sequence[Running], context: Context
) -> tuple[list[Running], dict[str, str]]:
    """The processes of `running` that can take part, with the answers that they are held to, and
    why others can't.

    Each contender's answers are examined once in a run.
    """
    inferred = context.inferred
    new = [one for one in running if one.entry.name not in inferred]
    samples, out = context.stages.servers.sample_answers(
        [(one.handle, one.entry) for one in new], plan.workload
    )
    for name, own in samples.items():
        findings = tuple(found for sample in own.values() for found in sample.findings)
        inferred[name] = Inferred(own, findings)
    for one in new:
        name = one.entry.name
        if name in out or name not in samples or one.entry.twin_of:
            continue
        if unlike := _unlike(plan, name, inferred):
            findings = (unlike, *inferred[name].findings)
            inferred[name] = replace(inferred[name], findings=findings)
            if plan.same_answers:
                out[name] = (
                    f"its answers differ from those of {unlike.values['reference']} "
                    f"(--same-answers): {unlike.values['differences']}"
                )
    held = []
    for one in running:
        if one.entry.name in out:
            continue
        verification, known = one.verification, inferred.get(one.entry.name)
        if known:
            verification = known.of(verification)
        if known and one in new:
            bodies = {
                name: base64.b64encode(sample.answers[-1].body).decode()
                for name, sample in known.samples.items()
                if name not in known.held
            }
            if plan.workload.is_fixed:
                body = next(iter(bodies.values()), None)
                update: dict[str, object] = {"expected_body_base64": body}
            else:
                update = {"bodies_base64": {**verification.bodies_base64, **bodies}}
            verification = verification.model_copy(update=update)
        held.append(replace(one, verification=verification))
    return held, out


def _unlike(plan: Plan, name: str, inferred: Mapping[str, Inferred]) -> Finding | None:
    """How its answers differ from the reference's or, without those yet, from the first
    contender's."""
    reference = plan.reference if plan.reference in inferred else next(iter(inferred))
    if reference == name:
        return None
    others = inferred[reference].samples
    said = [
        f"{request}: {difference}" if len(others) > 1 else difference
        for request, sample in inferred[name].samples.items()
        for difference in differences(sample, others[request])
    ]
    if not said:
        return None
    return Finding.of("answers_unlike", reference=reference, differences="; ".join(said))
