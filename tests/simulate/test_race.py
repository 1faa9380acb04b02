"""A simulated race: its records are such as a real one leaves, and its truth is what was asked."""

import numpy as np
import pytest

from bakeoff.judge import judge
from bakeoff.judge.compare import compare
from bakeoff.judge.history import History
from bakeoff.judge.latency import merge
from bakeoff.model.cut import Draw
from bakeoff.model.samples import RECORD, Block, Record
from bakeoff.simulate import USUAL, Size, plan_of, records_of
from bakeoff.simulate.race import MACHINE, PLANTED, REFERENCE

SMALL = Size(effect=0.0, contenders=2, duration_s=4, boots=2)
SDS = ("drift_sd", "slice_sd", "connections_sd", "process_sd", "boot_sd")
QUIET = USUAL.model_copy(
    update={**dict.fromkeys(SDS, 0.0), "steals_per_s": 0.0, "start_order": 0.0}
)


def raced(size: Size, seed: int = 1, quiet: bool = False) -> list[Record]:
    conditions = QUIET if quiet else USUAL
    return records_of(plan_of(size, conditions, seed), size, conditions)


def blocks(records: list[Record]) -> list[Block]:
    return [each for each in records if isinstance(each, Block)]


def test_littles_law_holds_in_every_slice() -> None:
    for block in blocks(raced(SMALL)):
        for piece in block.slices:
            event = piece.event
            window_us = (event.end_ns - event.start_ns) / 1e3
            throughput = event.requests / window_us
            assert throughput * event.latency_mean_us == pytest.approx(USUAL.connections)
            assert event.in_flight_ns / (window_us * 1e3) == pytest.approx(USUAL.connections)


def test_the_histogram_has_the_slices_count_and_its_mean() -> None:
    event = blocks(raced(SMALL))[0].slices[0].event
    merged = merge([event])
    counts = np.diff(merged.cumulated, prepend=0)
    assert merged.answered == event.requests == event.latency_count
    mean_us = float((counts * merged.values_us).sum() / counts.sum())
    assert mean_us == pytest.approx(event.latency_mean_us, rel=0.005)


def test_the_same_seed_gives_the_same_records_and_another_gives_others() -> None:
    assert raced(SMALL, seed=3) == raced(SMALL, seed=3)
    assert raced(SMALL, seed=3) != raced(SMALL, seed=4)


def test_records_are_such_as_samples_jsonl_holds() -> None:
    for record in raced(SMALL):
        assert RECORD.validate_json(record.to_json()) == record


def test_the_planted_server_is_faster_by_the_effect_on_a_quiet_machine() -> None:
    size = Size(effect=0.03, contenders=2, duration_s=10, boots=1)
    totals = {REFERENCE: 0, PLANTED: 0}
    for block in blocks(raced(size, quiet=True)):
        for piece in block.slices:
            totals[piece.entry] += piece.event.requests
    assert totals[PLANTED] / totals[REFERENCE] == pytest.approx(1.03, abs=0.002)


def test_every_server_has_one_slice_in_each_block_and_long_ones_a_fifth_of_the_time() -> None:
    size = Size(effect=0.0, contenders=3, duration_s=12, boots=2)
    spent_ms = {"short": 0, "long": 0}
    for block in blocks(raced(size)):
        assert sorted(piece.entry for piece in block.slices) == sorted(size.names)
        lengths = {"short": USUAL.short_ms, "long": USUAL.long_ms}
        spent_ms[block.kind] += 3 * lengths[block.kind]
    assert sum(spent_ms.values()) == pytest.approx(12_000, rel=0.05)
    assert spent_ms["long"] / sum(spent_ms.values()) == pytest.approx(0.2, abs=0.1)


def test_a_turn_after_anothers_meets_cold_caches() -> None:
    cold = QUIET.model_copy(update={"cold_us": 2000})
    size = Size(effect=0.0, contenders=2, duration_s=8, boots=1)
    before, counts = "", {True: list[int](), False: list[int]()}
    for block in blocks(records_of(plan_of(size, cold, 1), size, cold)):
        for piece in block.slices:
            if block.kind == "short":
                counts[piece.entry == before].append(piece.event.requests)
            before = piece.entry
    assert np.mean(counts[False]) / np.mean(counts[True]) == pytest.approx(18 / 20, abs=0.01)


def test_the_judge_has_nothing_to_say_against_its_servers() -> None:
    plan = plan_of(SMALL, USUAL, 1)
    verdict = judge(plan, {}, records_of(plan, SMALL, USUAL), MACHINE, complete=True)
    assert verdict.valid
    for entry in verdict.entries:
        assert (entry.reasons, entry.warnings) == ((), ())
        assert entry.limited_by == "server"


def test_each_draw_has_new_connections_and_a_new_process_or_one_that_takes_turns() -> None:
    def processes(instances: int | None) -> list[int]:
        conditions = USUAL.model_copy(update={"instances": instances})
        records = records_of(plan_of(SMALL, conditions, 1), SMALL, conditions)
        assert {block.draw for block in records if isinstance(block, Block)} == {0, 1}
        return [each.processes[PLANTED] for each in records if isinstance(each, Draw)]

    assert processes(None) == [0, 1, 0, 1]
    assert processes(1) == [0, 0, 0, 0]


def test_spreads_are_found_again_by_the_judge() -> None:
    """Of a ratio of two, √2 of one's; 120 draws of 8 processes in each of 4 boots, some of which
    have a long slice alone."""
    loud = QUIET.model_copy(
        update={"connections_sd": 0.01, "process_sd": 0.05, "draw_s": 0.1, "instances": 8}
    )
    size = Size(effect=0.0, contenders=2, duration_s=48, boots=4)
    plan = plan_of(size, loud, 1)
    history = History.of(records_of(plan, size, loud))
    found = compare(history, size.names)[frozenset(size.names)].estimate.spread
    assert (found.processes, found.boots) == (32, 4) and 350 < found.draws < 480
    assert found.connections_sd == pytest.approx(0.01 * np.sqrt(2), rel=0.2)
    assert found.process_sd == pytest.approx(0.05 * np.sqrt(2), rel=0.4)
