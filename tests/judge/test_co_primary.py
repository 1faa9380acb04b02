"""Gates of two builds: by throughput and by server CPU, which share one error."""

from collections.abc import Iterator

import numpy as np
import pytest
from scipy.stats import binom

from bakeoff.judge import judge
from bakeoff.judge.gate import DRAWS_MIN
from bakeoff.model.audit import Audit
from bakeoff.model.cut import Draw
from bakeoff.model.gate import GateResult
from bakeoff.model.plan import Until
from bakeoff.model.readings import CpuTime
from bakeoff.model.samples import Block, Record, Slice
from bakeoff.plan import race_gate
from tests.judge.facts import MACHINE, SOUND_AUDIT
from tests.judge.races import Race, altered, codes
from tests.ratios import known

TICK_NS = 4_000_000
"""Of a kernel that splits CPU time by a clock of 250 Hz."""
DRAWS, BLOCKS = 8, 8


def builds(
    seed: int = 1,
    *,
    ratio: float = 1.0,
    cost: float = 1.0,
    kernel: float = 1.0,
    noise: float = 0.02,
    draws: int = DRAWS,
    audits: dict[str, Audit] | None = None,
    until: Until | None = "decided",
) -> list[GateResult]:
    """The gate `head >= base` of a race in which head does `ratio` as much as base, and needs
    `cost` as much CPU time per request and `kernel` as much of the kernel's.

    The noise of costs is their own: of both figures, one may err alone.
    """
    blocks, both = draws * BLOCKS, {"base": 1.0, "head": ratio}
    race = Race(both, boots=1, blocks=blocks, noise=noise, seed=seed, audits=audits or {})
    rng = np.random.default_rng(seed)

    def priced(block: Block, slice_: Slice) -> Slice:
        head = slice_.entry == "head"
        own = np.exp(noise / 2 * rng.standard_t(4))
        total_ns = round(1.7e4 * slice_.event.requests_all * own * (cost if head else 1.0))
        share = 0.5 * (kernel / cost if head else 1.0)
        ticks = rng.binomial(round(total_ns / TICK_NS), share)
        system_ns = round(ticks * TICK_NS)
        cpu = CpuTime(total_ns=total_ns, user_ns=max(0, total_ns - system_ns), system_ns=system_ns)
        return slice_.model_copy(update={"server_cpu": cpu})

    records = list(in_draws(altered(race.records(), priced)))
    plan = race.plan().model_copy(
        update={
            "gates": (race_gate("head >= base", ("base", "head")),),
            "cpu_gates": True,
            "until": until,
        }
    )
    return list(judge(plan, {}, records, MACHINE, True).gates)


def in_draws(records: list[Record]) -> Iterator[Record]:
    """The records with a new draw, of new processes, every so many blocks."""
    for record in records:
        if not isinstance(record, Block):
            yield record
            continue
        draw = record.block // BLOCKS
        if record.block % BLOCKS == 0:
            both = {"base": draw, "head": draw}
            yield Draw(boot=0, draw=draw, processes=both, connections_open=both)
        yield record.model_copy(update={"draw": draw})


def test_a_gate_has_a_result_by_each_of_the_two() -> None:
    first, second = builds(ratio=1.2, cost=1 / 1.2)
    assert (first.by, second.by) == (None, "requests_per_cpu_s")
    assert (first.outcome, second.outcome) == ("holds", "holds")
    assert known(first.ratio).ratio == pytest.approx(1.2, rel=0.03)
    assert known(second.ratio).ratio == pytest.approx(1.2, rel=0.03)


def test_their_intervals_hold_whenever_the_race_ends() -> None:
    for at_any_time, planned in zip(builds(), builds(until=None), strict=True):
        assert known(known(at_any_time.ratio).low) < known(known(planned.ratio).low)


def test_what_costs_more_fails_where_throughput_shows_nothing() -> None:
    first, second = builds(cost=1.1)
    assert (first.outcome, second.outcome) == ("can't tell", "fails")
    assert (first.passes, second.passes) == (True, False)


def test_their_intervals_are_those_of_two_that_hold_at_once() -> None:
    """Each errs on its side with half of 2.5 %, so that the two together err as one did."""
    race = Race({"base": 1.0, "head": 1.0}, boots=1, blocks=64)
    gates = (race_gate("head >= base", ("base", "head")),)
    plan = race.plan().model_copy(update={"gates": gates})
    records = list(in_draws(race.records()))
    (one,) = judge(plan, {}, records, MACHINE, True).gates
    co_primary = plan.model_copy(update={"cpu_gates": True})
    two, _ = judge(co_primary, {}, records, MACHINE, True).gates
    alone, shared = known(one.ratio), known(two.ratio)
    wider = np.log(shared.ends[1] / shared.ratio) / np.log(alone.ends[1] / alone.ratio)
    # scipy: t.ppf((1 + .95**.5) / 2, 7) / t.ppf(.975, 7); 1.14 of many draws
    assert wider == pytest.approx(1.189, abs=0.02)


def test_equals_break_a_gate_no_more_often_than_by_one_figure() -> None:
    """One side of 95 %: in 2.5 % of races, of which the two figures have half each."""
    races = 300
    alarms = unlike = 0
    for seed in range(races):
        results = builds(seed)
        alarms += any(each.outcome == "fails" for each in results)
        unlike += results[1].outcome == "doesn't decide"
    assert alarms <= binom.ppf(0.999, races, 0.025)
    assert unlike <= binom.ppf(0.999, races, 0.05), "equals make the same calls"


@pytest.mark.parametrize("kernel", [0.7, 1.4])
def test_where_the_kernel_needs_another_time_for_a_request_the_cost_does_not_decide(
    kernel: float,
) -> None:
    _, by_cpu = builds(cost=1 + (kernel - 1) / 2, kernel=kernel)
    assert (by_cpu.outcome, by_cpu.passes) == ("doesn't decide", True)
    assert known(by_cpu.ratio).ratio == pytest.approx(1 / (1 + (kernel - 1) / 2), rel=0.05)
    (why,) = by_cpu.reasons
    assert (why.code, why.values["name"], why.values["other"]) == ("calls_differ", "head", "base")
    assert why.values["ratio"] == pytest.approx(kernel, rel=0.2)


def test_more_work_outside_of_the_kernel_leaves_the_calls_as_they_are() -> None:
    _, by_cpu = builds(cost=1.3)
    assert (by_cpu.outcome, by_cpu.reasons) == ("fails", ())


def test_nor_does_it_decide_where_answers_come_in_other_numbers_of_writes() -> None:
    two = SOUND_AUDIT.model_copy(update={"segments": 2})
    _, by_cpu = builds(audits={"base": SOUND_AUDIT, "head": two})
    assert (by_cpu.outcome, codes(by_cpu.reasons)) == ("doesn't decide", ["segments_differ"])


def test_a_few_draws_do_not_say_what_calls_there_are() -> None:
    assert builds(draws=DRAWS_MIN)[1].reasons == ()
    (why,) = builds(draws=DRAWS_MIN - 1, until=None)[1].reasons
    assert (why.code, why.values) == ("calls_unknown", {"n": 4, "least": 5})


def test_without_cpu_times_throughput_decides_alone() -> None:
    race = Race({"base": 1.0, "head": 0.5}, cpu_seen=False)
    gates = (race_gate("head >= base", ("base", "head")),)
    plan = race.plan().model_copy(update={"gates": gates, "cpu_gates": True})
    (alone,) = judge(plan, {}, race.records(), MACHINE, True).gates
    assert (alone.by, alone.outcome) == (None, "fails")
