"""Blocks in which the host took the machine away are left out by that alone, and both are kept."""

import pytest

from bakeoff.judge import judge
from bakeoff.judge.calm import (
    CALM_BLOCKS_MIN,
    calm,
    had_company,
    kept_disturbed,
    left_out,
    steal_share,
)
from bakeoff.model.readings import CoreTime
from bakeoff.model.samples import Block, Record, Slice
from tests.judge.facts import MACHINE
from tests.judge.races import MS, Race, altered, codes, judged, row, says, with_event
from tests.ratios import known

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
                shift_s += STOLEN * (core.idle_s - before_s)
            before_s = core.idle_s
            times = {"idle_s": core.idle_s - shift_s, "steal_s": core.steal_s + shift_s}
            record = record.model_copy(update={"cores": (core.model_copy(update=times),)})
        changed.append(record)
    return changed


def blocks_of(records: list[Record]) -> list[Block]:
    return [record for record in records if isinstance(record, Block)]


def test_just_the_disturbed_blocks_go() -> None:
    records = stolen_from(Race({"a": 1.0}, boots=2, blocks=40).records(), {7, 8, 20})
    kept = calm(blocks_of(records), CPUS)
    gone = {(b.boot, b.block) for b in blocks_of(records)} - {(b.boot, b.block) for b in kept}
    assert gone == {(1, 7), (1, 8), (1, 20)}


def test_other_cores_do_not_matter() -> None:
    blocks = blocks_of(stolen_from(Race({"a": 1.0}, boots=2, blocks=40).records(), {7}))
    assert calm(blocks, frozenset({5})) == tuple(blocks)


def test_a_verdict_keeps_both_analyses_and_says_so() -> None:
    race = Race({"a": 1.0, "b": 1.2}, boots=2, blocks=40)
    plain = judged(race, race.records())
    verdict = judged(race, stolen_from(race.records(), set(range(10, 20))))
    b = row(verdict, "b")
    whole = row(plain, "b")
    assert verdict.disturbed_blocks == 10
    every, undisturbed = known(b.all_blocks), known(whole.ratio)
    assert known(b.ratio).n == every.n - 10
    assert every.n == undisturbed.n
    assert every.ratio == pytest.approx(undisturbed.ratio)
    assert "blocks_left_out" not in codes(verdict.warnings)


def test_what_the_disturbed_blocks_would_change_is_said() -> None:
    race = Race({"a": 1.0, "b": 1.2}, boots=2, blocks=40)
    hit = set(range(10, 30))
    slowed = altered(
        race.records(),
        lambda block, each: (
            with_event(each, requests=each.event.requests // 2)
            if each.entry == "b" and block.block in hit and block.boot == 1
            else each
        ),
    )
    verdict = judged(race, stolen_from(slowed, hit))
    with_them = row(verdict, "b").all_blocks
    assert with_them
    ratios = [with_them.ratio]
    assert says(verdict.warnings, "blocks_left_out", n=20, blocks=80, names=["b"], ratios=ratios)


def test_an_undisturbed_race_says_nothing_of_it() -> None:
    race = Race({"a": 1.0, "b": 1.2}, boots=2, blocks=40)
    verdict = judged(race, race.records())
    assert verdict.disturbed_blocks == 0
    assert all(entry.all_blocks is None for entry in verdict.entries)


def test_an_error_counts_in_whatever_block_it_happened() -> None:
    race = Race({"a": 1.0, "b": 1.2}, boots=2, blocks=40)
    spoilt = altered(
        stolen_from(race.records(), {10}),
        lambda block, slice_: (
            with_event(slice_, errors={"mismatch_body": 1})
            if slice_.entry == "b" and (block.boot, block.block) == (1, 10)
            else slice_
        ),
    )
    b = row(judged(race, spoilt), "b")
    assert not b.valid and b.errors.mismatch == 1


def timed(
    steals_s: list[list[float]], block_s: float = 20, spent_as: str = "user_s"
) -> list[Block]:
    """One list of stolen seconds per boot, a number per block of `block_s`; the rest of the time
    went into `spent_as`."""
    blocks: list[Block] = []
    stolen = 0.0
    for boot, steals in enumerate(steals_s):
        race = Race({"a": 1.0}, boots=1, blocks=len(steals))
        for number, block in enumerate(blocks_of(race.records())):
            stolen += steals[number]
            times = dict.fromkeys(("user_s", "system_s", "softirq_s", "idle_s"), 0.0)
            times[spent_as] = block_s * (len(blocks) + 1) - stolen
            core = CoreTime(cpu=0, steal_s=stolen, **times)
            blocks.append(block.model_copy(update={"boot": boot, "cores": (core,)}))
    return blocks


@pytest.mark.parametrize("spent_as", ["user_s", "system_s", "softirq_s", "idle_s"])
def test_a_twentieth_is_still_calm_and_more_is_not_whatever_else_was_done(spent_as: str) -> None:
    steals = [0.0] * 40
    steals[5], steals[9] = 1.0, 1.25
    blocks = timed([steals], spent_as=spent_as)
    assert [block.block for block in blocks if block not in calm(blocks, CPUS)] == [9]


CALM, LEAST = [0.0] * 40, CALM_BLOCKS_MIN


@pytest.mark.parametrize(
    ("steals_s", "kept"),
    [
        ([CALM, [19.0] + [0.0] * 39], 80),
        ([CALM, [0.0] * 10 + [9.0] * 5], 50),
        ([CALM, [0.0] * 9 + [9.0] * 5], 40),
        ([[0.0] * LEAST + [9.0] * 5], LEAST),
        ([[0.0] * (LEAST - 1) + [9.0] * 5], LEAST + 4),
    ],
    ids=["before a boot", "ten of a boot", "nine of a boot", "the least in all", "one less"],
)
def test_so_many_calm_blocks_are_enough(steals_s: list[list[float]], kept: int) -> None:
    assert len(calm(timed(steals_s), CPUS)) == kept


def test_no_time_passed_is_none_stolen() -> None:
    blocks = timed([[0.0] * 40])
    blocks[7] = blocks[7].model_copy(update={"cores": blocks[6].cores})
    assert calm(blocks, CPUS) == tuple(blocks)


def test_a_race_of_which_nothing_could_be_left_out_says_how_much_was_disturbed() -> None:
    race = Race({"a": 1.0, "b": 1.2}, boots=2, blocks=16)
    verdict = judged(race, stolen_from(race.records(), {3, 4, 5}))
    assert verdict.disturbed_blocks == 0
    assert says(verdict.warnings, "blocks_kept", n=3, blocks=32, least=CALM_BLOCKS_MIN)
    enough = Race({"a": 1.0, "b": 1.2}, boots=2, blocks=20)
    verdict = judged(enough, stolen_from(enough.records(), {3, 4, 5}))
    assert verdict.disturbed_blocks == 3 and not says(verdict.warnings, "blocks_kept")
    calm_race = judged(race, race.records())
    assert not says(calm_race.warnings, "blocks_kept")


@pytest.mark.parametrize(
    ("steals_s", "share"),
    [
        ([[0.0, 5.0, 5.0]], 0.25),
        ([[0.0, 5.0], [19.0, 5.0]], 0.25),  # What lies between boots doesn't count.
        ([[5.0, -1.0]], 0.0),  # A clock of steal that goes back.
        ([[5.0]], None),
    ],
)
def test_the_share_of_steal(steals_s: list[list[float]], share: float | None) -> None:
    assert steal_share(timed(steals_s), CPUS) == share
    assert steal_share(timed(steals_s), frozenset({7})) is None


def test_steal_without_named_cores_is_the_whole_machines() -> None:
    blocks = [
        block.model_copy(update={"cores": (core, core.model_copy(update={"cpu": 1, "steal_s": 0}))})
        for block in timed([[0.0, 5.0]])
        for core in block.cores
    ]
    assert steal_share(blocks, frozenset()) == pytest.approx(5 / 35)
    assert steal_share(blocks, CPUS) == pytest.approx(0.25)


def company(blocks: list[Block], of: dict[int, dict[str, dict[str, float]]]) -> list[Block]:
    """The blocks with what others took of slices: by place and entry, `delayed` of the window and
    `others` of the servers' cores."""
    found = list(blocks)
    for place, by_entry in of.items():
        slices = [
            with_event(each, delayed_ns=round(given.get("delayed", 0.0) * 20 * MS)).model_copy(
                update={"others_share": given.get("others")}
            )
            for each in blocks[place].slices
            for given in [by_entry.get(each.entry, {})]
        ]
        found[place] = blocks[place].model_copy(update={"slices": tuple(slices)})
    return found


def alike(names: str, n: int = 40) -> list[Block]:
    race = Race(dict.fromkeys(names, 1.0), boots=1, blocks=n)
    return [each for each in race.records() if isinstance(each, Block)]


@pytest.mark.parametrize(
    ("given", "stays"),
    [
        ({"delayed": 0.05}, True),
        ({"delayed": 0.051}, False),
        ({"others": 0.2}, True),
        ({"others": 0.21}, False),
    ],
)
def test_a_slice_in_which_others_had_the_cores_is_left_out(
    given: dict[str, float], stays: bool
) -> None:
    blocks = company(alike("abc"), {5: {"b": given}})
    kept = calm(blocks, CPUS)
    assert [each.entry for each in kept[5].slices] == (["a", "b", "c"] if stays else ["a", "c"])
    assert left_out(blocks, kept) == (0 if stays else 1)
    assert all(one is other for one, other in zip(kept[6:], blocks[6:], strict=True))


def test_a_block_of_which_one_slice_would_remain_is_left_out_as_a_whole() -> None:
    blocks = company(alike("ab"), {5: {"b": {"delayed": 0.5}}})
    assert [block.block for block in calm(blocks, CPUS)] == [n for n in range(40) if n != 5]


def test_server_cpu_is_compared_over_slices_in_company_too() -> None:
    race = Race({"a": 1.0, "b": 1.2}, boots=1, blocks=80)
    loud = {place: {"b": {"delayed": 0.5}} for place in range(40)}
    records = race.records()
    others = [each for each in records if not isinstance(each, Block)]
    blocks = company([each for each in records if isinstance(each, Block)], loud)
    verdict = judged(race, [*others, *blocks])
    b = row(verdict, "b")
    assert (known(b.ratio).n, known(b.cpu_ratio).n) == (40, 80)
    assert len(calm(blocks, CPUS, in_company=True)) == 80


def test_of_several_threads_the_delays_are_shared() -> None:
    (block,) = company(alike("a", 1), {0: {"a": {"delayed": 0.09}}})
    assert had_company(block.slices[0])
    assert not had_company(with_event(block.slices[0], busy_threads=(0.5, 0.5)))


@pytest.mark.parametrize(("beside", "stays"), [(0.0, False), (0.08, False), (0.1, True)])
def test_what_the_race_has_beside_the_generator_is_not_company(beside: float, stays: bool) -> None:
    """A path on its core, say: of 1,300 requests 1,000 are of the window."""
    (block,) = company(alike("a", 1), {0: {"a": {"delayed": 0.12}}})
    given = block.slices[0].model_copy(update={"beside_ns": round(beside * 20 * MS)})
    assert had_company(given) is not stays


def test_nothing_is_left_out_where_too_little_would_remain() -> None:
    loud = {place: {"a": {"others": 0.5}} for place in range(11)}
    blocks = company(alike("ab"), loud)
    assert calm(blocks, CPUS) == tuple(blocks)
    (finding,) = kept_disturbed(blocks, blocks, CPUS)
    assert (finding.code, finding.values["n"]) == ("blocks_kept", 11)
    assert len(calm(company(alike("ab"), dict(list(loud.items())[:10])), CPUS)) == 30


def test_a_neighbour_on_the_generators_core_does_not_drag_the_ratio_towards_1() -> None:
    """b does 5 % less; where the generator is held up, both answer what it asks for."""
    race = Race({"a": 1.0, "b": 0.95}, boots=1, blocks=200)

    def held_up(block: Block, slice_: Slice) -> Slice:
        if block.block % 5 > 2:
            return slice_
        return with_event(slice_, requests=500, delayed_ns=10 * MS)

    verdict = judged(race, altered(race.records(), held_up))
    entry = row(verdict, "b")
    low, high = known(entry.ratio).ends
    assert low < 0.95 < high < 0.97
    assert entry.all_blocks and entry.all_blocks.ratio > 0.98
    assert verdict.disturbed_blocks == 120


@pytest.mark.parametrize(
    ("delayed_ns", "others_share", "others_s", "unseen", "share"),
    [
        (None, None, 0.0, ["servers", "generator"], None),
        (None, 0.0, 0.0, ["generator"], None),
        (0, 0.0, 0.06, [], None),
        # By version 2 control groups: only the ticks of whole draws show others.
        (0, None, 0.0, [], None),
        (0, None, 0.01, [], None),
        (0, None, 0.06, ["servers"], 0.3),
        (None, None, 0.06, ["servers", "generator"], 0.3),
    ],
)
def test_a_machine_whose_state_cannot_be_read_is_raced_and_named(
    delayed_ns: int | None,
    others_share: float | None,
    others_s: float,
    unseen: list[str],
    share: float | None,
) -> None:
    """Of each block's 0.2 s on the servers' core, `others_s` are neither idle nor contenders'."""
    race = Race({"a": 1.0, "b": 1.2})

    def seen(_block: Block, slice_: Slice) -> Slice:
        given = with_event(slice_, delayed_ns=delayed_ns)
        return given.model_copy(update={"others_share": others_share})

    records = [
        record.model_copy(update={"cores": (_server_core(record, others_s),)})
        if isinstance(record, Block)
        else record
        for record in altered(race.records(), seen)
    ]
    found = [each for each in judged(race, records).warnings if each.code == "state_unseen"]
    assert [each.values["unseen"] for each in found] == ([unseen] if unseen else [])
    assert [each.values["share"] for each in found] == ([pytest.approx(share)] if unseen else [])


def _server_core(block: Block, others_s: float) -> CoreTime:
    own_ns = sum(known(each.server_cpu).total_ns + (each.leak_ns or 0) for each in block.slices)
    busy_s, blocks = own_ns / 1e9 + others_s, block.block + 1
    kernels = dict.fromkeys(("system_s", "softirq_s", "steal_s"), 0.0)
    return CoreTime(cpu=0, user_s=blocks * busy_s, idle_s=blocks * (0.2 - busy_s), **kernels)


def test_a_turn_that_is_left_out_is_not_one_that_a_contender_missed() -> None:
    race = Race({"a": 1.0, "b": 0.8}, boots=1, blocks=60)

    def crowded(block: Block, slice_: Slice) -> Slice:
        crowd = slice_.entry == "b" and block.block % 10 == 0
        return slice_.model_copy(update={"others_share": 0.5 if crowd else 0.0})

    three = Race({"a": 1.0, "b": 0.8, "c": 0.5}, boots=1, blocks=60)
    for each in (race, three):
        verdict = judge(each.plan(), {}, altered(each.records(), crowded), MACHINE, True)
        assert verdict.disturbed_blocks == 6
        assert "some_blocks" not in codes(row(verdict, "b").warnings)
