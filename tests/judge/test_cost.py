"""What an entry costs, by hand."""

import pytest

from bakeoff.judge.cost import leak_share, memory, per_request, steal_share
from bakeoff.judge.history import Turn
from bakeoff.judge.tally import tally
from bakeoff.model.samples import CpuTime, Memory, Slice
from tests.judge.races import MS, Race, event


def turn(cpu: CpuTime | None, threads: int = 1, **changed: object) -> Turn:
    piece = Slice(
        entry="a", event=event(**changed), server_cpu=cpu, leak_ns=2 * MS, leak_wall_ns=100 * MS
    )
    return Turn(piece, ramp_ms=5, threads=threads)


CPU = CpuTime(total_ns=26 * MS, user_ns=10 * MS, system_ns=30 * MS)


def test_the_servers_cpu_is_over_all_that_it_answered_the_clients_over_the_window() -> None:
    found = per_request(tally([turn(CPU)]))
    assert found.server == pytest.approx(20)
    assert found.client == pytest.approx(10)


def test_polling_is_no_cost_of_a_request_on_any_thread() -> None:
    two_busy = {"cpu_ns": 38 * MS, "busy": 0.5}
    assert per_request(tally([turn(CPU, threads=1, **two_busy)])).client == pytest.approx(10)
    assert per_request(tally([turn(CPU, threads=2, **two_busy)])).client == pytest.approx(20)


def test_a_coarse_split_is_scaled_to_the_sum() -> None:
    found = per_request(tally([turn(CPU)]))
    assert found.server_user == pytest.approx(5)
    assert found.server_system == pytest.approx(15)


def test_cpu_that_cannot_be_seen_is_none() -> None:
    spent = tally([turn(None)])
    assert per_request(spent).server is None and spent.server_busy(1) is None


def test_the_server_is_busy_over_ramp_window_and_drain() -> None:
    assert tally([turn(CPU)]).server_busy(1) == pytest.approx(1.0)
    assert tally([turn(CPU)]).server_busy(2) == pytest.approx(0.5)


def test_leak_is_a_share_of_the_servers_cores() -> None:
    spent = tally([turn(CPU), turn(CPU)])
    assert leak_share(spent, 2) == pytest.approx(0.01)


def test_memory_is_the_mean_over_boots_where_it_is_known() -> None:
    found = memory([Memory(pss_mib=10, processes=1), None, Memory(pss_mib=20, processes=2)], [])
    assert (found.idle, found.loaded) == (15, None)


def test_steal_counts_only_cores_of_the_race_and_not_what_lies_between_boots() -> None:
    race = Race({"a": 1.0}, boots=2, blocks=3, steal_s=0.25)
    blocks = [record for record in race.records() if record.type == "block"]
    assert steal_share(blocks, frozenset({0})) == pytest.approx(0.25)
    assert steal_share(blocks, frozenset({7})) is None


def test_errors_by_where_they_happened() -> None:
    kinds = {"connect_refused": 1, "address_exhausted": 2, "reset": 3, "malformed": 4, "timeout": 5}
    errors = tally([turn(CPU, errors=kinds)]).errors
    assert (errors.connect, errors.read, errors.timeout, errors.write) == (3, 7, 5, 0)


def test_a_mismatch_of_any_kind_is_a_wrong_answer() -> None:
    kinds = {"mismatch_length": 1, "mismatch_body": 2, "mismatch_header": 4, "mismatch": 8}
    spent = tally([turn(CPU, errors=kinds | {"reset": 16})])
    assert (spent.errors.mismatch, spent.wrong_answers, spent.unanswered) == (15, 15, 16)
