"""Whether short turns and one contender alone say the same."""

import numpy as np
import pytest
from scipy.stats import binom

from bakeoff.judge import bootstrap, confirmed, judge
from bakeoff.judge.bootstrap import replicates, sample
from bakeoff.judge.change import change
from bakeoff.judge.paired import Paired
from bakeoff.judge.simultaneous import widths
from bakeoff.model.verdict import Pair, Verdict
from tests.judge.races import MACHINE, Race
from tests.judge.test_coverage import noisy

RACES = 100
MOST_ERRORS = int(binom.ppf(0.999, RACES, 0.05))
RATIOS = {"ref": 1.0, "a": 0.5}


def judged(race: Race) -> Verdict:
    return judge(race.plan(), race.receipts(), race.records(), MACHINE, True)


def alone(a: float, **changed: object) -> Verdict:
    """A solo race of ten rounds, in which `a` has this ratio."""
    ratios = {"ref": 1.0, "a": a}
    return judged(Race(ratios, boots=10, blocks=0, long_blocks=1, solo=True, seed=9, **changed))  # type: ignore[arg-type]


def test_where_the_two_agree_the_solo_ratio_stands_beside_and_nothing_is_warned_of() -> None:
    race = judged(Race(RATIOS))
    found = confirmed(race, alone(0.5)).entry("a")
    assert found and found.solo
    assert found.solo_agrees is True
    assert found.solo.low < 0.5 < found.solo.high
    assert found.solo.n == 10
    before = race.entry("a")
    assert before and found.warnings == before.warnings
    assert (found.ratio, found.rank) == (before.ratio, before.rank)


def test_a_disagreement_is_a_warning_with_both_figures() -> None:
    found = confirmed(judged(Race(RATIOS)), alone(0.4)).entry("a")
    assert found and found.solo
    assert found.solo_agrees is False
    (warning,) = [each for each in found.warnings if "in turns and solo" in each]
    assert "in turns the ratio is 0.50" in warning
    assert f"with one contender up at a time {found.solo.ratio:.3f}" in warning
    assert warning.endswith("the solo figure is the steady picture")


def test_the_reference_has_nothing_to_confirm() -> None:
    found = confirmed(judged(Race(RATIOS)), alone(0.4)).entry("ref")
    assert found and (found.solo, found.solo_agrees) == (None, None)


def test_a_solo_part_that_is_not_there_or_ended_early_is_said() -> None:
    race = judged(Race(RATIOS))
    assert "not confirmed: the solo part was not measured" in confirmed(race, None).warnings
    cut = alone(0.5).model_copy(update={"complete": False})
    assert any("ended early" in warning for warning in confirmed(race, cut).warnings)


def test_one_that_could_not_be_confirmed_says_why() -> None:
    race = judged(Race(RATIOS))
    few = judged(Race(RATIOS, boots=4, blocks=0, long_blocks=1, solo=True))
    wrong = alone(0.5, events={"a": {"errors": {"mismatch_body": 1}}})
    for solo, says in ((few, "too few rounds have both it and ref"), (wrong, "a is not valid")):
        found = confirmed(race, solo).entry("a")
        assert found and found.solo is None
        assert any(w.startswith(f"not confirmed: solo, {says}") for w in found.warnings)


def pair_of(paired: Paired, boots_are_blocks: bool, seed: int) -> Pair:
    samples = [sample(paired, "a", "b", boots_are_blocks)]
    (width,) = widths(replicates(paired, samples, seed), (samples[0].n,))
    centre = samples[0].estimate
    return Pair(
        a="a",
        b="b",
        ratio=np.exp(centre),
        low=np.exp(centre - width.simultaneous),
        high=np.exp(centre + width.simultaneous),
        n=samples[0].n,
        finding="can't tell",
        equivalent=False,
        minimum_detectable_effect=width.detectable,
    )


def test_agreement_is_denied_to_what_agrees_in_five_percent_at_most(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bootstrap, "REPLICATES", 400)
    rng = np.random.default_rng(8)
    wrong = 0
    for race in range(RACES):
        in_turns = pair_of(noisy(rng, 3, 50, 2, 0.003), False, race)
        solo = pair_of(noisy(rng, 10, 1, 2, 0.003), True, race)
        wrong += change(in_turns, solo).finding != "can't tell"
    assert wrong <= MOST_ERRORS
