"""The estimates of engine/bench on figures whose truth is known, and the claims they answer."""

from importlib import import_module

import numpy as np
import pytest

estimates = import_module("estimates")
questions = import_module("questions")
report = import_module("report")
rounds = import_module("rounds")


def test_what_disturbs_a_whole_round_leaves_the_ratio_alone() -> None:
    weather = np.random.default_rng(5).lognormal(0, 0.5, 12)
    found = estimates.ratio(1.5 * weather, weather, seed=1)
    assert [found.value, found.low, found.high] == pytest.approx([1.5] * 3)
    assert found.rounds == 12


def test_a_wild_round_is_trimmed_away() -> None:
    own = [3.0] * 9 + [3000.0]
    assert estimates.ratio(own, [2.0] * 10, seed=1).value == pytest.approx(1.5)
    assert estimates.difference(own, [2.0] * 10, seed=1).value == pytest.approx(1)


def test_the_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    draw = np.random.default_rng(7)
    covered = 0
    for seed in range(100):
        found = estimates.difference(draw.normal(5, 1, 12), draw.normal(2, 1, 12), seed)
        covered += found.low <= 3 <= found.high
    assert 0.85 <= covered / 100 <= 0.99


def test_the_median_of_one_round_is_that_round() -> None:
    found = estimates.median([7.0], seed=1)
    assert (found.value, found.low, found.high, found.rounds) == (7, 7, 7, 1)


@pytest.mark.parametrize(
    ("side", "low", "high", "verdict"),
    [
        ("at least", 1.5, 1.6, "met"),
        ("at least", 1.4, 1.6, "open"),
        ("at least", 1.4, 1.49, "missed"),
        ("at most", 1.4, 1.5, "met"),
        ("at most", 1.4, 1.6, "open"),
        ("at most", 1.51, 1.6, "missed"),
    ],
)
def test_a_goal_is_met_if_the_whole_interval_says_so(
    side: str, low: float, high: float, verdict: str
) -> None:
    found = estimates.Estimate(1.5, low, high, 10)
    assert questions.Goal(side, 1.5).verdict(found) == verdict


def test_every_claim_names_generators_that_take_part() -> None:
    for question in questions.QUESTIONS.values():
        names = [each.name for each in question.generators]
        assert len(set(names)) == len(names) and "volley" in names
        others = {claim.other for claim in question.claims if claim.kind != "median"}
        assert others <= set(names) and "" not in others


def test_an_answer_pairs_the_rounds_of_its_own_connections() -> None:
    runs = [
        rounds.Run("cpu", number, place, name, connections, {
            "requests_per_s": speed * number * connections,
            "cpu_us_per_request": 8 / speed,
            "work_us_per_request": 4 / speed,
        })
        for number in (3, 1, 2)
        for place, (name, speed) in enumerate((("wrk", 1.0), ("volley", 2.0)))
        for connections in (64, 512)
    ]  # fmt: skip
    found = report.answers(runs, seed=1)
    assert [(each.connections, each.claim.figure, each.estimate.value) for each in found] == [
        (connections, figure, pytest.approx(value))
        for connections in (64, 512)
        for figure, value in (
            ("work_us_per_request", 0.5),
            ("cpu_us_per_request", 0.5),
            ("requests_per_s", 2),
        )
    ]
    assert found[2].medians == {"wrk": 128, "volley": 256}


@pytest.mark.parametrize(
    ("figure", "worked", "ratio", "verdict"),
    [
        ("requests_per_s", 0.47, 1.0, "server's limit"),
        ("requests_per_s", 0.47, 2.0, "met"),
        ("requests_per_s", 0.95, 1.0, "missed"),
        ("requests_per_cpu_s", 0.47, 1.0, "missed"),
    ],
)
def test_a_rate_that_the_server_limits_is_not_missed(
    figure: str, worked: float, ratio: float, verdict: str
) -> None:
    claim = questions.Claim(figure, "ratio to", "wrk", questions.at_least(1.1))
    estimate = estimates.Estimate(ratio, ratio, ratio, 10)
    medians = {"volley": ratio, "wrk": 1.0}
    answer = report.Answer("100 KB", 64, claim, estimate, medians, worked)
    assert (answer.verdict(), verdict in answer.row()) == (verdict, True)
