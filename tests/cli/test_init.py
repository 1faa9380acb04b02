"""`bakeoff init`: what it writes, what it says, and what it leaves alone."""

from pathlib import Path

import pytest

from tests.cli.conftest import bakeoff


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "My Shop"
    folder.mkdir()
    (folder / "package.json").write_text('{"scripts": {"start": "node server.js"}}')
    (folder / "server.js").write_text("process.env.PORT")
    monkeypatch.chdir(folder)
    return folder


def test_it_says_what_it_found_and_where_and_how_to_check_it(shop: Path) -> None:
    done = bakeoff("init")
    assert done.exit_code == 0, done.output
    for said in (
        "wrote contender.toml",
        "wrote bakeoff.toml",
        "found: starts with `node server.js` (package.json, scripts.start)",
        "found: takes its port from $PORT (server.js)",
        "guessed: requests are for /",
        "bakeoff race .",
    ):
        assert said in done.output
    assert 'name = "my-shop"' in (shop / "contender.toml").read_text()


def test_a_folder_can_be_named(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(shop.parent)
    assert "bakeoff race 'My Shop'" in bakeoff("init", "My Shop").output
    assert (shop / "bakeoff.toml").exists()


@pytest.mark.parametrize("there", ["contender.toml", "bakeoff.toml"])
def test_what_is_there_is_overwritten_only_by_force(shop: Path, there: str) -> None:
    (shop / there).write_text("mine")
    done = bakeoff("init")
    assert str(done.exception) == f"{there}: can't be overwritten without --force"
    assert sorted(path.name for path in shop.glob("*.toml")) == [there]
    assert (shop / there).read_text() == "mine"
    assert bakeoff("init", "--force").exit_code == 0
    assert (shop / there).read_text() != "mine"


def test_where_nothing_says_how_it_starts_it_asks_for_the_command(shop: Path) -> None:
    (shop / "package.json").unlink()
    refused = bakeoff("init")
    assert "Procfile" in str(refused.exception)
    assert not list(shop.glob("*.toml"))
    assert bakeoff("init", "--command", "./serve -p $PORT").exit_code == 0
    assert 'command = "./serve -p {port}"' in (shop / "contender.toml").read_text()


def test_for_the_catalogue_it_writes_contender_toml_alone(shop: Path) -> None:
    done = bakeoff("init", "--catalogue")
    assert done.exit_code == 0, done.output
    assert "bakeoff contenders --audit ." in done.output
    assert [path.name for path in shop.glob("*.toml")] == ["contender.toml"]
    assert 'apt = ["nodejs", "npm"]' in (shop / "contender.toml").read_text()
