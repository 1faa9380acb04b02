"""Kinds of run × moments of a server's life × failures: always a reason, and the rest goes on.

In each cell `slow` fails at a moment, beside others that don't. Real processes fail in
tests/e2e/test_failures.py.
"""

import tempfile
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from bakeoff.model.audit import Audit, AuditReport
from bakeoff.model.errors import BakeoffError, Status
from bakeoff.plan import (
    CapacityOptions,
    DayOptions,
    RaceOptions,
    plan_capacity,
    plan_day,
    plan_race,
)
from bakeoff.plan.draws import DrawsOptions, plan_draws
from bakeoff.report.render import markdown
from bakeoff.runs import AnyRun, audit, execute
from bakeoff.runs.run import RunPlan
from tests.plan.places import catalogue, environment
from tests.runs.conftest import Measure
from tests.runs.test_ci import plan as ci_plan
from tests.runs.world import World

SPEEDS = {"fast": 100_000.0, "slow": 50_000.0, "same": 100_000.0}
NAMES = ("fast", "slow", "same")
CODE = "exited with status 7 after 9 answers, 1.0 s after its start"
LOG = "the last line of its log"


class Kind(NamedTuple):
    """How a kind of run is planned in a folder, and who fails, by its name and its program's."""

    plan: Callable[[Path], Any]
    speeds: Mapping[str, float] = SPEEDS
    target: str = "slow"
    program: str = "slow"


def _race(**options: Any) -> Callable[[Path], RunPlan]:
    chosen = RaceOptions(**{"seed": 1, "duration": 4.0, "warm_up": 1.0, **options})
    return lambda root: plan_race(NAMES, chosen, here(root))


def _capacity(root: Path) -> RunPlan:
    chosen = CapacityOptions(seed=1, boots=1, slo=("p99=10ms",), duration=24)
    return plan_capacity(NAMES, chosen, here(root))


def _day(root: Path) -> RunPlan:
    return plan_day(NAMES, DayOptions(seed=1, time_limit=110), here(root))


def _draws(root: Path) -> RunPlan:
    chosen = DrawsOptions(seed=1, per_contender=1, processes=2, sets=2, warm_up=1)
    return plan_draws(NAMES, chosen, here(root))


def _ci(root: Path) -> RunPlan:
    return ci_plan(Measure(here(root), root / "runs"), root, duration=4, warm_up=1)


def here(root: Path) -> Any:
    return environment(catalogue(root / "catalogue", *NAMES), Path("/"))


KINDS: dict[str, Kind] = {
    "race": Kind(_race()),
    "boots": Kind(_race(boots=2)),
    "solo": Kind(_race(solo=True, duration=9.0)),
    "open loop": Kind(_race(rate=5000.0)),
    "several processes": Kind(_race(instances=2)),
    "confirmed": Kind(_race(confirm=True)),
    "grid": Kind(_race(connections=(1, 64))),
    "capacity": Kind(_capacity),
    "day": Kind(_day),
    "draws": Kind(_draws, {f"{name}{n}": 50_000.0 for name in NAMES for n in ("", "#2")}),
    "ci": Kind(_ci, {"base": 50_000.0, "head": 50_000.0}, "head", "shop"),
}

AT_START: dict[str, Callable[["Failing", str], None]] = {
    "is not built": lambda world, name: world.unbuildable.update({name: LOG}),
    "does not start": lambda world, name: world.unstartable.update({name: LOG}),
    "does not start again": lambda world, name: world.unstartable_again.update({name: LOG}),
    "answers wrongly": lambda world, name: world.wrong.update({name: LOG}),
    "has no audit": lambda world, name: world.silent.add(name),
    "does not end": lambda world, name: world.stubborn.add(name),
}
"""What is wrong from the beginning."""
GOES_ON = ("does not start again", "has no audit", "does not end")
"""With these a contender may still have a place."""


def _dies(world: "Failing", name: str) -> None:
    world.dead[name] = f"{CODE}; the end of its log:\n  {LOG}"


def _breaks(kind: str) -> Callable[["Failing", str], None]:
    return lambda world, name: world.broken.update({name: kind})


UNDER_LOAD: dict[str, Callable[["Failing", str], None]] = {
    "dies": _dies,
    "hangs": _breaks("timeout"),
    "refuses": _breaks("connect_refused"),
    "resets": _breaks("reset"),
    "answers garbage": _breaks("malformed"),
    "answers another body": _breaks("mismatch_body"),
}
MOMENTS = {"at the first slice": 0.0, "in the warm-up": 0.05, "halfway": 0.5, "at the end": 0.95}
"""Shares of the slices that the same run has where nobody fails."""


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where an audit has its folder."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


class Failing(World):
    """A world in which some have no audit."""

    silent: set[str]

    def audit(self, up: Any, workload: Any) -> dict[str, Audit]:
        found = super().audit(up, workload)
        return {name: each for name, each in found.items() if name not in self.silent}


def world_of(kind: Kind, on_slice: Callable[[World, int], None] = lambda *_: None) -> Failing:
    world = Failing(dict(kind.speeds), on_slice=on_slice)
    world.silent = set()
    return world


class Ended(NamedTuple):
    """A run, or the error that it ended with, and all that was said."""

    run: AnyRun | None
    error: BakeoffError | None
    said: str


def ended(kind: Kind, root: Path, world: World) -> Ended:
    """Only an error with a message for people may end a run."""
    try:
        run = execute(kind.plan(root), root / "runs", world.stages(), world)
    except BakeoffError as error:
        return Ended(None, error, "\n".join([*world.seen, str(error)]))
    return Ended(run, None, "\n".join([*world.seen, markdown(run.document())]))


@cache
def slices(kind: str) -> int:
    """How many slices a run has in which nobody fails."""
    with tempfile.TemporaryDirectory() as folder:
        world = world_of(KINDS[kind])
        done = ended(KINDS[kind], Path(folder), world)
        assert done.run and done.run.status in (Status.DONE, Status.NO_VERDICT), done.said
        assert world.slices > 20
        return world.slices


def check(kind: Kind, done: Ended, world: World) -> None:
    """What holds in every cell."""
    assert not world.up, "nothing is left running"
    assert "the run ended before its turn" not in done.said
    if done.error:
        assert done.error.exit_status == Status.NO_VERDICT
    else:
        assert done.run
        whole = kind.target not in done.run.left_out() and "ended early: " not in done.said
        assert whole == (done.run.status == Status.DONE) or done.run.status in (
            Status.NO_VERDICT,
            Status.GATE_FAILED,
        )


@pytest.mark.parametrize(("kind", "failure"), list(product(KINDS, AT_START)))
def test_what_fails_from_the_beginning(kind: str, failure: str, tmp_path: Path) -> None:
    world = world_of(KINDS[kind])
    own = KINDS[kind].program if failure == "is not built" else KINDS[kind].target
    AT_START[failure](world, own)
    done = ended(KINDS[kind], tmp_path, world)
    check(KINDS[kind], done, world)
    if failure in GOES_ON:
        assert done.run
    elif kind == "ci":
        assert done.error, "base alone is nothing to compare"
    else:
        assert LOG in done.said
        assert done.run and KINDS[kind].target in done.run.left_out()
        # In seconds of a few long slices too little is measured to compare the others.
        assert done.run.status in (Status.CONTENDER_OUT, Status.NO_VERDICT)


def cells() -> Iterator[Any]:
    """Each kind has each failure, each moment has each failure, and each kind each moment; what
    is left of all combinations is slow."""
    for (k, kind), (f, failure), (m, moment) in product(
        enumerate(KINDS), enumerate(UNDER_LOAD), enumerate(MOMENTS)
    ):
        due = kind == "race" or m == (k + f) % len(MOMENTS)
        yield pytest.param(kind, failure, moment, marks=() if due else pytest.mark.slow)


@pytest.mark.parametrize(("kind", "failure", "moment"), list(cells()))
def test_what_fails_under_load(kind: str, failure: str, moment: str, tmp_path: Path) -> None:
    strikes = max(1, round(MOMENTS[moment] * slices(kind)))

    def at(world: World, count: int) -> None:
        assert isinstance(world, Failing)
        if count == strikes:
            UNDER_LOAD[failure](world, KINDS[kind].target)

    world = world_of(KINDS[kind], at)
    done = ended(KINDS[kind], tmp_path, world)
    check(KINDS[kind], done, world)
    if failure == "dies" and moment in ("in the warm-up", "halfway"):
        assert LOG in done.said and "exited with status 7" in done.said
    assert done.run or kind == "ci", done.said


def test_an_audit_goes_on_with_the_others(measure: Measure) -> None:
    world = world_of(KINDS["race"])
    _dies(world, "slow")
    report = audit(measure.plan(*NAMES, twin=False), world.stages(), world)
    assert isinstance(report, AuditReport)
    assert LOG in report.skipped[0].reason and not world.up
