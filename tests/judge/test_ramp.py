"""The factor from the CPU time of whole slices to that of their windows."""

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


def read_in_windows(
    records: Sequence[Record], lns: Mapping[str, float], noise: float = 0.01
) -> list[Record]:
    """The engine reads the servers' clocks: in the window a request costs e^ln of what it costs in
    a whole slice, give or take `noise`."""
    rng = np.random.default_rng(1)

    def read(_block: Block, slice_: Slice) -> Slice:
        if (ln := lns.get(slice_.entry)) is None:
            return slice_
        whole_us = slice_.server_cpu_us_per_request or 0
        requests = slice_.event.requests
        cpu_ns = round(whole_us * 1000 * requests * exp(ln + rng.normal(0, noise)))
        server = ServerCost(cpu_ns=cpu_ns, over_ns=20 * MS, requests=requests)
        return with_event(slice_, server=server)

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


def test_where_no_clock_was_read_none_has_a_factor() -> None:
    assert factors(blocks_of(Race(ALIKE).records())) == {}
