"""The second verdict, by server CPU per request: its letters, and why it is another one."""

from collections.abc import Callable

import numpy as np
import pytest

from bakeoff.judge import judge
from bakeoff.model.finding import Finding
from bakeoff.model.plan import Cores
from bakeoff.model.samples import Block, Record, Slice
from bakeoff.model.verdict import Verdict
from tests.judge.facts import MACHINE
from tests.judge.races import Race, altered, codes, judged, row

EQUAL = {"a": 1.0, "b": 1.0}


def found(verdict: Verdict) -> tuple[Finding, Finding]:
    """The only pair on which the two verdicts differ, and its cause."""
    (finding,) = verdict.by_cpu
    (cause,) = finding.because
    return finding, cause


def whose(cause: Finding) -> set[str]:
    names = cause.values["names"]
    assert isinstance(names, list)
    return set(map(str, names))


def spending(race: Race, spent_ns: Callable[[Slice], float]) -> list[Record]:
    """The race with other CPU times; the kernel has half of each."""

    def other(_: Block, slice_: Slice) -> Slice:
        assert slice_.server_cpu
        total_ns = round(spent_ns(slice_))
        cpu = {"total_ns": total_ns, "user_ns": total_ns // 2, "system_ns": total_ns // 2}
        return slice_.model_copy(update={"server_cpu": slice_.server_cpu.model_copy(update=cpu)})

    return altered(race.records(), other)


def test_where_both_say_the_same_there_is_nothing_to_say() -> None:
    verdict = judged(Race({"a": 1.0, "b": 0.8, "c": 0.8}))
    assert verdict.by_cpu == ()
    assert [(each.letters, each.cpu_letters) for each in verdict.entries] == [
        ("a", "a"),
        ("b", "b"),
        ("b", "b"),
    ]


def test_letters_begin_with_the_one_that_needs_least() -> None:
    verdict = judged(Race({"a": 1.0, "b": 0.8, "c": 0.8}, busy={"b": 0.45}))
    letters = {each.name: (each.letters, each.cpu_letters) for each in verdict.entries}
    assert letters == {"a": ("a", "b"), "b": ("b", "a"), "c": ("b", "c")}


def test_one_whose_cpu_time_cannot_be_seen_has_no_letter_of_it() -> None:
    race = Race({"a": 1.0, "b": 0.8, "c": 0.8})
    records = altered(
        race.records(),
        lambda _, slice_: (
            slice_.model_copy(update={"server_cpu": None}) if slice_.entry == "a" else slice_
        ),
    )
    verdict = judged(race, records)
    assert [row(verdict, name).cpu_letters for name in "abc"] == ["", "a", "a"]
    assert {pair.cpu_finding for pair in verdict.pairs} == {None, "can't tell"}
    assert verdict.by_cpu == ()


def test_a_server_that_waits_is_slower_than_its_cost_says() -> None:
    finding, cause = found(judged(Race({"a": 1.0, "b": 0.8}, busy={"b": 0.5})))
    assert finding.values["name"] == "b" and finding.values["other"] == "a"
    assert (finding.values["finding"], finding.values["cpu_finding"]) == ("slower", "faster")
    assert finding.values["ratio"] == pytest.approx(0.8 * 0.98 / 0.5, rel=0.02)
    assert cause.code == "server_waited"
    assert cause.values["name"] == "b"
    assert cause.values["server_busy"] == pytest.approx(0.5, rel=0.01)


def test_it_is_the_one_that_falls_short_whose_limit_counts() -> None:
    """b, which does as much at less of its time, waits; a, at the generator's limit, does not."""
    events: dict[str, dict[str, object]] = {"a": {"busy": 0.95}}
    _, cause = found(judged(Race(EQUAL, busy={"b": 0.5}, events=events)))
    assert (cause.code, cause.values["name"]) == ("server_waited", "b")


@pytest.mark.parametrize(
    ("server", "client", "limit"),
    [(0.5, 0.95, "client"), (0.85, 0.95, "client"), (0.91, 0.95, "both")],
)
def test_the_load_generator_hides_what_a_cheaper_server_could_do(
    server: float, client: float, limit: str
) -> None:
    race = Race(EQUAL, busy={"a": server}, events={"a": {"busy": client}})
    finding, cause = found(judged(race))
    assert (finding.values["name"], finding.values["finding"]) == ("a", "can't tell")
    assert cause == Finding.of("limit_hides", names=["a"], limit=limit)


def test_and_of_two_that_it_limits_it_is_said_of_both() -> None:
    limited: dict[str, object] = {"busy": 0.95}
    race = Race(EQUAL, busy={"a": 0.5, "b": 0.6}, events={"a": limited, "b": limited})
    _, cause = found(judged(race))
    assert (whose(cause), cause.values["limit"]) == ({"a", "b"}, "client")


def test_so_does_the_upstream() -> None:
    race = Race(EQUAL, busy={"a": 0.5}, upstream={"a": 0.95, "b": 0.5})
    assert found(judged(race))[1] == Finding.of("limit_hides", names=["a"], limit="upstream")


def test_and_the_rate_of_an_open_loop() -> None:
    race = Race(EQUAL, rate=4000.0, blocks=12, busy={"a": 0.3, "b": 0.4})
    finding, cause = found(judged(race))
    assert (finding.values["name"], finding.values["finding"]) == ("a", "can't tell")
    assert (whose(cause), cause.values["limit"]) == ({"a", "b"}, "rate")


def test_on_shared_cores_the_generator_takes_the_rest() -> None:
    race = Race(EQUAL, busy={"a": 0.5}, cores=Cores(server=(0,), client=(0,)))
    assert found(judged(race))[1].code == "cores_shared"


def test_a_throughput_that_varies_more_than_the_cost_has_the_wider_interval() -> None:
    race = Race({"a": 1.01, "b": 1.0}, noise=0.1)
    cost_ns = {"a": 19_000 / 1.01, "b": 19_000}
    records = spending(race, lambda each: each.event.requests_all * cost_ns[each.entry])
    finding, cause = found(judged(race, records))
    assert (finding.values["finding"], finding.values["cpu_finding"]) == ("can't tell", "faster")
    assert cause == Finding.of("interval_too_wide", by="requests_per_s")


def test_and_a_cost_that_varies_more_than_throughput_too() -> None:
    race, rng = Race({"a": 1.02, "b": 1.0}, noise=0.002), np.random.default_rng(1)
    records = spending(race, lambda _: 25e6 * np.exp(rng.normal(0, 0.2)))
    finding, cause = found(judged(race, records))
    assert (finding.values["name"], finding.values["cpu_finding"]) == ("a", "can't tell")
    assert cause == Finding.of("interval_too_wide", by="requests_per_cpu_s")


@pytest.mark.parametrize(("kernel", "code"), [(0.8, "kernel_bills"), (0.55, "cause_unknown")])
def test_between_servers_at_their_limit_the_kernel_may_have_billed_one(
    kernel: float, code: str
) -> None:
    race = Race(EQUAL, busy={"a": 0.91})

    def split(_: Block, slice_: Slice) -> Slice:
        cpu = slice_.server_cpu
        assert cpu
        share = kernel if slice_.entry == "a" else 0.5
        system_ns = round(cpu.total_ns * share)
        parts = {"system_ns": system_ns, "user_ns": cpu.total_ns - system_ns}
        return slice_.model_copy(update={"server_cpu": cpu.model_copy(update=parts)})

    _, cause = found(judged(race, altered(race.records(), split)))
    assert cause.code == code
    if code == "kernel_bills":
        names, shares = cause.values["names"], cause.values["shares"]
        assert isinstance(names, list) and isinstance(shares, list)
        assert dict(zip(names, shares, strict=True)) == pytest.approx({"a": 0.8, "b": 0.5})


def test_opposite_orders_come_first_then_wide_gaps_then_what_may_be_chance() -> None:
    race = Race({"a": 1.0, "b": 0.9, "c": 0.9, "d": 0.5}, busy={"b": 0.7, "c": 0.95})
    verdict = judged(race)
    assert [(each.values["name"], each.values["other"]) for each in verdict.by_cpu] == [
        ("b", "a"),
        ("b", "c"),
    ]
    findings = [each.values["finding"] for each in verdict.by_cpu]
    assert findings == ["slower", "can't tell"]
    assert codes(each.because[0] for each in verdict.by_cpu) == ["server_waited"] * 2


def test_nothing_is_said_of_those_that_have_no_place() -> None:
    race = Race(EQUAL, busy={"b": 0.5}, died={"b": "was killed"})
    assert judged(race).by_cpu == ()


@pytest.mark.parametrize(
    ("ahead", "finding", "letters"), [(1.01, "within", "aa"), (1.05, "faster", "ab")]
)
def test_a_margin_is_that_of_both_verdicts(ahead: float, finding: str, letters: str) -> None:
    race = Race({"a": ahead, "b": 1.0}, boots=8)
    plan = race.plan().model_copy(update={"within": 0.03})
    verdict = judge(plan, race.receipts(), race.records(), MACHINE, True)
    (pair,) = verdict.pairs
    assert (pair.finding, pair.cpu_finding) == (finding, finding)
    assert "".join(each.cpu_letters or "" for each in verdict.entries) == letters
    assert verdict.by_cpu == ()


def test_one_that_is_dearer_by_more_than_the_margin_differs_from_a_throughput_within_it() -> None:
    race = Race({"a": 1.0, "b": 1.0}, boots=8, busy={"b": 0.45})
    plan = race.plan().model_copy(update={"within": 0.03})
    verdict = judge(plan, race.receipts(), race.records(), MACHINE, True)
    (differs,) = verdict.by_cpu
    assert (differs.values["finding"], differs.values["cpu_finding"]) == ("within", "faster")
    assert differs.values["name"] == "b"
