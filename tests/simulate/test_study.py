"""Rates over many races, a judge that errs is noticed, and the shortest race that is enough."""

import math

import pytest

from bakeoff.model.simulation import Middle, Rates
from bakeoff.simulate import DURATIONS_S, USUAL, Size, rate, search, study
from bakeoff.simulate.study import Outcome, race, summed_up

SHORT = Size(effect=0.0, contenders=2, duration_s=4, boots=1)


@pytest.mark.parametrize(
    ("count", "n", "low", "high"),
    # Clopper and Pearson, Biometrika 26, 1934; the rule of three for none of n.
    [(0, 20, 0.0, 0.168), (1, 20, 0.001, 0.249), (10, 20, 0.272, 0.728), (20, 20, 0.832, 1.0)],
)
def test_a_rate_has_its_binomial_interval(count: int, n: int, low: float, high: float) -> None:
    found = rate(count, n)
    assert (found.share, found.n) == (count / n, n)
    assert found.low == pytest.approx(low, abs=5e-4)
    assert found.high == pytest.approx(high, abs=5e-4)


def test_equal_servers_have_no_power_and_mostly_no_finding() -> None:
    with study(seed=1) as asked:
        rates = asked.rates(SHORT, USUAL, 12)
    assert rates.power is None
    assert rates.false_positives.count <= 4  # 1 in 10,000 sound judges has more, at 5 %
    assert rates.coverage.count == 12 - rates.false_positives.count
    assert rates.lasts_s > SHORT.duration_s


def test_a_large_effect_is_found_and_its_sign_is_right() -> None:
    for effect in (0.5, -0.3):
        outcome = race(Size(effect, 2, 4, 1), USUAL, seed=1)
        assert (outcome.detected, outcome.wrong) == (True, False)


def test_findings_that_are_wrong_are_counted() -> None:
    """Boots that differ by 20 % are more than the judge allows for: it must be seen to err."""
    wild = USUAL.model_copy(update={"boot_sd": 0.2})
    size = Size(0.0, 2, 3, 1)
    assert any(race(size, wild, seed).wrong for seed in range(8))
    assert not all(race(size, wild, seed).covered for seed in range(8))


def test_the_same_seed_gives_the_same_rates_whoever_computes_them() -> None:
    with study(seed=7) as asked:
        first = asked.rates(SHORT, USUAL, 6)
    with study(seed=7) as asked:
        assert asked.rates(SHORT, USUAL, 6) == first


def test_races_too_short_for_a_ratio_have_no_width() -> None:
    silent = Outcome(detected=False, wrong=False, covered=True, half_width=None, lasted_s=1)
    assert summed_up(SHORT, [silent, silent]).half_width is None


TO_FIND = [Size(effect=0.01, contenders=2, duration_s=each, boots=1) for each in DURATIONS_S]
RACES = 1000


def powered(size: Size, needs_s: float) -> Rates:
    """A race whose power is 80 % from `needs_s` on; its boots take 10 s more each."""
    share = min(0.99, 0.8 * math.sqrt(size.duration_s / needs_s))
    width = Middle(median=0.01, low=0.01, high=0.01)
    return Rates(
        effect=size.effect,
        duration_s=size.duration_s,
        boots=size.boots,
        races=RACES,
        power=rate(round(share * RACES), RACES),
        false_positives=rate(0, RACES),
        coverage=rate(RACES, RACES),
        half_width=width,
        lasts_s=size.duration_s + 10 * size.boots,
    )


def test_the_shortest_race_with_the_power_is_found_in_a_few_steps() -> None:
    tried, best = search(TO_FIND, 0.8, lambda size: powered(size, 40))
    assert best
    assert (best.duration_s, best.boots) == (45, 1)
    assert len(tried) <= 4


def test_an_effect_that_nothing_finds_has_no_plan() -> None:
    tried, best = search(TO_FIND, 0.8, lambda size: powered(size, 1e9))
    assert best is None
    assert tried
