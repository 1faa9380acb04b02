"""What a comparison measured: ratios with intervals in any metric, or why there are none."""

from typing import Any

import pytest

from bakeoff.judge import RaceEvidence, ToolEvidence, agreement, judge
from bakeoff.model.article import Metric
from bakeoff.model.finding import Finding
from bakeoff.model.load import Latency
from bakeoff.model.ratio import Interval, Ratio
from bakeoff.model.readings import Memory
from bakeoff.model.samples import BootEnd, Record, ToolRun
from tests.judge.facts import MACHINE
from tests.judge.races import Race, altered, encoded, throughput_event, with_event
from tests.runs.loads import tool_result

LATENCIES = {
    "quick": {"latency": encoded(((1_000_000, 990), (2_000_000, 10)))},
    "slow": {"latency": encoded(((2_000_000, 980), (8_000_000, 20)))},
}


def evidence(race: Race, records: list[Record] | None = None) -> RaceEvidence:
    plan, kept = race.plan(), race.records() if records is None else records
    return RaceEvidence(plan, judge(plan, race.receipts(), kept, MACHINE, True), kept)


def interval(measured: Ratio | Finding) -> Interval:
    """The ratio, which has both ends."""
    assert isinstance(measured, Ratio), measured
    return Interval(**measured.model_dump())


def few(measured: Ratio | Finding) -> tuple[object, ...]:
    assert isinstance(measured, Finding)
    return measured.code, measured.values["n"], measured.values["least"], measured.values["what"]


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
    measured = evidence(Race({"quick": 2.0, "slow": 1.0}))
    ratio = interval(measured.interval("requests_per_s", "quick", "slow"))
    assert ratio.low < 2 < ratio.high and ratio.boots == 3
    turned = interval(measured.interval("requests_per_s", "slow", "quick"))
    assert (turned.low, turned.high) == pytest.approx((1 / ratio.high, 1 / ratio.low))


def test_bytes_are_answers_times_their_size() -> None:
    verified: dict[str, dict[str, object]] = {
        "quick": {"head_bytes": 87},
        "slow": {"head_bytes": 187},
    }
    measured = evidence(Race({"quick": 2.0, "slow": 1.0}, verified=verified))
    answers = interval(measured.interval("requests_per_s", "quick", "slow"))
    octets = interval(measured.interval("bytes_per_s", "quick", "slow"))
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
    measured = interval(evidence(race).interval(metric, "quick", "slow"))
    assert measured.ratio == pytest.approx(ratio, rel=0.01)
    assert measured.n == 9, "three long blocks in each of three boots"


def test_too_few_long_slices_say_so() -> None:
    race = Race({"quick": 1.0, "slow": 1.0}, long_blocks=1)
    measured = evidence(race).interval("latency_p99", "quick", "slow")
    assert few(measured) == ("few_pairs", 3, 6, "long blocks")


def test_a_short_slice_of_a_quarter_of_a_second_is_a_long_one() -> None:
    lasting = throughput_event(20_000, 250).model_dump()
    race = Race({"quick": 1.0, "slow": 1.0}, events={"quick": lasting, "slow": lasting})
    assert interval(evidence(race).interval("latency_p50", "quick", "slow")).n == 60


def test_memory_is_compared_boot_by_boot() -> None:
    race = Race({"quick": 1.0, "slow": 1.0})
    records = holding({"quick": 10.0, "slow": 500.0}, race.records())
    measured = interval(evidence(race, records).interval("memory", "slow", "quick"))
    assert measured.ratio == pytest.approx(50) and measured.n == 3
    assert 40 < measured.low < 50 < measured.high < 60


def test_memory_of_one_boot_is_no_evidence() -> None:
    measured = evidence(Race({"quick": 1.0, "slow": 1.0}, boots=1))
    assert few(measured.interval("memory", "slow", "quick")) == ("few_pairs", 1, 2, "boots")


def test_who_did_not_take_part_is_named_with_the_reason() -> None:
    race = Race(
        {"quick": 1.0, "slow": 1.0}, out={n: {"slow": "its port was taken"} for n in (0, 1, 2)}
    )
    absent = Finding.of("absent", name="slow", reason="its port was taken")
    assert evidence(race).interval("memory", "quick", "slow") == absent
    unknown = Finding.of("absent", name="brick", reason="it was not measured")
    assert evidence(race).interval("memory", "quick", "brick") == unknown


@pytest.mark.parametrize(
    ("changed", "metric", "why"),
    [
        (
            {"died": {"slow": "signal 11"}},
            "requests_per_s",
            Finding.of("not_valid", Finding.of("died", how="signal 11"), name="slow"),
        ),
        ({"boots": 1, "blocks": 5}, "requests_per_s", Finding.of("few_blocks_side_by_side")),
        ({}, "cpu", Finding.of("cpu_not_compared")),
    ],
)
def test_without_figures_there_is_a_reason(
    changed: dict[str, Any], metric: Metric, why: Finding
) -> None:
    race = Race({"quick": 1.0, "slow": 1.0}, **changed)
    assert evidence(race).interval(metric, "quick", "slow") == why


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
    measured = ToolEvidence(toured(quick=2000, slow=1000)).interval(metric, "quick", "slow")
    assert interval(measured).ratio == pytest.approx(ratio, rel=1e-6)
    assert interval(measured).n == 10


def test_a_tool_that_failed_says_why() -> None:
    runs = [*toured(quick=2000), tool_run("slow", 0, 1, result=None, failure="ab died")]
    assert "ab died" in str(ToolEvidence(runs).interval("requests_per_s", "quick", "slow"))


def test_what_a_tool_does_not_say_is_no_evidence() -> None:
    measured = ToolEvidence(toured(quick=2000, slow=1000))
    none = few(measured.interval("latency_stdev", "quick", "slow"))
    assert none == ("few_pairs", 0, 5, "rounds with the figure")
    unread = Finding.of("not_read", metric="memory")
    assert measured.interval("memory", "quick", "slow") == unread


def test_engine_and_tool_are_compared_in_the_same_rounds() -> None:
    runs = toured(quick=2000) + [
        tool_run("quick", number, 2400 * (1 - number / 50), loader="engine") for number in range(10)
    ]
    measured = interval(agreement(runs, "quick"))
    assert measured.low < 1.2 / 1.005 < measured.high and measured.n == 10
    assert few(agreement(runs, "slow")) == ("few_pairs", 0, 5, "rounds")


def test_latency_and_memory_rest_on_the_boots() -> None:
    """Without any noise: what boots differ by is all there is."""
    race = Race(
        {"quick": 1.0, "slow": 1.0},
        long_blocks=3,
        events={name: dict(own) for name, own in LATENCIES.items()},
    )
    late = interval(evidence(race).interval("latency_p50", "slow", "quick"))
    assert (late.n, late.boots, late.draws) == (9, 3, 3)
    assert late.low == pytest.approx(late.ratio, rel=1e-6)
    same = holding({"quick": 10.0, "slow": 500.0}, race.records())
    held = interval(evidence(race, same).interval("memory", "slow", "quick"))
    assert held.low == pytest.approx(held.ratio, rel=1e-8)


def test_a_tools_bytes_are_not_its_requests() -> None:
    runs = [
        run.model_copy(update={"result": run.result.model_copy(update={"bytes_per_s": 7.0 * size})})
        for run in toured(quick=2000, slow=1000)
        if run.result is not None
        for size in [10 if run.row == "quick" else 40]
    ]
    measured = ToolEvidence(runs)
    assert interval(measured.interval("bytes_per_s", "quick", "slow")).ratio == pytest.approx(0.25)
    assert interval(measured.interval("requests_per_s", "quick", "slow")).ratio == pytest.approx(2)


def test_five_rounds_are_enough_and_a_tool_without_latencies_has_none() -> None:
    runs = [run for run in toured(quick=2000, slow=1000) if run.round < 5]
    five = interval(ToolEvidence(runs).interval("requests_per_s", "quick", "slow"))
    assert five.n == 5
    assert five.low == pytest.approx(five.ratio, rel=1e-8), "they all agree: a round is a draw"
    four = ToolEvidence(runs[:-1]).interval("requests_per_s", "quick", "slow")
    assert few(four)[1:3] == (4, 5)
    mute = [run.model_copy(update={"result": tool_result(1.0)}) for run in runs]
    assert few(ToolEvidence(mute).interval("latency_p50", "quick", "slow"))[1] == 0


def test_what_did_not_answer_in_a_long_slice_leaves_that_slice_out() -> None:
    race = Race(
        {"quick": 1.0, "slow": 1.0},
        long_blocks=6,
        events={name: dict(own) for name, own in LATENCIES.items()},
    )
    records = altered(
        race.records(),
        lambda block, slice_: with_event(slice_, latency="") if block.block == 21 else slice_,
    )
    assert interval(evidence(race, records).interval("latency_p50", "quick", "slow")).n == 15
