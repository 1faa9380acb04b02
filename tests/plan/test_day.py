"""From contenders and options to a day: how many rounds fit, and how long their windows are."""

from pathlib import Path

import pytest

from bakeoff.model.day import DayPlan
from bakeoff.model.samples import DayEnd
from bakeoff.plan import DayOptions, next_window_ms, plan_day
from tests.plan import places


def plan(root: Path, *operands: str, **options: object) -> DayPlan:
    folder = places.catalogue(root, "ada", "bob", "cy", "dan")
    return plan_day(operands, DayOptions(**options), places.environment(folder, root))


def test_it_is_all_of_them_without_a_twin_in_two_minutes_each(tmp_path: Path) -> None:
    made = plan(tmp_path, "ada", "bob", "cy", "dan", seed=1)
    assert made.run == "now-day-ada-vs-bob-vs-cy-vs-dan"
    assert [entry.name for entry in made.race.entries] == ["ada", "bob", "cy", "dan"]
    assert made.duration_s == 480 and made.rounds == 8
    assert 800 <= made.window_ms < 1000
    assert made.crowd == 16 * made.race.connections == 1024


def test_a_short_day_has_five_rounds_of_short_windows_a_long_one_longer(tmp_path: Path) -> None:
    short = plan(tmp_path / "a", "ada", "bob", duration=70)
    assert short.rounds == 5 and 100 <= short.window_ms < 300
    long = plan(tmp_path / "b", "ada", duration="20m")
    assert (long.rounds, long.window_ms) == (20, 4458)


@pytest.mark.parametrize(
    ("rounds", "window_ms"), [(1, 895), (5, 895), (6, 800), (7, None)], ids=str
)
def test_rounds_beyond_the_least_are_not_squeezed_into_what_is_left(
    tmp_path: Path, rounds: int, window_ms: int | None
) -> None:
    """Seven of eight fit where each takes 68 s: an eighth would have windows of a tenth."""
    made = plan(tmp_path, "ada", "bob", "cy", "dan", seed=1)
    made = made.model_copy(update={"window_ms": 895})
    ends = [DayEnd(round=n, lasted_s=68.0, window_ms=895, stopped=()) for n in range(rounds)]
    found = next_window_ms(made, ends)
    assert found is None if window_ms is None else found and found >= window_ms
