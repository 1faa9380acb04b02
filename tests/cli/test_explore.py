"""`bakeoff explore --export` and `bakeoff publish` as they are typed."""

import subprocess
from pathlib import Path

import pytest

from bakeoff.model.errors import BakeoffError
from tests.cli.conftest import bakeoff, race
from tests.runs.world import World


def refused(*arguments: str) -> str:
    done = bakeoff(*arguments)
    assert isinstance(done.exception, BakeoffError), done.output
    assert done.exception.exit_status == 2
    return str(done.exception)


@pytest.fixture
def raced(world: World, tmp_path: Path) -> Path:
    done = race("fast", "slow", "-d", "2", "--boots", "1")
    assert done.exit_code == 0, done.output
    return (tmp_path / "runs" / "latest").resolve()


def test_an_export_says_where_it_begins_and_what_was_left_out(raced: Path, tmp_path: Path) -> None:
    (raced.parent / "torn").mkdir()
    (raced.parent / "torn" / "plan.json").write_text("{")
    told = bakeoff("explore", "runs", "--export", "a site")
    assert told.exit_code == 0, told.output
    assert "begin with a site/index.html" in told.output
    assert "left out:" in told.output and "torn" in told.output
    assert len(list((tmp_path / "a site" / "run").glob("*.html"))) == 1


def test_a_published_run_is_in_the_site_and_owns_its_folder(raced: Path, tmp_path: Path) -> None:
    told = bakeoff("publish", str(raced), "--to", "site", "--url", "https://example.org/races")
    assert told.exit_code == 0, told.output
    assert "Left out: samples, logs" in told.output
    (page,) = (tmp_path / "site" / "run").glob("*.html")
    assert f"https://example.org/races/run/{page.stem}/badge/result.svg" in page.read_text()
    assert (tmp_path / "site" / "runs" / raced.name / "verdict.json").is_file()
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter").touch()
    assert "has other files in it" in refused("publish", str(raced), "--to", "thesis")


def test_a_branch_gets_a_commit_and_says_how_to_push_it(
    raced: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_NAME", "somebody")
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "somebody@example.org")
    for words in (("init", "--quiet"), ("commit", "--quiet", "--allow-empty", "-m", "Begin")):
        subprocess.run(["git", *words], cwd=tmp_path, check=True)
    told = bakeoff("publish", str(raced), "--to", "git:pages")
    assert "`git push origin pages`" in told.output
    told = bakeoff("publish", str(raced), "--to", "git:pages")
    assert "pages has this already." in told.output
