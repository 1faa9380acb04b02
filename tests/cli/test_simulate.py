"""`bakeoff simulate` as it is typed."""

import json
from pathlib import Path

import pytest

from bakeoff.model.errors import BakeoffError, Status
from bakeoff.model.simulation import Conditions, Simulation
from bakeoff.simulate import USUAL, Size, plan_of, records_of
from tests.cli.conftest import bakeoff

FEW = ("--races", "4", "--seed", "1")


def typed(*arguments: str) -> tuple[int, str]:
    """The status, and all that was said."""
    done = bakeoff("simulate", *arguments)
    if isinstance(done.exception, BakeoffError):
        return done.exception.exit_status, str(done.exception)
    return done.exit_code, " ".join(done.output.split())


def test_a_planted_effect_is_looked_for_and_every_rate_has_its_interval(tmp_path: Path) -> None:
    file = tmp_path / "simulation.json"
    status, said = typed("--effect", "20%", "-d", "3", *FEW, "--json", str(file))
    assert status == 0
    assert "one 20 % faster than the others" in said
    assert "the difference was found 100.0% 39.8% to 100.0%; 4 of 4" in said
    result = Simulation.read_json(file)
    assert result.conditions == USUAL
    assert result.chosen == result.tried[0]
    assert (result.tried[0].races, result.tried[0].duration_s) == (4, 3)


def test_the_same_seed_gives_the_same_answer() -> None:
    arguments = ("-d", "2", "--boots", "2", *FEW, "--json", "-")
    assert typed(*arguments) == typed(*arguments)


def test_a_race_is_planned_for_an_effect() -> None:
    status, said = typed(
        *("--effect", "20%", "--power", "75%", "--boots", "2", "--races", "2", "--seed", "1")
    )
    assert status == 0
    assert "bakeoff race … -d 5 --boots 2" in said


def test_an_effect_that_no_race_finds_is_said_and_is_no_success(tmp_path: Path) -> None:
    wild = USUAL.model_copy(update={"slice_sd": 2, "short_ms": 2000})
    run = made(tmp_path, Size(effect=0.0, contenders=2, duration_s=150, boots=1), wild)
    status, said = typed(
        *("--effect", "1%", "--power", "99%", "--boots", "1", "--races", "2", "--seed", "1"),
        *("--like", str(run)),
    )
    assert status == Status.NO_VERDICT
    assert "No race of" in said


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--effect", "3"], "it takes a percentage, as in 3%"),
        (["--effect", "-95%"], "takes -90% to 900%"),
        (["--power", "80%"], "needs an --effect"),
        (["--effect", "1%", "--power", "100%"], "less than 100%"),
        (["--effect", "1%", "--power", "80%", "-d", "9"], "leave out --duration"),
        (["--contenders", "1"], "Input should be greater than or equal to 2"),
        (["--like", "nosuch"], "there is no such run folder"),
    ],
)
def test_bad_input_is_named_and_ends_with_2(arguments: list[str], says: str) -> None:
    status, said = typed(*arguments)
    assert status == 2
    assert says in said.replace("│ ", "").replace(" │", "")


def test_a_race_too_short_for_a_ratio_says_so() -> None:
    status, said = typed("-d", "0.1", "--boots", "1", *FEW)
    assert status == 0
    assert "too few blocks for a ratio" in said


def made(here: Path, size: Size, conditions: Conditions) -> Path:
    """A run folder of a simulated race."""
    plan = plan_of(size, conditions, 1)
    (here / "plan.json").write_text(plan.to_json())
    lines = [record.to_json() for record in records_of(plan, size, conditions)]
    (here / "samples.jsonl").write_text("".join(line + "\n" for line in lines))
    return here


def test_the_conditions_are_taken_from_a_run(tmp_path: Path) -> None:
    size = Size(effect=0.0, contenders=2, duration_s=6, boots=2)
    run = made(tmp_path, size, USUAL.model_copy(update={"connections": 32}))
    status, said = typed("-d", "2", "--boots", "2", *FEW, "--like", str(run), "--json", "-")
    assert status == 0
    assert json.loads(said[said.index("{") :])["conditions"]["connections"] == 32


def test_several_load_generators_and_what_they_cost() -> None:
    status, said = typed("--loaders", "3", "-d", "12", *FEW)
    assert status == 0
    assert "merging a slice" in said and "blocks left out" in said


def test_only_several_generators_are_late_or_lost() -> None:
    for option in (("--late", "1%"), ("--losses", "1")):
        status, said = typed(*option)
        assert status and "give --loaders" in said
    status, said = typed("--loaders", "2", "--late", "150%")
    assert status and "--late: is 150%; it takes 0% to 100%" in said
