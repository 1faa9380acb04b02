"""A throughput that changes while it is measured: the program's doing, or the machine's."""

import pytest

from bakeoff.judge.history import History
from bakeoff.judge.steadiness import drift, most_of
from bakeoff.model.cut import Draw
from bakeoff.model.finding import Finding
from bakeoff.model.samples import Block, Record
from tests.judge.races import Race, altered, codes, with_event


def drifts(race: Race) -> dict[str, list[Finding]]:
    history = History.of(race.records())
    return {name: list(drift(name, history)) for name in race.ratios}


@pytest.mark.parametrize("since", [6, 12, 20, 33])
def test_the_one_that_got_slower_is_named_and_no_other(since: int) -> None:
    result = drifts(Race({"a": 1.0, "b": 1.0}, blocks=40, changes={"b": (since, 0.5)}))
    assert not result["a"]
    (b,) = result["b"]
    assert b.code == "slower_while_measured"
    assert b.values["after_ratio"] == pytest.approx(0.5, rel=0.1)
    assert b.values["after_share"] == pytest.approx(since / 40, abs=0.1)


def test_one_that_was_not_warm_yet() -> None:
    result = drifts(Race({"a": 1.0, "b": 1.0, "c": 0.5}, blocks=40, changes={"b": (10, 1.6)}))
    assert {name: codes(each) for name, each in result.items()} == {
        "a": [],
        "b": ["faster_while_measured"],
        "c": [],
    }


def test_weather_that_changes_for_all_alike_is_not_reported() -> None:
    changes = dict.fromkeys(("a", "b", "c"), (20, 0.6))
    race = Race({"a": 1.0, "b": 1.0, "c": 1.0}, blocks=40, changes=changes)
    assert not any(drifts(race).values())


def test_a_change_of_a_twentieth_is_too_little_to_report() -> None:
    race = Race({"a": 1.0, "b": 1.0}, blocks=200, noise=0.005, changes={"b": (100, 0.95)})
    assert not any(drifts(race).values())


def test_too_few_blocks_say_nothing() -> None:
    assert not any(drifts(Race({"a": 1.0, "b": 1.0}, blocks=8, changes={"b": (4, 0.3)})).values())


@pytest.mark.parametrize("noise", [0.01, 0.1, 0.4])
def test_steady_ones_are_not_accused_however_noisy(noise: float) -> None:
    accused = [
        name
        for seed in range(12)
        for name, findings in drifts(
            Race({"a": 1.0, "b": 0.8}, blocks=40, noise=noise, seed=seed)
        ).items()
        if findings
    ]
    assert accused == []


def changed(**by: float) -> dict[str, list[Finding]]:
    """A race in which each changes by its factor in the middle of each boot."""
    changes = {name: (20, factor) for name, factor in by.items()}
    return drifts(Race(dict.fromkeys(by, 1.0), blocks=40, changes=changes))


@pytest.mark.parametrize("sign", [1, -1])
def test_where_most_change_it_was_the_machine_though_one_felt_it_more(sign: int) -> None:
    result = changed(a=1.8**sign, b=1.5**sign, c=1.5**sign, d=1.0)
    (finding,) = result["a"]
    assert finding.code == "machine_changed"
    assert finding.values["names"] == ["a", "b", "c"]
    assert finding.values["after_ratio"] == pytest.approx(1.5**sign, rel=0.1)
    assert finding.values["after_share"] == pytest.approx(0.5, abs=0.1)
    assert not result["b"] + result["c"] + result["d"]


def test_both_of_two_are_most() -> None:
    result = changed(a=0.5, b=0.7)
    assert codes(result["a"]) == ["machine_changed"]


def test_two_of_four_are_not_most() -> None:
    result = changed(a=0.6, b=0.6, c=1.0, d=1.0)
    assert codes(result["a"] + result["b"]) == ["slower_while_measured"] * 2


@pytest.mark.parametrize(("contenders", "most"), [(2, 2), (3, 3), (4, 3), (6, 3), (7, 4), (20, 10)])
def test_most_is_half_and_three_at_least_or_both_of_two(contenders: int, most: int) -> None:
    assert most_of(contenders) == most


def test_one_that_changes_far_more_than_the_machine_is_still_named() -> None:
    result = changed(a=0.88, b=0.88, c=0.4, d=0.88)
    assert codes(result["c"]) == ["slower_while_measured"]


def test_others_that_change_the_other_way_excuse_no_one() -> None:
    result = changed(a=0.6, b=1.5, c=1.5, d=1.5)
    assert codes(result["a"]) == ["slower_while_measured"]


def drawn(blocks_per_draw: int, fades: bool, new_processes: bool = True) -> list[Finding]:
    """Of b, whose draws have new processes; each of which is slower in its second half, or b is
    slower from the middle of the boot on."""
    race = Race({"a": 1.0, "b": 1.0, "c": 1.0}, boots=1, blocks=60)
    draws = 60 // blocks_per_draw
    records: list[Record] = [
        record.model_copy(update={"draw": record.block // blocks_per_draw})
        if isinstance(record, Block)
        else record
        for record in race.records()
    ]
    records += [
        Draw(
            boot=0,
            draw=draw,
            processes={"a": 0, "b": draw if new_processes else 0, "c": 0},
            connections_open={},
        )
        for draw in range(draws)
    ]

    def slower(block: Block) -> bool:
        if fades:
            return block.block % blocks_per_draw >= blocks_per_draw / 2
        return block.block >= 30

    fading = altered(
        records,
        lambda block, each: (
            with_event(each, requests=each.event.requests // 2)
            if each.entry == "b" and slower(block)
            else each
        ),
    )
    return list(drift("b", History.of(fading)))


def test_processes_of_a_second_that_all_fade_are_found_over_their_draws() -> None:
    (finding,) = drawn(6, fades=True)
    assert finding.code == "slower_while_measured"
    assert finding.values["after_share"] == pytest.approx(0.5, abs=0.1)


def test_a_new_process_does_not_go_on_where_the_last_one_ended() -> None:
    assert drawn(6, fades=False) == []
    assert codes(drawn(6, fades=False, new_processes=False)) == ["slower_while_measured"]
