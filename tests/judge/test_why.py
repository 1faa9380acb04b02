"""Where a difference comes from: stacks to lines, and lines that add up, from planted records."""

from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bakeoff.judge import flames, judge_why
from bakeoff.model.errors import NoVerdict
from bakeoff.model.finding import Finding
from bakeoff.model.readings import CpuTime, Usage
from bakeoff.model.samples import Record, Slice, WhyBlock, WhyCounts, WhyEnd, WhyStacks
from bakeoff.model.websocket import WebSocketSection
from bakeoff.model.why import COUNTERS, Layer, Wait, Why, WhyPair, WhyPlan
from tests.judge.facts import MACHINE
from tests.judge.races import Race, event

REQUESTS = 1000
WAIT = "main;wait;do_syscall_64_[k];__x64_sys_epoll_wait_[k];do_epoll_wait_[k];schedule_[k]"
SEND = "main;send;do_syscall_64_[k];__sys_sendto_[k];tcp_sendmsg_[k]"
PLAN = WhyPlan(run="why", race=Race({"a": 1.0, "b": 1.0}).plan())

Costs = Mapping[str, float]
"""Stack → what it costs a request, µs."""


def records(
    costs: Mapping[str, Costs],
    *,
    blocks: int = 16,
    profiling: Mapping[str, float] | None = None,
    noise: float = 0.01,
    calls: Mapping[str, Mapping[str, int]] | None = None,
    counters: Mapping[str, Mapping[str, int]] | None = None,
    waits: Mapping[str, dict[Wait, int]] | None = None,
    missing: dict[Layer, Finding] | None = None,
    given_up: str = "",
    rate: float | None = 10_000.0,
    per_s: Mapping[str, float] | None = None,
) -> list[Record]:
    """Both contenders, plainly and sampled: a sample for each 10 ns of a request."""
    chance = np.random.default_rng(5)
    found: list[Record] = []

    def slice_of(name: str, factor: float) -> Slice:
        total_ns = round(sum(costs[name].values()) * 1000 * REQUESTS * factor)
        total_ns = round(total_ns * chance.normal(1, noise))
        cpu = CpuTime(total_ns=total_ns, user_ns=total_ns // 4, system_ns=total_ns * 3 // 4)
        counted = event(requests_all=REQUESTS, requests=REQUESTS, bytes=150 * REQUESTS)
        if per_s:
            answered = per_s[name] * chance.normal(1, noise) * counted.window_ns / 1e9
            counted = counted.model_copy(update={"requests_by_share": answered})
        return Slice(
            entry=name,
            event=counted,
            server_cpu=cpu,
            leak_ns=0,
            leak_wall_ns=0,
            rate=rate,
        )

    met = {"voluntary_switches": 2, "segments": 3, "data_segments": 2}
    usage = Usage(**{key: met.get(key, 0) * REQUESTS for key in Usage.model_fields})
    numbers = range(blocks) if rate else range(100, 100 + blocks)
    for block in numbers:
        plain = tuple(slice_of(name, 1.0) for name in costs)
        sampled = tuple(slice_of(name, (profiling or {}).get(name, 1.1)) for name in costs)
        usages = dict.fromkeys(costs, usage)
        found.append(WhyBlock(kind="plain", block=block, slices=plain, usages=usages))
        found.append(WhyBlock(kind="sampled", block=block, slices=sampled, waits=dict(waits or {})))
    for name, own in costs.items() if "stacks" not in (missing or {}) else ():
        stacks = {
            stack: tuple(max(0, round(100 * us * chance.normal(1, noise))) for _ in range(blocks))
            for stack, us in own.items()
        }
        found.append(WhyStacks(entry=name, blocks=tuple(numbers), at_peak=not rate, stacks=stacks))
    for name, called in (calls or {}).items():
        found.append(WhyCounts(layer="calls", entry=name, requests=REQUESTS, counts=dict(called)))
    for name, own in (counters or {}).items():
        found.append(WhyCounts(layer="counters", entry=name, requests=REQUESTS, counts=dict(own)))
    return [*found, WhyEnd(lasted_s=9, missing=missing or {}, given_up=given_up)]


def judged(log: Sequence[Record]) -> Why:
    return judge_why(PLAN, log, MACHINE, complete=True)


def pair_of(log: Sequence[Record]) -> WhyPair:
    (pair,) = judged(log).pairs
    return pair


def more_us(pair: WhyPair) -> dict[str, float]:
    """What the lines that add up have more."""
    return {
        line.name or line.part: line.difference.more
        for line in pair.lines
        if line.part not in ("user", "kernel")
    }


def test_small_functions_are_added_up_by_package_and_the_least_of_them_as_others() -> None:
    small = {f"main;net/http.f{n}": 0.08 for n in range(10)}
    least = {"main;bufio.f": 0.08, "main;memmove": 0.08}
    base = {"main;handle": 10.0, **small, **least}
    more = {f"main;runtime.f{n}": 0.08 for n in range(20)}
    pair = pair_of(records({"a": base, "b": {**base, **more}}))
    lines = {(line.part, line.name): line for line in pair.lines}
    assert [key for key in lines if key[0] in ("function", "package")] == [
        ("function", "handle"),
        ("package", "runtime"),
        ("package", "net/http"),
        ("function", "others"),
    ]
    assert lines["package", "runtime"].difference.more == pytest.approx(1.6, abs=0.1)
    assert lines["package", "net/http"].its_us == pytest.approx(0.8, abs=0.1)
    assert lines["function", "others"].its_us == pytest.approx(0.16, abs=0.05)
    (cause,) = pair.finding.because
    assert (cause.code, cause.values["package"]) == ("in_package", "runtime")


def test_functions_without_a_name_and_without_a_caller_are_told() -> None:
    costs = {
        "a": {"main;handle": 7.0, "main;[libssl.so.3]": 3.0, "main;[app]": 1.0},
        "b": {"main;handle": 6.0, "copy": 2.0, "parse": 3.0, SEND: 9.0},
    }
    told = judged(records(costs)).unseen
    values = {(found.code, str(found.values["name"])): found.values for found in told}
    assert values.keys() == {("functions_unnamed", "a"), ("callers_unknown", "b")}
    unnamed = values["functions_unnamed", "a"]
    assert unnamed["share"] == pytest.approx(4 / 11, abs=0.02) and unnamed["file"] == "libssl.so.3"
    assert values["callers_unknown", "b"]["share"] == pytest.approx(5 / 11, abs=0.02)
    few = records(
        {name: {stack: us / 500 for stack, us in of.items()} for name, of in costs.items()}
    )
    assert not judged(few).unseen


def test_code_that_is_compiled_at_run_time_has_advice_of_its_own() -> None:
    costs = {
        "a": {"main;[compiled at run time]": 5.0, "main;handle": 5.0},
        "b": {"main;handle": 9.0},
    }
    assert [found.code for found in judged(records(costs)).unseen] == ["compiled_unnamed"]


def test_what_was_planted_is_named_and_sized_the_largest_first() -> None:
    base = {"main;handle": 5.0, SEND: 8.0, WAIT: 2.0}
    costs = {"a": base, "b": {**base, "main;handle;parse": 3.0, SEND: 10.0}}
    pair = pair_of(records(costs, calls={"a": {"sendto": 1000}, "b": {"sendto": 2000}}))
    assert (pair.name, pair.other) == ("b", "a")
    assert pair.cpu.low < 5 < pair.cpu.high and pair.finding.code == "costs_differ"
    assert [cause.code for cause in pair.finding.because] == ["in_function", "in_call"]
    assert pair.finding.because[0].values["function"] == "parse"
    assert pair.finding.because[1].values["calls_more"] == 1
    planted = {"parse": 3.0, "sendto": 2.0, "handle": 0.0, "scheduling": 0.0}
    for line in pair.lines:
        if line.name in planted:
            assert line.difference.low < planted[line.name] < line.difference.high, line.name
            assert line.difference.is_told == (planted[line.name] > 0), line.name


def test_equals_have_no_causes() -> None:
    base = {"main;handle": 5.0, SEND: 8.0, WAIT: 2.0}
    pair = pair_of(records({"a": base, "b": base}))
    assert pair.finding.code == "costs_alike" and not pair.finding.because


def test_what_one_saves_in_one_place_and_spends_in_another_is_told_of_equals() -> None:
    costs = {"a": {SEND: 8.0, "main;copy": 2.0}, "b": {SEND: 10.0}}
    pair = pair_of(records(costs))
    assert pair.finding.code == "costs_alike"
    more = {cause.code: cause.values["us_more"] for cause in pair.finding.because}
    assert more == {"in_call": pytest.approx(2, abs=0.3), "in_function": pytest.approx(-2, abs=0.3)}


@settings(max_examples=20, deadline=None)
@given(
    st.dictionaries(
        st.sampled_from([f"main;f{n}" for n in range(40)] + [SEND, WAIT, "do_fork_[k]"]),
        st.tuples(st.floats(0.01, 20), st.floats(0.01, 20)),
        min_size=1,
    )
)
def test_lines_add_up_to_the_difference_whatever_there_is(
    costs: dict[str, tuple[float, float]],
) -> None:
    whole = {"main;all": (5.0, 5.0), **costs}
    each = {name: {stack: of[at] for stack, of in whole.items()} for at, name in enumerate("ab")}
    pair = pair_of(records(each, blocks=3))
    leaves = [line for line in pair.lines if line.part not in ("user", "kernel")]
    more = sum(line.difference.more for line in leaves)
    assert more == pytest.approx(pair.cpu.more, abs=1e-6)
    for total, parts in (("user", ("function",)), ("kernel", ("call", "work"))):
        own = [line for line in pair.lines if line.part in parts]
        summed = [line for line in pair.lines if line.part == total]
        assert sum(line.its_us for line in own) == pytest.approx(sum(e.its_us for e in summed))
    assert len(pair.lines) <= 2 * 16 + 3


@pytest.mark.parametrize("profiling", [{"a": 1.3, "b": 1.3}, {"a": 1.0, "b": 1.3}])
def test_what_profiling_costs_is_on_no_line(profiling: dict[str, float]) -> None:
    """Whether it costs both alike or not, and whether samples have it or not."""
    own = {"main;do_syscall_64_[k];schedule_[k];__perf_event_task_sched_out_[k]": 3.0}
    costs = {"a": {"main;handle": 10.0}, "b": {"main;handle": 12.0}}
    log = records(costs, profiling=profiling)
    assert judged(log).profiling == {
        name: pytest.approx(of, rel=0.02) for name, of in profiling.items()
    }
    sampled = records({"a": costs["a"], "b": {**costs["b"], **own}}, profiling=profiling)
    stacks = [each for each in sampled if isinstance(each, WhyStacks)]
    others = [each for each in log if not isinstance(each, WhyStacks)]
    for more in (more_us(pair_of(log)), more_us(pair_of([*stacks, *others]))):
        assert more["handle"] == pytest.approx(2, abs=0.3)
        assert more["unexplained"] == pytest.approx(0, abs=0.2)


def test_calls_are_named_though_their_time_is_not_seen_but_not_how_often_it_waits() -> None:
    base = {"main;handle": 5.0}
    calls = {"a": {"epoll_wait": 900}, "b": {"epoll_wait": 520, "getppid": 1000}}
    pair = pair_of(records({"a": base, "b": base}, calls=calls))
    assert pair.finding.because == (Finding.of("calls_more", call="getppid", calls_more=1.0),)


def test_without_stacks_there_are_the_kernels_own_counts() -> None:
    missing: dict[Layer, Finding] = dict.fromkeys(("stacks", "kernel"), Finding.of("no_perf"))
    costs = {"a": {"main;handle": 8.0}, "b": {"main;handle": 12.0}}
    pair = pair_of(records(costs, missing=missing))
    assert {line.part: round(line.difference.more, 1) for line in pair.lines}["kernel"] == 3.0
    assert [cause.code for cause in pair.finding.because] == ["in_mode", "in_mode"]


def test_without_the_kernels_stacks_functions_share_user_time() -> None:
    missing: dict[Layer, Finding] = {"kernel": Finding.of("kernel_refused", paranoid=2)}
    costs = {"a": {"main;handle": 8.0}, "b": {"main;handle": 8.0, "main;parse": 4.0}}
    pair = pair_of(records(costs, missing=missing))
    more = more_us(pair)
    assert more["parse"] == pytest.approx(12 / 4 / 3, abs=0.2)
    assert [line.part for line in pair.lines].count("kernel") == 1


def test_what_cores_count_is_per_request_and_null_where_they_count_nothing() -> None:
    costs = {"a": {"main;f": 5.0}, "b": {"main;f": 5.0}}
    two = {"instructions": 4000, "cycles": 2000}
    pair = pair_of(records(costs, counters={"a": two, "b": {**two, "instructions": 5000}}))
    found = {count.what: (count.its, count.other) for count in pair.counts}
    assert found["counter:instructions"] == (5, 4)
    assert found["counter:instructions_per_cycle"] == (2.5, 2)
    assert "counter:branch-misses" not in found
    nothing = pair_of(records(costs, missing={"counters": Finding.of("no_counters")}))
    found = {count.what: (count.its, count.other) for count in nothing.counts}
    assert all(found[f"counter:{name}"] == (None, None) for name in COUNTERS)


def test_segments_without_data_are_acknowledgements() -> None:
    costs = {"a": {"main;f": 5.0}, "b": {"main;f": 5.0}}
    found = {count.what: count.its for count in pair_of(records(costs)).counts}
    assert (found["segments"], found["data_segments"], found["acknowledgements"]) == (3, 2, 1)


def test_what_threads_do_is_a_share_of_their_time_beside_the_sum() -> None:
    costs = {"a": {"main;f": 5.0}, "b": {"main;f": 5.0}}
    waits: dict[str, dict[Wait, int]] = {
        "a": {"running": 10, "requests": 90},
        "b": {"running": 10, "thread": 60, "requests": 30},
    }
    pair = pair_of(records(costs, waits=waits))
    assert {each.wait: (each.its, each.other) for each in pair.waits} == {
        "running": (0.1, 0.1),
        "requests": (0.3, 0.9),
        "thread": (0.6, 0.0),
    }
    assert [each.difference.is_told for each in pair.waits] == [False, True, True]
    assert not pair_of(records(costs)).waits


def test_at_their_own_peaks_there_is_a_table_of_its_own() -> None:
    base = {"main;handle": 5.0, SEND: 8.0, WAIT: 2.0}
    equal = records({"a": base, "b": {**base, "main;parse": 3.0}})
    busy = {**base, WAIT: 0.5}
    peak = records({"a": busy, "b": {**busy, "main;parse": 3.0}}, rate=None)
    result = judged([*peak[:-1], *equal])
    (pair,), (at_peak,) = result.pairs, result.at_peak
    assert pair == pair_of(equal) and result.rate_per_s == 10_000 and result.blocks == 16
    assert at_peak.cpu.low < 3 < at_peak.cpu.high
    scheduling = {line.name: line.its_us for line in at_peak.lines}["scheduling"]
    assert scheduling == pytest.approx(0.5, abs=0.1) and result.peaks_per_s.keys() == {"a", "b"}


@pytest.mark.parametrize(
    ("per_s", "costs_us", "held"),
    [
        ({"a": 200_000, "b": 100_000}, {"a": 5.0, "b": 5.0}, "b"),
        ({"a": 100_000, "b": 200_000}, {"a": 5.0, "b": 5.0}, "a"),
        # As many cores: CPU time is the limit.
        ({"a": 200_000, "b": 100_000}, {"a": 5.0, "b": 10.0}, None),
        # On fewer cores, but not slower; and on a few fewer.
        ({"a": 200_000, "b": 200_000}, {"a": 5.0, "b": 3.0}, None),
        ({"a": 200_000, "b": 190_000}, {"a": 5.0, "b": 5.0}, None),
    ],
)
def test_one_that_serves_less_on_fewer_cores_is_held_up(
    per_s: dict[str, float], costs_us: dict[str, float], held: str | None
) -> None:
    equal = records({"a": {"main;f": 5.0}, "b": {"main;f": 5.0}})
    costs = {name: {"main;f": us} for name, us in costs_us.items()}
    waits: dict[str, dict[Wait, int]] = {name: {"running": 95, "requests": 5} for name in per_s}
    waits[held or "a"] = {"running": 50, "thread": 45, "timer": 5}
    peak = records(costs, rate=None, per_s=per_s, waits=waits)
    (pair,) = judged([*peak[:-1], *equal]).pairs
    if not held:
        assert pair.held_up is None
        return
    assert pair.held_up
    values, (wait,) = pair.held_up.values, pair.held_up.because
    assert values["name"] == held
    assert values["cores_used"] == pytest.approx(0.5, rel=0.03)
    assert values["other_peak_per_s"] == pytest.approx(200_000, rel=0.03)
    assert wait.values == {"wait": "thread", "share": 0.45, "other_share": 0.0}


def test_over_websocket_messages_are_counted() -> None:
    websocket = WebSocketSection(message="hello")
    workload = PLAN.race.workload.model_copy(update={"websocket": websocket})
    plan = WhyPlan(run="why", race=PLAN.race.model_copy(update={"workload": workload}))
    log = records({"a": {"main;f": 5.0}, "b": {"main;f": 9.0}})
    result = judge_why(plan, log, MACHINE, complete=True)
    assert result.unit == result.pairs[0].finding.values["unit"] == "message"
    assert {tree.unit for tree in flames(log, result)} == {"message"}
    assert judged(log).unit == "request"


def test_one_that_was_given_up_says_why_and_nothing_else() -> None:
    log = records({"a": {"main;f": 1.0}, "b": {"main;f": 9.0}}, given_up="b was killed")
    assert judged(log).given_up == "b was killed" and not judged(log).pairs
    assert not judged([WhyEnd(lasted_s=1, given_up="b can't start")]).pairs
    with pytest.raises(NoVerdict):
        judge_why(PLAN, [], MACHINE, complete=False)
