"""From bakeoff.toml and two revisions to the race of base and head."""

from pathlib import Path

import pytest

from bakeoff.model.ci import CiPlan, ProjectFile, Revision
from bakeoff.model.errors import BadFile
from bakeoff.plan import CheckedOut, CiOptions, plan_ci, target_branch
from tests.plan.places import contender, environment

FILE = Path("bakeoff.toml")


@pytest.fixture
def places(tmp_path: Path) -> tuple[CheckedOut, CheckedOut]:
    """Two revisions, each with the contender `shop` and the command `./server.sh`."""
    made = []
    for number, name in enumerate(("base", "head")):
        top = tmp_path / name
        contender(top, "shop")
        (top / "server.sh").write_text("")
        (top / "server.sh").chmod(0o755)
        revision = Revision(name=name, commit=str(number) * 40, subject=name)
        made.append(CheckedOut(revision, top, top))
    return made[0], made[1]


def plan(places: tuple[CheckedOut, CheckedOut], **options: object) -> CiPlan:
    return plan_ci(*places, CiOptions(**{"seed": 7, **options}), environment())


def test_each_races_from_its_files(places: tuple[CheckedOut, CheckedOut], tmp_path: Path) -> None:
    for operand in ("./shop", "./server.sh {port}"):
        made = plan(places, contender=operand)
        assert [entry.name for entry in made.race.entries] == ["base", "head", "base (twin)"]
        for entry, whose in zip(made.race.entries, ("base", "head", "base"), strict=True):
            assert entry.folder and tmp_path / whose in (Path(entry.folder) / "x").parents
    assert made.race.reference == "base"
    assert made.run == "now-ci-0000000-1111111"


def test_without_options_it_takes_three_minutes_at_most_and_allows_two_percent(
    places: tuple[CheckedOut, CheckedOut],
) -> None:
    race = plan(places, contender="./shop").race
    assert (race.duration_s, race.until) == (180, "decided")
    assert [gate.text for gate in race.gates] == ["head >= 0.98 * base"]
    assert race.cant_tell == "pass"
    assert race.cpu_gates


def test_a_margin_replaces_the_usual_gate_alone(places: tuple[CheckedOut, CheckedOut]) -> None:
    race = plan(places, contender="./shop", within="25%").race
    assert race.within == 0.25
    assert [(gate.text, gate.factor) for gate in race.gates] == [("head >= base", 0.8)]


def test_what_is_typed_comes_before_what_the_file_says() -> None:
    project = ProjectFile(contender="./shop", duration="60s", gates=("head >= 0.9 * base",))
    options = CiOptions(duration="20s", seed=1).over(project, FILE)
    assert (options.contender, options.duration, options.seed) == ("./shop", 20, 1)
    assert options.gates == ("head >= 0.9 * base",)


def test_what_is_asked_may_stand_in_the_file_with_what_lies_beside_it(
    places: tuple[CheckedOut, CheckedOut], tmp_path: Path
) -> None:
    (tmp_path / "shop.toml").write_text('name = "shop"\n[[request]]\npath = "/a"\n[[request]]\n')
    file = tmp_path / "bakeoff.toml"
    project = ProjectFile(contender="./shop", workload="./shop.toml")
    options = CiOptions(seed=1).over(project, file)
    race = plan_ci(*places, options, environment()).race
    assert list(race.workload.by_name) == ["GET /a", "GET /"]
    assert [entry.name for entry in race.entries] == ["base", "head", "base (twin)"]
    body = CiOptions().over(ProjectFile(body="@x.json", expect_status=201), file)
    assert body.request_given == {"body": f"@{tmp_path}/x.json", "expect_status": 201}
    assert CiOptions().over(ProjectFile(workload="json"), file).workload == "json"
    typed = CiOptions(request="/b").over(project, file)
    assert typed.request_given == {"request": "/b"}, "one question: the typed one"


def test_the_target_is_the_files_branch_or_the_ci_systems() -> None:
    github, gitlab = {"GITHUB_BASE_REF": "dev"}, {"CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "next"}
    assert target_branch(ProjectFile(base="release"), github) == "release"
    assert target_branch(ProjectFile(), github) == "dev"
    assert target_branch(ProjectFile(), gitlab) == "next"
    # GitHub sets it to nothing where there is no pull request.
    assert target_branch(ProjectFile(), {"GITHUB_BASE_REF": ""}) is None


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("contendre = '.'", "contendre"),
        ("contender = 3", "contender"),
        ("gates = []", "gates"),
        ("cant_tell = 'maybe'", "cant_tell"),
        ("contender =", None),
    ],
)
def test_a_slip_in_bakeoff_toml_is_named_with_its_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, key: str | None
) -> None:
    monkeypatch.chdir(tmp_path)
    FILE.write_text(text)
    with pytest.raises(BadFile) as caught:
        ProjectFile.read_toml(FILE)
    assert (caught.value.where, caught.value.key) == (FILE, key)
