"""What a contender writes: its log, and files in its scratch folder."""

from pathlib import Path

from bakeoff.measure import read_written
from bakeoff.model.audit import Written
from bakeoff.model.receipt import CpuCounter, Handle


def handle(log: Path | None, scratch: Path | None) -> Handle:
    return Handle(
        name="x",
        pid=None,
        address="127.0.0.1:1",
        host="127.0.0.1:1",
        port=1,
        cpus=(),
        cpu=CpuCounter(kind="none"),
        log=str(log) if log else None,
        scratch=str(scratch) if scratch else None,
        command=(),
        time_to_ready_ms=None,
    )


def test_all_files_count_however_deep(tmp_path: Path) -> None:
    log, scratch = tmp_path / "log", tmp_path / "scratch"
    log.write_text("12345")
    (scratch / "deep").mkdir(parents=True)
    (scratch / "a").write_text("1234567")
    (scratch / "deep" / "b").write_text("123")
    (scratch / "link").symlink_to("a")
    assert read_written(handle(log, scratch)) == Written(log_bytes=5, scratch_bytes=10 + len("a"))


def test_what_is_not_there_has_no_size(tmp_path: Path) -> None:
    found = read_written(handle(tmp_path / "log", tmp_path / "scratch"))
    assert found == Written(log_bytes=0, scratch_bytes=0)


def test_of_a_server_that_is_not_ours_nothing_is_known() -> None:
    assert read_written(handle(None, None)) is None
