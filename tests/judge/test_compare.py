"""Pairs of entries: what counts as a pair of slices, and when long slices are believed."""

import numpy as np
import pytest

from bakeoff.judge.compare import Comparison, _weighed, compare, family
from bakeoff.judge.history import History
from bakeoff.judge.paired import Paired, ln_throughput, pair_up
from bakeoff.judge.spread import trimmed_mean
from bakeoff.model.samples import Block, Slice
from tests.judge.races import MS, Race, event


@pytest.mark.parametrize(
    ("changed", "requests_per_s"),
    [
        ({"requests": 1000}, 50_000),
        ({"requests": 1, "end_ns": 1500 * MS}, 2),
        # Each answer counts for the share of its time in flight, where that is known.
        ({"requests": 1000, "requests_by_share": 990.5}, 49_525),
        ({"requests": 0}, 25),  # A window without an answer counts as half of one.
        ({"requests": 0, "requests_by_share": 0.2}, 25),
        ({"end_ns": 1000 * MS}, np.nan),  # A window without length is no turn.
    ],
)
def test_throughput_is_answers_per_second(
    changed: dict[str, object], requests_per_s: float
) -> None:
    slice_ = Slice(
        entry="a", event=event(**changed), server_cpu=None, leak_ns=None, leak_wall_ns=None
    )
    assert np.exp(ln_throughput(slice_)) == pytest.approx(requests_per_s, nan_ok=True)


def test_columns_are_by_name_and_missed_turns_are_gaps() -> None:
    race = Race({"b": 1.0, "a": 2.0, "c": 1.0}, boots=2, blocks=5, noise=0, out={1: {"c": "x"}})
    blocks = [record for record in race.records() if isinstance(record, Block)]
    paired = pair_up(blocks, [], ("c", "b", "a"))
    assert paired.names == ("a", "b", "c") and list(paired.boot) == [0] * 5 + [1] * 5
    assert np.exp(paired.log_ratio("a", "b")) == pytest.approx(2, rel=0.01)
    assert (paired.blocks_of("a", "b"), paired.blocks_of("c", "a")) == (10, 5)
    assert np.isnan(paired.log_ratio("c", "b")[5:]).all()
    assert pair_up(blocks, [], ("a", "b")).names == ("a", "b"), "others are left out"


def test_where_no_pair_is_wanted_none_is_compared() -> None:
    table = Paired.of_boots(("a", "b"), np.arange(8), np.arange(16.0).reshape(8, 2))
    assert family(table, 6, []) == {}
    assert set(family(table, 6)) == {frozenset("ab")}


ALPHA = 0.01


def compared(boots: list[list[float]], least: int = 1, state_sd: float = 0.0) -> Comparison:
    """The comparison of a over b, whose log-ratios are these, boot by boot."""
    boot = np.repeat(np.arange(len(boots)), [len(each) for each in boots])
    ratios = np.array([value for each in boots for value in each])
    table = np.stack([ratios, np.zeros(len(ratios))], axis=1)
    paired = Paired.of_boots(("a", "b"), boot, table)
    return family(paired, least, state_sd=state_sd)[frozenset("ab")]


@pytest.mark.parametrize(("ln_ratio", "state"), [(0.0, 0.0), (-0.5, 0.5), (0.5, 0.5), (3.0, 1.0)])
def test_the_more_unequal_two_servers_are_the_more_the_machines_state_adds(
    ln_ratio: float, state: float
) -> None:
    around = np.random.default_rng(1).normal(0, 0.002, 100)
    around -= trimmed_mean(around)
    measured, whole = (compared([list(ln_ratio + around)], 1, sd).width for sd in (0.0, 0.01))
    assert whole.state == pytest.approx(state * 0.0196, rel=1e-4, abs=1e-9)
    for half_width in ("alone", "simultaneous"):
        expected = np.hypot(getattr(measured, half_width), whole.state)
        assert getattr(whole, half_width) == pytest.approx(expected)


def test_what_the_state_adds_no_further_draw_narrows() -> None:
    """ln ratio is 0.5: its state has a half-width of 0.0098."""
    values = list(0.5 + np.random.default_rng(2).normal(0, 0.1, 100))
    measured, whole = (compared([values], 1, sd) for sd in (0.0, 0.01))
    assert measured.times(0.0097) and whole.times(0.0097) is None
    assert whole.times(0.02) == pytest.approx(
        measured.times(np.sqrt(0.02**2 - whole.width.state**2))
    )


def test_a_race_knows_unequal_servers_less_well_than_equal_ones() -> None:
    def half_width(ratio: float) -> float:
        race = Race({"a": ratio, "b": 1.0}, boots=1, blocks=60, noise=0.001, seed=1)
        return compare(History.of(race.records()), "ab")[frozenset("ab")].width.simultaneous

    assert half_width(1.0) < 0.001 and half_width(2.0) == pytest.approx(0.0136, rel=0.01)


def test_few_long_blocks_that_agree_within_a_boot_by_chance_decide_nothing() -> None:
    """As a live race had them: no spread within two boots, and a third one that is far off; the
    short ones, many, have a 1 % behind, give or take 0.3 %."""
    rng = np.random.default_rng(3)
    short = compared([list(rng.normal(-0.01, 0.03, 140)) for _ in range(3)])
    long = compared([[-0.06, -0.0601], [-0.061, -0.0609], [0.2, 0.2001]])
    weighed = _weighed(short, long, ALPHA)
    assert weighed.estimate is short.estimate and not weighed.slice_length_matters
