"""The factor from the CPU time of whole slices to that of their windows."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from math import exp, log

import numpy as np
import pytest

from bakeoff.judge.ramp import SLICES_MIN, factors
from bakeoff.model.engine import ServerCost
from bakeoff.model.samples import Block, Record, Slice
from bakeoff.model.verdict import Verdict
from tests.judge.races import MS, Race, altered, judged, row, with_event

ALIKE = {"a": 1.0, "b": 1.0, "c": 1.0}


def reading(slice_: Slice, ln: float) -> Slice:
    """In the window a request cost e^ln of what it costs in the whole slice."""
    requests = slice_.event.requests
    cpu_ns = round((slice_.server_cpu_us_per_request or 0) * 1000 * requests * exp(ln))
    server = ServerCost(cpu_ns=cpu_ns, over_ns=20 * MS, requests=requests)
    return with_event(slice_, server=server)


def read_in_windows(
    records: Sequence[Record], lns: Mapping[str, float], noise: float = 0.01
) -> list[Record]:
    """The engine reads the servers' clocks, and so each entry's `ln`, give or take `noise`."""
    rng = np.random.default_rng(1)

    def read(_block: Block, slice_: Slice) -> Slice:
        ln = lns.get(slice_.entry)
        return slice_ if ln is None else reading(slice_, ln + rng.normal(0, noise))

    return altered(records, read)


def blocks_of(records: Sequence[Record]) -> list[Block]:
    return [record for record in records if isinstance(record, Block)]


def judged_with(race: Race, lns: Mapping[str, float]) -> Verdict:
    return judged(race, read_in_windows(race.records(), lns))


def test_a_request_costs_less_in_the_window_and_each_server_has_its_own_factor() -> None:
    found = factors(blocks_of(read_in_windows(Race(ALIKE).records(), {"a": -0.06, "b": 0.0})))
    assert found["a"].ln == pytest.approx(-0.06, abs=0.004)
    assert found["b"].ln == pytest.approx(0.0, abs=0.004)
    assert 0.0005 < found["a"].error < 0.003


def test_servers_whose_factors_differ_by_chance_alone_share_one() -> None:
    lns = {"a": -0.06, "b": -0.0604, "c": 0.0}
    found = factors(blocks_of(read_in_windows(Race(ALIKE).records(), lns)))
    assert found["a"] is found["b"] is not found["c"]


def test_the_ratio_by_cpu_is_that_of_windows_and_less_exact_by_the_factors() -> None:
    race = Race(ALIKE, noise=0.002)
    whole, window = judged(race), judged_with(race, {"a": -0.06, "b": -0.0604, "c": 0.0})

    def of(verdict: Verdict, a: str, b: str) -> tuple[float, float]:
        found = verdict.pair(a, b)
        assert found and found.cpu_ratio
        return found.cpu_ratio.ratio, log(found.cpu_ratio.high / found.cpu_ratio.low)

    assert of(window, "a", "c")[0] / of(whole, "a", "c")[0] == pytest.approx(exp(0.06), abs=0.003)
    assert of(window, "a", "b") == pytest.approx(of(whole, "a", "b")), "they share a factor"
    assert of(window, "a", "c")[1] > of(whole, "a", "c")[1]


def test_the_cpu_time_of_an_entry_is_that_of_windows() -> None:
    race = Race(ALIKE)
    whole, window = judged(race), judged_with(race, {"a": -0.06, "b": 0.0})
    for name, factor in {"a": exp(-0.06), "b": 1.0}.items():
        costs = [row(each, name).cpu_us_per_request for each in (whole, window)]
        assert costs[0].server and costs[1].server and costs[1].server_system
        assert costs[1].server / costs[0].server == pytest.approx(factor, abs=0.004)


def test_an_entry_with_few_undisturbed_slices_has_the_factor_of_most() -> None:
    records = read_in_windows(Race(ALIKE).records(), {"a": -0.06, "b": -0.06, "c": 0.0})

    def busy(block: Block, slice_: Slice) -> Slice:
        late = slice_.entry == "c" and (block.boot, block.block) >= (1, SLICES_MIN - 21)
        return with_event(slice_, delayed_ns=5 * MS) if late else slice_

    found = factors(blocks_of(altered(records, busy)))
    assert found["c"] is found["a"]


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
def test_clocks_that_step_at_ticks_have_the_mean_of_their_steps(share: float) -> None:
    """A window of 26 ms reads as 24 or as 28 ms, and the copies share a factor."""
    tick = {True: log(28 / 26), False: log(24 / 26)}
    rng = np.random.default_rng(2)

    def read(_block: Block, slice_: Slice) -> Slice:
        return reading(slice_, tick[bool(rng.random() < share)])

    found = factors(blocks_of(altered(Race(ALIKE).records(), read)))
    truth = share * tick[True] + (1 - share) * tick[False]
    assert abs(found["a"].ln - truth) < 3 * found["a"].error
    assert found["a"] is found["b"] is found["c"]


def test_slices_of_a_draw_that_resemble_each_other_are_one_piece_of_evidence() -> None:
    rng = np.random.default_rng(3)
    draws: dict[object, float] = defaultdict(lambda: rng.normal(0, 0.05))
    records = Race(ALIKE).records()

    def read(block: Block, slice_: Slice) -> Slice:
        return reading(slice_, draws[slice_.entry, block.boot, block.draw])

    found = factors(blocks_of(altered(records, read)))
    n = len({(each.boot, each.draw) for each in blocks_of(records)})
    assert found["a"].error > 0.5 * 0.05 / n**0.5 / 3**0.5


def test_where_no_clock_was_read_none_has_a_factor() -> None:
    assert factors(blocks_of(Race(ALIKE).records())) == {}
