"""What METHODOLOGY.md says of how often new processes are misjudged can be had again."""

import pytest

from tests.judge_bench import new_process


def test_it_prints_a_row_for_each_noise(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(new_process, "COMPARED", 20)
    new_process.main()
    rows = capsys.readouterr().out.splitlines()[2:]
    assert [row.split(" | ")[0] for row in rows] == [f"| {each:.0%}" for each in new_process.NOISES]


def test_what_costs_a_third_more_at_first_is_seen_and_what_is_flat_is_left_alone() -> None:
    assert new_process.share(0.02, 0.3, flat=True) == 0
    assert new_process.share(0.02, 0.0, flat=False) < 0.05
