"""What every kind of run gets of the class that it is: none is known in one place alone."""

from collections.abc import Callable
from pathlib import Path

import pytest

import bakeoff
from bakeoff.cli.app import COMMANDS
from bakeoff.explore.opened import opened
from bakeoff.history.results import indexed, indexed_path
from bakeoff.load import LoadRun, LoadSpec
from bakeoff.model.errors import BadUsage
from bakeoff.model.load import Loader
from bakeoff.model.replay import ReplayPlan
from bakeoff.plan import (
    CapacityOptions,
    RaceOptions,
    adapt,
    explaining,
    plan_capacity,
    plan_race,
)
from bakeoff.report.render import markdown
from bakeoff.runs import AnyRun, report, resume
from bakeoff.runs.life import progress
from bakeoff.runs.run import KINDS, RunPlan
from bakeoff.schemas import CONTRACTS
from tests.runs import test_ci, test_crosscheck, test_day, test_draws_run, test_replay
from tests.runs.conftest import Measure
from tests.runs.world import World, cut_off

Plans = Callable[[Measure, Path], RunPlan]


def replay(measure: Measure, _: Path) -> RunPlan:
    plan = ReplayPlan.model_validate({**test_replay.PLAN, "article": test_replay.article()})
    here = measure.environment
    compared = (adapt(plan, of, here.catalogue, here.cores) for of in plan.article.comparisons)
    return plan.model_copy(update={"comparisons": tuple(compared)})


PLANS: dict[str, Plans] = {
    "race": lambda measure, _: measure.plan("slow", "fast", duration=6),
    "capacity": lambda measure, _: plan_capacity(
        ["slow", "fast"],
        CapacityOptions(seed=1, boots=1, slo=("p99=10ms",), duration=20),
        measure.environment,
    ),
    "grid": lambda measure, _: plan_race(
        ["slow", "fast"], RaceOptions(seed=3, duration=8, connections=(1, 64)), measure.environment
    ),
    "replay": replay,
    "crosscheck": lambda *_: test_crosscheck.plan(),
    "draws": lambda _, root: test_draws_run.plan(root),
    "day": lambda _, root: test_day.plan(root),
    "ci": test_ci.plan,
    "why": lambda measure, _: explaining(measure.plan("slow", "fast")),
}
SPEEDS = {
    **dict.fromkeys(("fast", "ada", "ada#2", "ada#3", "head"), 20_000.0),
    **dict.fromkeys(("slow", "bob", "bob#2", "bob#3", "base"), 10_000.0),
}
IN_THE_INDEX = {
    "race": ("fast", "slow"),
    "capacity": ("fast", "slow"),
    "grid": ("fast", "slow", "fast", "slow"),
    "ci": ("base", "head"),
    "day": ("ada", "bob"),
    "replay": (),
    "crosscheck": (),
    "draws": (),
    "why": (),
}


class Tooled(World):
    """A world in which a run of a load tool may be the last, as a slice may."""

    def run_tool(self, loader: Loader, spec: LoadSpec) -> LoadRun:
        self.slices += 1
        self.on_slice(self, self.slices)
        return super().run_tool(loader, spec)


def cut(plan: RunPlan, kind: type[AnyRun], measure: Measure, end: type[BaseException]) -> Path:
    """The folder of a run that was ended by Ctrl-C, or by a kill that left a torn line."""
    world = Tooled(SPEEDS, on_slice=cut_off(20 if kind.kind == "crosscheck" else 80, end))
    if end is KeyboardInterrupt:
        run = measure.run(plan, world)
        assert run.interrupted and type(run) is kind and not world.up
        return run.path
    with pytest.raises(SystemExit):
        measure.run(plan, world)
    path = measure.parent / plan.run
    if (path / "samples.jsonl").exists():
        with (path / "samples.jsonl").open("a") as log:
            log.write('{"type":"tool-run","rou')
    return path


@pytest.mark.parametrize("end", [KeyboardInterrupt, SystemExit], ids=["Ctrl-C", "kill -9"])
@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.kind)
def test_every_kind_is_known_in_all(
    measure: Measure, tmp_path: Path, kind: type[AnyRun], end: type[BaseException]
) -> None:
    path = cut(PLANS[kind.kind](measure, tmp_path), kind, measure, end)

    # Progress.
    plan = (path / "plan.json").read_bytes()
    before = report(path)
    assert not before.result.complete
    so_far = progress(before)
    assert so_far.steps > 0
    assert before.judged_so_far().document().headline

    # resume.
    whole = resume(path, (world := Tooled(SPEEDS)).stages(), world)
    assert whole.result.complete and not whole.interrupted and type(whole) is kind
    assert progress(whole).steps > so_far.steps
    assert whole.records()[: len(before.records())] == before.records()
    assert (path / "plan.json").read_bytes() == plan, "a plan is never rewritten"
    slices = world.slices
    try:
        assert resume(path, world.stages(), world).result == whole.result
    except BadUsage as error:
        assert f"bakeoff report {path}" in str(error)
    assert world.slices == slices and not world.up, "nothing was missing"

    # report, and its forms.
    (path / kind.result_file).unlink()
    again = report(path)
    assert again.result == whole.result
    assert kind.headline(again.result) in markdown(again.document())

    # History, of the folder and of the result alone.
    kept = indexed(again)
    assert (kept.kind, kept.headline) == (kind.kind, kind.headline(again.result))
    figures = [figure.name for race in kept.races for figure in race.figures]
    assert sorted(figures) == sorted(IN_THE_INDEX[kind.kind])
    assert bool(kept.claims) == (kind.kind == "replay")
    alone = tmp_path / "alone.json"
    alone.write_text(again.result.to_json())
    of_file = indexed_path(alone)
    assert (of_file.kind, of_file.headline) == (kept.kind, kept.headline)

    # Explorer.
    for of in (kept, of_file):
        shown = opened(of)
        assert shown.result == again.result
        assert shown.document.headline == again.document().headline
        for part in shown.parts:
            assert opened(of, part).verdict

    # Schemas, command line and library.
    assert {kind.plan_type, kind.result_type} <= set(CONTRACTS.values())
    assert kind.command in COMMANDS
    assert kind.command in (*bakeoff.__all__, "ci")
