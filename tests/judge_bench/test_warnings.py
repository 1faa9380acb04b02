"""Counting what healthy servers are warned of."""

from bakeoff.model.findings import CODES
from bakeoff.simulate import USUAL, Size
from tests.judge.races import Race, judged
from tests.judge_bench.warnings import PLANNED, WEATHER, codes_of, counted, simulated, table


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
