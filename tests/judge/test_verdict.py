"""Whole verdicts: what the judge promises of any race."""

import json
import math
import statistics
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bakeoff.judge import judge
from bakeoff.model.entry import Handshakes
from bakeoff.model.errors import NoVerdict
from bakeoff.model.finding import Finding
from bakeoff.model.plan import Plan
from bakeoff.model.samples import Block, BootEnd, Record
from bakeoff.model.verdict import Verdict
from bakeoff.report.kinds.race_tables import handshakes
from tests.judge.facts import MACHINE
from tests.judge.races import Race, codes, judged, row, says
from tests.ratios import known


def test_a_clear_difference_is_found() -> None:
    verdict = judged(Race({"nginx": 1.0, "node": 0.5}, boots=5))
    node = row(verdict, "node")
    assert verdict.valid and not verdict.warnings
    assert known(node.ratio).ratio == pytest.approx(0.5, rel=0.01)
    low, high = known(node.ratio).ends
    assert low < 0.5 < high
    assert (node.letters, node.rank) == ("b", (2, 2))
    assert [(pair.a, pair.b, pair.finding) for pair in verdict.pairs] == [
        ("nginx", "node", "faster")
    ]


def test_two_equal_servers_are_a_tie() -> None:
    verdict = judged(Race({"a": 1.0, "b": 1.0}))
    assert [pair.finding for pair in verdict.pairs] == ["can't tell"]
    assert {each.letters for each in verdict.entries} == {"a"}
    assert {each.rank for each in verdict.entries} == {(1, 2)}
    assert verdict.pairs[0].equivalent
    assert 0 < (verdict.pairs[0].minimum_detectable_effect or 0) < 0.02


def test_the_standings_begin_with_the_fastest() -> None:
    verdict = judged(Race({"slow": 0.5, "fast": 2.0, "middle": 1.0}))
    assert [each.name for each in verdict.entries] == ["fast", "middle", "slow"]
    assert "".join(each.letters for each in verdict.entries) == "abc"


def test_the_twin_gives_the_noise_floor_and_has_no_place() -> None:
    verdict = judged(Race({"a": 1.0, "b": 1.2}, twin="a"))
    assert verdict.noise_floor is not None
    assert verdict.noise_floor.name == "twin"
    assert verdict.noise_floor.low < 1 < verdict.noise_floor.high
    assert [each.name for each in verdict.entries] == ["b", "a"]


def test_a_twin_that_differs_is_said() -> None:
    verdict = judged(Race({"a": 1.0, "b": 1.2}, twin="a", twin_ratio=0.95))
    assert any(
        each.code == "twin_differs" and each.values["name"] == "a" for each in verdict.warnings
    )


def test_long_slices_that_agree_are_a_figure_of_their_own() -> None:
    b = row(judged(Race({"a": 1.0, "b": 1.1}, blocks=60, long_blocks=10)), "b")
    assert b.long_slices is not None and known(b.ratio).n == 180 and not b.warnings


def test_solo_uses_long_blocks_and_boots_are_the_blocks() -> None:
    race = Race({"a": 1.0, "b": 1.1}, boots=14, blocks=0, long_blocks=1, solo=True)
    verdict = judged(race)
    b = row(verdict, "b")
    assert known(b.ratio).n == 14 and len(b.boots) == 14 and b.long_slices is None
    assert [pair.finding for pair in verdict.pairs] == ["slower"] or verdict.pairs[0].a == "b"


def test_an_invalid_reference_gives_way() -> None:
    race = Race({"a": 1.0, "b": 1.0, "c": 2.0}, boots=5, died={"a": "signal 11"})
    verdict = judged(race)
    assert verdict.reference == "b" and known(row(verdict, "b").ratio).ratio == 1.0
    assert row(verdict, "a").ratio is None and row(verdict, "a").letters == ""
    died = Finding.of("died", how="signal 11")
    assert verdict.warnings[0] == Finding.of("reference_replaced", died, planned="a", chosen="b")


def test_one_that_was_never_up_is_skipped() -> None:
    out = {boot: {"b": "port taken"} for boot in range(3)}
    verdict = judged(Race({"a": 1.0, "b": 1.0}, out=out))
    assert [(each.name, each.reason) for each in verdict.skipped] == [("b", "port taken")]
    assert [each.name for each in verdict.entries] == ["a"]
    assert not verdict.valid


def test_one_that_missed_a_boot_is_compared_on_the_others() -> None:
    verdict = judged(Race({"a": 1.0, "b": 0.8}, out={1: {"b": "port taken"}}))
    b = row(verdict, "b")
    assert known(b.ratio).n == 40 and [each.boot for each in b.boots] == [0, 2]
    assert says(b.warnings, "out_in_boots", n=1, boots=3, boot=1, reason="port taken")


def test_one_entry_alone_is_judged() -> None:
    verdict = judged(Race({"a": 1.0}))
    assert verdict.valid and row(verdict, "a").rank == (1, 1) and not verdict.pairs


def test_without_a_block_there_is_no_verdict() -> None:
    with pytest.raises(NoVerdict):
        judged(Race({"a": 1.0, "b": 1.0}, blocks=0))


def test_a_race_killed_anywhere_has_a_verdict_once_a_block_is_there() -> None:
    race = Race({"a": 1.0, "b": 1.1}, boots=2, blocks=12, long_blocks=6, twin="a")
    records = race.records()
    for cut in range(len(records)):
        if any(isinstance(record, Block) for record in records[:cut]):
            verdict = judge(race.plan(), {}, records[:cut], MACHINE, False)
            assert "cut_short" in codes(verdict.warnings)


def test_silent_slices_are_counted_and_leave_only_finite_figures() -> None:
    race = Race({"a": 1.0, "b": 1.0})
    race.events["b"] = {"requests": 0, "requests_all": 0, "latency": "", "latency_mean_us": 0}
    verdict = judged(race)
    assert row(verdict, "b").reasons == (Finding.of("no_answers"),)
    _assert_finite(json.loads(verdict.to_json()))


@pytest.mark.parametrize(("misses", "late"), [(0, False), (1, True)])
def test_only_what_the_window_missed_is_infinitely_late(misses: int, late: bool) -> None:
    race = Race({"a": 1.0, "b": 1.0}, boots=2, blocks=6)
    race.events["b"] = {"errors": {"timeout": 1}, "misses": misses}
    b = row(judged(race), "b")
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
    verdict = judged(race)
    _assert_finite(json.loads(verdict.to_json()))
    assert Verdict.from_json(verdict.to_json(), "here") == verdict


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
            update={"slices": sorted(record.slices, key=lambda each: order.index(each.entry))}
        )
        if isinstance(record, Block)
        else record
        for record in records
    ]
    second = judge(race.plan(order), {}, shuffled, MACHINE, True)
    assert first == second


def test_the_reference_is_no_matter_for_other_pairs() -> None:
    race = Race({"a": 1.0, "b": 1.01, "c": 0.97})
    plan, records = race.plan(), race.records()
    one = judge(plan, {}, records, MACHINE, True)
    two = judge(plan.model_copy(update={"reference": "c"}), {}, records, MACHINE, True)
    assert one.pairs == two.pairs


def test_the_spread_between_boots_is_the_sd_of_their_ln_ratios() -> None:
    race = Race({"a": 1.0, "b": 1.0}, boots=3, blocks=12, boot_sd=0.02)
    b = row(judged(race), "b")
    logs = [math.log(each.ratio) for each in b.boots]
    assert b.boot_sd == pytest.approx(statistics.stdev(logs))
    single = judged(Race({"a": 1.0, "b": 1.0}, boots=1, blocks=12))
    assert {each.boot_sd for each in single.entries} == {None}


def test_handshakes_are_added_up_over_slices_with_their_mean_time() -> None:
    race = Race({"a": 1.0, "b": 1.0}, boots=1, blocks=12, protocol="h1-tls")
    race.events = {"b": {"handshakes": 5, "handshake_mean_us": 800.0, "resumed": 1}}
    verdict = judged(race)
    assert row(verdict, "b").handshakes == Handshakes(n=60, resumed=12, mean_us=800.0)
    assert row(verdict, "a").handshakes is None
    table = handshakes(verdict)
    assert [cell for each in table.rows for cell in each.cells] == ["b", "60", "800 µs", "12"]
    assert not handshakes(judged(Race({"a": 1.0, "b": 1.0}, blocks=12))).rows


def test_an_interval_holds_at_any_time_unless_the_end_was_planned_or_failed() -> None:
    race = Race({"a": 1.0, "b": 1.0}, boots=6)
    records, plan = race.records(), race.plan()
    cut = [each for each in records if not (isinstance(each, BootEnd) and each.boot == 5)]
    failed = [
        each.model_copy(update={"cut_short": True}) if isinstance(each, BootEnd) else each
        for each in records
    ]
    more_boots = plan.model_copy(update={"boots": 7})
    early = plan.model_copy(update={"precision": 0.5})

    def stopping(plan: Plan, records: Sequence[Record], *, complete: bool = False) -> str:
        return judge(plan, {}, records, MACHINE, complete).stopping

    assert stopping(plan, records, complete=True) == "planned"
    assert stopping(plan, records) == "planned", "the limit of its time"
    assert stopping(more_boots, failed) == "planned", "a failure in its last boot"
    assert stopping(plan, cut) == "any_time", "an interrupt within a boot"
    assert stopping(more_boots, records) == "any_time", "an interrupt between two boots"
    assert stopping(early, records, complete=True) == "any_time", "the precision ended it"


def test_the_error_of_a_ratio_is_the_same_however_the_race_ends() -> None:
    race = Race({"a": 1.0, "b": 1.0}, boots=12)
    (planned,), (early,) = judged(race).pairs, judged(race, until="decided").pairs
    wide, narrow = (known(pair.ratio.high) / pair.ratio.ratio for pair in (early, planned))
    assert math.log(wide) > 1.3 * math.log(narrow)
    assert known(early.error) == pytest.approx(known(planned.error))
