"""Blocks in which the host took the machine away are left out by that alone, and both are kept."""

import pytest

from bakeoff.judge import judge
from bakeoff.judge.disturbed import CALM_BLOCKS_MIN, calm
from bakeoff.model.samples import Block, CoreTime, Record
from bakeoff.model.verdict import Verdict
from tests.judge.races import MACHINE, Race

CPUS = frozenset({0})
STOLEN = 0.3


def stolen_from(records: list[Record], blocks: set[int], boot: int = 1) -> list[Record]:
    """The records, with 30 % of core 0's time stolen in some blocks of one boot."""
    changed: list[Record] = []
    shift_s, before_s = 0.0, 0.0
    for record in records:
        if isinstance(record, Block):
            (core,) = record.cores
            if record.boot == boot and record.block in blocks:
                shift_s += STOLEN * (core.user_s - before_s)
            before_s = core.user_s
            moved = CoreTime(
                cpu=core.cpu,
                user_s=core.user_s - shift_s,
                system_s=core.system_s,
                softirq_s=core.softirq_s,
                steal_s=core.steal_s + shift_s,
                idle_s=core.idle_s,
            )
            record = record.model_copy(update={"cores": (moved,)})
        changed.append(record)
    return changed


def blocks_of(records: list[Record]) -> list[Block]:
    return [record for record in records if isinstance(record, Block)]


def judged(race: Race, records: list[Record]) -> Verdict:
    return judge(race.plan(), {}, records, MACHINE, True)


def test_just_the_disturbed_blocks_go() -> None:
    records = stolen_from(list(Race({"a": 1.0}, boots=2, blocks=40).records()), {7, 8, 20})
    kept = calm(blocks_of(records), CPUS)
    gone = {(b.boot, b.block) for b in blocks_of(records)} - {(b.boot, b.block) for b in kept}
    assert gone == {(1, 7), (1, 8), (1, 20)}


def test_other_cores_do_not_matter() -> None:
    blocks = blocks_of(stolen_from(list(Race({"a": 1.0}, boots=2, blocks=40).records()), {7}))
    assert calm(blocks, frozenset({5})) == tuple(blocks)


def test_where_too_few_would_remain_all_stay() -> None:
    count = CALM_BLOCKS_MIN + 5
    race = Race({"a": 1.0}, boots=1, blocks=count)
    blocks = blocks_of(stolen_from(list(race.records()), set(range(1, 10)), boot=0))
    assert calm(blocks, CPUS) == tuple(blocks)


def test_a_boot_with_few_calm_blocks_goes_as_a_whole() -> None:
    records = list(Race({"a": 1.0}, boots=2, blocks=40).records())
    kept = calm(blocks_of(stolen_from(records, set(range(5, 40)))), CPUS)
    assert {block.boot for block in kept} == {0}


def test_a_verdict_keeps_both_analyses_and_says_so() -> None:
    race = Race({"a": 1.0, "b": 1.2}, boots=2, blocks=40)
    plain = judged(race, list(race.records()))
    found = judged(race, stolen_from(list(race.records()), set(range(10, 20))))
    b = next(entry for entry in found.entries if entry.name == "b")
    whole = next(entry for entry in plain.entries if entry.name == "b")
    assert found.disturbed_blocks == 10
    assert b.n == whole.n - 10
    assert b.all_blocks is not None and b.all_blocks.n == whole.n
    assert b.all_blocks.ratio == pytest.approx(whole.ratio)
    (said,) = [warning for warning in found.warnings if "left out" in warning]
    assert "10 of 80 blocks are left out" in said
    assert "with them the ratios are: b 1." in said


def test_an_undisturbed_race_says_nothing_of_it() -> None:
    race = Race({"a": 1.0, "b": 1.2}, boots=2, blocks=40)
    found = judged(race, list(race.records()))
    assert found.disturbed_blocks == 0
    assert all(entry.all_blocks is None for entry in found.entries)


def test_an_error_counts_in_whatever_block_it_happened() -> None:
    race = Race({"a": 1.0, "b": 1.2}, boots=2, blocks=40)
    records = stolen_from(list(race.records()), {10})
    spoilt: list[Record] = []
    for record in records:
        if isinstance(record, Block) and (record.boot, record.block) == (1, 10):
            slices = tuple(
                piece.model_copy(
                    update={
                        "event": piece.event.model_copy(update={"errors": {"mismatch_body": 1}})
                    }
                )
                if piece.entry == "b"
                else piece
                for piece in record.slices
            )
            record = record.model_copy(update={"slices": slices})
        spoilt.append(record)
    b = next(entry for entry in judged(race, spoilt).entries if entry.name == "b")
    assert not b.valid and b.errors.mismatch == 1
