"""The tables of how often intervals miss."""

import sys

import pytest

from tests.judge_bench import coverage


def test_each_line_of_a_table_has_a_cell_for_each_spread(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["coverage", "--races", "2"])
    coverage.main()
    said = capsys.readouterr().out
    for name in coverage.NEW:
        (line,) = [each for each in said.splitlines() if each.startswith(f"| {name} |")]
        assert line.count("%") == len(coverage.SPREADS) and line.count("±") == len(coverage.SPREADS)
    assert all(f"\n{name}: " in said for name in coverage.OTHERS)
