"""What is sent of a contender, and that it arrives as it was."""

import os
from pathlib import Path

import pytest

from bakeoff.cluster import sources
from bakeoff.cluster.host import Host
from bakeoff.cluster.sources import pack
from bakeoff.model.contender import Contender
from bakeoff.model.errors import ContenderOut

BUILT = """
name = "mine"
title = "Mine"
language = "C"
kind = "server"
[build]
command = "make"
sources = ["../beside"]
[run]
command = "{out}/mine"
[serves]
hello = "/"
"""

RUN = BUILT.partition("[build]")[0] + BUILT[BUILT.index("[run]") :].replace("{out}/mine", "./serve")


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Host:
    """A node's side, with a cache of its own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return Host("127.0.0.1", ["127.0.0.1"])


def contender(folder: Path, text: str) -> Contender:
    """The contender that a text describes, in its folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "contender.toml").write_text(text)
    return Contender.read_toml(folder / "contender.toml")


def test_sources_arrive_with_those_beside_them_without_builds(tmp_path: Path, host: Host) -> None:
    folder = tmp_path / "a place" / "mine"
    mine = contender(folder, BUILT)
    (folder / "main.c").write_text("int main;")
    (folder / ".out").mkdir()
    (folder / ".out" / "mine").write_text("built")
    (tmp_path / "a place" / "beside").mkdir()
    (tmp_path / "a place" / "beside" / "lib.c").write_text("int lib;")
    packed = pack(mine, folder)
    there = Path(host.take_sources(packed.key, packed.data), packed.inside)
    assert (there / "main.c").read_text() == "int main;"
    assert (there / "../beside/lib.c").read_text() == "int lib;"
    assert not (there / ".out").exists()
    assert host.has_sources(packed.key)


def test_what_runs_as_it_is_goes_whole_with_modes_and_links(tmp_path: Path, host: Host) -> None:
    folder = tmp_path / "mine"
    mine = contender(folder, RUN)
    (folder / "node_modules").mkdir()
    (folder / "node_modules" / "serve").write_text("#!/bin/sh")
    (folder / "node_modules" / "serve").chmod(0o755)
    (folder / "serve").symlink_to("node_modules/serve")
    for run in ("runs/2026", ".git"):
        (folder / run).mkdir(parents=True)
        (folder / run / "samples.jsonl").write_text("x")
    (folder / "runs" / "latest").symlink_to("2026")
    packed = pack(mine, folder)
    there = Path(host.take_sources(packed.key, packed.data), packed.inside)
    assert (there / "serve").is_symlink()
    assert os.access(there / "serve", os.X_OK)
    assert sorted(each.name for each in there.iterdir()) == [
        "contender.toml",
        "node_modules",
        "serve",
    ]


def test_a_byte_or_a_mode_makes_other_sources(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    mine = contender(folder, BUILT.replace('sources = ["../beside"]', ""))
    (folder / "main.sh").write_text("1")
    keys = [pack(mine, folder).key]
    assert pack(mine, folder).key == keys[0]
    (folder / "main.sh").chmod(0o755)
    keys.append(pack(mine, folder).key)
    (folder / "main.sh").write_text("2")
    keys.append(pack(mine, folder).key)
    assert len(set(keys)) == 3


def test_a_folder_hardly_meant_is_not_sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "BYTES_MAX", 100)
    folder = tmp_path / "home"
    mine = contender(folder, RUN)
    with pytest.raises(ContenderOut, match="put what it needs into a folder of its own"):
        pack(mine, folder)
