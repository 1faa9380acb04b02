"""What the bench's commands make of recorded and of simulated races."""

import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from statistics import median

import pytest

from bakeoff.model.board import Board
from bakeoff.model.findings import CODES
from bakeoff.simulate import USUAL, Size
from tests.judge.races import Race, judged
from tests.judge_bench import boards, coverage, predicted, recorded, tomorrow
from tests.judge_bench.warnings import PLANNED, WEATHER, codes_of, counted, simulated, table


def test_recorded_equals_are_judged_better_than_when_they_were_raced() -> None:
    """On these very blocks the estimate was chosen: 0.387 %, 0.784 % and 3 before."""
    found = recorded.summary([recorded.judged(race) for race in recorded.races()])
    assert found["n"] == 97
    assert found["error"] < 0.34 and found["half_width"] < 0.65 and found["missed"] <= 3


def test_the_pooled_estimate_of_the_same_blocks_is_a_check_on_it() -> None:
    races = [recorded.judged(race) for race in recorded.races()]
    found = recorded.summary(races)
    assert found["pooled_error"] == pytest.approx(0.318, abs=0.001)
    assert found["pooled_half_width"] == pytest.approx(0.576, abs=0.001)
    assert found["pooled_missed"] == 2
    for each in races:
        ln_ratio, half_width = each.pooled
        assert abs(ln_ratio - each.ln_ratio) < half_width + each.half_width


def test_recorded_equals_have_no_pauses_and_those_that_are_planted_are_found() -> None:
    """1 of 97 would be a rate of up to 5.6 %."""
    races = list(recorded.races())
    assert not any(each.own for race in races for each in recorded.lost(race))
    assert sum(recorded.lost(race, 0.1, 0.5)[0].own for race in races) > 90


def test_each_half_of_a_programs_races_predicts_the_other() -> None:
    found = [recorded.judged(each) for each in islice(recorded.races(), 3)]
    with ThreadPoolExecutor(1) as workers:
        outcomes = predicted.predicted(found, workers)
    assert len(outcomes) == len(found)
    simulated = median(each.half_width or 0.0 for each in outcomes)
    assert 0.3 < simulated / median(each.half_width for each in found) < 3


@pytest.mark.parametrize("basis", ["pair", "family"])
def test_recorded_races_are_covered(basis: str) -> None:
    lines = tomorrow.lines()
    assert [len(lines[name]) for name in ("five", "four, f08ec035699a", "equal")] == [10, 6, 5]
    for name, half_width in (("five", 0.08), ("four, f08ec035699a", 0.04), ("equal", 0.02)):
        found = list(tomorrow.predictions(lines[name], 5, basis))
        assert sum(each.covered for each in found) / len(found) > 0.95
        assert median(each.half_width for each in found) < half_width


def test_boards_agree_on_the_sign_of_each_pair_that_both_tell_apart() -> None:
    path = tomorrow.RECORDS / "2026-11-28T07-20-board.json"
    first, cell = (Board.read_json(path).cell(name) for name in ("hello/h1", "row/h1"))
    second = cell.model_copy(update={"pairs": tuple(pair.turned() for pair in cell.pairs)})
    both = list(boards.shared(cell, second))
    assert len(both) == len(cell.pairs) > 1 and all(boards.told(both))
    assert all(boards.changed(pair).ratio == pytest.approx(1) for pair in both)
    crossed = [(pair, pair.turned()) for pair in cell.pairs]
    assert boards.told(crossed) and not any(boards.told(crossed))
    predicted = list(boards.expected(first, first))
    assert len(predicted) > 100
    assert all(each.low < pair.ratio.ratio < each.high for pair, each in predicted)


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


def test_a_race_counts_once_for_each_code_whoever_it_is_about() -> None:
    race = Race({"a": 1.0, "b": 1.0, "c": 1.0}, boots=1, blocks=12, leak={"b": 0.05, "c": 0.05})
    assert codes_of(judged(race)) == {"one_boot", "cpu_leak"}


def test_rates_have_their_exact_interval_and_weather_is_marked() -> None:
    found = counted([{"cpu_leak"}, set(), {"cpu_leak", "host_steal"}, set()])
    assert table("of four", found).splitlines() == [
        "of four, 4 races",
        "  cpu_leak                     2  50.0% (6.8% to 93.2%)",
        "  host_steal                   1  25.0% (0.6% to 80.6%) (the weather)",
    ]


def test_a_simulated_race_has_a_twin_and_is_judged() -> None:
    assert "no_noise_floor" not in simulated(Size(0.0, 3, 3.0, 2), USUAL, 1)


def test_what_is_no_false_alarm_is_a_part_of_the_codes() -> None:
    assert set(CODES) >= WEATHER | PLANNED
