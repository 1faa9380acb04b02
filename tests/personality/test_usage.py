"""Help is in our own words, and knows each flag that the original's knows."""

import re
from pathlib import Path

import pytest

from tests.personality.programs import Program, ours, real, run

FLAG = re.compile(r"(?<![\w-])--?[a-zA-Z]\w*")


@pytest.mark.parametrize("name", ["ab", "wrk"])
def test_names_each_flag(name: str, tmp_path: Path) -> None:
    theirs, own = flags(real(name), tmp_path), flags(ours(name), tmp_path)
    assert len(theirs) > 8
    assert theirs <= own


def flags(program: Program, folder: Path) -> set[str]:
    ended = run(program, [], folder)
    return set(FLAG.findall(ended.out + ended.err))
