"""Whole verdicts: what the judge promises of any race."""

import json
import math
import os
import statistics
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bakeoff.judge import judge
from bakeoff.model.errors import NoVerdict
from bakeoff.model.samples import Block
from bakeoff.model.verdict import Verdict, VerdictEntry
from tests.judge.races import MACHINE, Race

GOLDEN = Path(__file__).with_name("golden-verdict.json")


def verdict(race: Race, *, complete: bool = True) -> Verdict:
    return judge(race.plan(), race.receipts(), race.records(), MACHINE, complete)


def entry(found: Verdict, name: str) -> VerdictEntry:
    return next(each for each in found.entries if each.name == name)


def test_a_clear_difference_is_found() -> None:
    found = verdict(Race({"nginx": 1.0, "node": 0.5}))
    node = entry(found, "node")
    assert found.valid and not found.warnings
    assert node.ratio == pytest.approx(0.5, rel=0.01)
    assert node.low is not None and node.high is not None and node.low < 0.5 < node.high
    assert (node.letters, node.rank) == ("b", (2, 2))
    assert [(pair.a, pair.b, pair.finding) for pair in found.pairs] == [("nginx", "node", "faster")]


def test_two_equal_servers_are_a_tie() -> None:
    found = verdict(Race({"a": 1.0, "b": 1.0}))
    assert [pair.finding for pair in found.pairs] == ["can't tell"]
    assert {each.letters for each in found.entries} == {"a"}
    assert {each.rank for each in found.entries} == {(1, 2)}
    assert found.pairs[0].equivalent
    assert 0 < found.pairs[0].minimum_detectable_effect < 0.02


def test_the_standings_begin_with_the_fastest() -> None:
    found = verdict(Race({"slow": 0.5, "fast": 2.0, "middle": 1.0}))
    assert [each.name for each in found.entries] == ["fast", "middle", "slow"]
    assert "".join(each.letters for each in found.entries) == "abc"


def test_the_twin_gives_the_noise_floor_and_has_no_place() -> None:
    found = verdict(Race({"a": 1.0, "b": 1.2}, twin="a"))
    assert found.noise_floor is not None
    assert found.noise_floor.name == "twin"
    assert found.noise_floor.low < 1 < found.noise_floor.high
    assert [each.name for each in found.entries] == ["b", "a"]


def test_a_twin_that_differs_is_said() -> None:
    found = verdict(Race({"a": 1.0, "b": 1.2}, twin="a", twin_ratio=0.95))
    assert any("two copies of a differ: ratio 0.9" in warning for warning in found.warnings)


def test_long_slices_that_disagree_count_and_are_said() -> None:
    found = verdict(
        Race({"a": 1.0, "b": 1.13}, blocks=60, long_blocks=15, long_ratios={"b": 1.11}, noise=0.004)
    )
    b = entry(found, "b")
    assert b.ratio == pytest.approx(1.11, rel=0.003)
    assert b.long_slices is not None and b.ratio == b.long_slices.ratio and b.n == 45
    assert "in long slices (100 ms instead of 20 ms) the ratio is 1.11" in b.warnings[0]
    assert "in short ones 1.13" in b.warnings[0]


def test_long_slices_that_agree_are_a_figure_of_their_own() -> None:
    b = entry(verdict(Race({"a": 1.0, "b": 1.1}, blocks=60, long_blocks=10)), "b")
    assert b.long_slices is not None and b.n == 180 and not b.warnings


def test_solo_uses_long_blocks_and_boots_are_the_blocks() -> None:
    race = Race({"a": 1.0, "b": 1.1}, boots=14, blocks=0, long_blocks=1, solo=True)
    found = verdict(race)
    b = entry(found, "b")
    assert b.n == 14 and len(b.boots) == 14 and b.long_slices is None
    assert [pair.finding for pair in found.pairs] == ["slower"] or found.pairs[0].a == "b"


def test_an_invalid_reference_gives_way() -> None:
    found = verdict(Race({"a": 1.0, "b": 1.0, "c": 2.0}, died={"a": "signal 11"}))
    assert found.reference == "b" and entry(found, "b").ratio == 1.0
    assert entry(found, "a").ratio is None and entry(found, "a").letters == ""
    assert found.warnings[0].startswith("a was to be the reference and could not be (it died")


def test_one_that_was_never_up_is_skipped() -> None:
    out = {boot: {"b": "port taken"} for boot in range(3)}
    found = verdict(Race({"a": 1.0, "b": 1.0}, out=out))
    assert [(each.name, each.reason) for each in found.skipped] == [("b", "port taken")]
    assert [each.name for each in found.entries] == ["a"]
    assert not found.valid


def test_one_that_missed_a_boot_is_compared_on_the_others() -> None:
    found = verdict(Race({"a": 1.0, "b": 0.8}, out={1: {"b": "port taken"}}))
    b = entry(found, "b")
    assert b.n == 40 and [each.boot for each in b.boots] == [0, 2]
    assert b.warnings[0] == "it was out in 1 of 3 boots; in boot 2: port taken"


def test_nine_blocks_are_too_few() -> None:
    found = verdict(Race({"a": 1.0, "b": 0.5}, boots=1, blocks=9))
    b = entry(found, "b")
    assert b.valid and b.ratio is None and b.rank == (1, 2) and b.letters == "a"
    assert "too few blocks" in b.warnings[0] and "in 9" in b.warnings[0]
    assert not found.pairs and found.minimum_detectable_effect is None


def test_one_entry_alone_is_judged() -> None:
    found = verdict(Race({"a": 1.0}))
    assert found.valid and entry(found, "a").rank == (1, 1) and not found.pairs


def test_no_block_no_verdict() -> None:
    with pytest.raises(NoVerdict):
        verdict(Race({"a": 1.0, "b": 1.0}, blocks=0))


def test_a_race_killed_anywhere_has_a_verdict_once_a_block_is_there() -> None:
    race = Race({"a": 1.0, "b": 1.1}, boots=2, blocks=12, long_blocks=6, twin="a")
    records = race.records()
    for cut in range(len(records)):
        if any(isinstance(record, Block) for record in records[:cut]):
            found = judge(race.plan(), {}, records[:cut], MACHINE, False)
            assert any("cut short" in warning for warning in found.warnings)


def test_silent_slices_are_counted_and_leave_only_finite_figures() -> None:
    race = Race({"a": 1.0, "b": 1.0})
    race.events["b"] = {"requests": 0, "requests_all": 0, "latency": "", "latency_mean_us": 0}
    found = verdict(race)
    assert entry(found, "b").reasons == ("it answered no request",)
    _assert_finite(json.loads(found.to_json()))


@pytest.mark.parametrize(("misses", "late"), [(0, False), (1, True)])
def test_only_what_the_window_missed_is_infinitely_late(misses: int, late: bool) -> None:
    race = Race({"a": 1.0, "b": 1.0}, boots=2, blocks=6)
    race.events["b"] = {"errors": {"timeout": 1}, "misses": misses}
    b = entry(verdict(race), "b")
    assert b.valid and b.latency_us is not None
    assert (b.latency_us.max is None) == late
    assert b.latency_n == 12 * (1000 + misses)


@given(
    ratios=st.lists(st.floats(0.2, 5), min_size=2, max_size=4),
    silent=st.integers(0, 3),
    seed=st.integers(0, 99),
)
@settings(max_examples=10, deadline=None)
def test_every_figure_is_finite_and_reads_back(ratios: list[float], silent: int, seed: int) -> None:
    names = {f"e{place}": ratio for place, ratio in enumerate(ratios)}
    race = Race(names, boots=2, blocks=6, seed=seed)
    if silent < len(ratios):
        race.events[f"e{silent}"] = {"requests": 0}
    found = verdict(race)
    _assert_finite(json.loads(found.to_json()))
    assert Verdict.from_json(found.to_json(), "here") == found


def _assert_finite(value: object) -> None:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            _assert_finite(each)
    assert not isinstance(value, float) or math.isfinite(value)


@given(seed=st.integers(0, 99), order=st.permutations(["a", "b", "c", "d"]))
@settings(max_examples=8, deadline=None)
def test_the_order_of_contenders_does_not_matter(seed: int, order: list[str]) -> None:
    race = Race({"a": 1.0, "b": 1.005, "c": 1.01, "d": 0.9}, blocks=8, seed=seed)
    records = race.records()
    first = judge(race.plan(), {}, records, MACHINE, True)
    shuffled = [
        record.model_copy(
            update={
                "slices": tuple(sorted(record.slices, key=lambda each: order.index(each.entry)))
            }
        )
        if isinstance(record, Block)
        else record
        for record in records
    ]
    second = judge(race.plan(order), {}, shuffled, MACHINE, True)
    assert first == second


@given(scale=st.sampled_from([0.125, 0.5, 8.0]), seed=st.integers(0, 99))
@settings(max_examples=6, deadline=None)
def test_a_machine_twice_as_fast_has_the_same_verdict(scale: float, seed: int) -> None:
    usual = verdict(Race({"a": 1.0, "b": 1.01}, blocks=8, seed=seed))
    other = verdict(Race({"a": 1.0, "b": 1.01}, blocks=8, seed=seed, scale=scale))
    assert entry(other, "b").ratio == pytest.approx(entry(usual, "b").ratio, rel=2e-4)
    assert entry(other, "b").low == pytest.approx(entry(usual, "b").low, rel=2e-4)


def test_the_same_seed_gives_the_same_verdict() -> None:
    race = Race({"a": 1.0, "b": 1.001, "c": 0.99}, twin="a", long_blocks=6)
    assert verdict(race) == verdict(race)


def test_the_reference_is_no_matter_for_other_pairs() -> None:
    race = Race({"a": 1.0, "b": 1.01, "c": 0.97})
    plan, records = race.plan(), race.records()
    one = judge(plan, {}, records, MACHINE, True)
    two = judge(plan.model_copy(update={"reference": "c"}), {}, records, MACHINE, True)
    assert one.pairs == two.pairs


def test_golden_verdict() -> None:
    """A whole verdict; BAKEOFF_GOLDEN=write writes it anew, to be read before it is committed."""
    race = Race(
        {"nginx": 1.0, "go": 0.81, "node": 0.8},
        boots=2,
        blocks=12,
        long_blocks=3,
        twin="nginx",
        verified={"node": {"head_bytes": 160}},
        leak={"node": 0.02},
    )
    found = _rounded(json.loads(verdict(race).to_json()))
    if os.environ.get("BAKEOFF_GOLDEN") == "write":
        GOLDEN.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    assert found == json.loads(GOLDEN.read_text(encoding="utf-8"))


def _rounded(value: object) -> object:
    """Six significant digits: the last ones differ between builds of numpy."""
    if isinstance(value, dict):
        return {key: _rounded(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_rounded(each) for each in value]
    return float(f"{value:.6g}") if isinstance(value, float) else value


def test_the_spread_between_boots_is_the_sd_of_their_ln_ratios() -> None:
    race = Race({"a": 1.0, "b": 1.0}, boots=3, blocks=12, boot_sd=0.02)
    b = next(e for e in judge(race.plan(), {}, race.records(), MACHINE, True).entries if e.boots)
    logs = [math.log(each.ratio) for each in b.boots]
    assert b.boot_sd == pytest.approx(statistics.stdev(logs))
    single = Race({"a": 1.0, "b": 1.0}, boots=1, blocks=12)
    found = judge(single.plan(), {}, single.records(), MACHINE, True)
    assert {each.boot_sd for each in found.entries} == {None}
