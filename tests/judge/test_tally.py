"""What one entry did, added up by hand: slices with and without what could be seen."""

from typing import Any

import pytest

from bakeoff.judge.entries import cpu_per_request
from bakeoff.judge.tally import Tally, Turn
from bakeoff.judge.validity import leak_share
from bakeoff.model.readings import CpuTime
from bakeoff.model.samples import Slice
from tests.judge.races import BAD, MS, event

CPU = CpuTime(total_ns=26 * MS, user_ns=10 * MS, system_ns=30 * MS)


def turn(
    cpu: CpuTime | None = CPU,
    leak_ns: int | None = None,
    leak_wall_ns: int | None = None,
    ramp_ms: int = 5,
    threads: int = 1,
    **changed: object,
) -> Turn:
    piece = Slice(
        entry="a",
        event=event(**changed),
        server_cpu=cpu,
        leak_ns=leak_ns,
        leak_wall_ns=leak_wall_ns,
    )
    return Turn(piece, ramp_ms=ramp_ms, threads=threads)


def test_a_request_is_attempted_once_whether_it_is_answered_wrongly_or_not_at_all() -> None:
    """The engine counts a wrong answer among all requests; one without an answer it does not."""
    tally = Tally.of(
        [turn(requests_all=1300, errors={"status": 7, "mismatch_body": 2, "reset": 3})]
    )
    assert (tally.attempts, tally.wrong_answers) == (1303, 9)


def test_slices_add_up() -> None:
    first = turn(requests=1000, connects=3, idle_closed=1, errors={"timeout": 1})
    second = turn(requests=500, end_ns=1010 * MS, connects=4, errors={"timeout": 2, "write": 1})
    tally = Tally.of([first, second])
    assert (tally.slices, tally.requests) == (2, 1500)
    assert tally.window_ns == 30 * MS and tally.measured_s == pytest.approx(0.03)
    assert tally.requests_per_s == pytest.approx(1500 / 0.03)
    assert (tally.connects, tally.idle_closed) == (7, 1)
    assert tally.error_kinds == {"timeout": 3, "write": 1}
    assert list(tally.error_kinds) == ["timeout", "write"]


def test_the_generators_share_is_weighed_by_the_length_of_the_windows() -> None:
    tally = Tally.of([turn(busy=0.9), turn(busy=0.3, end_ns=1040 * MS)])
    assert tally.client_busy == pytest.approx((0.9 * 20 + 0.3 * 40) / 60)


def test_the_first_bad_exchange_is_kept() -> None:
    later = BAD.model_copy(update={"detail": "later"})
    assert Tally.of([turn(), turn(first_bad=BAD), turn(first_bad=later)]).first_bad == BAD
    assert Tally.of([turn()]).first_bad is None


def test_cpu_counts_the_slices_in_which_it_was_seen_and_their_requests_alone() -> None:
    tally = Tally.of([turn(), turn(cpu=None, requests_all=9999), turn()])
    assert tally.cpu == CpuTime(total_ns=52 * MS, user_ns=20 * MS, system_ns=60 * MS)
    assert tally.cpu_requests == 2600 and tally.span_ns == 2 * 26 * MS


def test_leaks_count_only_where_both_times_are_known() -> None:
    known = turn(leak_ns=2 * MS, leak_wall_ns=100 * MS)
    tally = Tally.of([known, turn(leak_wall_ns=100 * MS), turn(leak_ns=50 * MS), known])
    assert (tally.leak_ns, tally.leak_wall_ns) == (4 * MS, 200 * MS)
    assert leak_share(tally, 1) == pytest.approx(0.02)
    assert leak_share(Tally.of([turn(leak_wall_ns=100 * MS)]), 1) is None


def test_silent_slices_are_those_without_an_answer() -> None:
    assert Tally.of([turn(requests=0), turn(requests=1), turn(), turn(requests=0)]).silent == 2


def test_nothing_measured_is_no_speed_and_no_cost() -> None:
    empty = Tally.of([])
    assert (empty.requests_per_s, empty.client_busy, empty.errors.total) == (0, 0, 0)
    assert empty.server_busy(1) is None and leak_share(empty, 1) is None


def test_a_slice_without_length_says_nothing_of_how_busy_the_server_was() -> None:
    no_time: dict[str, Any] = {"start_ns": 1000, "end_ns": 1000, "drained_ns": 1000}
    assert Tally.of([turn(ramp_ms=0, **no_time)]).server_busy(1) is None


@pytest.mark.parametrize(
    ("turns", "cost"),
    [
        # The server's CPU time is over all that it answered, the client's over the window; a coarse
        # split is scaled to the sum.
        ([turn(CPU)], (20, 5, 15, 10)),
        ([turn(cpu=CpuTime(total_ns=26 * MS, user_ns=0, system_ns=0))], (20, None, None, 10)),
        ([turn(None)], (None, None, None, 10)),
        ([turn(requests=0, requests_all=0)], (None, None, None, 0)),
        # Polling is no cost of a request on any thread.
        ([turn(cpu_ns=38 * MS, busy=0.5, threads=1)], (20, 5, 15, 10)),
        ([turn(cpu_ns=38 * MS, busy=0.5, threads=2)], (20, 5, 15, 20)),
    ],
)
def test_cpu_per_request(turns: list[Turn], cost: tuple[float | None, ...]) -> None:
    per_request = cpu_per_request(Tally.of(turns))
    assert tuple(per_request.model_dump().values()) == pytest.approx(cost)


def test_the_server_is_busy_over_ramp_window_and_drain() -> None:
    assert Tally.of([turn(CPU)]).server_busy(1) == pytest.approx(1.0)
    assert Tally.of([turn(CPU)]).server_busy(2) == pytest.approx(0.5)
    assert Tally.of([turn(None)]).server_busy(1) is None


def test_errors_by_where_they_happened() -> None:
    kinds = {"connect_refused": 1, "address_exhausted": 2, "reset": 3, "malformed": 4, "timeout": 5}
    errors = Tally.of([turn(errors=kinds)]).errors
    assert (errors.connect, errors.read, errors.timeout, errors.write) == (3, 7, 5, 0)


def test_a_mismatch_of_any_kind_is_a_wrong_answer() -> None:
    kinds = {"mismatch_length": 1, "mismatch_body": 2, "mismatch_header": 4, "mismatch": 8}
    tally = Tally.of([turn(errors=kinds | {"reset": 16})])
    assert (tally.errors.mismatch, tally.wrong_answers) == (15, 15)
