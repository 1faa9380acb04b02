"""Several load generators: blocks that they did not load together go, and the sick one is named."""

from collections.abc import Callable

import pytest

from bakeoff.judge import loaders
from bakeoff.judge.calm import calm
from bakeoff.judge.history import History
from bakeoff.load.merging import merged
from bakeoff.model.loaders import LoaderSlice
from bakeoff.model.samples import Block, Record, Slice
from bakeoff.model.verdict import Verdict
from tests.judge.races import MS, Race, altered, encoded, judged, row, says
from tests.ratios import known

NAMES = ("a", "b", "c")
Share = Callable[[Block, LoaderSlice], LoaderSlice]


def quarter_of(slice_: Slice, name: str) -> LoaderSlice:
    """A loader that has a third of what was measured, of 3 times 20 connections."""
    event = slice_.event
    n = event.requests // 3
    own: dict[str, object] = {
        "requests": n,
        "latency_count": n,
        "requests_all": event.requests_all // 3,
    }
    own |= {"in_flight_ns": event.in_flight_ns // 3, "latency": encoded(((1_280_000, n),))}
    return LoaderSlice(
        loader=name,
        connections=20,
        threads=1,
        offset_ns=0,
        clock_error_ns=1000,
        event=event.model_copy(update=own),
    )


def loaded_by_three(
    records: list[Record],
    change: Share = lambda _, share: share,
    lost: Callable[[Block], dict[str, str]] = lambda _: {},
) -> list[Record]:
    """The records, with each slice loaded by three, whose shares are as `change` makes them."""

    def shared(block: Block, slice_: Slice) -> Slice:
        gone = lost(block)
        shares = tuple(
            change(block, quarter_of(slice_, name)) for name in NAMES if name not in gone
        )
        return slice_.model_copy(update={"event": merged(shares), "loaders": shares, "lost": gone})

    return altered(records, shared)


def sick(name: str, blocks: set[int], **changed: object) -> Share:
    """One loader, changed in some blocks."""

    def change(block: Block, share: LoaderSlice) -> LoaderSlice:
        if share.loader != name or block.block not in blocks:
            return share
        return share.model_copy(update=changed)

    return change


def with_events(name: str, **changed: object) -> Share:
    """One loader whose events are changed in all blocks."""

    def change(_: Block, share: LoaderSlice) -> LoaderSlice:
        if share.loader != name:
            return share
        return share.model_copy(update={"event": share.event.model_copy(update=changed)})

    return change


RACE = Race({"x": 1.0, "y": 1.2}, boots=2, blocks=40)


def blocks_of(records: list[Record]) -> list[Block]:
    return [record for record in records if isinstance(record, Block)]


def gone(records: list[Record]) -> set[int]:
    kept = {(each.boot, each.block) for each in calm(blocks_of(records), frozenset({0}))}
    return {each.block for each in blocks_of(records) if (each.boot, each.block) not in kept}


def said(verdict: Verdict) -> set[str]:
    return {each.code for each in verdict.warnings if each.code.startswith("loader")}


def test_those_who_load_together_change_nothing_and_are_not_mentioned() -> None:
    records = loaded_by_three(RACE.records())
    assert gone(records) == set()
    together, alone = judged(RACE, records), judged(RACE, RACE.records())
    assert said(together) == set()
    ratio, of_one = (known(row(verdict, "y").ratio).ratio for verdict in (together, alone))
    assert ratio == pytest.approx(of_one, rel=0.002)
    assert alone.loaders == () and "loaders" not in alone.to_json()


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"late_ns": 3 * MS}, "loader_late"),
        ({"stolen": 0.3}, "loader_stolen"),
        ({"clock_jumped": True, "offset_ns": 5 * MS}, "loader_clock_jumped"),
    ],
)
def test_blocks_that_one_spoiled_go_and_it_is_named(changed: dict[str, object], code: str) -> None:
    records = loaded_by_three(RACE.records(), sick("b", {7, 20}, **changed))
    assert gone(records) >= {7, 20}
    verdict = judged(RACE, records)
    (apart,) = (each for each in verdict.warnings if each.code == "loaders_apart")
    assert (
        apart.values["n"]
        == verdict.disturbed_blocks
        == len({(boot, block) for boot in (0, 1) for block in gone(records)})
    )
    assert [(each.code, each.values["loader"], each.values["n"]) for each in apart.because] == [
        (code, "b", 8)
    ]
    assert not says(verdict.warnings, "blocks_left_out")


def test_two_percent_of_a_window_is_together_and_more_is_not() -> None:
    window_ns = blocks_of(RACE.records())[0].slices[0].event.window_ns
    for late_ns, spoils in ((window_ns // 50, False), (window_ns // 50 + 1, True)):
        records = loaded_by_three(RACE.records(), sick("b", {7}, late_ns=late_ns))
        assert bool(loaders.spoiled(blocks_of(records))) == spoils


def test_all_late_alike_are_together() -> None:
    late: Share = lambda _, share: share.model_copy(update={"late_ns": 9 * MS})  # noqa: E731
    assert loaders.spoiled(blocks_of(loaded_by_three(RACE.records(), late))) == frozenset()


def test_what_the_server_answered_leaves_nothing_out() -> None:
    """Each of these is named, and no block goes for it."""
    slow = encoded(((260_000_000, 333),))
    for changed, code in (
        ({"requests": 10}, "loader_slow"),
        ({"latency": slow}, "loader_tail"),
        ({"misses": 30}, "loader_lossy"),
        ({"busy": 0.97}, "loader_limit"),
    ):
        records = loaded_by_three(RACE.records(), with_events("c", **changed))
        assert gone(records) == set()
        verdict = judged(RACE, records)
        assert said(verdict) == {code}
        (finding,) = (each for each in verdict.warnings if each.code == code)
        assert finding.values["loader"] == "c"


def test_a_jump_spoils_what_was_told_by_the_clock_before_it() -> None:
    def jump(block: Block, share: LoaderSlice) -> LoaderSlice:
        if share.loader != "b":
            return share
        # Looks at blocks 0, 10 and 20, of which the last finds the jump.
        offset_ns = 1000 * (block.block // 10)
        jumped = block.block == 20
        return share.model_copy(update={"offset_ns": offset_ns, "clock_jumped": jumped})

    assert gone(loaded_by_three(RACE.records(), jump)) == set(range(10, 21))


def test_a_late_sender_counts_where_the_others_were_on_time() -> None:
    def lags(alone: bool) -> Share:
        def change(_: Block, share: LoaderSlice) -> LoaderSlice:
            ns = 5 * MS if share.loader == "b" or not alone else 20_000
            event = share.event.model_copy(update={"send_lag": encoded(((ns, 300),))})
            return share.model_copy(update={"event": event})

        return change

    first = blocks_of(loaded_by_three(RACE.records(), lags(alone=True)))[0].slices[0]
    assert loaders.faults(first) == {"b": "loader_lags"}
    # All wait for the server: no generator is at fault.
    every = blocks_of(loaded_by_three(RACE.records(), lags(alone=False)))[0].slices[0]
    assert loaders.faults(every) == {}


def test_a_loss_spoils_what_follows_until_connections_are_shared_out_anew() -> None:
    how = "the load engine ended with status -9"

    def lost(block: Block) -> dict[str, str]:
        return {"b": how} if block.boot == 1 and block.block > 30 else {}

    def half_again(block: Block, share: LoaderSlice) -> LoaderSlice:
        if block.boot == 1 and block.block > 34:
            return share.model_copy(update={"connections": 30})
        return share

    records = loaded_by_three(RACE.records(), half_again, lost)
    once = [
        record.model_copy(
            update={
                "slices": tuple(
                    slice_.model_copy(update={"lost": slice_.lost if record.block == 31 else {}})
                    for slice_ in record.slices
                )
            }
        )
        if isinstance(record, Block)
        else record
        for record in records
    ]
    assert gone(once) == {31, 32, 33, 34}
    verdict = judged(RACE, once)
    (finding,) = (each for each in verdict.warnings if each.code == "loader_lost")
    assert finding.values == {"loader": "b", "how": how}
    assert verdict.valid and verdict.disturbed_blocks == 4


def test_one_that_is_always_sick_costs_no_verdict() -> None:
    every = set(range(40))
    verdict = judged(RACE, loaded_by_three(RACE.records(), sick("b", every, stolen=0.3)))
    assert verdict.disturbed_blocks == 0
    (finding,) = (each for each in verdict.warnings if each.code == "loader_stolen")
    assert finding.values["n"] == finding.values["slices"]


def test_a_coarse_clock_is_named() -> None:
    records = loaded_by_three(RACE.records(), sick("a", set(range(40)), clock_error_ns=2 * MS))
    (finding,) = (
        each for each in judged(RACE, records).warnings if each.code == "loader_clock_coarse"
    )
    assert finding.values["loader"] == "a" and finding.values["error_us"] == 2000


def test_the_verdict_has_each_loaders_figures() -> None:
    verdict = judged(RACE, loaded_by_three(RACE.records(), with_events("c", busy=0.25)))
    assert [each.name for each in verdict.loaders] == list(NAMES)
    first, _, last = verdict.loaders
    assert first.connections == 20 and first.p50_us == pytest.approx(1280, rel=0.001)
    assert sum(each.share for each in verdict.loaders) == pytest.approx(1)
    assert last.ceiling_per_s == pytest.approx(4 * last.requests_per_s)
    assert first.busy == 0.5 and first.clock_error_us == 1.0


def test_littles_law_and_busy_are_those_of_all() -> None:
    """Each has 20 of 60 connections in use; threads count three times."""
    slice_ = blocks_of(loaded_by_three(RACE.records()))[0].slices[0]
    whole = sum(share.event.in_flight_ns for share in slice_.loaders)
    assert slice_.event.in_flight_ns == whole
    history = History.of(loaded_by_three(RACE.records()))
    assert history.turns(slice_.entry)[0].threads == 3
