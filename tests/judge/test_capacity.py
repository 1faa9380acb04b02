"""Capacities from slices of queues whose capacity is known."""

from collections.abc import Callable, Mapping, Sequence
from math import exp, inf, log

import numpy as np
import pytest

from bakeoff.judge import judge_capacity
from bakeoff.judge.capacity import Climbed, _capacity
from bakeoff.judge.crossing import ANSWERED, ERRORS, Held, climb, crossing, fitted, hold
from bakeoff.model.capacity import CapacityEntry, CapacityPlan, CapacityReport
from bakeoff.model.engine import EventsSlice, SliceEvent
from bakeoff.model.plan import NetworkPath
from bakeoff.model.readings import PathSeen
from bakeoff.model.samples import Block, Record, Slice
from bakeoff.plan import ladder, parse_slo
from tests.judge.facts import MACHINE
from tests.judge.queues import queue_event, true_capacity
from tests.judge.races import BAD, MS, Race, altered, codes, encoded, says, with_event

P99 = parse_slo("p99=10ms")
RAMP_MS, WINDOW_MS = 100, 300


def queued(rate: float, capacity: float, **changed: object) -> Slice:
    event = queue_event(rate, capacity, RAMP_MS, WINDOW_MS, np.random.default_rng(1), **changed)
    return slice_of("a", rate, event)


def slice_of(name: str, rate: float, event: SliceEvent) -> Slice:
    return Slice(
        entry=name, event=event, server_cpu=None, leak_ns=None, leak_wall_ns=None, rate=rate
    )


def run(
    capacities: Mapping[str, float],
    *,
    boots: int = 3,
    rounds: int = 2,
    offsets: Sequence[int] = (-14, -3, -2, -1, 0, 1, 2, 3, 8),
    slos: Sequence[str] = ("p99=10ms",),
    noise: float = 0.0,
    seed: int = 1,
    changed: Mapping[str, Mapping[str, object]] | None = None,
    path: PathSeen | None = None,
    alter: Callable[[Block, Slice], Slice] | None = None,
) -> CapacityReport:
    """A search around rungs that are right for each contender's first objective."""
    rng = np.random.default_rng(seed)
    objectives = tuple(parse_slo(text) for text in slos)
    race = Race(ratios=dict.fromkeys(capacities, 1.0), boots=boots, blocks=0, seed=seed)
    race.end = {"path": path} if path else {}
    speeds = {name: (speed, speed) for name, speed in capacities.items()}
    records: list[Record] = []
    bound = objectives[0].bounds[0]
    for boot, (start, warmup, end) in enumerate(zip(*[iter(race.records())] * 3, strict=True)):
        warm = {"requests_per_s": speeds, "lengths": {}, "steady": {}}
        records += [start, warmup.model_copy(update=warm)]
        number = 0
        for _ in range(rounds):
            for offset in rng.permutation(offsets):
                slices = []
                for name, speed in capacities.items():
                    truth = max(speed / 4, true_capacity(speed, bound.p, bound.limit_us))
                    rate = ladder.rate_of(ladder.rung_of(truth) + int(offset))
                    shaken = speed * exp(rng.normal(0, noise))
                    event = queue_event(
                        rate, shaken, RAMP_MS, WINDOW_MS, rng, **(changed or {}).get(name, {})
                    )
                    slices.append(slice_of(name, rate, event))
                records.append(
                    Block(
                        boot=boot,
                        block=number,
                        kind="long",
                        slices=tuple(slices),
                        at_ns=number,
                        cores=(),
                    )
                )
                number += 1
        records.append(end)
    if alter is not None:
        records = altered(records, alter)
    asked = CapacityPlan(run="r", objectives=objectives, race=race.plan())
    plan = race.plan().model_copy(update={"path": path and NetworkPath(delay_ms=20, loss=0)})
    return judge_capacity(asked, plan, race.receipts(), records, MACHINE, True, ladder.STEP)


def entry(report: CapacityReport, name: str) -> CapacityEntry:
    return next(each for each in report.entries if each.name == name)


def test_a_quiet_slice_holds_and_a_flooded_one_breaks() -> None:
    quiet, flooded = hold(queued(4000, 10_000), P99), hold(queued(15_000, 10_000), P99)
    assert all(score <= 0 for score in quiet.scores.values())
    assert quiet.scores["p99"] == -1
    assert flooded.scores["p99"] == flooded.scores[ANSWERED] == 1
    assert flooded.scores[ERRORS] == -1


def test_a_queue_that_grows_breaks_even_where_its_latency_is_within_the_limit() -> None:
    held = hold(queued(10_500, 10_000), parse_slo("p99=1s"))
    assert held.scores["p99"] == -1
    assert held.scores[ANSWERED] > 0


def test_a_quantile_with_too_few_requests_beyond_it_has_no_score() -> None:
    held = hold(queued(4000, 10_000), parse_slo("p99=10ms,p99.9=50ms"))
    assert "p99" in held.scores
    assert "p99.9" not in held.scores


def test_a_bound_of_the_first_byte_is_held_against_it_or_the_end_where_that_is_the_same() -> None:
    slice_ = queued(9000, 10_000)
    slo = parse_slo("p99=1ms,first-byte-p99=1ms")
    assert hold(slice_, slo).scores["first-byte-p99"] == hold(slice_, slo).scores["p99"] > 0
    soon = encoded(((100_000, slice_.event.latency_count),))
    streamed = slice_.model_copy(
        update={"event": slice_.event.model_copy(update={"first_byte": soon})}
    )
    assert hold(streamed, slo).scores["first-byte-p99"] < 0 < hold(streamed, slo).scores["p99"]


def streaming(rate: float, gap_ms: float, **changed: object) -> Slice:
    """A slice of streams with ten gaps each, which lasted for ten of them and began at once."""
    quiet = queued(rate, 100_000)
    n = quiet.event.latency_count
    of: dict[str, object] = {
        "count": 11 * n,
        "count_all": 11 * n,
        "first": encoded(((200_000, n),)),
        "gap": encoded(((round(gap_ms * MS), 10 * n),)),
        "open": 0,
        "faults": {},
    }
    wrong = {"in_flight_ns": round(n * 10 * gap_ms * MS), **changed}
    return slice_of(
        "a",
        rate,
        quiet.event.model_copy(update={"events": EventsSlice.model_validate(of), **wrong}),
    )


def test_bounds_of_events_are_held_against_first_events_and_gaps() -> None:
    scores = hold(streaming(6000, 12), parse_slo("gap-p99=10ms,first-event-p99=1ms")).scores
    assert scores["gap-p99"] == pytest.approx(log(1.2), rel=0.01)
    assert scores["first-event-p99"] == -1
    few = hold(streaming(1000, 12), parse_slo("gap-p99=10ms,first-event-p99=1ms")).scores
    assert "gap-p99" in few, "each stream has ten"
    assert "first-event-p99" not in few
    none = hold(queued(2000, 100_000), parse_slo("gap-p99=10ms")).scores
    assert "gap-p99" not in none


def test_streams_that_end_after_the_window_are_no_growing_queue_unless_they_are_many() -> None:
    n = streaming(2000, 12).event.latency_count
    for answered, breaks in ((0.97, False), (0.7, True)):
        held = hold(streaming(2000, 2, requests=round(answered * n)), parse_slo("gap-p99=10ms"))
        assert (held.scores[ANSWERED] > 0) is breaks


@pytest.mark.parametrize(("served_us", "limit"), [(100.0, "connections"), (200.0, "answered")])
def test_connections_that_were_all_taken_are_not_the_servers_limit(
    served_us: float, limit: str
) -> None:
    quiet = [Held(rate, {ANSWERED: -1.0}, False, served_us=100.0) for rate in (100, 200)]
    queued = [Held(210, {ANSWERED: 1.0}, False, queued=True, served_us=served_us)]
    held = [*quiet, *queued]
    curve = climb(held, range(len(held)))
    climbed = Climbed(curve, held, crossing(curve), "")
    assert (climbed.spared or climbed.crossing.limit) == limit
    assert climbed.is_found is (limit == "answered")


@pytest.mark.parametrize(("served_us", "limit"), [(1e5, ""), (100.0, "connections")])
def test_connections_that_are_all_taken_at_the_lowest_rate_are_not_either(
    served_us: float, limit: str
) -> None:
    low = [Held(100, {ANSWERED: 0.5}, False, queued=True, served_us=served_us)]
    held = [*low, Held(200, {ANSWERED: 1.0}, False, queued=True, served_us=100.0)]
    curve = climb(held, range(2))
    climbed = Climbed(curve, held, crossing(curve), "")
    assert climbed.spared == limit and not climbed.is_found
    (objective,) = run({"a": 1000.0}).objectives
    known = _capacity(objective, climbed, (), None)
    assert (known.finding, known.limit) == (
        ("can't tell", "connections") if limit else ("not met", ANSWERED)
    )


@pytest.mark.parametrize(
    ("higher", "finding"), [(-0.4, ("can't tell", "unsteady")), (0.4, ("not met", "p99"))]
)
def test_one_that_broke_at_the_lowest_rate_alone_is_not_called_unmet(
    higher: float, finding: tuple[str, str]
) -> None:
    held = scored({100: [1, 1], 200: [higher, higher], 400: [1]})
    curve = climb(held, range(len(held)))
    (objective,) = run({"a": 1000.0}).objectives
    known = _capacity(objective, Climbed(curve, held, crossing(curve), ""), (), None)
    assert (known.finding, known.limit) == finding


@pytest.mark.parametrize(("errors", "breaks"), [({"status": 1}, False), ({"status": 5}, True)])
def test_wrong_answers_count_as_errors(errors: dict[str, int], breaks: bool) -> None:
    held = hold(queued(8000, 40_000, errors=errors), P99)
    assert (held.scores[ERRORS] > 0) is breaks


def test_requests_never_answered_are_infinitely_late() -> None:
    quiet = queued(4000, 10_000)
    lost = quiet.event.latency_count // 50
    event = quiet.event.model_copy(update={"misses": lost})
    held = hold(slice_of("a", 4000, event), P99)
    assert held.scores["p99"] == held.scores[ERRORS] == 1


def scored(scores: Mapping[float, Sequence[float]]) -> list[Held]:
    return [Held(rate, {"p99": score}, False) for rate in scores for score in scores[rate]]


def test_the_crossing_lies_between_the_rung_that_holds_and_the_one_that_breaks() -> None:
    held = scored({100: [-1, -1], 200: [-0.5, -0.5], 400: [0.5, 0.5], 800: [1, 1]})
    crossed = crossing(climb(held, range(len(held))))
    assert crossed.ln_rate == pytest.approx(log(200 * 2**0.5))
    assert crossed.limit == "p99"


def test_rungs_out_of_order_are_pooled() -> None:
    held = scored({100: [-1], 200: [0.2], 400: [-0.6], 800: [1]})
    fit = fitted(climb(held, range(len(held))))
    assert list(fit.values()) == pytest.approx([-1, -0.2, -0.2, 1])


def test_one_stalled_slice_among_three_moves_no_rung_across() -> None:
    held = scored({100: [-1, -1, 1], 200: [-1, -1, -1], 400: [1, 1, 1]})
    assert crossing(climb(held, range(len(held)))).ln_rate > log(200)


def test_all_hold_or_none_does() -> None:
    for score, expected in ((-1.0, inf), (1.0, -inf)):
        held = scored({100: [score], 200: [score]})
        assert crossing(climb(held, range(2))).ln_rate == expected


def test_a_known_capacity_is_within_its_interval() -> None:
    """Though slices of 0.3 s don't see the rare long queue, and are some percent high."""
    report = run({"a": 10_000.0})
    capacity = entry(report, "a").capacities[0]
    assert capacity.finding == "found"
    assert capacity.low is not None and capacity.high is not None
    truth = true_capacity(10_000, 0.99, 10_000)
    assert capacity.low < truth < capacity.high < 1.1 * truth
    assert capacity.high / capacity.low < 1.3


def test_the_one_that_holds_more_is_ahead_and_equal_ones_cannot_be_told_apart() -> None:
    report = run({"a": 10_000.0, "b": 10_000.0, "c": 5_000.0}, noise=0.01)
    pairs = {frozenset((pair.a, pair.b)): pair for pair in report.pairs}
    assert pairs[frozenset("ab")].finding == "can't tell"
    higher = pairs[frozenset("ac")]
    assert (higher.a, higher.finding) == ("a", "higher")
    truth = true_capacity(10_000, 0.99, 10_000) / true_capacity(5_000, 0.99, 10_000)
    # The slower one's queue takes longer to build: short slices flatter it by some percent more.
    assert higher.ratio.low < truth < higher.ratio.high


def test_the_same_samples_give_the_same_report() -> None:
    two = {"a": 10_000.0, "b": 8_000.0}
    assert run(two, rounds=1, boots=2) == run(two, rounds=1, boots=2)


def test_an_objective_that_nobody_meets_names_the_best() -> None:
    capacity = entry(run({"a": 40_000.0}, slos=("p99=50us",), rounds=1), "a").capacities[0]
    assert capacity.finding == "not met"
    assert capacity.requests_per_s is None
    assert capacity.best_us is not None and capacity.best_us > 50
    assert capacity.best_rate is not None


def test_a_ladder_that_never_breaks_gives_a_bound() -> None:
    report = run({"a": 10_000.0}, offsets=(-14, -6, -3))
    capacity = entry(report, "a").capacities[0]
    assert (capacity.finding, capacity.limit, capacity.low) == ("at least", "", None)


def test_a_generator_that_was_the_limit_is_named() -> None:
    lag = {"send_lag": queue_event(100, 1000, 0, 1000, np.random.default_rng(1)).latency}
    report = run({"a": 10_000.0}, changed={"a": {"busy": 0.99, **lag}})
    capacity = entry(report, "a").capacities[0]
    assert (capacity.finding, capacity.limit) == ("at least", "generator")


def test_a_quantile_that_no_slice_can_tell_is_said() -> None:
    capacity = entry(run({"a": 4_000.0}, slos=("p99.9=50ms",)), "a").capacities[0]
    assert (capacity.finding, capacity.limit) == ("can't tell", "p99.9")


def test_several_objectives_have_a_geometric_mean() -> None:
    report = run({"a": 10_000.0, "b": 9_000.0}, slos=("p99=10ms", "p99=20ms"))
    one = entry(report, "a")
    first, second = (each.requests_per_s or 0 for each in one.capacities)
    assert first < second
    assert one.mean is not None
    assert one.mean.requests_per_s == pytest.approx((first * second) ** 0.5)
    assert {pair.objective for pair in report.pairs} == {"p99=10ms", "p99=20ms", ""}


def test_what_lies_past_saturation() -> None:
    past = entry(run({"a": 10_000.0}), "a").beyond
    assert past is not None
    assert past.rate == pytest.approx(1.5 * 9_500, rel=0.1)
    assert past.goodput == pytest.approx(10_000, rel=0.05)
    assert past.answered == pytest.approx(10_000 / past.rate, rel=0.05)


def test_wrong_bytes_leave_no_capacity() -> None:
    liar = {"errors": {"mismatch_body": 1}, "first_bad": BAD}
    report = run({"a": 10_000.0, "b": 10_000.0}, rounds=1, changed={"b": liar})
    assert entry(report, "a").valid
    assert says(entry(report, "b").reasons, "wrong_answers", first_bad=BAD.detail)
    assert entry(report, "b").capacities == ()


@pytest.mark.parametrize(("moved", "blocks"), [("b", 54), ("bc", 45)])
def test_a_search_says_where_the_cores_moved(moved: str, blocks: int) -> None:
    """In 9 of 54 blocks: a block of which one slice would remain is left out as a whole."""

    def timed(block: Block, each: Slice) -> Slice:
        apart = block.block < 3 and each.entry in moved
        return with_event(each, core_trip_ns=400 if apart else 85)

    equals = dict.fromkeys("abc", 10_000.0)
    report = run(equals, alter=timed)
    assert (report.disturbed_blocks, report.blocks) == (9, blocks)
    assert says(report.warnings, "blocks_disturbed", n=9, blocks=54)
    assert says(report.warnings, "cores_moved", n=9, blocks=54, usual_trip_ns=85, trip_ns=400)
    still = run(equals, alter=lambda _, each: with_event(each, core_trip_ns=85))
    assert not {"blocks_disturbed", "cores_moved"} & set(codes(still.warnings))
