"""A row of the standings, written out."""

import pytest

from bakeoff.report.standing import run_together


@pytest.mark.parametrize(
    ("letters", "shown"),
    [
        ("", ""),
        ("abc", "abc"),
        ("abcd", "a–d"),
        ("acdefg", "ac–g"),
        ("wxyzAB", "w–B"),
        ("abcdA1", "abcdA1"),
    ],
)
def test_letters_in_a_row_are_run_together(letters: str, shown: str) -> None:
    assert run_together(letters) == shown
