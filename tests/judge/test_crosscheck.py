"""Load tools held against each other: what agrees, what differs, and what nobody can tell."""

import random
from collections.abc import Mapping
from typing import Any

import pytest

from bakeoff.judge.crosscheck import crosscheck, explained
from bakeoff.model.crosscheck import FIGURES, Compared, CrosscheckRun, Figure
from bakeoff.model.finding import Finding
from bakeoff.model.load import Latency, Loader
from tests.ratios import known
from tests.report.sample.crosscheck import loading
from tests.runs.loads import tool_result

ROUNDS = 12
PAIRS: list[tuple[Loader, Loader]] = [("ab", "engine")]
Says = Mapping[Figure, float]
ENGINE: Says = {"requests_per_s": 20_000, "p50": 3000, "p90": 5000, "p99": 9000}


def exact(_loader: Loader, _latency_us: float) -> float:
    return 0.0


def whole_ms(loader: Loader, _latency_us: float) -> float:
    """ab rounds, our engine does not."""
    return 1000.0 if loader == "ab" else 0.0


def rounds(says: Mapping[Loader, Says], noise: float = 0.01, seed: int = 5) -> list[CrosscheckRun]:
    """Runs in which each tool says its figures with noise, and rounds with weather for all."""
    chance = random.Random(seed)
    runs = []
    for number in range(ROUNDS):
        weather = chance.gauss(1, 0.2)
        for loader, figures in says.items():
            said = {key: each * weather * chance.gauss(1, noise) for key, each in figures.items()}
            runs.append(run(loader, number, said))
    return runs


def run(loader: Loader, number: int, said: Mapping[Figure, float]) -> CrosscheckRun:
    nothing: dict[str, Any] = dict.fromkeys(("p75", "p99_9", "max"))
    quantiles = {figure: said.get(figure) for figure in FIGURES[1:]}
    latency = Latency(mean=1000, **quantiles, **nothing) if "p50" in said else None
    result = tool_result(said["requests_per_s"]).model_copy(update={"latency_us": latency})
    return CrosscheckRun(loader=loader, round=number, result=result)


def rounded(runs: list[CrosscheckRun]) -> list[CrosscheckRun]:
    """The same runs with ab's latencies in whole milliseconds."""
    compared = []
    for each in runs:
        if each.loader == "ab" and each.result and each.result.latency_us:
            latency = each.result.latency_us
            ms: dict[str, float] = {
                key: 1000.0 * round(getattr(latency, key) / 1000) for key in FIGURES[1:]
            }
            result = each.result.model_copy(update={"latency_us": latency.model_copy(update=ms)})
            each = each.model_copy(update={"result": result})
        compared.append(each)
    return compared


def of(figure: Figure, compared: tuple[Compared, ...]) -> Compared:
    (only,) = (each for each in compared if each.figure == figure)
    return only


def test_figures_that_are_the_same_agree_whatever_the_weather() -> None:
    compared = crosscheck(rounds({"engine": ENGINE, "ab": ENGINE}), PAIRS, exact)
    assert [each.figure for each in compared] == list(FIGURES)
    for each in compared:
        ratio = known(each.ratio)
        assert (each.of, each.over, ratio.n) == ("ab", "engine", ROUNDS)
        assert known(ratio.low) < ratio.ratio < known(ratio.high)
        assert (each.finding, each.why) == ("agrees", None)


def test_a_figure_that_is_another_differs_and_the_rest_does_not() -> None:
    slower = {**ENGINE, "requests_per_s": 15_000}
    compared = crosscheck(rounds({"engine": ENGINE, "ab": slower}), PAIRS, exact)
    throughput = of("requests_per_s", compared)
    assert throughput.finding == "differs"
    low, high = known(throughput.ratio).ends
    assert 0 < low < 0.75 < high < 0.8
    assert of("p99", compared).finding == "agrees"


def test_much_noise_lets_nobody_tell() -> None:
    compared = crosscheck(rounds({"engine": ENGINE, "ab": ENGINE}, noise=0.2), PAIRS, exact)
    assert {each.finding for each in compared} == {"can't tell"}
    assert {each.why for each in compared} == {None}


def test_the_intervals_hold_for_all_comparisons_at_once() -> None:
    others: tuple[Loader, ...] = ("ab", "wrk", "oha", "hey")
    every: list[tuple[Loader, Loader]] = [(loader, "engine") for loader in others]
    runs = rounds(dict.fromkeys(("engine", *others), ENGINE))
    alone = of("p50", crosscheck(runs, PAIRS, exact))
    among = next(
        each for each in crosscheck(runs, every, exact) if (each.of, each.figure) == ("ab", "p50")
    )
    (low, high), (lowest, highest) = (known(each.ratio).ends for each in (alone, among))
    assert lowest < low and highest > high


def test_false_alarms_are_rare() -> None:
    """A hundred crosschecks of equals, eight comparisons each: in five one may be taken to differ.

    More than twelve come about once in two thousand such hundreds.
    """
    says: dict[Loader, Says] = {"engine": ENGINE, "ab": ENGINE, "wrk": ENGINE}
    pairs: list[tuple[Loader, Loader]] = [("ab", "engine"), ("wrk", "engine")]
    alarms = 0
    for seed in range(100):
        compared = crosscheck(rounds(says, noise=0.05, seed=seed), pairs, exact)
        alarms += any(each.finding == "differs" for each in compared)
    assert alarms <= 12


def test_what_a_tool_rounds_away_can_not_be_told() -> None:
    quick: Says = {"requests_per_s": 20_000, "p50": 2300, "p90": 3600, "p99": 9000}
    runs = rounded(rounds({"engine": quick, "ab": quick}))
    compared = crosscheck(runs, PAIRS, whole_ms)
    assert of("p50", compared).finding == "can't tell"
    assert of("p50", compared).why == Finding.of("coarse", loader="ab", step_us=1000.0)
    fine = of("p50", crosscheck(runs, PAIRS, exact))
    coarse = of("p50", compared)
    (low, high), (lowest, highest) = (known(each.ratio).ends for each in (fine, coarse))
    assert lowest < low and highest > high


def test_beyond_its_rounding_a_difference_is_one() -> None:
    """Twice as late: more than a millisecond can hide."""
    late = {**ENGINE, "p99": 18_000}
    compared = crosscheck(rounded(rounds({"engine": ENGINE, "ab": late})), PAIRS, whole_ms)
    assert of("p99", compared).finding == "differs"


@pytest.mark.parametrize(("engine_us", "finding"), [(100, "can't tell"), (2000, "differs")])
def test_a_latency_that_is_rounded_to_nothing_is_below_a_half_step(
    engine_us: float, finding: str
) -> None:
    says = {**ENGINE, "p50": engine_us}
    runs = rounds({"engine": says, "ab": {**says, "p50": 100}})
    compared = of("p50", crosscheck(rounded(runs), PAIRS, whole_ms))
    ratio = known(compared.ratio)
    assert (ratio.low, ratio.ratio, compared.finding) == (None, ratio.high, finding)
    assert ratio.high == pytest.approx(500 / engine_us, rel=0.5)


def test_over_a_latency_that_is_rounded_to_nothing_there_is_no_upper_bound() -> None:
    runs = rounded(rounds({"engine": ENGINE, "ab": {**ENGINE, "p50": 100}}))
    compared = of("p50", crosscheck(runs, [("engine", "ab")], whole_ms))
    ratio = known(compared.ratio)
    assert (ratio.low, ratio.high, compared.finding) == (ratio.ratio, None, "differs")
    assert ratio.ratio > 3


def test_a_figure_that_a_tool_does_not_say_is_not_compared() -> None:
    says: dict[Loader, Says] = {"engine": ENGINE, "ab": {"requests_per_s": 20_000}}
    compared = crosscheck(rounds(says), PAIRS, exact)
    assert of("requests_per_s", compared).finding == "agrees"
    assert of("p50", compared).ratio is None
    assert of("p50", compared).why == Finding.of("few_rounds", n=0, least=5)


def test_rounds_in_which_one_failed_say_nothing() -> None:
    runs = rounds({"engine": ENGINE, "ab": ENGINE})
    failed = [
        CrosscheckRun(loader="ab", round=each.round, result=None, failure="it died")
        if each.loader == "ab" and each.round < 3
        else each
        for each in runs
    ]
    assert {known(each.ratio).n for each in crosscheck(failed, PAIRS, exact)} == {ROUNDS - 3}


def test_without_a_pair_or_a_run_there_is_nothing_to_say() -> None:
    assert crosscheck([], [], exact) == ()
    assert {each.ratio for each in crosscheck([], PAIRS, exact)} == {None}


@pytest.mark.parametrize(
    ("ab", "engine", "rate", "code"),
    [
        (0.98, 0.5, None, "tool_full"),
        (0.5, 0.98, None, "tool_full"),
        (0.98, 0.97, None, "tools_full"),
        (0.5, 0.6, None, "tools_not_full"),
        # At a rate, what was answered is not what could have been.
        (0.98, 0.5, 1000, None),
        (None, 0.5, None, None),
    ],
)
def test_where_tools_differ_the_limit_is_named(
    ab: float | None, engine: float | None, rate: int | None, code: str | None
) -> None:
    runs = rounds({"ab": {**ENGINE, "requests_per_s": 10_000}, "engine": ENGINE})
    (found, *latencies) = crosscheck(runs, PAIRS, exact)
    loadings = [loading("ab", busy=ab), loading("engine", busy=engine)]
    why = explained(found, loadings, rate).why
    assert (why and why.code) == code
    if why and code == "tool_full":
        assert why.values == {"loader": "ab" if ab == 0.98 else "engine", "share": 0.98}
    assert all(explained(each, loadings, rate).why is None for each in latencies)
