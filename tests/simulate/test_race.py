"""A simulated race: its records are such as a real one leaves, and its truth is what was asked."""

from collections.abc import Iterable
from typing import TypeVar

import numpy as np
import pytest

from bakeoff.judge import judge
from bakeoff.judge.compare import compare
from bakeoff.judge.history import History
from bakeoff.judge.latency import merge
from bakeoff.model.cut import Draw, DrawRule, Warmup
from bakeoff.model.pairs import Pair, pair_of
from bakeoff.model.samples import RECORD, Block, Record
from bakeoff.model.verdict import Verdict
from bakeoff.plan.schedule import has_first_process
from bakeoff.simulate import USUAL, Size, plan_of, records_of
from bakeoff.simulate.race import MACHINE, PLANTED, REFERENCE
from bakeoff.simulate.server import APART_LN, APART_S, APART_TRIP_NS, TRIP_NS, Weather
from tests.judge.races import altered, with_event
from tests.ratios import known

SMALL = Size(effect=0.0, contenders=2, duration_s=4, boots=2)
SDS = ("drift_sd", "slice_sd", "connections_sd", "process_sd", "boot_sd")
QUIET = USUAL.model_copy(update={**dict.fromkeys(SDS, 0.0), "steals_per_s": 0.0})

RecordT = TypeVar("RecordT", bound=Record)


def raced(size: Size, /, seed: int = 1, **changed: object) -> list[Record]:
    """The records under the usual conditions but for those `changed`."""
    conditions = USUAL.model_copy(update=changed)
    return list(records_of(plan_of(size, conditions, seed), size, conditions))


def quietly(size: Size, /, seed: int = 1, **changed: object) -> list[Record]:
    """On a machine without weather, with servers without chance."""
    return raced(size, seed, **{**QUIET.model_dump(), **changed})


def of(kind: type[RecordT], records: Iterable[Record]) -> list[RecordT]:
    return [each for each in records if isinstance(each, kind)]


def test_littles_law_holds_in_every_slice() -> None:
    for block in of(Block, raced(SMALL)):
        for piece in block.slices:
            event = piece.event
            window_us = (event.end_ns - event.start_ns) / 1e3
            throughput = event.requests / window_us
            assert throughput * event.latency_mean_us == pytest.approx(USUAL.connections)
            assert event.in_flight_ns / (window_us * 1e3) == pytest.approx(USUAL.connections)


def test_the_histogram_has_the_slices_count_and_its_mean() -> None:
    event = of(Block, raced(SMALL))[0].slices[0].event
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
    totals = {REFERENCE: 0, PLANTED: 0}
    size = Size(effect=0.03, contenders=2, duration_s=10, boots=1)
    for seed in range(1, 5):
        for block in of(Block, quietly(size, seed)):
            for piece in block.slices:
                totals[piece.entry] += piece.event.requests
    assert totals[PLANTED] / totals[REFERENCE] == pytest.approx(1.03, abs=0.002)


def test_every_server_has_one_slice_in_each_block_and_long_ones_a_fifth_of_the_time() -> None:
    size = Size(effect=0.0, contenders=3, duration_s=20, boots=1)
    spent_ns = {"short": 0, "long": 0}
    for block in of(Block, raced(size)):
        assert sorted(piece.entry for piece in block.slices) == sorted(size.names)
        spent_ns[block.kind] += sum(piece.event.window_ns for piece in block.slices)
    assert sum(spent_ns.values()) == pytest.approx(20e9, rel=0.05)
    assert spent_ns["long"] / sum(spent_ns.values()) == pytest.approx(0.2, abs=0.04)


def test_draws_have_new_processes_but_for_the_first_process_s_own() -> None:
    records, plan = raced(SMALL), plan_of(SMALL, USUAL, 1)
    (rule,) = of(DrawRule, records)
    assert {each.what for each in rule.redrawn.values()} == {"processes"}
    draws = of(Draw, records)
    assert len({(draw.boot, draw.processes[PLANTED]) for draw in draws}) > len(draws) / 2
    for draw in draws:
        first = has_first_process(plan, draw.boot, draw.draw)
        assert (draw.processes[PLANTED] == 0) == first


def test_short_races_have_short_slices_and_enough_of_them() -> None:
    def short_ms(duration_s: float) -> int:
        records = quietly(Size(0.0, 2, duration_s, 1), requests_per_s=800.0)
        return of(Warmup, records)[0].lengths[REFERENCE].short_ms

    # Ten mean latencies are 800 ms. A twelfth of 0.8 · 2 s is less than the two that it takes.
    assert short_ms(4) == pytest.approx(160, rel=0.05)
    assert short_ms(60) == pytest.approx(800, rel=0.05)


def test_processes_of_servers_that_start_slowly_last_and_take_turns() -> None:
    records = raced(Size(0.0, 2, 20, 1), lasting=True)
    (rule,) = of(DrawRule, records)
    assert {each.why for each in rule.redrawn.values()} == {"starts_slowly"}
    instances = {each.instances for each in rule.redrawn.values()}
    processes = [each.processes[PLANTED] for each in of(Draw, records)]
    assert instances == {len(set(processes))} and 1 < len(set(processes)) < len(processes)


def test_a_server_that_feels_the_machine_more_varies_with_it() -> None:
    for felt in (1.0, 2.0):
        lns: dict[str, list[float]] = {REFERENCE: [], PLANTED: []}
        size = Size(0.0, 2, 20, 1)
        for block in of(Block, quietly(size, drift_sd=0.2, drift_s=5.0, felt=felt)):
            for piece in block.slices:
                lns[piece.entry].append(np.log(piece.event.requests_per_s))
        slope = np.polyfit(lns[REFERENCE], lns[PLANTED], 1)[0]
        assert slope == pytest.approx(felt, rel=0.1)


def test_the_judge_has_nothing_to_say_against_its_servers() -> None:
    plan = plan_of(SMALL, USUAL, 1)
    verdict = judge(plan, {}, records_of(plan, SMALL, USUAL), MACHINE, complete=True)
    assert verdict.valid
    for entry in verdict.entries:
        assert (entry.reasons, entry.warnings) == ((), ())
        assert entry.limited_by == "server"


def test_spreads_are_found_again_by_the_judge() -> None:
    """Of a ratio of two, √2 of one's; four boots of eight processes that take turns."""
    loud = QUIET.model_copy(update={"connections_sd": 0.01, "process_sd": 0.05, "lasting": True})
    size = Size(effect=0.0, contenders=2, duration_s=100, boots=4)
    spreads = []
    for seed in range(1, 7):
        history = History.of(records_of(plan_of(size, loud, seed), size, loud))
        spreads.append(compare(history, size.names)[frozenset(size.names)].estimate.spread)
    assert all(found.boots == 4 and found.processes > 12 for found in spreads)
    connections_sd, process_sd = (
        np.sqrt(np.mean([getattr(found, of_level) ** 2 for found in spreads]))
        for of_level in ("connections_sd", "process_sd")
    )
    assert connections_sd == pytest.approx(0.01 * np.sqrt(2), rel=0.25)
    assert process_sd == pytest.approx(0.05 * np.sqrt(2), rel=0.4)


STEPS = 20_000


def test_speed_varies_by_drift_sd_and_forgets_it_over_drift_s() -> None:
    weather = Weather(USUAL, np.random.default_rng(1))
    speeds = []
    for _ in range(STEPS):
        weather.pass_by(USUAL.drift_s)
        speeds.append(weather.ln_speed)
    assert np.std(speeds) == pytest.approx(USUAL.drift_sd, rel=0.05)
    correlation = np.corrcoef(speeds[1:], speeds[:-1])[0, 1]
    assert correlation == pytest.approx(np.exp(-1), abs=0.03)


def test_the_host_takes_as_much_as_the_conditions_say_and_proc_stat_tells_in_ticks() -> None:
    weather = Weather(USUAL, np.random.default_rng(2))
    stolen_s = sum(weather.pass_by(0.05) for _ in range(STEPS))
    expected_s = weather.now_s * USUAL.steals_per_s * USUAL.steal_ms / 1000
    assert stolen_s == pytest.approx(expected_s, rel=0.1)
    counted_s = sum(core.steal_s for core in weather.cores())
    assert stolen_s - 0.02 <= counted_s <= stolen_s


def test_a_slice_differs_from_a_later_one_as_recorded_ones_did() -> None:
    """The shares of docs/EVIDENCE.md, the simulated machine, at the middles of their times."""
    recorded = {0.045: 0.05, 0.15: 0.09, 0.4: 0.12, 10.0: 0.19}
    for apart_s, sd in recorded.items():
        weather, differences = Weather(USUAL, np.random.default_rng(3)), []
        for _ in range(STEPS // 4):
            before = weather.ln_speed
            weather.pass_by(apart_s)
            differences.append(weather.ln_speed - before)
        whole = np.hypot(np.std(differences), np.sqrt(2) * USUAL.slice_sd)
        assert whole == pytest.approx(sd, rel=0.12)


def test_for_some_time_the_cores_are_apart_all_are_slower_then_and_the_trip_tells() -> None:
    size, found = Size(0.0, 2, 40, 1), []
    for seed in range(1, 9):
        found += [
            (piece.event.core_trip_ns, np.log(piece.event.requests_per_s))
            for block in of(Block, quietly(size, seed, apart_share=0.3))
            for piece in block.slices
        ]
    near, apart = ([ln for trip, ln in found if trip == of] for of in (TRIP_NS, APART_TRIP_NS))
    assert len(near) + len(apart) == len(found)
    assert len(apart) / len(found) == pytest.approx(0.3, abs=0.1)
    assert np.median(near) - np.median(apart) == pytest.approx(APART_LN, abs=0.02)


def test_cores_that_the_host_does_not_move_are_near() -> None:
    blocks = of(Block, quietly(SMALL))
    assert {each.event.core_trip_ns for block in blocks for each in block.slices} == {TRIP_NS}


def test_the_cores_stay_apart_for_a_while() -> None:
    weather = Weather(USUAL.model_copy(update={"apart_share": 0.3}), np.random.default_rng(4))
    trips_ns = []
    for _ in range(STEPS):
        weather.pass_by(1.0)
        trips_ns.append(weather.core_trip_ns)
    apart = np.equal(trips_ns, APART_TRIP_NS)
    assert np.mean(apart) == pytest.approx(0.3, abs=0.05)
    times = np.count_nonzero(np.diff(apart.astype(int)) == 1)
    assert np.count_nonzero(apart) / times == pytest.approx(APART_S, rel=0.15)


def test_a_planted_ratio_is_found_where_cores_move_by_those_slices_at_the_usual_distance() -> None:
    """The planted server feels a distance more: apart, its ratio is another."""
    size, felt = Size(-0.05, 3, 20, 1), 1.4
    moved = USUAL.model_copy(update={"felt": felt, "apart_share": 0.3})
    errors, blind_errors = [], []
    for seed in range(1, 9):
        plan = plan_of(size, moved, seed)
        records = list(records_of(plan, size, moved))
        pair = over_reference(judge(plan, {}, records, MACHINE, complete=True))
        truth = size.ln_ratio(PLANTED, REFERENCE)
        truth -= (felt - 1) * APART_LN if pair.core_trip_ns == APART_TRIP_NS else 0
        low, high = pair.ratio.ends
        assert low < np.exp(truth) < high
        errors.append(abs(np.log(pair.ratio.ratio) - truth))
        blind = altered(records, lambda _, each: with_event(each, core_trip_ns=None))
        unseen = over_reference(judge(plan, {}, blind, MACHINE, complete=True))
        blind_errors.append(abs(np.log(unseen.ratio.ratio) - truth))
    assert np.mean(errors) < np.mean(blind_errors) / 2


def over_reference(verdict: Verdict) -> Pair:
    return known(pair_of(verdict.pairs, PLANTED, REFERENCE))
