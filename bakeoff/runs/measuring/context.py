"""The tools of all measuring in one folder."""

import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from math import inf
from pathlib import Path
from threading import Event
from typing import Any

from bakeoff.build import out_folder
from bakeoff.load import Forwarder
from bakeoff.measure import CpuReader
from bakeoff.model.errors import BakeoffError, ContenderOut, NoVerdict
from bakeoff.model.fields import numbers
from bakeoff.model.finding import Finding
from bakeoff.model.plan import Cores, Expected, Plan
from bakeoff.model.protocol import Certificate
from bakeoff.model.readings import CpuTime
from bakeoff.model.receipt import Expectation, Verification
from bakeoff.model.workload import Workload
from bakeoff.plan import ENDING_S, START_S_MAX
from bakeoff.runs.stages import Stages, Watch
from bakeoff.runs.store import Store
from bakeoff.start import Keeper
from bakeoff.verify import AnswerSample

LOG = "upstream.log"


@dataclass(frozen=True)
class Surroundings:
    """`environment` names the files' folder, STATIC_DIR, and the upstream's URL: UPSTREAM, or
    DATABASE_URL.

    `key` is the upstream's name at the keeper, and `cpu` reads its CPU time; None: no upstream.
    """

    environment: dict[str, str]
    key: str | None = None
    cpu: CpuReader | None = None

    def upstream_cpu(self) -> CpuTime | None:
        return self.cpu.read() if self.cpu else None


def surroundings(plan: Plan, stages: Stages, keeper: Keeper, logs: Path) -> Surroundings:
    """Write the files and start the upstream; the keeper ends both. Raises `NoVerdict`."""
    environment: dict[str, str] = {}
    if plan.workload.static_files:
        files = plan.workload.static_files
        folder = keeper.keep_files({name: numbers(length) for name, length in files.items()})
        environment["STATIC_DIR"] = str(folder)
    if plan.upstream is None:
        return Surroundings(environment)
    assert plan.upstream.folder, "an upstream with a folder"
    service = _service(plan.workload, stages)
    key = f"{plan.upstream.name}/upstream"
    cores = Cores(server=plan.upstream_cpus, client=plan.cores.client)
    try:
        handle = keeper.start(
            plan.upstream,
            key=key,
            out=out_folder(Path(plan.upstream.folder)),
            workers=1,
            cores=cores,
            host=plan.host,
            log=logs / LOG,
            answers=service.answers,
            environment=service.environment,
        )
    except ContenderOut as error:
        name = plan.workload.name
        raise NoVerdict(f"the upstream of the workload {name} could not start: {error}") from None
    environment[service.variable] = service.url.format(handle.address)
    return Surroundings(environment, key, stages.meters.cpu(handle.cpu))


@dataclass(frozen=True)
class _Service:
    """The upstream of the contenders. `environment` is its own, `answers` says whether it is ready,
    and contenders find it in `variable`, as `url` with its address in place of {}."""

    environment: dict[str, str]
    answers: Callable[[str, int], str | None]
    variable: str
    url: str


def _service(workload: Workload, stages: Stages) -> _Service:
    if workload.database_rows is None:
        delay = {"DELAY_MS": str(workload.upstream_delay_ms)}
        return _Service(delay, stages.servers.answers, "UPSTREAM", "http://{}")
    # Every user of this machine can connect to it, too.
    password = secrets.token_hex(16)
    own = {"ROWS": str(workload.database_rows), "PASSWORD": password}
    url = f"postgres://bench:{password}@{{}}/postgres"
    return _Service(own, stages.servers.admits, "DATABASE_URL", url)


class TimeIsUp(BakeoffError):
    """A run has used all of its permitted time."""


@dataclass(frozen=True)
class Inferred:
    """What one contender's first process answered to each open request, and what that shows."""

    samples: Mapping[str, AnswerSample]
    findings: tuple[Finding, ...] = ()

    @property
    def held(self) -> dict[str, Expectation]:
        inferred = {name: sample.inferred for name, sample in self.samples.items()}
        return {name: held for name, held in inferred.items() if held.varied}

    def of(self, verification: Verification) -> Verification:
        """The verification of one of its processes, with the answers that it is held to."""
        update: dict[str, object] = {"held": self.held, "findings": self.findings}
        if self.held:
            update["expected_body_base64"] = None
        return verification.model_copy(update=update)


@dataclass(frozen=True)
class Context:
    """The effects, the keeper of the contenders, the log, the watch, and the folder.

    `inferred` has, by name, the answers of contenders whose expected answers were sampled;
    `ready_s` has how long the first process of each took to start. At `until_ns` of the stages'
    clock the time is up; None: there is no bound.
    """

    stages: Stages
    keeper: Keeper
    store: Store
    watch: Watch
    folder: Path
    inferred: dict[str, Inferred] = field(default_factory=dict)
    _surroundings: list[Surroundings] = field(default_factory=list)
    _forwarders: list[Forwarder] = field(default_factory=list)
    until_ns: int | None = None
    ready_s: dict[str, float] = field(default_factory=dict)
    _added_ns: list[int] = field(default_factory=list)
    _ended: Event = field(default_factory=Event)

    @property
    def left_s(self) -> float:
        """How long the run may still measure; infinite without a bound."""
        if self._ended.is_set():
            return 0.0
        if self.until_ns is None:
            return inf
        return (self.until_ns + sum(self._added_ns) - self.stages.clock.now_ns()) / 1e9

    @property
    def time_is_up(self) -> bool:
        return self.left_s <= 0

    def end_time(self) -> None:
        """From now on the time is up: the rest of it is too short for the next step."""
        self._ended.set()

    @contextmanager
    def time_for_a_start(self) -> Iterator[None]:
        """A server starts within it. The time that this takes beyond the usual is added to the
        run's time."""
        began_ns = self.stages.clock.now_ns()
        try:
            yield
        finally:
            over_ns = self.stages.clock.now_ns() - began_ns - round(START_S_MAX * 1e9)
            if over_ns > 0:
                self._added_ns.append(over_ns)

    @contextmanager
    def spent(self) -> Iterator[dict[str, Any]]:
        """The time that is spent within it (`lasted_ns`) and the processors' energy (`energy_uj`;
        None: it can't be read, or its counter began anew), both known at its end."""
        spent: dict[str, Any] = {}
        before_uj, began_ns = self.stages.meters.energy_uj(), self.stages.clock.now_ns()
        yield spent
        spent["lasted_ns"] = self.stages.clock.now_ns() - began_ns
        after_uj = self.stages.meters.energy_uj()
        spent["energy_uj"] = None
        if before_uj is not None and after_uj is not None and after_uj >= before_uj:
            spent["energy_uj"] = after_uj - before_uj

    def check_time(self, doing: str) -> None:
        """Raise `TimeIsUp` where the time is up while bakeoff is `doing` something."""
        if self.time_is_up:
            raise TimeIsUp(f"the run's time was up while bakeoff was {doing}")

    @cached_property
    def certificate(self) -> Certificate:
        """The certificate of all that is started here, made when it is first needed.

        Raises `MissingPiece`.
        """
        return self.stages.servers.certificate(self.keeper.tls_folder)

    def surroundings(self, plan: Plan) -> Surroundings:
        """The surroundings of contenders, made when they are first needed; they are the same for
        all plans that are measured in one folder. Raises `NoVerdict`."""
        if not self._surroundings:
            logs = self.folder / "logs"
            self._surroundings.append(surroundings(plan, self.stages, self.keeper, logs))
        return self._surroundings[0]

    def forwarder(self, plan: Plan) -> Forwarder | None:
        """The forwarder of the plan's path, started when it is first needed; None: there is no
        path. Raises `MissingPiece`."""
        if plan.path and not self._forwarders:
            made = self.stages.loads.forwarder(plan.path, plan.seed, plan.path_cpus)
            self._forwarders.append(made)
        return self._forwarders[0] if plan.path else None

    def close(self) -> None:
        self.keeper.close()
        for forwarder in self._forwarders:
            forwarder.close()

    def log(self, name: str, boot: int) -> Path:
        safe = "".join(each if each.isalnum() or each in "._-" else "-" for each in name)
        return self.folder / "logs" / f"{safe}-boot{boot}.log"


@contextmanager
def measuring(
    store: Store,
    stages: Stages,
    watch: Watch,
    folder: Path | None = None,
    expected: Expected | None = None,
) -> Iterator[Context]:
    """A keeper for contenders that run in `folder` (None: the store's); it ends all of them.

    From now on there is at most the `expected` time.
    """
    folder = folder or store.path
    (folder / "logs").mkdir(parents=True, exist_ok=True)
    until_ns = None
    if expected:
        until_ns = stages.clock.now_ns() + round((expected.at_most_s - ENDING_S) * 1e9)
    keeper = stages.servers.keeper(folder / "scratch")
    context = Context(stages, keeper, store, watch, folder, until_ns=until_ns)
    try:
        for line in keeper.swept:
            watch.note(line)
        yield context
    finally:
        context.close()
