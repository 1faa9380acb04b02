"""An entry that the load generator limited did at least what was measured, and all follows."""

from math import exp, log

import pytest

from bakeoff.judge import changes_of_places, judge, leaders
from bakeoff.judge.runs import change
from bakeoff.judge.standings import bounded_ratio
from bakeoff.model.gate import GateResult
from bakeoff.model.pairs import Pair
from bakeoff.model.ratio import Interval, Ratio
from bakeoff.model.verdict import Verdict
from bakeoff.plan.gates import race_gate
from tests.judge.facts import MACHINE
from tests.judge.races import Race, codes, judged, row
from tests.ratios import known

LIMITED: dict[str, object] = {"busy": 0.98}
IDLE = 0.5
SPEEDS = {"gin": 1.0, "brick": 3.0, "nginx": 2.9, "node": 0.5}


def limiting(*names: str, **changed: object) -> Race:
    """A race in which the generator was the limit of `names`; the first entry is the reference."""
    return Race(
        SPEEDS,
        events=dict.fromkeys(names, LIMITED),
        busy=dict.fromkeys(names, IDLE),
        **changed,  # type: ignore[arg-type]
    )


def pair(verdict: Verdict, a: str, b: str) -> Pair:
    found = verdict.pair(a, b)
    assert found
    return found


@pytest.mark.parametrize(
    ("at_least", "low", "high"),
    [((), 1.9, 2.1), (("a",), 1.9, None), (("b",), None, 2.1), (("a", "b"), None, None)],
)
def test_a_ratio_loses_the_end_that_the_generator_hides(
    at_least: tuple[str, ...], low: float | None, high: float | None
) -> None:
    measured = Interval(ratio=2.0, low=1.9, high=2.1, n=10, boots=2)
    bounded = bounded_ratio(measured, "a", "b", at_least)
    assert (bounded.ratio, bounded.low, bounded.high) == (2.0, low, high)


def test_over_others_it_has_a_lower_end_and_they_over_it_an_upper_one() -> None:
    whole, verdict = judged(Race(SPEEDS)), judged(limiting("brick"))
    one, other = pair(verdict, "brick", "gin"), pair(verdict, "gin", "brick")
    assert (one.ratio.low, one.ratio.high) == (pair(whole, "brick", "gin").ratio.low, None)
    assert other.ratio.low is None and other.ratio.high == pytest.approx(1 / (one.ratio.low or 0))
    assert (one.finding, other.finding) == ("faster", "slower")
    brick = row(verdict, "brick")
    assert brick.ratio == one.ratio and brick.valid
    assert codes(brick.at_least) == ["generator_limit"]
    assert brick.memory_mib.loaded and brick.cpu_us_per_request.server and brick.latency_us


def test_it_is_never_slower_equivalent_or_found_to_a_percent() -> None:
    verdict = judged(limiting("nginx"))
    ahead = pair(verdict, "brick", "nginx")
    assert pair(judged(Race(SPEEDS)), "brick", "nginx").finding == "faster"
    assert (ahead.finding, ahead.ratio.low is None) == ("can't tell", True)
    assert not any(each.equivalent for each in verdict.pairs if "nginx" in (each.a, each.b))
    assert ahead.minimum_detectable_effect is None
    assert verdict.minimum_detectable_effect is not None


def test_between_two_of_them_nobody_can_tell() -> None:
    verdict = judged(limiting("brick", "nginx"))
    both = pair(verdict, "brick", "nginx")
    assert (both.ratio.low, both.ratio.high, both.finding) == (None, None, "can't tell")
    assert both.ratio.ratio == pytest.approx(3.0 / 2.9, rel=0.02)


def test_ranks_letters_and_leaders_follow_from_the_ends_that_there_are() -> None:
    verdict = judged(limiting("brick", "nginx"))
    placed = {name: (row(verdict, name).rank, row(verdict, name).letters) for name in SPEEDS}
    assert placed == {
        "brick": ((1, 2), "a"),
        "nginx": ((1, 2), "a"),
        "gin": ((3, 3), "b"),
        "node": ((4, 4), "c"),
    }
    assert leaders(verdict) == ("brick", "nginx")
    assert leaders(judged(limiting("gin"))) == ("brick", "gin"), "nobody knows how fast it is"


def test_one_that_stands_low_may_be_anywhere() -> None:
    assert row(judged(limiting("node")), "node").rank == (1, 4)


def test_a_reference_that_is_bounded_bounds_all_others_from_above() -> None:
    verdict = judged(limiting("gin", "brick"))
    assert verdict.reference == "gin"
    own, node, brick = (row(verdict, name) for name in ("gin", "node", "brick"))
    of_own, of_node, of_brick = (known(each.ratio) for each in (own, node, brick))
    assert (of_own.ratio, of_own.low, of_own.high) == (1, 1, 1)
    assert of_node.low is None and of_node.high == pytest.approx(0.5, rel=0.05)
    assert (of_brick.low, of_brick.high) == (None, None)


def test_a_bounded_reference_gives_no_noise_floor() -> None:
    verdict = judged(limiting("gin", twin="gin"))
    assert verdict.noise_floor is None
    (why,) = (each for each in verdict.warnings if each.code == "no_noise_floor")
    assert codes(why.because) == ["generator_limit"]


def test_a_grid_knows_no_change_of_places_where_a_bound_hides_it() -> None:
    turned = Race(SPEEDS | {"brick": 2.0})
    known = {"one": judged(Race(SPEEDS)), "other": judged(turned)}
    assert [(each.a, each.b) for each in changes_of_places(known)] == [("brick", "nginx")]
    turned.events, turned.busy = {"brick": LIMITED}, {"brick": IDLE}
    assert not changes_of_places(known | {"other": judged(turned)})


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("brick >= 2 * gin", "holds"),
        ("brick >= 4 * gin", "can't tell"),
        ("brick < 2 * gin", "fails"),
        ("gin >= 0.9 * brick", "fails"),
        ("gin <= 0.5 * brick", "holds"),
        ("gin >= 0.1 * brick", "can't tell"),
    ],
)
def test_a_gate_is_decided_where_the_bound_decides_it(text: str, outcome: str) -> None:
    race = limiting("brick")
    plan = race.plan().model_copy(update={"gates": (race_gate(text, tuple(SPEEDS)),)})
    result: GateResult = judge(plan, {}, race.records(), MACHINE, True).gates[0]
    assert result.outcome == outcome
    ratio = known(result.ratio)
    assert (ratio.low is None) != (ratio.high is None)


def test_the_precision_is_that_of_neighbours_with_both_ends() -> None:
    def reached(*names: str) -> float | None:
        race = limiting(*names, boots=8)
        precision = judged(race, precision=0.5).precision
        assert precision
        return precision.reached

    assert reached("brick", "nginx") is not None
    assert reached("nginx", "node") is None


def of(ratio: float, low: float | None, high: float | None) -> Pair:
    whole = low is not None and high is not None
    return Pair(
        a="a",
        b="b",
        ratio=Ratio(ratio=ratio, low=low, high=high, n=100),
        finding="can't tell",
        equivalent=False,
        minimum_detectable_effect=0.05 if whole else None,
    )


def test_a_change_between_runs_lacks_the_ends_that_either_lacks() -> None:
    before, after = of(2.0, 1.9, 2.0 * 2.0 / 1.9), of(3.0, 2.9, None)
    risen, detectable = change(before, after)
    below = (log(2 / 1.9) ** 2 + log(3 / 2.9) ** 2) ** 0.5
    assert risen.low == pytest.approx(exp(log(1.5) - below)) and risen.high is None
    assert (risen.told(), detectable) == ("faster", None)
    fallen, _ = change(after, before)
    assert fallen.low is None and fallen.told() == "slower"
    unknown, _ = change(of(2.0, 1.9, None), of(3.0, 2.9, None))
    assert (unknown.low, unknown.high, unknown.told()) == (None, None, "can't tell")


def test_by_cpu_time_both_ends_are_known() -> None:
    """A server that is half idle, at the same throughput, pays half for a request."""
    verdict = judged(
        Race({"gin": 1.0, "brick": 1.0}, events={"brick": LIMITED}, busy={"brick": 0.49})
    )
    by_cpu = row(verdict, "brick").cpu_ratio
    assert by_cpu and by_cpu.low < 2 < by_cpu.high < 2.1
    turned = pair(verdict, "gin", "brick").cpu_ratio
    assert turned and turned.n == by_cpu.n
    assert turned.ratio == pytest.approx(1 / by_cpu.ratio)
    assert [turned.low, turned.high] == pytest.approx([1 / by_cpu.high, 1 / by_cpu.low])
    assert row(verdict, "gin").cpu_ratio is None


def test_without_cpu_times_there_is_no_ratio_by_them() -> None:
    verdict = judged(Race(SPEEDS, cpu_seen=False))
    assert {each.cpu_ratio for each in verdict.pairs} == {None}


def with_margin(ratio: float, within: float | None, **changed: object) -> Pair:
    race = Race({"a": ratio, "b": 1.0}, boots=8, **changed)  # type: ignore[arg-type]
    verdict = judged(race, within=within)
    assert verdict.equivalence_margin == (within or 0.02)
    return pair(verdict, "a", "b")


@pytest.mark.parametrize(
    ("ratio", "within", "finding", "equivalent"),
    [
        (1.01, None, "faster", True),
        (1.01, 0.03, "within", True),
        (1 / 1.01, 0.03, "within", True),
        (1.03, 0.03, "can't tell", False),
        (1.05, 0.03, "faster", False),
        (1 / 1.05, 0.03, "slower", False),
        (1.0, None, "can't tell", True),
    ],
)
def test_a_margin_is_what_a_difference_has_to_exceed(
    ratio: float, within: float | None, finding: str, equivalent: bool
) -> None:
    found = with_margin(ratio, within)
    assert (found.finding, found.equivalent) == (finding, equivalent)
    assert found.decided == (finding != "can't tell" or equivalent)


def test_within_a_margin_two_share_a_letter_and_beyond_it_they_do_not() -> None:
    for ahead, letters in ((1.01, ["a", "a"]), (1.05, ["a", "b"])):
        race = Race({"a": ahead, "b": 1.0}, boots=8)
        verdict = judged(race, within=0.03)
        assert [each.letters for each in verdict.entries] == letters


def test_equivalent_is_the_whole_interval_of_the_family_and_no_other() -> None:
    race = Race(dict.fromkeys("abcde", 1.0), boots=8, noise=0.04)
    for each in judged(race).pairs:
        assert each.ratio.low and each.ratio.high
        assert each.equivalent == (each.ratio.low > 1 / 1.02 and each.ratio.high < 1.02)


def test_what_is_undecided_says_how_much_more_time_would_decide_it() -> None:
    found = with_margin(1.0, None, noise=0.2)
    assert found.ratio.low and found.ratio.high
    half_width, off = log(found.ratio.high / found.ratio.low) / 2, abs(log(found.ratio.ratio))
    times = (half_width / max(off, log(1.02) - off)) ** 2
    assert found.more_s == pytest.approx((times - 1) * 2 * 8 * 20 * 0.02, rel=1e-3)
    assert with_margin(1.0, 0.1, noise=0.2).more_s is None, "decided"
    assert with_margin(1.0, None, noise=0.2, boot_sd=0.1).more_s is None, "boots are too few"
    assert pair(judged(limiting("nginx", noise=0.5)), "brick", "nginx").more_s is None
