"""What all that measures in one folder works with."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from bakeoff.model.errors import BakeoffError
from bakeoff.model.finding import Finding
from bakeoff.model.plan import Expected, Plan
from bakeoff.model.protocol import Certificate
from bakeoff.model.receipt import Expectation, Verification
from bakeoff.plan import ENDING_S, START_S_MAX
from bakeoff.runs.measuring.surroundings import Surroundings, surroundings
from bakeoff.runs.stages import Stages, Watch
from bakeoff.runs.store import Store
from bakeoff.start import Keeper
from bakeoff.verify import AnswerSample


class TimeIsUp(BakeoffError):
    """A run has taken as long as it may take at most."""


@dataclass(frozen=True)
class Inferred:
    """What one contender's first process answered to each open request, and what that shows."""

    samples: Mapping[str, AnswerSample]
    findings: tuple[Finding, ...] = ()

    @property
    def held(self) -> dict[str, Expectation]:
        """By request, what is held where the body varies."""
        inferred = {name: sample.inferred for name, sample in self.samples.items()}
        return {name: held for name, held in inferred.items() if held.varied}

    def of(self, verification: Verification) -> Verification:
        """The verification of one of its processes, with what is held."""
        update: dict[str, object] = {"held": self.held, "findings": self.findings}
        if self.held:
            update["expected_body_base64"] = None
        return verification.model_copy(update=update)


@dataclass(frozen=True)
class Context:
    """The effects, the keeper of the contenders, the log, who is told, and the folder.

    `inferred` has what contenders answered that were asked what stays in it, by name; `ready_s` how
    long the first process of each took to start. At `until_ns` of
    the stages' clock the time is up; None: there is no bound.
    """

    stages: Stages
    keeper: Keeper
    store: Store
    watch: Watch
    folder: Path
    inferred: dict[str, Inferred] = field(default_factory=dict)
    _surroundings: list[Surroundings] = field(default_factory=list)
    until_ns: int | None = None
    ready_s: dict[str, float] = field(default_factory=dict)
    _added_ns: list[int] = field(default_factory=list)

    @property
    def time_is_up(self) -> bool:
        """Whether it has taken as long as it may take."""
        if self.until_ns is None:
            return False
        return self.stages.clock.now_ns() >= self.until_ns + sum(self._added_ns)

    @contextmanager
    def time_for_a_start(self) -> Iterator[None]:
        """Within it a server starts. What that takes beyond the usual is added to the time."""
        began_ns = self.stages.clock.now_ns()
        try:
            yield
        finally:
            over_ns = self.stages.clock.now_ns() - began_ns - round(START_S_MAX * 1e9)
            if over_ns > 0:
                self._added_ns.append(over_ns)

    def check_time(self, doing: str) -> None:
        """Raise `TimeIsUp` where the time is up while bakeoff is `doing` something."""
        if self.time_is_up:
            raise TimeIsUp(f"the run's time was up while bakeoff was {doing}")

    @cached_property
    def certificate(self) -> Certificate:
        """The one of all that is started here, made when it is first asked for.

        Raises `MissingPiece`.
        """
        return self.stages.servers.certificate(self.keeper.tls_folder)

    def surroundings(self, plan: Plan) -> Surroundings:
        """What contenders find around them, made when it is first asked for; of all plans that are
        measured in one folder it is the same. Raises `NoVerdict`."""
        if not self._surroundings:
            logs = self.folder / "logs"
            self._surroundings.append(surroundings(plan, self.stages, self.keeper, logs))
        return self._surroundings[0]

    def log(self, name: str, boot: int) -> Path:
        """Where the output of one contender of one boot goes."""
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
    """A keeper for contenders that run in `folder` (None: the store's); it ends them all.

    From now on there is as much time as is `expected` at most.
    """
    folder = folder or store.path
    (folder / "logs").mkdir(parents=True, exist_ok=True)
    until_ns = None
    if expected:
        until_ns = stages.clock.now_ns() + round((expected.at_most_s - ENDING_S) * 1e9)
    keeper = stages.servers.keeper(folder / "scratch")
    for line in keeper.swept:
        watch.step(line)
    try:
        yield Context(stages, keeper, store, watch, folder, until_ns=until_ns)
    finally:
        keeper.close()
