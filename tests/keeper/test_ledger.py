"""Entries are written before things are there, read by the next command, and gone with them."""

import os
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.keeper import ledger
from bakeoff.keeper.ledger import Session, enter, entered, entries


def test_an_entry_says_whose_it_is_and_what_it_started(gone: str, here: str) -> None:
    entry = enter(gone, here, folders=["/a b/1-*"])
    entry.add(session=17, started=99, log="/a b/it.log")
    entry.add(seen=18, started=100)
    entry.add(group="/sys/fs/cgroup/bakeoff-1-2-3-4")
    (kept,) = entries()
    assert (kept.name, kept.of) == (gone, here)
    assert kept.sessions == (Session(17, 99, "/a b/it.log"),)
    assert kept.seen == {(17, 99), (18, 100)}
    assert kept.folders == (Path("/a b/1-*"),)
    assert kept.groups == (Path("/sys/fs/cgroup/bakeoff-1-2-3-4"),)
    assert kept.is_stale() and not kept.is_ending()


def test_a_session_that_ended_counts_no_more(gone: str) -> None:
    entry = enter(gone, gone)
    entry.add(session=17, started=99, log="")
    entry.add(ended=17)
    assert entries()[0].sessions == ()


def test_what_a_kill_cut_off_is_skipped_and_what_follows_is_read(gone: str) -> None:
    entry = enter(gone, gone)
    with entry.path.open("a") as file:
        file.write('\n{"session": 16, "sta')
    entry.add(session=17, started=99, log="")
    assert [each.leader for each in entries()[0].sessions] == [17]


def test_an_entry_of_ours_is_there_as_long_as_what_it_is_about() -> None:
    with entered() as entry:
        (kept,) = entries()
        assert not kept.is_stale()
        assert kept.is_marked(entry.name)
    assert entries() == []


def test_an_entry_is_ending_where_the_run_is_gone_but_not_its_keeper(here: str, gone: str) -> None:
    enter(here, gone)
    (kept,) = entries()
    assert kept.is_ending() and not kept.is_stale()


def test_markers_are_told_apart_by_whole_numbers(here: str) -> None:
    enter(f"{here}-1", here)
    (kept,) = entries()
    assert [kept.is_marked(f"{here}-{end}") for end in ("1", "1-7", "12", "2")] == [
        True, True, False, False,
    ]  # fmt: skip
    assert not kept.is_marked(None) and not kept.is_marked(here)


def test_of_an_earlier_boot_only_files_are_left_and_of_another_machine_nothing_is_ours(
    gone: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    enter(gone, gone, folders=[])
    (kept,) = entries()
    monkeypatch.setattr(ledger, "_boot", lambda: "another")
    assert kept.is_stale() and kept.is_of_a_past_boot()
    monkeypatch.setattr(ledger, "_machine", lambda: "another")
    assert not kept.is_stale() and not kept.is_ending()


def test_the_unknown_is_forgotten(gone: str, here: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (gone, here):
        os.utime(enter(name, name).path, (0, time.time() - 31 * 86_400))
    assert [kept.is_forgotten() for kept in entries()] == [False, False]
    monkeypatch.setattr(ledger, "_machine", lambda: "another")
    assert [kept.is_forgotten() for kept in entries()] == [True, True]


def test_a_folder_open_to_others_is_neither_read_nor_written(gone: str, own_ledger: Path) -> None:
    enter(gone, gone)
    own_ledger.chmod(0o777)
    assert entries() == []
    second = enter(gone, gone)
    assert second.path.parent == ledger.places()[1]
    second.close()


def test_who_can_write_nowhere_is_told_where(gone: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger, "places", lambda: (Path("/proc/nowhere"),))
    with pytest.raises(OSError, match="/proc/nowhere"):
        enter(gone, gone)


@given(st.binary(max_size=300))
def test_whatever_is_in_a_file_of_that_folder_is_read_or_skipped(data: bytes) -> None:
    folder = ledger.places()[0]
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    (folder / "1-2-3").write_bytes(data)
    assert len(entries()) <= 1
