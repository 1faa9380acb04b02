"""How long each is warmed up, in a world whose servers come up to speed as they are told to."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bakeoff.model.errors import NoVerdict
from bakeoff.model.samples import WARM_UP_SLICE_MS, Warmup
from bakeoff.plan import slice_lengths
from bakeoff.race import resume
from bakeoff.race.folder import RunFolder
from tests.race.test_race import SPEEDS, catalogue, interrupt, raced
from tests.race.world import World

__all__ = ["catalogue"]
SLICE_S = WARM_UP_SLICE_MS / 1000


def compiling(*tiers: tuple[float, float]) -> Callable[[float], float]:
    """A share of its throughput until so many seconds of load, tier after tier; then all of it."""

    def warmth(loaded_s: float) -> float:
        return next((share for until_s, share in tiers if loaded_s < until_s), 1.0)

    return warmth


def warmed(folder: Path) -> list[Warmup]:
    return [record for record in RunFolder(folder).records() if record.type == "warmup"]


def seconds(warmup: Warmup) -> dict[str, float]:
    return {name: len(rates) * SLICE_S for name, rates in warmup.requests_per_s.items()}


def run(catalogue: Any, tmp_path: Path, world: World, duration_s: float, **more: Any) -> Any:
    return raced(
        catalogue, world, tmp_path, "fast", "slow", twin=False, duration_s=duration_s, **more
    )


def test_flat_ones_get_three_seconds_and_one_in_later_boots(catalogue: Any, tmp_path: Path) -> None:
    first, *later = warmed(run(catalogue, tmp_path, World(SPEEDS, noise=0.01), 12.0).folder)
    assert first.courses == {"fast": "flat", "slow": "flat"}
    assert seconds(first) == {"fast": 3.0, "slow": 3.0}
    assert [seconds(each) for each in later] == [{"fast": 1.0, "slow": 1.0}] * 2


def test_one_that_compiles_gets_the_time_it_takes_and_slices_of_its_last_speed(
    catalogue: Any, tmp_path: Path
) -> None:
    world = World(SPEEDS, warmth={"slow": compiling((1.0, 0.005), (3.5, 0.1))})
    finished = run(catalogue, tmp_path, world, 36.0)
    for warmup in warmed(finished.folder):
        assert warmup.courses["slow"] == "warm-up" and warmup.steady["slow"]
        assert 5.0 <= seconds(warmup)["slow"] <= 8.0
        assert abs(warmup.steady_from["slow"] * SLICE_S - 3.5) <= 0.5
        assert warmup.lengths["slow"] == slice_lengths(50_000, 1000)
    slow = next(each for each in finished.verdict.entries if each.name == "slow")
    assert [each.course for each in slow.warm_up] == ["warm-up"] * 3
    assert not slow.warnings


def test_compilers_count_calls_so_few_answers_since_the_last_change_are_not_enough(
    catalogue: Any, tmp_path: Path
) -> None:
    world = World({"fast": 100_000, "slow": 2000}, warmth={"slow": compiling((1.0, 0.2))})
    warmup = warmed(run(catalogue, tmp_path, world, 42.0, boots=1).folder)[0]
    answered = sum(rate * SLICE_S for rate in warmup.requests_per_s["slow"][4:])
    assert 18_000 < answered < 24_000


def test_a_slow_one_that_is_plainly_flat_is_spared_the_bound(
    catalogue: Any, tmp_path: Path
) -> None:
    world = World({"fast": 100_000, "slow": 600})
    warmup = warmed(run(catalogue, tmp_path, world, 42.0, boots=1).folder)[0]
    assert seconds(warmup)["slow"] == 3.0


@pytest.mark.parametrize(("duration_s", "most_s"), [(0.6, 1.0), (4.0, 6.0), (60.0, 20.0)])
def test_one_that_never_settles_takes_the_bound_and_a_short_race_stays_short(
    catalogue: Any, tmp_path: Path, duration_s: float, most_s: float
) -> None:
    """Three times its share of what is measured, 1 s at least and 20 s at most."""
    world = World(SPEEDS, warmth={"slow": lambda loaded_s: 1.5**loaded_s / 1.5**40})
    warmup = warmed(run(catalogue, tmp_path, world, duration_s, boots=1).folder)[0]
    assert seconds(warmup)["slow"] == most_s
    assert warmup.courses["slow"] == "unsteady"


def test_a_slowdown_is_told(catalogue: Any, tmp_path: Path) -> None:
    world = World(SPEEDS, warmth={"slow": compiling((1.5, 2.0))})
    verdict = run(catalogue, tmp_path, world, 12.0, boots=1).verdict
    slow = next(each for each in verdict.entries if each.name == "slow")
    assert [each.course for each in slow.warm_up] == ["slowdown"]
    assert any(each.startswith("it got slower while it was warmed up") for each in slow.warnings)


def test_a_race_too_short_to_warm_up_says_so_once(catalogue: Any, tmp_path: Path) -> None:
    world = World(SPEEDS, warmth={"slow": lambda loaded_s: 1.5**loaded_s / 1.5**40})
    verdict = run(catalogue, tmp_path, world, 1.2).verdict
    said = [*verdict.warnings, *(w for each in verdict.entries for w in each.warnings)]
    assert sum("warm" in each for each in said) == 1
    assert any("nobody was warmed up for more than 1 s" in each for each in verdict.warnings)


def test_what_was_known_before_a_cut_is_known_after_it(catalogue: Any, tmp_path: Path) -> None:
    world = World(SPEEDS, on_slice=interrupt)
    finished = run(catalogue, tmp_path, world, 12.0)
    assert finished.interrupted
    again = resume(finished.folder, World(SPEEDS).stages(), world)
    first, *later = [seconds(each)["fast"] for each in warmed(again.folder)]
    assert first == 3.0 and later and set(later) == {1.0}


def test_a_solo_race_warms_each_up_alone(catalogue: Any, tmp_path: Path) -> None:
    finished = run(catalogue, tmp_path, World(SPEEDS), 40.0, solo=True)
    first, second, *_ = warmed(finished.folder)
    assert seconds(first) == {"fast": 3.0, "slow": 3.0}
    assert seconds(second) == {"fast": 1.0, "slow": 1.0}
    assert all(len(us) == 12 for us in first.cpu_us_per_request.values())


def test_where_nobody_answers_there_is_no_verdict(catalogue: Any, tmp_path: Path) -> None:
    world = World(SPEEDS, dead={"fast": "was killed", "slow": "was killed"})
    with pytest.raises(NoVerdict, match="answered a single request"):
        run(catalogue, tmp_path, world, 2.0)
