"""Links to the engine: made whole or not at all, and nobody else's file is touched."""

from pathlib import Path

import pytest

from bakeoff.installation import engine_path
from bakeoff.load import link, shadowed
from bakeoff.load.engine import original
from bakeoff.model.errors import BadUsage

NAMES = ["ab", "wrk"]


def test_links_lead_to_the_engine_and_making_them_again_changes_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "not yet" / "there"
    for _ in range(2):
        links = link(folder, NAMES)
        assert links == [folder / "ab", folder / "wrk"]
        assert all(each.readlink() == engine_path().absolute() for each in links)
    assert sorted(each.name for each in folder.iterdir()) == NAMES


def test_a_link_to_an_engine_that_was_elsewhere_is_led_here(tmp_path: Path) -> None:
    (tmp_path / "wrk").symlink_to(tmp_path / "gone" / "volley")
    link(tmp_path, NAMES)
    assert (tmp_path / "wrk").samefile(engine_path())


@pytest.mark.parametrize("kind", ["file", "folder", "link", "dangling"])
def test_what_is_no_such_link_stays_and_nothing_is_made(tmp_path: Path, kind: str) -> None:
    taken = tmp_path / "wrk"
    if kind == "file":
        taken.write_text("another's")
    elif kind == "folder":
        taken.mkdir()
    else:
        taken.symlink_to("/bin/sh" if kind == "link" else tmp_path / "gone")
    before = taken.lstat()
    with pytest.raises(BadUsage, match=f"{taken} .*link"):
        link(tmp_path, NAMES)
    assert [each.name for each in tmp_path.iterdir()] == ["wrk"]
    assert taken.lstat() == before


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadUsage, match=r"file: .*File exists"):
        link(tmp_path / "file", NAMES)


def test_the_original_is_behind_our_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    link(ours, NAMES)
    theirs.mkdir()
    (theirs / "real").write_text("")
    (theirs / "real").chmod(0o755)
    (theirs / "wrk").symlink_to("real")
    monkeypatch.setenv("PATH", f"{ours}:{theirs}")
    assert original("wrk") == theirs / "wrk"
    assert original("ab") is None


def test_what_the_shell_finds_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    links = link(tmp_path / "ours", NAMES)
    other = tmp_path / "theirs" / "wrk"
    other.parent.mkdir()
    other.write_text("")
    other.chmod(0o755)
    monkeypatch.setenv("PATH", str(other.parent))
    assert shadowed(links) == {"ab": None, "wrk": str(other)}
    monkeypatch.setenv("PATH", f"{links[0].parent}:{other.parent}")
    assert shadowed(links) == {}
