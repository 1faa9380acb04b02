"""A ninth kind of run: what it takes, and all that it gets."""

from pathlib import Path
from typing import Any, Literal

import pytest
from pydantic import Field

from bakeoff.model.base import Contract
from bakeoff.model.machine import Machine
from bakeoff.model.samples import ToolRun
from bakeoff.report.document import Document, Text
from bakeoff.runs import Run, Stages, Watch, execute, listed, report
from bakeoff.runs import run as kinds
from bakeoff.runs.indexing import Indexed, Setting
from tests.runs.loads import tool_result
from tests.runs.world import World

# What would be in model/.


class SoakPlan(Contract):
    """So many runs of the engine, one after another: does the server keep its speed?"""

    schema_: Literal["test.soak-plan/1"] = Field("test.soak-plan/1", alias="schema")
    run: str
    runs: int


class Soak(Contract):
    """The last run's throughput over the first one's."""

    runs: int
    complete: bool
    last_over_first: float


# What would be in report/kinds/.


def headline(soak: Soak) -> str:
    return f"The last made {soak.last_over_first:.0%} of the first."


def document(soak: Soak) -> Document:
    title = f"{soak.runs} runs"
    return Document(title, headline(soak), (Text("It had one connection."),))


@pytest.fixture(autouse=True)
def soak_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """What would be in runs/kinds/: the kind is known as long as a test of this file runs."""
    monkeypatch.setattr(kinds, "KINDS", dict(kinds.KINDS))

    class SoakRun(Run[SoakPlan, Soak]):
        kind = command = "soak"
        samples = ("tool-run",)
        shows = "throughputs"
        plan_type = SoakPlan
        result_type = Soak
        result_file = "soak.json"

        def measure(self, stages: Stages, watch: Watch) -> None:
            for number in range(len(self.records()), self.plan.runs):
                watch.measured(number, self.plan.runs, "soaking")
                result = tool_result(1000 - number)
                run = ToolRun(round=number, loader="engine", command=(), output="", result=result)
                self.store.append(run)

        def is_complete(self) -> bool:
            return len(self.records()) == self.plan.runs

        def judge(self) -> Soak:
            rates = [
                record.result.requests_per_s
                for record in self.records()
                if record.type == "tool-run" and record.result
            ]
            change = rates[-1] / rates[0]
            return Soak(runs=len(rates), complete=self.is_complete(), last_over_first=change)

        headline = staticmethod(headline)
        document_of = staticmethod(document)

        @classmethod
        def indexed(cls, _result: Soak, _setting: Setting) -> Indexed:
            return Indexed()

        def judged(self) -> bool:
            return self.result.last_over_first > 0.9


PLAN = SoakPlan(run="a-soak", runs=5)


def test_it_is_measured_judged_and_reported(tmp_path: Path) -> None:
    world = World({})
    run = execute(PLAN, tmp_path, world.stages(), world)
    assert (run.kind, run.path, run.plan) == ("soak", tmp_path / "a-soak", PLAN)
    assert run.result.complete and run.succeeded and not run.interrupted
    assert run.report_path.read_text() == "a-soak"
    assert (tmp_path / "latest").resolve() == run.path
    assert {path.name for path in run.path.iterdir()} == {
        ".lock", "machine.json", "plan.json", "report.html", "samples.jsonl", "soak.json"
    }  # fmt: skip
    assert report(run.path).report_path == run.path / "report.html"
    for form in ("report.html", "report.md"):
        assert "The last made 100% of the first." in (run.path / form).read_text()


def test_it_is_listed_among_the_others(tmp_path: Path) -> None:
    world = World({})
    for name in ("b", "a"):
        execute(PLAN.model_copy(update={"run": name}), tmp_path, world.stages(), world)
    (tmp_path / "no run").mkdir()
    assert [(run.kind, run.path.name) for run in listed(tmp_path)] == [("soak", "a"), ("soak", "b")]
    assert listed(tmp_path / "nowhere") == []


def test_an_interrupt_before_anything_is_measured_says_so(tmp_path: Path) -> None:
    class Hasty(World):
        def machine(self) -> Machine:
            raise KeyboardInterrupt

    world = Hasty({})
    with pytest.raises(KeyboardInterrupt):
        execute(PLAN, tmp_path, world.stages(), world)
    assert world.seen[-1] == "interrupted before anything was measured"


def test_an_interrupt_while_it_is_judged_says_where_what_was_measured_is(tmp_path: Path) -> None:
    class Hasty(World):
        def write(self, run: Any) -> Path:
            raise KeyboardInterrupt

    world = Hasty({})
    with pytest.raises(KeyboardInterrupt):
        execute(PLAN, tmp_path, world.stages(), world)
    kept = f"interrupted; finished blocks are kept: bakeoff resume {tmp_path / 'a-soak'}"
    assert world.seen[-1] == kept
