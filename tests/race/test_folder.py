"""A run's samples: read once, and always what the file has."""

from pathlib import Path

import pytest

from bakeoff.model.samples import Record
from bakeoff.race.folder import RunFolder
from tests.judge.races import Race

RECORDS = Race({"a": 1, "b": 1}, boots=1, blocks=3).records()


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    return RunFolder.create(tmp_path / "run")


def filled(folder: RunFolder, records: list[Record]) -> None:
    folder.lock()
    for record in records:
        folder.add(record)


def test_what_was_added_is_what_the_file_has(folder: RunFolder) -> None:
    assert folder.records() == []
    filled(folder, RECORDS)
    assert folder.records() == RunFolder(folder.path).records() == RECORDS


def test_a_reader_cannot_change_what_the_next_one_reads(folder: RunFolder) -> None:
    filled(folder, RECORDS)
    folder.records().clear()
    assert folder.records() == RECORDS


def test_what_another_added_before_the_lock_is_seen(folder: RunFolder) -> None:
    assert folder.records() == []
    other = RunFolder(folder.path)
    filled(other, RECORDS[:2])
    other.close()
    filled(folder, RECORDS[2:])
    assert folder.records() == RECORDS


def test_an_interrupt_after_a_record_was_written_does_not_lose_it(folder: RunFolder) -> None:
    class Interrupted(list[Record]):
        def append(self, _record: Record) -> None:
            raise KeyboardInterrupt

    filled(folder, RECORDS[:2])
    folder._records = Interrupted(folder.records())
    with pytest.raises(KeyboardInterrupt):
        folder.add(RECORDS[2])
    assert folder.records() == RECORDS[:3]
