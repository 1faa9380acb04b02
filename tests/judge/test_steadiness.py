"""A throughput that changes while it is measured, and slices in which all connections waited."""

from dataclasses import replace

import pytest

from bakeoff.judge.history import History
from bakeoff.judge.steadiness import drift, fell_silent, most_of, stalls, stood_still
from bakeoff.model.cut import Draw
from bakeoff.model.engine import SliceEvent
from bakeoff.model.finding import Finding
from bakeoff.model.samples import Block, Record
from tests.judge.races import CONNECTIONS, MS, Race, altered, codes, encoded, event, with_event


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


SLOWER = "slower_while_measured"


@pytest.mark.parametrize(
    ("factors", "said"),
    [
        ({"a": 0.5, "b": 0.7}, {"a": ["machine_changed"]}),
        ({"a": 0.6, "b": 0.6, "c": 1.0, "d": 1.0}, {"a": [SLOWER], "b": [SLOWER]}),
        ({"a": 0.88, "b": 0.88, "c": 0.4, "d": 0.88}, {"c": [SLOWER]}),
        ({"a": 0.6, "b": 1.5, "c": 1.5, "d": 1.5}, {"a": [SLOWER]}),
    ],
    ids=["both of two", "two of four", "far more than the machine", "others the other way"],
)
def test_who_changes_with_most_is_excused(
    factors: dict[str, float], said: dict[str, list[str]]
) -> None:
    result = changed(**factors)
    assert {name: codes(result[name]) for name in said} == said


@pytest.mark.parametrize(("contenders", "most"), [(2, 2), (3, 3), (4, 3), (6, 3), (7, 4), (20, 10)])
def test_most_is_half_and_three_at_least_or_both_of_two(contenders: int, most: int) -> None:
    assert most_of(contenders) == most


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


QUICK = (1 * MS, 900)


def waited(ms: float, count: int) -> dict[str, object]:
    """900 answers after 1 ms each, and some that waited long."""
    total_us = 900 * 1e3 + count * ms * 1e3
    return {
        "latency": encoded((QUICK, (round(ms * MS), count))),
        "latency_count": 900 + count,
        "latency_mean_us": total_us / (900 + count),
        "drained_ns": round((1020 + ms) * MS),
    }


def silent(ms: float) -> dict[str, object]:
    """Every answer came after the window."""
    nothing = {"requests": 0, "latency": "", "latency_count": 0, "latency_mean_us": 0.0}
    return {**nothing, "drained_ns": round((1020 + ms) * MS)}


USUAL = [event(latency=encoded((QUICK,)), latency_mean_us=1000.0)] * 20


def stalled(*changed: dict[str, object]) -> tuple[int, tuple[float, ...]]:
    """How often a server stood still whose slices are good but for these, and for how long."""
    given: list[SliceEvent] = [*USUAL, *(event(**each) for each in changed)]
    seen = stalls(given, CONNECTIONS)
    return seen.times, seen.lengths_us


def test_a_stall_has_its_length() -> None:
    times, lengths_us = stalled(waited(200, CONNECTIONS))
    assert times == 1 and list(lengths_us) == pytest.approx([200_000], rel=0.01)


def test_a_slice_that_began_within_one_counts_without_a_length() -> None:
    assert stalled(silent(150)) == (1, ())


@pytest.mark.parametrize(
    "changed",
    [
        waited(200, CONNECTIONS // 2 - 1),
        waited(40, CONNECTIONS),
        silent(20),
        {**silent(5000), "errors": {"timeout": 64}, "misses": 64},
    ],
    ids=["a few connections", "too short", "late by a little", "never answered"],
)
def test_what_is_no_stall(changed: dict[str, object]) -> None:
    assert stalled(changed) == (0, ())


def test_half_of_the_connections_are_enough() -> None:
    assert stalled(waited(200, CONNECTIONS // 2))[0] == 1


def test_of_a_slow_server_a_wait_is_no_stall_unless_it_is_ten_times_the_usual() -> None:
    slow = event(latency=encoded(((30 * MS, 60),)), latency_count=60, latency_mean_us=30_000.0)
    late = event(
        latency=encoded(((30 * MS, 20), (200 * MS, 40))),
        latency_count=60,
        latency_mean_us=143_000.0,
    )
    assert stalls([slow] * 20 + [late], CONNECTIONS).times == 0


def raced(**events: dict[str, object]) -> Race:
    return Race({"a": 1.0, "b": 1.0, "c": 1.0}, boots=1, blocks=10, events=events)


def still(race: Race, name: str) -> list[Finding]:
    return list(stood_still(race.plan(), name, History.of(race.records())))


def test_the_one_that_stands_still_is_named() -> None:
    race = raced(b=silent(150))
    assert still(race, "b") == [Finding.of("stood_still", length_us=None, times=10, slices=10)]
    assert still(race, "a") == still(race, "c") == []


def test_where_most_stood_still_as_often_it_was_the_machine() -> None:
    race = raced(a=silent(150), b=silent(150), c=silent(150))
    machine = [Finding.of("machine_stood_still", length_us=None, names=["a", "b", "c"])]
    assert still(race, "a") == still(race, "b") == machine


def test_two_of_three_are_not_most() -> None:
    race = raced(a=silent(150), b=silent(150))
    assert still(race, "a") == still(race, "c") == []


def test_a_connection_per_request_has_a_signature_of_its_own() -> None:
    assert still(replace(raced(b=silent(150)), connection="close"), "b") == []


def quiet_slices(race: Race, **counts: int) -> History:
    """The race, each of whose entries answers nothing in so many of its first slices."""
    records = altered(
        race.records(),
        lambda block, each: (
            with_event(each, requests=0) if block.block < counts.get(each.entry, 0) else each
        ),
    )
    return History.of(records)


@pytest.mark.parametrize(
    ("counts", "silent"),
    [
        ({"b": 3}, True),
        ({"b": 2}, False),
        ({"a": 1, "b": 3, "c": 1}, False),
        ({"a": 1, "b": 4, "c": 1}, True),
        ({"a": 4, "b": 4, "c": 4}, False),
    ],
    ids=["thrice", "twice", "thrice as often", "more often", "the machine"],
)
def test_one_is_silent_where_it_is_so_more_often_than_the_others(
    counts: dict[str, int], silent: bool
) -> None:
    race = raced()
    assert fell_silent(race.plan(), "b", quiet_slices(race, **counts)) is silent
