"""One run of any kind: create, go on, judge, report, list."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar

from pydantic import ConfigDict, Field

from bakeoff.model.base import Contract
from bakeoff.model.errors import BadFile, BadUsage, BakeoffError, NodeLost, Status
from bakeoff.model.machine import Cluster
from bakeoff.model.plan import Plan
from bakeoff.model.receipt import Receipt
from bakeoff.model.samples import PlanChange, Record
from bakeoff.model.verdict import Verdict
from bakeoff.report.document import Document
from bakeoff.runs.indexing import Indexed, Setting
from bakeoff.runs.measuring.contenders import build_able, check_sources
from bakeoff.runs.results import Results
from bakeoff.runs.stages import History, Reports, Stages, Watch
from bakeoff.runs.store import PLAN_FILE, Store

_CUT_SHORT = ("cut_short", "search_cut_short")


class RunPlan(Protocol):
    """The plan of any kind of run; its schema names the kind."""

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
"""Receipts, if contenders are built, and the parts of the plan that are out, with the reasons."""


class Run(Results, Generic[PlanT, ResultT]):
    """A run that was measured and judged: a race, a grid of races, a replay and so on.

    In a notebook it shows itself as standings and forest plot.
    """

    # A subclass is a kind of run, registered by its plan's schema. It defines its preparation, how
    # the missing parts are measured, when it is complete, how it is judged from its folder alone,
    # and the content of its report. The rest is written here, once.

    command: ClassVar[str]
    """The command that measures it, and the function of `bakeoff`, if there is one."""
    shows: ClassVar[str]
    """The content of its report, in the plural: standings, capacities."""
    reported_by: Any
    """The module of `report.kinds` that makes its headline and its document."""
    plan_type: ClassVar[type[Contract]]
    result_type: ClassVar[type[Contract]]
    result_file: ClassVar[str]
    composite: ClassVar[bool] = False
    """Whether it is measured as several runs in sub-folders, each of which goes on by itself."""
    samples: ClassVar[tuple[str, ...]] = ()
    """The types of its records that are steps of the measuring; its result rests on the first."""

    def __init_subclass__(cls) -> None:
        """Register the kind."""
        KINDS[cls.plan_type.model_fields["schema_"].default] = cls

    def __init__(self, store: Store, plan: PlanT) -> None:
        self.store, self.path, self.planned = store, store.path, plan
        self.report_path = store.path / "report.html"
        """The HTML report."""
        self.interrupted = False
        """Whether it was ended early; `bakeoff resume` on its path goes on with it."""
        self._result: ResultT | None = None
        self._parts: dict[str, AnyRun] = {}

    # The part that a kind defines.

    @staticmethod
    def built(_plan: Any, /) -> Plan | None:
        """The race whose contenders are built before anything is measured."""
        return None

    @classmethod
    def prepare(cls, plan: PlanT, stages: Stages, watch: Watch) -> Prepared:
        """Find obstacles before a folder is made. Raises `BakeoffError`."""
        race = cls.built(plan)
        return build_able(race, stages, watch) if race else (None, {})

    def check(self, stages: Stages, watch: Watch) -> None:
        """Raise `BadUsage` if the missing part can't be measured beside the existing one."""
        if unlike := self.store.machine().unlike(stages.meters.machine()):
            differ = f"{', '.join(unlike)} {'differs' if len(unlike) == 1 else 'differ'}"
            raise BadUsage(
                f"{self.path}: was begun on another machine ({differ}): "
                "a run has to be measured on one machine"
            )
        if race := self.built(self.plan):
            check_sources(self.path, [self.store.receipts()], race, stages, watch)

    @abstractmethod
    def measure(self, stages: Stages, watch: Watch) -> None:
        """Add the missing part to the log, or to the parts. Raises `BakeoffError`."""

    @abstractmethod
    def is_complete(self) -> bool:
        """Whether everything is measured."""

    def look_back(self, history: History) -> None:
        """Keep in the folder the part of the history that its result needs."""

    @abstractmethod
    def judge(self) -> ResultT:
        """The result of all measurements so far. Raises `NoVerdict` without any."""

    @classmethod
    def headline(cls, result: Any, /) -> str:
        """A result in a few sentences."""
        said: str = cls.reported_by.headline(result)
        return said

    @classmethod
    def document_of(cls, result: Any, /) -> Document:
        """The report of a result alone, without its folder."""
        document: Document = cls.reported_by.document(result)
        return document

    @classmethod
    def indexed(cls, _result: Any, _setting: Setting, /) -> Indexed:
        """A result's part for lines over time and the matrix; lists have each one's headline."""
        return Indexed()

    @staticmethod
    def verdicts(result: Any, /) -> Mapping[str, Verdict]:  # noqa: ARG004
        """The verdicts of a result's parts, by their names; a race has its own, as ""."""
        return {}

    def planned_s(self) -> float | None:
        """Seconds of measuring in all; None: the measurements decide that."""
        return None

    @abstractmethod
    def judged(self) -> bool:
        """Whether the result says anything about the requested contenders."""

    def gates_pass(self) -> bool:
        """Whether no gate failed."""
        return True

    def left_out(self) -> Collection[str]:
        """The requested parts that are missing from the result or invalid in it."""
        return self.out()

    def part_names(self) -> Iterable[str]:
        """The names of the sub-folders that have runs of their own."""
        return ()

    # The part that all runs share.

    def document(self) -> Document:
        """The report as data, before it is rendered."""
        return self.document_of(self.result)

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
        """Whether all requested parts were measured and judged, and no gate failed."""
        return self._status() == Status.DONE

    @property
    def plan(self) -> PlanT:
        """The decisions before the start, with the changes in the log."""
        return self.planned

    @property
    def cluster(self) -> Cluster | None:
        """The cluster on which it is measured, if any."""
        cluster: Cluster | None = getattr(self.planned, "cluster", None)
        return cluster

    @property
    def result(self) -> ResultT:
        """The whole result of the last judging. Raises `BadUsage` where it was never judged."""
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
        """The result of a part, judged now if it never was; None: nothing was measured."""
        if self.has_samples() and not self.is_judged:
            self._result = self.judge()
        return self.result if self.has_samples() else None

    def judged_so_far(self) -> Self:
        """Judge the measurements so far and write nothing, for a viewer of a run that goes on.

        Being incomplete is no fault of such a run. Raises `NoVerdict`.
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
        """The parts of the plan that are out according to the log, with the latest reason of
        each."""
        changes = [record for record in self.records() if isinstance(record, PlanChange)]
        return {name: reason for change in changes for name, reason in change.out.items()}

    def has_samples(self) -> bool:
        """Whether anything was measured."""
        return any(record.type in self.samples[:1] for record in self.records()) or any(
            part.has_samples() for part in self.begun_parts().values()
        )

    @property
    def parts(self) -> Mapping[str, AnyRun]:
        """The races of a grid or a replay, by the names of their folders; a race has none."""
        return self.begun_parts() if self.composite else {}

    def begun_parts(self) -> dict[str, AnyRun]:
        """The existing runs in sub-folders, including a race's confirmation."""
        return {name: part for name in self.part_names() if (part := self.part(name))}

    def part(self, name: str) -> AnyRun | None:
        """The run in the sub-folder `name`; None: it doesn't exist."""
        if name not in self._parts and (self.path / name / PLAN_FILE).exists():
            self._parts[name] = open_run(self.path / name)
        return self._parts.get(name)

    def measure_part(self, name: str, plan: RunPlan, stages: Stages, watch: Watch) -> None:
        """Measure the missing part of the run in the sub-folder `name`. Raises `BakeoffError`."""
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
        """Measure a part that is out if it fails, so that the others go on."""
        try:
            yield
        except (BadUsage, NodeLost):
            raise
        except BakeoffError as error:
            watch.note(f"{name} is out: {error}")
            self.store.append(PlanChange(out={name: str(error)}))

    def go_on(self, stages: Stages, watch: Watch) -> Self:
        """Measure the missing part, and judge.

        An interrupt or a failure keeps the measurements so far; it is raised if there are none, or
        if the failure is bad usage. A lost node interrupts.
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
                watch.note(f"interrupted: {error}")
            except BadUsage:
                raise
            except BakeoffError as error:
                failure = error
        if (failure or self.interrupted) and not self.has_samples():
            raise failure or lost or KeyboardInterrupt
        if failure:
            watch.note(f"ended early: {failure}")
        watch.step("judging")
        self.look_back(stages.history)
        self._judge()
        return self

    def judge_again(self, reports: Reports) -> Self:
        """Judge the folder's content, its parts first, and write the reports. Needs no server.

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
KINDS: dict[str, type[AnyRun]] = {}


def create(plan: RunPlan, path: Path, stages: Stages, watch: Watch) -> AnyRun:
    """A new run in the folder `path`, without measurements yet. Raises `BakeoffError`."""
    kind = KINDS[plan.schema_]
    # Before the builds: they are useless without an engine, and their load is not foreign load.
    machine = stages.meters.machine()
    receipts, out = kind.prepare(plan, stages, watch)
    store = Store.create(path, plan.to_json(), machine, receipts)
    if out:
        with store.locked():
            store.append(PlanChange(out=out, prepared=True))
    return kind(store, plan)


def open_run(path: Path) -> AnyRun:
    """The run in the folder `path`, of any kind. Raises `BadUsage` where it doesn't exist."""
    if not path.is_dir():
        raise BadUsage(f"{path}: there is no such run folder; runs are in ./runs, see --out")
    file = path / PLAN_FILE
    if not file.exists():
        raise BadUsage(f"{path}: is not a run folder: it has no {PLAN_FILE}")
    schema = _AnyPlan.read_json(file).schema_
    if schema not in KINDS:
        raise BadFile.of_schema(file, schema, sorted(KINDS))
    kind = KINDS[schema]
    return kind(Store(path.resolve()), kind.plan_type.read_json(file))


def kind_of(result: str) -> type[AnyRun] | None:
    """The kind of run whose results have that schema, of whatever number; None: it doesn't
    exist."""
    name = result.rpartition("/")[0]
    return next((kind for kind in KINDS.values() if schema_name(kind.result_type) == name), None)


def schema_name(contract: type[Contract]) -> str:
    """The name of a contract's schema, without its number."""
    schema: str = contract.model_fields["schema_"].default
    return schema.rpartition("/")[0]


class _AnyPlan(Contract):
    """The one key that all plans have in common."""

    model_config = ConfigDict(extra="ignore")

    schema_: str = Field(alias="schema")
