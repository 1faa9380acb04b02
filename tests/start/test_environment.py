"""What a workload wants a server to know, and where the files are that it serves."""

from pathlib import Path

from bakeoff.start import Keeper

from .conftest import HOST, Start, command, entry


def test_a_server_finds_it_in_its_environment(start: Start) -> None:
    handle = start(entry(command("good")), environment={"UPSTREAM": "http://127.0.0.1:9"})
    environ = Path(f"/proc/{handle.pid}/environ").read_bytes().decode().split("\0")
    assert "UPSTREAM=http://127.0.0.1:9" in environ
    assert f"HOST={HOST}" in environ


def test_files_to_serve_go_with_the_keeper(tmp_path: Path) -> None:
    with Keeper(tmp_path / "scratch") as keeper:
        folder = keeper.keep_files({"1k.txt": b"1\n2\n"})
        assert (folder / "1k.txt").read_bytes() == b"1\n2\n"
    assert not (tmp_path / "scratch").exists()
