"""By server CPU: letters, why the verdict is another one, and how ratios follow the machine."""

from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest

from bakeoff.judge.by_cpu import DRAWS_MIN, by_state, feel_unlike
from bakeoff.judge.compare import Comparison, Pairs, width
from bakeoff.judge.spread import estimate
from bakeoff.judge.standings import listed
from bakeoff.judge.state import States
from bakeoff.model.finding import Finding
from bakeoff.model.plan import Cores
from bakeoff.model.samples import Block, Record, Slice
from bakeoff.model.verdict import Verdict
from tests.judge.races import Race, altered, codes, judged, row, says, with_event

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
    verdict = judged(race, within=0.03)
    (pair,) = verdict.pairs
    assert (pair.finding, pair.cpu_finding) == (finding, finding)
    assert "".join(each.cpu_letters or "" for each in verdict.entries) == letters
    assert verdict.by_cpu == ()


def test_one_that_is_dearer_by_more_than_the_margin_differs_from_a_throughput_within_it() -> None:
    race = Race({"a": 1.0, "b": 1.0}, boots=8, busy={"b": 0.45})
    verdict = judged(race, within=0.03)
    (differs,) = verdict.by_cpu
    assert (differs.values["finding"], differs.values["cpu_finding"]) == ("within", "faster")
    assert differs.values["name"] == "b"


BLOCKS = 16


def raced(
    slope: float, seed: int, draws: int = 20, noise: float = 0.02, ln_ratio: float = 0.0
) -> tuple[Comparison, States]:
    """a over b in draws whose ln state has an sd of 4 %; its mean ratio is that at work of 150 µs,
    and a block has `noise`."""
    rng = np.random.default_rng(seed)
    given = {(0, draw): float(np.log(150) + rng.normal(0, 0.04)) for draw in range(draws)}
    draw = np.repeat(np.arange(draws), BLOCKS)
    state = np.array([given[0, int(each)] for each in draw]) - np.log(150)
    values = ln_ratio + slope * state + rng.standard_t(4, len(draw)) * noise
    found = estimate(values, np.zeros(len(draw), np.int64), draw, draw)
    return Comparison("a", "b", found, width(found, 1), draws), given


def test_a_slope_is_measured_with_its_interval_and_the_ratio_where_the_machine_is_quiet() -> None:
    comparison, given = raced(-0.5, 1, ln_ratio=0.1)
    found = by_state(comparison, "a", given, 1)
    assert found and found.quiet.n == 20
    assert -0.7 < found.slope_low < -0.5 < found.slope_high < -0.3
    quiet = np.exp(0.1 - 0.5 * np.log(found.work_us / 150))
    assert 140 < found.work_us < 150
    assert found.quiet.low < quiet < found.quiet.high
    assert found.quiet.high / found.quiet.low < 1.06


def test_from_the_other_side_it_is_the_same_slope_turned() -> None:
    comparison, given = raced(-0.5, 1, ln_ratio=0.1)
    one, other = (by_state(comparison, name, given, 1) for name in "ab")
    assert one and other
    assert other.slope == pytest.approx(-one.slope)
    assert other.quiet.ratio == pytest.approx(1 / one.quiet.ratio)
    assert (other.slope_low, other.slope_high) == pytest.approx((-one.slope_high, -one.slope_low))


def test_intervals_of_slope_and_quiet_ratio_hold_as_often_as_they_say() -> None:
    """In 400 races each; 95 % are known to ± 2."""
    for slope in (0.0, -0.5):
        held = quiet_held = 0
        for seed in range(400):
            comparison, given = raced(slope, seed, draws=12)
            found = by_state(comparison, "a", given, 1)
            assert found
            held += found.slope_low <= slope <= found.slope_high
            truth = np.exp(slope * np.log(found.work_us / 150))
            quiet_held += not found.quiet.excludes(truth)
        assert 0.92 <= held / 400 <= 0.98
        assert quiet_held / 400 >= 0.93


def test_of_many_pairs_one_slope_by_chance_is_told_in_one_race_of_twenty() -> None:
    alarms = 0
    for seed in range(150):
        pairs: Pairs = {}
        for place, (a, b) in enumerate(combinations("rabcd", 2)):
            comparison, given = raced(0.0, 10 * seed + place)
            pairs[frozenset((a, b))] = Comparison(
                a, b, comparison.estimate, comparison.width, comparison.processes
            )
        listing = listed("rabcd", pairs, (), pairs, {}, {}, {}, given, within=None, measured_s=1.0)
        alarms += bool(list(feel_unlike(listing, "r")))
    assert alarms <= 0.08 * 150


def test_a_few_draws_or_a_machine_that_never_changes_tell_no_slope() -> None:
    comparison, given = raced(-0.5, 1, draws=DRAWS_MIN - 1)
    assert by_state(comparison, "a", given, 1) is None
    comparison, given = raced(-0.5, 1)
    assert by_state(comparison, "a", dict.fromkeys(given, 5.0), 1) is None
    assert by_state(comparison, "a", {}, 1) is None


def test_a_contender_that_feels_the_machine_is_named_in_the_verdict() -> None:
    """b needs 10 % more CPU time where the fixed work takes 10 % longer, beyond what a needs."""
    race = Race({"a": 1.0, "b": 0.5, "c": 0.7}, boots=12)
    rng = np.random.default_rng(3)
    states_ = {boot: float(rng.normal(0, 0.05)) for boot in range(12)}

    def at(block: Block, each: Slice) -> Slice:
        assert each.server_cpu
        slower = np.exp(states_[block.boot])
        feels = slower**2 if each.entry == "b" else slower
        used = each.server_cpu.model_copy(
            update={"total_ns": round(each.server_cpu.total_ns * feels)}
        )
        timed = with_event(each, fixed_work_ns=round(150_000 * slower))
        return timed.model_copy(update={"server_cpu": used})

    verdict = judged(race, altered(race.records(), at))
    assert row(verdict, "b")
    assert says(verdict.warnings, "feels_machine", name="b", other="a")
    assert not says(verdict.warnings, "feels_machine", name="c", other="a")
    pair = verdict.pair("b", "a")
    assert pair and pair.by_state and pair.by_state.slope == pytest.approx(-1.0, abs=0.3)
    opposite = verdict.pair("a", "b")
    assert opposite and opposite.by_state and opposite.by_state.slope == -pair.by_state.slope
    quiet_race = judged(race)
    assert all(each.by_state is None for each in quiet_race.pairs)
