"""What a comparison measured: ratios with intervals in any metric, or why there are none."""

from typing import Any

import pytest

from bakeoff.judge import RaceEvidence, ToolEvidence, agreement, judge
from bakeoff.model.article import Metric
from bakeoff.model.replay import ToolRun
from bakeoff.model.samples import BootEnd, Memory, Record
from bakeoff.model.verdict import Interval, Latency
from tests.judge.races import MACHINE, Race, encoded, throughput_event
from tests.race.world import tool_result

LATENCIES = {
    "quick": {"latency": encoded(((1_000_000, 990), (2_000_000, 10)))},
    "slow": {"latency": encoded(((2_000_000, 980), (8_000_000, 20)))},
}


def evidence(race: Race, records: list[Record] | None = None) -> RaceEvidence:
    plan, kept = race.plan(), race.records() if records is None else records
    return RaceEvidence(plan, judge(plan, race.receipts(), kept, MACHINE, True), kept)


def interval(found: Interval | str) -> Interval:
    assert isinstance(found, Interval), found
    return found


def holding(mib: dict[str, float], records: list[Record]) -> list[Record]:
    """The same records with other memory at the end of each boot, a little more in each."""
    return [
        record.model_copy(
            update={
                "loaded": {
                    name: Memory(pss_mib=used * (1 + record.boot / 1000), processes=1)
                    for name, used in mib.items()
                }
            }
        )
        if isinstance(record, BootEnd)
        else record
        for record in records
    ]


def test_throughput_has_the_races_own_interval() -> None:
    found = evidence(Race({"quick": 2.0, "slow": 1.0}))
    ratio = interval(found.interval("requests_per_s", "quick", "slow"))
    assert ratio.low < 2 < ratio.high
    turned = interval(found.interval("requests_per_s", "slow", "quick"))
    assert (turned.low, turned.high) == pytest.approx((1 / ratio.high, 1 / ratio.low))


def test_bytes_are_answers_times_their_size() -> None:
    verified: dict[str, dict[str, object]] = {
        "quick": {"head_bytes": 87},
        "slow": {"head_bytes": 187},
    }
    found = evidence(Race({"quick": 2.0, "slow": 1.0}, verified=verified))
    answers = interval(found.interval("requests_per_s", "quick", "slow"))
    octets = interval(found.interval("bytes_per_s", "quick", "slow"))
    assert octets.ratio == pytest.approx(answers.ratio * 100 / 200)
    assert octets.high == pytest.approx(answers.high * 100 / 200)


@pytest.mark.parametrize(
    ("metric", "ratio"),
    [
        ("latency_p50", 1 / 2),
        ("latency_p99", 1 / 8),
        ("latency_stdev", 0.0995 / 0.84),
        ("latency_p99_over_p50", 1 / 4),
    ],
)
def test_latencies_are_compared_in_long_slices(metric: Metric, ratio: float) -> None:
    mean_us = {"quick": 1010.0, "slow": 2120.0}
    events: dict[str, dict[str, object]] = {
        name: {**own, "latency_mean_us": mean_us[name]} for name, own in LATENCIES.items()
    }
    race = Race({"quick": 1.0, "slow": 1.0}, long_blocks=3, events=events)
    found = interval(evidence(race).interval(metric, "quick", "slow"))
    assert found.ratio == pytest.approx(ratio, rel=0.01)
    assert found.n == 9, "three long blocks in each of three boots"


def test_too_few_long_slices_say_so() -> None:
    race = Race({"quick": 1.0, "slow": 1.0}, long_blocks=1)
    assert "3 blocks of long slices" in str(evidence(race).interval("latency_p99", "quick", "slow"))


def test_a_short_slice_that_lasts_is_a_long_one() -> None:
    lasting = throughput_event(20_000, 300).model_dump()
    race = Race({"quick": 1.0, "slow": 1.0}, events={"quick": lasting, "slow": lasting})
    found = evidence(race).interval("latency_p50", "quick", "slow")
    assert interval(found).n == 60


def test_memory_is_compared_boot_by_boot() -> None:
    race = Race({"quick": 1.0, "slow": 1.0})
    records = holding({"quick": 10.0, "slow": 500.0}, race.records())
    found = interval(evidence(race, records).interval("memory", "slow", "quick"))
    assert found.ratio == pytest.approx(50) and found.n == 3
    assert 40 < found.low < 50 < found.high < 60


def test_memory_of_one_boot_is_no_evidence() -> None:
    found = evidence(Race({"quick": 1.0, "slow": 1.0}, boots=1))
    assert "1 boots have both, and 2 are the least" in str(
        found.interval("memory", "slow", "quick")
    )


def test_who_did_not_take_part_is_named_with_the_reason() -> None:
    race = Race(
        {"quick": 1.0, "slow": 1.0}, out={n: {"slow": "its port was taken"} for n in (0, 1, 2)}
    )
    assert "its port was taken" in str(evidence(race).interval("memory", "quick", "slow"))
    assert "brick did not take part" in str(evidence(race).interval("memory", "quick", "brick"))


def test_figures_that_cannot_stand_decide_nothing() -> None:
    race = Race({"quick": 1.0, "slow": 1.0}, died={"slow": "signal 11"})
    found = evidence(race).interval("requests_per_s", "quick", "slow")
    assert "the figures of slow can't stand" in str(found) and "signal 11" in str(found)


def test_cpu_use_of_a_whole_machine_is_not_ours_to_compare() -> None:
    found = evidence(Race({"quick": 1.0, "slow": 1.0}))
    assert "generator is part of it" in str(found.interval("cpu", "quick", "slow"))


def tool_run(row: str, number: int, rate: float, **changed: Any) -> ToolRun:
    latency = Latency(mean=1, p50=1e6 / rate, p75=1, p90=1, p99=4e6 / rate, p99_9=1, max=1)
    result = tool_result(rate).model_copy(update={"latency_us": latency})
    given = {"row": row, "round": number, "kind": "round", "loader": "wrk", "command": ("wrk",)}
    return ToolRun.model_validate({**given, "output": "", "result": result, **changed})


def toured(**rates: float) -> list[ToolRun]:
    """Ten rounds in which the machine grows slower, the same for all."""
    return [
        tool_run(row, number, rate * (1 - number / 50) * (1.01 if number % 2 else 1))
        for number in range(10)
        for row, rate in rates.items()
    ]


@pytest.mark.parametrize(
    ("metric", "ratio"), [("requests_per_s", 2), ("bytes_per_s", 2), ("latency_p50", 0.5)]
)
def test_runs_of_a_tool_are_paired_by_round(metric: Metric, ratio: float) -> None:
    found = ToolEvidence(toured(quick=2000, slow=1000), seed=1).interval(metric, "quick", "slow")
    assert interval(found).ratio == pytest.approx(ratio, rel=1e-6)
    assert interval(found).n == 10


def test_a_tool_that_failed_says_why() -> None:
    runs = [*toured(quick=2000), tool_run("slow", 0, 1, result=None, failure="ab died")]
    assert "ab died" in str(ToolEvidence(runs, seed=1).interval("requests_per_s", "quick", "slow"))


def test_what_a_tool_does_not_say_is_no_evidence() -> None:
    found = ToolEvidence(toured(quick=2000, slow=1000), seed=1)
    assert "0 rounds with that figure" in str(found.interval("latency_stdev", "quick", "slow"))
    assert "memory is not read" in str(found.interval("memory", "quick", "slow"))


def test_engine_and_tool_are_compared_in_the_same_rounds() -> None:
    runs = toured(quick=2000) + [
        tool_run("quick", number, 2400 * (1 - number / 50), loader="engine") for number in range(10)
    ]
    found = interval(agreement(runs, "quick", seed=1))
    assert found.low < 1.2 < found.high and found.n == 10
    assert "0 rounds have both" in str(agreement(runs, "slow", seed=1))


def test_why_there_is_no_evidence_is_a_whole_sentence() -> None:
    race = Race({"quick": 1.0, "slow": 1.0}, died={"slow": "signal 11"})
    race.events["slow"] = {"errors": {"mismatch_body": 1}}
    reasons = next(each.reasons for each in evidence(race).verdict.entries if each.name == "slow")
    assert len(reasons) == 2
    for metric in ("cpu", "requests_per_s"):
        assert evidence(race).interval(metric, "slow", "quick") == (
            f"the figures of slow can't stand: {reasons[0]}; {reasons[1]}"
        )
    sound = evidence(Race({"quick": 1.0, "slow": 1.0}))
    assert sound.interval("cpu", "quick", "slow") == (
        "what the whole machine used is not compared: the generator is part of it"
    )
    assert sound.interval("memory", "brick", "slow") == (
        "brick did not take part: it was not measured"
    )
    few = evidence(Race({"quick": 1.0, "slow": 1.0}, boots=1, blocks=9))
    assert few.interval("requests_per_s", "quick", "slow") == (
        "too few blocks were measured side by side; a larger --scale measures more"
    )


def test_throughput_says_how_many_boots_there_were() -> None:
    found = evidence(Race({"quick": 2.0, "slow": 1.0}, boots=1))
    assert interval(found.interval("requests_per_s", "quick", "slow")).boots == 1


def test_latency_has_boots_as_a_level_of_their_own_and_memory_as_its_draws() -> None:
    """Without any noise: two boots of one program may still differ, so that latency's interval
    stays open; memory has one figure a boot, and what these differ by is all there is."""
    race = Race(
        {"quick": 1.0, "slow": 1.0},
        long_blocks=3,
        events={name: dict(own) for name, own in LATENCIES.items()},
    )
    late = interval(evidence(race).interval("latency_p50", "slow", "quick"))
    assert late.low < (1 - 1e-5) * late.ratio
    same = holding({"quick": 10.0, "slow": 500.0}, race.records())
    held = interval(evidence(race, same).interval("memory", "slow", "quick"))
    assert held.low == pytest.approx(held.ratio, rel=1e-8)


def test_the_same_evidence_has_the_same_interval_twice() -> None:
    race = Race({"quick": 1.0, "slow": 1.0})
    records = [
        record.model_copy(
            update={
                "loaded": {
                    "quick": Memory(pss_mib=10 + record.boot, processes=1),
                    "slow": Memory(pss_mib=20 - record.boot**2, processes=1),
                }
            }
        )
        if isinstance(record, BootEnd)
        else record
        for record in race.records()
    ]
    both = [evidence(race, records).interval("memory", "slow", "quick") for _ in range(2)]
    assert both[0] == both[1]
    runs = [
        run.model_copy(update={"row": row, "loader": loader})
        for run, row, loader in zip(
            toured(quick=2000, slow=1000),
            ["quick", "slow"] * 10,
            ["engine", "engine", "wrk", "wrk"] * 5,
            strict=True,
        )
    ]
    rounds = [ToolEvidence(runs, 1).interval("requests_per_s", "quick", "slow") for _ in range(2)]
    assert rounds[0] == rounds[1]
    engine = [
        run.model_copy(update={"loader": "engine", "row": "quick"})
        for run in toured(slow=1000)
        if run.round != 3
    ]
    met = [agreement([*toured(quick=1100), *engine], "quick", seed=1) for _ in range(2)]
    assert met[0] == met[1] and interval(met[0]).n == 9


def test_a_tools_bytes_are_not_its_requests() -> None:
    runs = [
        run.model_copy(update={"result": run.result.model_copy(update={"bytes_per_s": 7.0 * size})})
        for run in toured(quick=2000, slow=1000)
        if run.result is not None
        for size in [10 if run.row == "quick" else 40]
    ]
    found = ToolEvidence(runs, seed=1)
    assert interval(found.interval("bytes_per_s", "quick", "slow")).ratio == pytest.approx(0.25)
    assert interval(found.interval("requests_per_s", "quick", "slow")).ratio == pytest.approx(2)


def test_engine_over_tool_is_of_requests_not_of_bytes() -> None:
    runs = toured(quick=1000) + [
        tool_run(
            "quick",
            number,
            1,
            loader="engine",
            result=tool_result(2000 * (1 - number / 50)).model_copy(update={"bytes_per_s": 9.0}),
        )
        for number in range(10)
    ]
    assert interval(agreement(runs, "quick", seed=1)).ratio == pytest.approx(2, rel=0.02)


def test_five_rounds_are_enough_and_a_tool_without_latencies_has_none() -> None:
    runs = [run for run in toured(quick=2000, slow=1000) if run.round < 5]
    assert interval(ToolEvidence(runs, 1).interval("requests_per_s", "quick", "slow")).n == 5
    assert ToolEvidence(runs[:-1], 1).interval("requests_per_s", "quick", "slow") == (
        "4 rounds with that figure have both, and 5 are the least; a larger --scale helps"
    )
    mute = [run.model_copy(update={"result": tool_result(1.0)}) for run in runs]
    assert "0 rounds" in str(ToolEvidence(mute, 1).interval("latency_p50", "quick", "slow"))
    assert ToolEvidence(runs, 1).interval("cpu", "quick", "slow") == (
        "cpu is not read while a tool makes the load"
    )


def test_what_did_not_answer_in_a_long_slice_leaves_that_slice_out() -> None:
    race = Race(
        {"quick": 1.0, "slow": 1.0},
        long_blocks=6,
        events={name: dict(own) for name, own in LATENCIES.items()},
    )
    records = [
        record.model_copy(
            update={
                "slices": tuple(
                    piece.model_copy(
                        update={"event": piece.event.model_copy(update={"latency": ""})}
                    )
                    for piece in record.slices
                )
            }
        )
        if record.type == "block" and record.kind == "long" and record.block == 21
        else record
        for record in race.records()
    ]
    assert interval(evidence(race, records).interval("latency_p50", "quick", "slow")).n == 15


def test_a_slice_lasts_from_a_quarter_of_a_second_on() -> None:
    at_border = throughput_event(20_000, 250).model_dump()
    race = Race({"quick": 1.0, "slow": 1.0}, events={"quick": at_border, "slow": at_border})
    assert interval(evidence(race).interval("latency_p50", "quick", "slow")).n == 60
