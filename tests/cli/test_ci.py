"""`bakeoff ci`, in a world of known speeds: its status, and the files that CI systems read."""

import os
from errno import ENOSPC
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from bakeoff.model.ci import Ci
from bakeoff.model.errors import Status
from tests.cli.conftest import bakeoff
from tests.repositories import WHO, commit, git, new_repository
from tests.runs.world import World, cut_off

CONTENDER = """
name = "shop"
title = "Shop"
language = "C"
kind = "server"
[run]
command = "./x"
[serves]
hello = "/"
"""
PROJECT = """
contender = "."
gates = ["head >= 0.8 * base"]
duration = 9
cpus = "server=0,client=0"
"""


@pytest.fixture
def shop(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with two commits on `change`, the second of which is the change."""
    for name, value in {**WHO, "XDG_CACHE_HOME": str(tmp_path / "cache")}.items():
        monkeypatch.setenv(name, value)
    for name in ("GITHUB_BASE_REF", "GITHUB_STEP_SUMMARY"):
        monkeypatch.delenv(name, raising=False)
    top = new_repository(
        tmp_path / "a shop", {"contender.toml": CONTENDER, "bakeoff.toml": PROJECT}
    )
    git(top, "checkout", "--quiet", "-b", "change")
    commit(top, {"server.c": "slower"}, "a change")
    monkeypatch.chdir(top)
    world.requests_per_s |= {"base": 50_000.0, "head": 50_000.0}
    return top


def test_without_words_head_is_held_against_where_it_left_main(shop: Path, world: World) -> None:
    done = bakeoff("ci", "--json", "ci.json")
    assert done.exit_code == 0, done.output
    result = Ci.read_json(shop / "ci.json")
    assert (result.base.name, result.base.subject) == ("main", "first")
    assert (result.head.name, result.head.subject) == ("HEAD", "a change")
    assert "base is main, " in done.stderr and "head is HEAD, " in done.stderr
    assert "Not slower than base by more than 20 %" in done.output


def test_a_margin_out_of_reach_is_said_before_the_race(shop: Path) -> None:
    project = PROJECT.replace('gates = ["head >= 0.8 * base"]\n', "")
    (shop / "bakeoff.toml").write_text(project)
    done = bakeoff("ci", "--within", "0.01%")
    assert "--within 0.01%: by " in done.stderr and "9 s of measuring reach about" in done.stderr
    assert "would be enough" not in bakeoff("ci", "--within", "10%").stderr


def test_what_is_slower_ends_with_1_and_the_files_say_so(shop: Path, world: World) -> None:
    world.requests_per_s["head"] = 25_000.0
    done = bakeoff("ci", "--summary", "a summary.md", "--junit", "junit.xml")
    assert done.exit_code == 1, done.output
    summary = (shop / "a summary.md").read_text()
    assert "**Slower: head does 0." in summary and "The race was decided in " in summary
    assert len(summary) < 5000, "a summary is short; the report has the rest"
    suite = ET.parse(shop / "junit.xml").getroot()
    assert suite.attrib["failures"] == "1"
    assert "fails, the ratio is 0." in suite[0].find("failure").attrib["message"]  # type: ignore[union-attr]


def test_githubs_summary_is_added_to(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (shop / "summary").write_text("what an earlier step said\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(shop / "summary"))
    assert bakeoff("ci").exit_code == 0
    said = (shop / "summary").read_text()
    assert said.startswith("what an earlier step said\n") and "Not slower" in said


def test_a_pull_requests_branch_is_its_base(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git(shop, "branch", "release", "HEAD~1")
    monkeypatch.setenv("GITHUB_BASE_REF", "release")
    assert "base is release, " in bakeoff("ci").stderr


def test_revisions_can_be_named(shop: Path) -> None:
    commit(shop, {"server.c": "3"}, "third")
    done = bakeoff("ci", "--base", "HEAD~1", "--head", "main", "--json", "-")
    result = Ci.from_json(done.stdout, "-")
    assert (result.base.subject, result.head.subject) == ("a change", "first")


def test_changes_that_are_not_committed_are_raced_where_they_are_asked_for(shop: Path) -> None:
    (shop / "server.c").write_text("faster")
    done = bakeoff("ci")
    assert "1 tracked file" in done.stderr
    # Two runs of one second would have one name.
    done = bakeoff("ci", "--head", ".", "--json", "-", "--out", "again")
    result = Ci.from_json(done.stdout, "-")
    assert result.head.uncommitted
    head = next(entry for entry in result.race.entries if entry.name == "head")
    assert head.valid


def test_a_new_contender_is_not_slower_but_by_policy_it_may_fail(shop: Path, world: World) -> None:
    (shop / "new").mkdir()
    commit(shop, {"new/contender.toml": CONTENDER}, "a new server")
    new = ("ci", "--contender", "./new", "--junit", "junit.xml", "--summary", "s.md")
    done = bakeoff(*new)
    assert done.exit_code == 0
    assert ": ./new " in done.stderr
    assert ET.parse("junit.xml").getroot().attrib["skipped"] == "1"
    assert "**Can't tell: nothing to compare" in Path("s.md").read_text()
    assert bakeoff(*new, "--cant-tell", "fail").exit_code == 1
    assert world.slices == 0


def test_a_base_that_does_not_build_ends_with_3_and_the_log(shop: Path, world: World) -> None:
    world.unbuildable["shop"] = "its build failed: `make` ended with status 2\n    line 3: oops"
    done = bakeoff("ci", "--junit", "junit.xml", "--summary", "s.md")
    error = done.exception
    assert getattr(error, "exit_status", None) == 3
    assert "base (main, " in str(error) and "does not build" in str(error)
    summary = Path("s.md").read_text()
    assert "**Not raced: base (main, " in summary and "line 3: oops" in summary
    suite = ET.parse("junit.xml").getroot()
    assert (suite.attrib["errors"], suite.attrib["failures"]) == ("1", "0")


def test_a_full_disk_ends_with_3_and_the_files_say_how_to_go_on(shop: Path, world: World) -> None:
    world.on_slice = cut_off(150, OSError(ENOSPC, os.strerror(ENOSPC)))
    error = bakeoff("ci", "--junit", "junit.xml", "--summary", "s.md").exception
    assert getattr(error, "exit_status", None) == 3
    assert "No space left on device: make room, then bakeoff resume runs/" in str(error)
    assert "**Not raced: runs/" in Path("s.md").read_text()
    assert ET.parse("junit.xml").getroot().attrib["errors"] == "1"
    assert bakeoff("resume", "runs/latest").exit_code == 0


@pytest.mark.parametrize("who", ["base", "head"])
def test_one_that_answers_wrongly_ends_with_3(shop: Path, world: World, who: str) -> None:
    world.wrong[who] = "answered 500"
    error = bakeoff("ci", "--junit", "junit.xml").exception
    assert getattr(error, "exit_status", None) == Status.NO_VERDICT
    assert f"\n  {who}: answered 500" in str(error)
    assert ET.parse("junit.xml").getroot().attrib["errors"] == "1"


def test_an_interrupt_ends_with_130(shop: Path, world: World) -> None:
    world.on_slice = cut_off(150)
    done = bakeoff("ci")
    assert done.exit_code == 130
    assert "bakeoff resume" in done.stderr


def test_bakeoff_toml_is_found_from_below_it(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (shop / "sub").mkdir()
    monkeypatch.chdir(shop / "sub")
    assert bakeoff("ci").exit_code == 0
