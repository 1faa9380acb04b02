"""One run, whatever its kind: create, go on, judge, report, list."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar

from pydantic import ConfigDict, Field

from bakeoff.model.base import Contract
from bakeoff.model.cluster import Cluster
from bakeoff.model.errors import (
    NO_ROOM,
    BadFile,
    BadUsage,
    BakeoffError,
    MissingPiece,
    NodeLost,
    Status,
)
from bakeoff.model.receipt import Receipt
from bakeoff.model.samples import PlanChange, Record
from bakeoff.runs.results import Results
from bakeoff.runs.stages import History, Reports, Stages, Watch
from bakeoff.runs.store import PLAN_FILE, Store

_MEASURED = ("block", "tool-run", "day-turn")
_CUT_SHORT = ("cut_short", "search_cut_short")
OLD_PLANS = ("capacity-plan.json", "grid-plan.json", "replay-plan.json")


class RunPlan(Protocol):
    """The plan of any kind of run; its schema says the kind."""

    @property
    def run(self) -> str:
        """The name of the run's folder."""

    @property
    def schema_(self) -> str:
        """The contract's name and number."""

    def to_json(self) -> str:
        """One line of JSON."""

    def model_copy(self, *, update: Mapping[str, Any]) -> Self:
        """The same plan with other values."""


PlanT = TypeVar("PlanT", bound=RunPlan)
ResultT = TypeVar("ResultT", bound=Contract)
Prepared = tuple[Mapping[str, Receipt] | None, dict[str, str]]
"""Receipts, where contenders are built, and which parts of the plan are out, with the reasons."""


class Run(Results, Generic[PlanT, ResultT]):
    """A run that was measured and judged: a race, a grid of races, a replay and so on.

    In a notebook it shows itself as standings and forest plot.
    """

    # A subclass is a kind of run, registered by its plan's schema. It says what is prepared, how it
    # measures what is missing, when it is complete, how it is judged from its folder alone, and
    # what its report holds. The rest is written here, once.

    shows: ClassVar[str]
    """What its report shows, in the plural: standings, capacities."""
    plan_type: ClassVar[type[Contract]]
    result_type: ClassVar[type[Contract]]
    result_file: ClassVar[str]
    composite: ClassVar[bool] = False
    """Whether it is measured as several runs in sub-folders, each of which goes on by itself."""

    def __init_subclass__(cls) -> None:
        """Register the kind."""
        _KINDS[cls.plan_type.model_fields["schema_"].default] = cls

    def __init__(self, store: Store, plan: PlanT) -> None:
        self.store, self.path, self.planned = store, store.path, plan
        self.report_path = store.path / "report.html"
        """The HTML report."""
        self.interrupted = False
        """Whether it was ended early; `bakeoff resume` on its path goes on with it."""
        self._result: ResultT | None = None
        self._parts: dict[str, AnyRun] = {}

    # What a kind says.

    @classmethod
    def prepare(cls, _plan: PlanT, _stages: Stages, _watch: Watch) -> Prepared:
        """Find out what stands in the way before a folder is made. Raises `BakeoffError`."""
        return None, {}

    def check(self, stages: Stages, watch: Watch) -> None:  # noqa: ARG002
        """Raise `BadUsage` where what is missing can't be measured beside what is there."""
        if unlike := self.store.machine().unlike(stages.meters.machine()):
            differ = f"{', '.join(unlike)} {'differs' if len(unlike) == 1 else 'differ'}"
            raise BadUsage(
                f"{self.path}: was begun on another machine ({differ}): "
                "a run has to be measured on one machine"
            )

    @abstractmethod
    def measure(self, stages: Stages, watch: Watch) -> None:
        """Add what is missing to the log, or to the parts. Raises `BakeoffError`."""

    @abstractmethod
    def is_complete(self) -> bool:
        """Whether nothing is left to measure."""

    def look_back(self, history: History) -> None:
        """Keep in the folder what its result needs of the history."""

    @abstractmethod
    def judge(self) -> ResultT:
        """The result of all that is there. Raises `NoVerdict` where that is nothing."""

    @staticmethod
    @abstractmethod
    def headline(result: Any) -> str:
        """A result in a few sentences."""

    @abstractmethod
    def judged(self) -> bool:
        """Whether the result says anything of what was requested."""

    def gates_pass(self) -> bool:
        """Whether no gate failed."""
        return True

    def left_out(self) -> Collection[str]:
        """What was requested, and is missing from the result or invalid in it."""
        return self.out()

    def part_names(self) -> Iterable[str]:
        """The names of the sub-folders that have runs of their own."""
        return ()

    # What all runs have.

    @property
    def status(self) -> Status:
        """The exit status of the command line."""
        return Status.INTERRUPTED if self.interrupted else self._status()

    def _status(self) -> Status:
        if not self.judged():
            return Status.NO_VERDICT
        if not self.gates_pass():
            return Status.GATE_FAILED
        result: Any = self.result
        return Status.DONE if result.complete and not self.left_out() else Status.CONTENDER_OUT

    @property
    def succeeded(self) -> bool:
        """Whether all that was requested was measured and judged, and no gate failed."""
        return self._status() == Status.DONE

    @property
    def plan(self) -> PlanT:
        """What was decided before anything started, with the changes that the log has."""
        return self.planned

    @property
    def cluster(self) -> Cluster | None:
        """Where it is measured, if not on one machine."""
        cluster: Cluster | None = getattr(self.planned, "cluster", None)
        return cluster

    @property
    def result(self) -> ResultT:
        """The whole result, as it was judged last. Raises `BadUsage` where it never was."""
        if self._result is None:
            path = self.path / self.result_file
            if not self.is_judged:
                again = f"`bakeoff report {self.path}` makes one"
                raise BadUsage(f"{self.path}: has no {path.stem} yet; {again}")
            self._result = self.result_type.read_json(path)  # type: ignore[assignment]
        assert self._result
        return self._result

    @property
    def is_judged(self) -> bool:
        """Whether there is a result; it may be older than the last records."""
        return (self.path / self.result_file).exists()

    def result_so_far(self) -> ResultT | None:
        """The result of a part, judged now where it never was; None: nothing was measured."""
        if self.has_samples() and not self.is_judged:
            self._result = self.judge()
        return self.result if self.has_samples() else None

    def judged_so_far(self) -> Self:
        """Judge what is there by now and write nothing, for who watches a run that goes on.

        That it isn't complete yet is no fault of such a run. Raises `NoVerdict`.
        """
        result: Any = self.judge()
        fields = type(result).model_fields
        so_far: dict[str, object] = {"complete": True} if "complete" in fields else {}
        if "warnings" in fields:
            warnings = [each for each in result.warnings if each.code not in _CUT_SHORT]
            so_far["warnings"] = tuple(warnings)
        self._result = result.model_copy(update=so_far)
        return self

    def records(self) -> Sequence[Record]:
        """The log, in order."""
        return self.store.records()

    def out(self) -> dict[str, str]:
        """The parts of the plan that the log says are out, with the latest reason of each."""
        changes = [record for record in self.records() if isinstance(record, PlanChange)]
        return {name: reason for change in changes for name, reason in change.out.items()}

    def has_samples(self) -> bool:
        """Whether anything was measured."""
        return any(record.type in _MEASURED for record in self.records()) or any(
            part.has_samples() for part in self.begun_parts().values()
        )

    @property
    def parts(self) -> Mapping[str, AnyRun]:
        """The races of a grid or a replay, by the names of their folders; a race has none."""
        return self.begun_parts() if self.composite else {}

    def begun_parts(self) -> dict[str, AnyRun]:
        """The runs in sub-folders that are there, a race's confirmation too."""
        return {name: part for name in self.part_names() if (part := self.part(name))}

    def part(self, name: str) -> AnyRun | None:
        """The run in the sub-folder `name`; None where there is none."""
        if name not in self._parts and (self.path / name / PLAN_FILE).exists():
            self._parts[name] = open_run(self.path / name)
        return self._parts.get(name)

    def measure_part(self, name: str, plan: RunPlan, stages: Stages, watch: Watch) -> None:
        """Measure what is missing of the run in the sub-folder `name`. Raises `BakeoffError`."""
        part = self.part(name)
        if part is None:
            part = self._parts[name] = create(plan, self.path / name, stages, watch)
        elif part.is_complete() and part.is_judged:
            return
        else:
            part.check(stages, watch)
        part.go_on(stages, watch)
        part.write_report(stages.reports)
        if part.interrupted:
            raise KeyboardInterrupt

    @contextmanager
    def may_fail(self, name: str, watch: Watch) -> Iterator[None]:
        """Measure a part that is out where it fails, so that the others go on."""
        try:
            yield
        except (BadUsage, NodeLost):
            raise
        except BakeoffError as error:
            watch.step(f"{name} is out: {error}")
            self.store.append(PlanChange(out={name: str(error)}))

    def go_on(self, stages: Stages, watch: Watch) -> Self:
        """Measure what is missing, and judge.

        An interrupt or a failure keeps what is there; it is raised where that is nothing, or where
        the failure is bad usage. A node that is lost interrupts.
        """
        failure: BakeoffError | None = None
        lost: NodeLost | None = None
        with self.store.locked(stages.clock.now_ns):
            try:
                self.measure(stages, watch)
            except KeyboardInterrupt:
                self.interrupted = True
            except NodeLost as error:
                lost, self.interrupted = error, True
                watch.step(f"interrupted: {error}")
            except BadUsage:
                raise
            except BakeoffError as error:
                failure = error
        if (failure or self.interrupted) and not self.has_samples():
            raise failure or lost or KeyboardInterrupt
        if failure:
            watch.step(f"ended early: {failure}")
        watch.step("judging")
        self.look_back(stages.history)
        self._judge()
        return self

    def judge_again(self, reports: Reports) -> Self:
        """Judge what the folder holds, its parts first, and write the reports. Needs no server.

        Raises `NoVerdict` where nothing was measured, and `BadFile`.
        """
        for part in self.begun_parts().values():
            if part.has_samples():
                part.judge_again(reports)
        self._judge()
        self.write_report(reports)
        return self

    def write_report(self, reports: Reports) -> None:
        """Write the reports of a run that is judged."""
        self.report_path = reports.write(self)

    def _judge(self) -> None:
        self._result = self.judge()
        self.store.keep(self.result_file, self._result)


AnyRun = Run[Any, Any]
_KINDS: dict[str, type[AnyRun]] = {}


def execute(plan: RunPlan, parent: Path, stages: Stages, watch: Watch) -> AnyRun:
    """Measure a plan of any kind, in a new folder of `parent`. Raises `BakeoffError`.

    The run gets a number where another one of its name began in the same second.
    """
    with _reserved(parent, plan.run) as path, _cut_off_is_said(path, watch):
        run = create(plan.model_copy(update={"run": path.name}), path, stages, watch)
        latest = parent / f".latest-{os.getpid()}"
        try:
            latest.unlink(missing_ok=True)  # A kill may have left one of that number.
            latest.symlink_to(run.path.name)
            latest.replace(parent / "latest")
        except OSError as error:
            raise BadUsage(f"--out {parent}: can't be written to: {error.strerror}") from None
        return _finished(run.go_on(stages, watch), stages, watch)


@contextmanager
def _reserved(parent: Path, name: str) -> Iterator[Path]:
    """A new folder in `parent`: no other run takes its name while contenders are being built.

    It is removed where no run comes of it. Raises `BadUsage` where none can be made.
    """
    is_new = not parent.exists()
    names = (name if n == 1 else f"{name}-{n}" for n in count(1))
    try:
        parent.mkdir(parents=True, exist_ok=True)
        path = next(path for each in names if _made(path := parent / each))
    except OSError as error:
        if error.errno in NO_ROOM:
            raise
        fault = f"{name} can't be made: {error.strerror}"
        if isinstance(error, FileExistsError):
            fault = "is not a folder"
        raise BadUsage(f"--out {parent}: {fault}") from None
    try:
        yield path
    finally:
        with suppress(OSError):
            path.rmdir()  # Only an empty one.
            if is_new:
                parent.rmdir()


def _made(path: Path) -> bool:
    """Whether the folder is ours now, and not another run's."""
    try:
        path.mkdir()
    except FileExistsError:
        return False
    return True


def resume(path: Path, stages: Stages, watch: Watch) -> AnyRun:
    """Go on with a run that was cut off. Raises `BakeoffError`."""
    run = open_run(path)
    if run.is_complete() and not run.composite:
        raise BadUsage(f"{path}: is complete; for its {run.shows}: bakeoff report {path}")
    with _cut_off_is_said(path, watch):
        run.check(stages, watch)
        return _finished(run.go_on(stages, watch), stages, watch)


def report(path: Path, reports: Reports | None = None) -> AnyRun:
    """Judge a run again and write its reports; needs no server. Raises `NoVerdict`, `BadUsage`."""
    return open_run(path).judge_again(reports or Reports())


@contextmanager
def _cut_off_is_said(path: Path, watch: Watch) -> Iterator[None]:
    """Say what is kept where there is no result: nothing was measured, or not judged.

    An interrupt did that, or a disk without room, which raises `MissingPiece`.
    """
    try:
        yield
    except KeyboardInterrupt:
        with suppress(BakeoffError):
            if (path / PLAN_FILE).exists() and open_run(path).has_samples():
                watch.step(f"interrupted; finished blocks are kept: bakeoff resume {path}")
                raise
        watch.step("interrupted before anything was measured")
        raise
    except OSError as error:
        if error.errno not in NO_ROOM:
            raise
        then = f"then bakeoff resume {path}" if (path / PLAN_FILE).exists() else "then begin again"
        where = error.filename or path
        raise MissingPiece(f"{where}: {error.strerror}: make room, {then}") from None


def _finished(run: AnyRun, stages: Stages, watch: Watch) -> AnyRun:
    """The run, shown, with its reports and added to the history; where that is away, it is said,
    and the run is as good."""
    watch.judged(run)
    run.write_report(stages.reports)
    if trouble := stages.history.add(run):
        watch.step(trouble)
    return run


def create(plan: RunPlan, path: Path, stages: Stages, watch: Watch) -> AnyRun:
    """A new run in the folder `path`, of which nothing is measured yet. Raises `BakeoffError`."""
    kind = _KINDS[plan.schema_]
    # Before the builds: they are in vain without an engine, and their load is not foreign load.
    machine = stages.meters.machine()
    receipts, out = kind.prepare(plan, stages, watch)
    store = Store.create(path, plan.to_json(), machine, receipts)
    if out:
        with store.locked():
            store.append(PlanChange(out=out, prepared=True))
    return kind(store, plan)


def open_run(path: Path) -> AnyRun:
    """The run in the folder `path`, of whatever kind. Raises `BadUsage` where there is none."""
    if not path.is_dir():
        raise BadUsage(f"{path}: there is no such run folder; runs are in ./runs, see --out")
    for old in OLD_PLANS:
        if (path / old).exists():
            raise BadUsage(f"{path}: has a {old}, of an earlier bakeoff: measure it again")
    file = path / PLAN_FILE
    if not file.exists():
        raise BadUsage(f"{path}: is not a run folder: it has no {PLAN_FILE}")
    schema = _AnyPlan.read_json(file).schema_
    if schema not in _KINDS:
        raise BadFile.of_schema(file, schema, sorted(_KINDS))
    kind = _KINDS[schema]
    return kind(Store(path.resolve()), kind.plan_type.read_json(file))


def kind_of(result: str) -> type[AnyRun] | None:
    """The kind of run whose results have that schema, of whatever number; None: there is none."""
    name = result.rpartition("/")[0]
    return next((kind for kind in _KINDS.values() if _schema_name(kind.result_type) == name), None)


def _schema_name(contract: type[Contract]) -> str:
    schema: str = contract.model_fields["schema_"].default
    return schema.rpartition("/")[0]


def listed(parent: Path) -> list[AnyRun]:
    """The runs in a folder, the earliest first, without those that can't be read."""
    runs = []
    for path in sorted(parent.iterdir() if parent.is_dir() else ()):
        if path.is_dir() and not path.is_symlink():
            with suppress(BadUsage):
                runs.append(open_run(path))
    return runs


class _AnyPlan(Contract):
    """The one key that all plans have in common."""

    model_config = ConfigDict(extra="ignore")

    schema_: str = Field(alias="schema")
