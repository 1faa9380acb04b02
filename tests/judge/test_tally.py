"""What one entry did, added up by hand: slices with and without what could be seen."""

from typing import Any

import pytest

from bakeoff.judge.cost import leak_share, per_request, steal_share
from bakeoff.judge.history import Turn
from bakeoff.judge.latency import in_flight, merge, percentile_series
from bakeoff.judge.tally import tally
from bakeoff.model.samples import Block, CoreTime, CpuTime, Slice
from tests.judge.races import BAD, MS, Race, encoded, event

CPU = CpuTime(total_ns=26 * MS, user_ns=10 * MS, system_ns=30 * MS)


def turn(
    cpu: CpuTime | None = CPU,
    leak_ns: int | None = None,
    leak_wall_ns: int | None = None,
    ramp_ms: int = 5,
    **changed: object,
) -> Turn:
    piece = Slice(
        entry="a",
        event=event(**changed),
        server_cpu=cpu,
        leak_ns=leak_ns,
        leak_wall_ns=leak_wall_ns,
    )
    return Turn(piece, ramp_ms=ramp_ms, threads=1)


def test_a_request_is_attempted_once_whether_it_is_answered_wrongly_or_not_at_all() -> None:
    """The engine counts a wrong answer among all requests; one without an answer it does not."""
    spent = tally([turn(requests_all=1300, errors={"status": 7, "mismatch_body": 2, "reset": 3})])
    assert (spent.attempts, spent.wrong_answers, spent.unanswered) == (1303, 9, 3)


def test_slices_add_up() -> None:
    first = turn(requests=1000, connects=3, idle_closed=1, errors={"timeout": 1})
    second = turn(requests=500, end_ns=1010 * MS, connects=4, errors={"timeout": 2, "write": 1})
    spent = tally([first, second])
    assert (spent.slices, spent.requests) == (2, 1500)
    assert spent.window_ns == 30 * MS and spent.measured_s == pytest.approx(0.03)
    assert spent.requests_per_s == pytest.approx(1500 / 0.03)
    assert (spent.connects, spent.idle_closed) == (7, 1)
    assert spent.error_kinds == {"timeout": 3, "write": 1}
    assert list(spent.error_kinds) == ["timeout", "write"]


def test_the_generators_share_is_weighed_by_the_length_of_the_windows() -> None:
    spent = tally([turn(busy=0.9), turn(busy=0.3, end_ns=1040 * MS)])
    assert spent.client_busy == pytest.approx((0.9 * 20 + 0.3 * 40) / 60)


def test_the_first_bad_exchange_is_kept() -> None:
    later = BAD.model_copy(update={"detail": "later"})
    assert tally([turn(), turn(first_bad=BAD), turn(first_bad=later)]).first_bad == BAD
    assert tally([turn()]).first_bad is None


def test_cpu_counts_the_slices_in_which_it_was_seen_and_their_requests_alone() -> None:
    spent = tally([turn(), turn(cpu=None, requests_all=9999), turn()])
    assert spent.cpu == CpuTime(total_ns=52 * MS, user_ns=20 * MS, system_ns=60 * MS)
    assert spent.cpu_requests == 2600 and spent.span_ns == 2 * 26 * MS


def test_leaks_count_only_where_both_times_are_known() -> None:
    known = turn(leak_ns=2 * MS, leak_wall_ns=100 * MS)
    spent = tally([known, turn(leak_wall_ns=100 * MS), turn(leak_ns=50 * MS), known])
    assert (spent.leak_ns, spent.leak_wall_ns) == (4 * MS, 200 * MS)
    assert leak_share(spent, 1) == pytest.approx(0.02)
    assert leak_share(tally([turn(leak_wall_ns=100 * MS)]), 1) is None


def test_silent_slices_are_those_without_an_answer() -> None:
    assert tally([turn(requests=0), turn(requests=1), turn(), turn(requests=0)]).silent == 2


def test_nothing_measured_is_no_speed_and_no_cost() -> None:
    empty = tally([])
    assert (empty.requests_per_s, empty.client_busy, empty.errors.total) == (0, 0, 0)
    assert empty.server_busy(1) is None and leak_share(empty, 1) is None
    none = tally([turn(requests=0, requests_all=0)])
    assert per_request(none).client == 0 and per_request(none).server is None


def test_a_slice_without_length_says_nothing_of_how_busy_the_server_was() -> None:
    no_time: dict[str, Any] = {"start_ns": 1000, "end_ns": 1000, "drained_ns": 1000}
    assert tally([turn(ramp_ms=0, **no_time)]).server_busy(1) is None


def test_cpu_without_a_split_has_a_sum_alone() -> None:
    whole = CpuTime(total_ns=26 * MS, user_ns=0, system_ns=0)
    found = per_request(tally([turn(cpu=whole)]))
    assert found.server == pytest.approx(20)
    assert found.server_user is None and found.server_system is None


def core(at_s: float, steal_s: float, cpu: int = 0) -> CoreTime:
    return CoreTime(
        cpu=cpu, user_s=at_s - steal_s, system_s=0, softirq_s=0, steal_s=steal_s, idle_s=0
    )


def blocks(*cores: tuple[CoreTime, ...]) -> list[Block]:
    race = Race({"a": 1.0}, boots=1, blocks=len(cores))
    found = [record for record in race.records() if isinstance(record, Block)]
    return [
        block.model_copy(update={"cores": these}) for block, these in zip(found, cores, strict=True)
    ]


def test_steal_of_half_a_second_is_a_share_like_any_other() -> None:
    short = blocks((core(10, 1),), (core(10.5, 1.25),))
    assert steal_share(short, frozenset({0})) == pytest.approx(0.5)


def test_steal_without_named_cores_is_the_whole_machines() -> None:
    both = blocks((core(0, 0), core(0, 0, cpu=1)), (core(10, 4), core(10, 0, cpu=1)))
    assert steal_share(both, frozenset()) == pytest.approx(0.2)
    assert steal_share(both, frozenset({0})) == pytest.approx(0.4)


def test_a_clock_of_steal_that_goes_back_is_none_stolen() -> None:
    assert steal_share(blocks((core(5, 1),), (core(10, 0.9),)), frozenset({0})) == 0


def test_time_that_did_not_pass_has_no_share() -> None:
    assert steal_share(blocks((core(5, 1),), (core(5, 1),)), frozenset({0})) is None


def test_requests_in_flight_are_a_mean_over_the_windows() -> None:
    first = event(in_flight_ns=20 * 20 * MS)
    second = event(in_flight_ns=50 * 40 * MS, end_ns=1040 * MS)
    assert in_flight([first, second]) == pytest.approx(40)
    assert in_flight([]) == 0
    assert merge([]).mean_us == 0


def test_a_slice_without_latencies_has_no_part_in_the_mean() -> None:
    none = event(latency=encoded(()), latency_mean_us=99.0)
    assert merge([none, event(latency=encoded(((1000, 1),)), latency_mean_us=1.0)]).mean_us == 1


def test_the_unanswered_count_among_those_that_percentiles_are_of() -> None:
    """995 answered and 5 not: the series ends at 99 %, where ten of a thousand lie beyond."""
    merged = merge([event(latency=encoded(((1000, 960), (1500, 35))), misses=5)])
    assert percentile_series(merged)[-1][0] == pytest.approx(0.99)
