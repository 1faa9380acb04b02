"""What a workload wants a server to know, and where the files are that it serves."""

import os
from pathlib import Path

from bakeoff.model.plan import Cores
from bakeoff.start import Keeper

from .conftest import HOST, ask, command, entry


def test_a_server_finds_it_in_its_environment(tmp_path: Path) -> None:
    core = min(os.sched_getaffinity(0))
    with Keeper(tmp_path / "scratch") as keeper:
        handle = keeper.start(
            entry(command("good")),
            out=tmp_path,
            workers=1,
            cores=Cores(server=(core,), client=(core,)),
            host=HOST,
            log=tmp_path / "log",
            answers=ask,
            environment={"UPSTREAM": "http://127.0.0.1:9"},
        )
        environ = Path(f"/proc/{handle.pid}/environ").read_bytes().decode().split("\0")
    assert "UPSTREAM=http://127.0.0.1:9" in environ
    assert f"HOST={HOST}" in environ


def test_files_to_serve_go_with_the_keeper(tmp_path: Path) -> None:
    with Keeper(tmp_path / "scratch") as keeper:
        folder = keeper.keep_files({"1k.txt": b"1\n2\n"})
        assert (folder / "1k.txt").read_bytes() == b"1\n2\n"
    assert not (tmp_path / "scratch").exists()
