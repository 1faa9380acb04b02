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


def timed(
    steals_s: list[list[float]], block_s: float = 20, spent_as: str = "user_s"
) -> list[Block]:
    """One list of stolen seconds per boot, a number per block of `block_s`; the rest of the time
    went into `spent_as`."""
    blocks = []
    for boot, steals in enumerate(steals_s):
        race = Race({"a": 1.0}, boots=1, blocks=len(steals))
        stolen = 0.0
        for number, block in enumerate(blocks_of(list(race.records()))):
            stolen += steals[number]
            times = dict.fromkeys(("user_s", "system_s", "softirq_s", "idle_s"), 0.0)
            times[spent_as] = block_s * (number + 1) - stolen
            core = CoreTime(cpu=0, steal_s=stolen, **times)
            blocks.append(block.model_copy(update={"boot": boot, "cores": (core,)}))
    return blocks


@pytest.mark.parametrize("spent_as", ["user_s", "system_s", "softirq_s", "idle_s"])
def test_a_twentieth_is_still_calm_and_more_is_not_whatever_else_was_done(spent_as: str) -> None:
    steals = [0.0] * 40
    steals[5], steals[9] = 1.0, 1.25
    blocks = timed([steals], spent_as=spent_as)
    assert [block.block for block in blocks if block not in calm(blocks, CPUS)] == [9]


def test_a_boots_first_block_stays_whatever_was_stolen_before_it() -> None:
    blocks = timed([[0.0] * 40, [19.0] + [0.0] * 39])
    assert calm(blocks, CPUS) == tuple(blocks)


def test_no_time_passed_is_none_stolen() -> None:
    blocks = timed([[0.0] * 40])
    stuck = [block.model_copy(update={"cores": blocks[0].cores}) for block in blocks]
    assert calm(stuck, CPUS) == tuple(stuck)


def test_ten_calm_blocks_of_a_boot_stay_and_nine_go() -> None:
    ten = timed([[0.0] * 40, [0.0] * 10 + [9.0] * 5])
    assert [block.boot for block in calm(ten, CPUS)].count(1) == 10
    nine = timed([[0.0] * 40, [0.0] * 9 + [9.0] * 5])
    assert [block.boot for block in calm(nine, CPUS)].count(1) == 0


def test_thirty_calm_blocks_are_enough_and_29_are_not() -> None:
    thirty = timed([[0.0] * CALM_BLOCKS_MIN + [9.0] * 5])
    assert len(calm(thirty, CPUS)) == CALM_BLOCKS_MIN
    fewer = timed([[0.0] * (CALM_BLOCKS_MIN - 1) + [9.0] * 5])
    assert calm(fewer, CPUS) == tuple(fewer)
