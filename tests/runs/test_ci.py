"""Base and head in a world of known speeds: a race that ends once its gates are decided."""

import random
from dataclasses import replace
from pathlib import Path

import pytest

from bakeoff.model.ci import CiPlan, Revision
from bakeoff.model.errors import MissingPiece, Status
from bakeoff.model.history import Earlier, EarlierRatio
from bakeoff.plan import CheckedOut, CiOptions, plan_ci
from bakeoff.report.render import markdown
from bakeoff.report.sentences import sentence
from bakeoff.runs import report
from bakeoff.runs.kinds.ci import CiRun
from tests.plan.places import contender
from tests.runs.conftest import Measure
from tests.runs.world import World


@pytest.fixture
def planned(measure: Measure, tmp_path: Path) -> CiPlan:
    """A race of 12 s at most between two revisions of `shop`."""
    return plan(measure, tmp_path)


def plan(measure: Measure, tmp_path: Path, **asked: object) -> CiPlan:
    """The same, of what is `asked`."""
    places = []
    for number, name in enumerate(("base", "head")):
        contender(tmp_path / name, "shop")
        revision = Revision(name=name, commit=str(number) * 40, subject=name)
        places.append(CheckedOut(revision, tmp_path / name, tmp_path / name))
    usual = {"contender": "./shop", "duration": 12, "seed": 1, "gates": ("head >= 0.9 * base",)}
    options = CiOptions(**{**usual, **asked})
    return plan_ci(places[0], places[1], options, replace(measure.environment, cores=(0, 1)))


def speeds(head: float) -> dict[str, float]:
    return {"base": 50_000.0, "head": head}


def test_builds_are_said_by_the_name_of_the_revision(measure: Measure, planned: CiPlan) -> None:
    world = World(speeds(50_000.0))
    measure.run(planned, world)
    assert [each for each in world.seen if each.startswith("building ")] == [
        "building what isn't built yet",
        "building base",
        "building head",
    ]


@pytest.mark.parametrize(("head", "outcome"), [(50_000.0, "not slower"), (35_000.0, "slower")])
def test_its_gate_ends_it(measure: Measure, planned: CiPlan, head: float, outcome: str) -> None:
    world = World(speeds(head))
    run = measure.run(planned, world)
    race = run.result.race
    assert (run.result.outcome, run.succeeded) == (outcome, outcome == "not slower")
    assert run.result.complete and race.decided and race.stopping == "any_time"
    assert race.pair("head", "base").ratio.draws >= 5 and race.measured_s < 10
    assert list(run.parts) == (["race", "why"] if outcome == "slower" else ["race"])
    assert not world.up
    assert "The race was decided in " in markdown(run.document())


@pytest.mark.parametrize(
    ("why", "head", "looks"),
    [
        ("alarm", 35_000.0, True),
        ("alarm", 50_000.0, False),
        ("always", 50_000.0, True),
        ("never", 35_000.0, False),
    ],
)
def test_after_an_alarm_the_summary_says_where_the_difference_comes_from(
    measure: Measure, tmp_path: Path, why: str, head: float, looks: bool
) -> None:
    run = measure.run(plan(measure, tmp_path, why=why), world := World(speeds(head)))
    assert isinstance(run, CiRun)
    causes, text = run.why(), markdown(run.document())
    assert (causes is not None) == looks == ("Where the difference comes from" in text)
    assert run.succeeded == (head == 50_000.0) and run.is_complete() and not world.up
    if causes:
        (pair,) = causes.pairs
        assert (pair.name, pair.other) == ("head", "base")
        assert sentence(pair.finding) in text
        assert report(run.path, world).result == run.result


def test_a_look_that_fails_changes_no_outcome(measure: Measure, planned: CiPlan) -> None:
    world = World(speeds(35_000.0))
    step = world.step

    def ill(text: str) -> None:
        step(text)
        if text.startswith("looking for causes"):
            world.unstartable["head"] = "SIGSEGV"

    world.step = ill  # type: ignore[method-assign]
    run = measure.run(planned, world)
    assert run.result.outcome == "slower" and run.status == Status.GATE_FAILED
    assert isinstance(run, CiRun) and (causes := run.why())
    assert "SIGSEGV" in causes.given_up


def test_the_undecided_race_until_their_time_is_spent(measure: Measure, tmp_path: Path) -> None:
    exact = plan(measure, tmp_path, gates=("head >= base",))
    run = measure.run(exact, World(speeds(50_000.0)))
    assert (run.result.outcome, run.succeeded) == ("can't tell", True)
    assert run.result.complete and run.result.race.decided is False
    assert run.result.race.measured_s == pytest.approx(12, rel=0.1)


def test_who_watches_is_told_how_base_and_head_stand(measure: Measure, tmp_path: Path) -> None:
    exact = plan(measure, tmp_path, gates=("head >= base",))
    world = World(speeds(50_000.0), live=True)
    measure.run(exact, world)
    stood = [verdict for verdict in world.standings if verdict]
    assert stood and all(verdict.pair("base", "head") for verdict in stood)
    assert world.rates.keys() == {"base", "head"}


@pytest.mark.parametrize("who", ["base", "head"])
def test_one_that_does_not_start_is_not_slower(measure: Measure, planned: CiPlan, who: str) -> None:
    out = {who: "ended with status 1", "base (twin)": "ended with status 1"}
    if who == "head":
        del out["base (twin)"]
    with pytest.raises(MissingPiece, match=f"\\n  {who}: .* status 1"):
        measure.run(planned, World(speeds(50_000.0), unstartable=out))


def test_of_equals_hardly_any_is_called_slower(measure: Measure, planned: CiPlan) -> None:
    outcomes = []
    for seed in range(4):
        world = World(speeds(50_000.0), chance=random.Random(seed))
        named = planned.model_copy(update={"run": f"run-{seed}", "seed": seed})
        outcomes.append(measure.run(named, world).result.outcome)
    assert "slower" not in outcomes and "not slower" in outcomes


def test_of_a_mix_the_request_that_got_slower_is_named(measure: Measure, tmp_path: Path) -> None:
    file = tmp_path / "shop.toml"
    file.write_text(
        'name = "shop"\n[[request]]\nname = "list"\nweight = 3\npath = "/list"\n'
        '[[request]]\nname = "look"\nweight = 3\npath = "/look"\n'
        '[[request]]\nname = "buy"\npath = "/buy"\n'
    )
    made = plan(measure, tmp_path, workload=str(file), gates=("head >= 0.96 * base",), duration=25)
    done = measure.run(made, World(speeds(50_000.0), costs={"head": {"buy": 1.3}}))
    race = done.result.race
    assert [request.name for request in race.requests] == ["list", "look", "buy"]
    assert [(each.code, each.values["request"]) for each in race.by_request] == [
        ("request_differs", "buy")
    ]
    text = markdown(done.document())
    assert text.count("Request by request") == 2, "what stands out, and the table of all"


def test_what_another_day_would_give_is_in_the_summary(measure: Measure, planned: CiPlan) -> None:
    """Base and head of earlier races with the same sources on both sides."""
    build = "b" * 12
    ratios = tuple(
        EarlierRatio(run=f"{run:012x}", a=build, b=build, ratio=ratio, error=0.01)
        for run, ratio in enumerate((1.01, 0.99, 1.02, 1.0, 0.98))
    )
    earlier = Earlier(builds={"base": "0" * 12, "head": "1" * 12}, ratios=ratios)
    run = measure.run(planned, World(speeds(50_000.0), earlier_races=earlier))
    expected = run.result.race.pair("head", "base").next_race
    assert (expected.basis, expected.n) == ("family", 5)
    assert "Next race: The interval holds" in markdown(run.document())
