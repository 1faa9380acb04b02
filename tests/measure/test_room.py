"""The machine's room for more processes."""

import os
from pathlib import Path

import psutil

from bakeoff.measure import read_free_files, read_free_memory_mib
from bakeoff.measure.kernel import left


def test_no_more_memory_is_free_than_the_machine_has() -> None:
    assert 0 < read_free_memory_mib() <= psutil.virtual_memory().total / 2**20


def test_of_a_group_with_a_limit_the_rest_is_left(tmp_path: Path) -> None:
    limit, used = tmp_path / "memory.max", tmp_path / "memory.current"
    used.write_text("100\n")
    assert left(limit, used) is None
    limit.write_text("max\n")
    assert left(limit, used) is None
    limit.write_text("300\n")
    assert left(limit, used) == 200


def test_an_open_file_is_one_less() -> None:
    before = read_free_files()
    opened = [os.open(os.devnull, os.O_RDONLY) for _ in range(5)]
    try:
        assert read_free_files() == before - 5
    finally:
        for each in opened:
            os.close(each)
