"""What is said of a verdict."""

import pytest

from bakeoff.model.plan import Cores
from bakeoff.model.verdict import Precision, Verdict
from bakeoff.report import headline, words
from tests.report import sample


def only(verdict: Verdict, *names: str) -> Verdict:
    """The verdict as it would be had these alone been raced."""
    entries = tuple(entry for entry in verdict.entries if entry.name in names)
    pairs = tuple(pair for pair in verdict.pairs if {pair.a, pair.b} <= set(names))
    return verdict.model_copy(update={"entries": entries, "pairs": pairs})


def test_a_gap_is_said_with_its_interval() -> None:
    said = headline(only(sample.verdict(), "nginx", "go-nethttp"))
    assert said == "nginx is faster than go-nethttp by 1.72× (1.70 to 1.74)."


def test_a_tie_is_said_with_what_would_have_been_seen() -> None:
    said = headline(only(sample.verdict(), "nginx", "libuv-http-parser"))
    assert said == (
        "Can't tell nginx from libuv-http-parser: ratio 1.002 (0.996 to 1.008), equivalent within"
        " ±2 %; a difference of 0.61 % would have been seen."
    )


def test_a_tie_that_is_not_shown_to_be_equivalent_doesnt_say_so() -> None:
    verdict = only(sample.verdict(), "nginx", "libuv-http-parser")
    pair = verdict.pairs[0].model_copy(update={"equivalent": False})
    assert "equivalent" not in headline(verdict.model_copy(update={"pairs": (pair,)}))


def test_after_a_tie_the_next_one_is_named() -> None:
    assert headline(sample.verdict()).endswith(
        "nginx is faster than the next, go-nethttp, by 1.72× (1.70 to 1.74)."
    )


def test_a_clear_leader_of_many_is_set_against_the_second_and_the_last() -> None:
    said = headline(only(sample.verdict(), "nginx", "go-nethttp", "node-http", "gunicorn"))
    assert said == (
        "nginx is faster than go-nethttp by 1.72× (1.70 to 1.74)."
        " It leads gunicorn, the slowest of 4, by 24.2× (24.0 to 24.4)."
    )


def test_three_that_are_level_are_named_together() -> None:
    verdict = only(sample.verdict(), "nginx", "libuv-http-parser", "go-nethttp")
    level = tuple(pair.model_copy(update={"finding": "can't tell"}) for pair in verdict.pairs)
    said = headline(verdict.model_copy(update={"pairs": level}))
    assert said == (
        "Can't tell nginx, libuv-http-parser and go-nethttp apart;"
        " a difference of 1.3 % would have been seen."
    )


def test_a_real_but_small_gap_is_put_beside_the_margin() -> None:
    verdict = only(sample.verdict(), "nginx", "go-nethttp")
    pair = verdict.pairs[0].model_copy(
        update={"ratio": 1.005, "low": 1.002, "high": 1.008, "equivalent": True}
    )
    assert headline(verdict.model_copy(update={"pairs": (pair,)})) == (
        "nginx is faster than go-nethttp by 1.005× (1.002 to 1.008),"
        " less than the ±2 % taken as equivalent."
    )


def test_one_valid_contender_is_no_race() -> None:
    said = headline(only(sample.verdict(), "go-nethttp", "aiohttp"))
    assert said == (
        "Only go-nethttp gave a valid result (48,356 requests/s, n = 454,543 answers):"
        " there is nothing to compare."
    )


def test_no_valid_contender_is_no_verdict() -> None:
    said = headline(only(sample.verdict(), "aiohttp"))
    assert said == "No verdict: no contender gave a valid result."


def test_an_invalid_verdict_names_no_winner() -> None:
    verdict = sample.verdict().model_copy(
        update={"valid": False, "warnings": ("the generator was the limit",)}
    )
    assert headline(verdict) == "No valid verdict. The generator was the limit."


def test_a_run_that_ended_early_says_so() -> None:
    verdict = sample.verdict().model_copy(update={"complete": False, "blocks": 37})
    assert headline(verdict).endswith("The run ended early: this is what its first 37 blocks say.")


def test_a_pair_turned_round_says_the_same() -> None:
    pair = sample.verdict().pair("gunicorn", "nginx")
    assert pair is not None
    assert (pair.a, pair.b, pair.finding) == ("gunicorn", "nginx", "slower")
    assert pair.low < pair.ratio < pair.high < 1
    again = pair.turned()
    assert again.finding == "faster"
    assert again.ratio == pytest.approx(1 / pair.ratio)


def test_a_noise_floor_away_from_1_is_a_warning() -> None:
    verdict = sample.verdict()
    assert verdict.noise_floor is not None
    floor = verdict.noise_floor.model_copy(update={"ratio": 1.011, "low": 1.008, "high": 1.014})
    said = words.noise_floor(verdict.model_copy(update={"noise_floor": floor}))
    assert said.endswith("Two copies of one program differ: trust no gap under 1.4 %.")


def test_without_a_twin_there_is_no_noise_floor() -> None:
    said = words.noise_floor(sample.verdict().model_copy(update={"noise_floor": None}))
    assert (
        said == "No noise floor to hold ratios against: no twin was raced, or not for long enough."
    )


@pytest.mark.parametrize(
    ("cores", "text"),
    [
        (Cores(server=(0,), client=(1,)), "one server core 0, generator on core 1"),
        (Cores(server=(0, 1), client=(2, 3)), "servers on cores 0, 1, generator on cores 2, 3"),
        (Cores(server=(0,), client=(0,)), "one server core 0, generator on core 0 (shared)"),
        (Cores(server=(), client=()), "servers on any core, generator on any core"),
    ],
)
def test_cores_are_named(cores: Cores, text: str) -> None:
    assert words.cores(cores) == text


def test_control_characters_from_outside_steer_no_terminal() -> None:
    assert words.printable("a\x1b[2Jb\nc\x00") == "a�[2Jb c�"


def test_too_few_blocks_are_no_fault_of_a_contender() -> None:
    found = only(sample.verdict(), "nginx", "go-nethttp")
    first, second = found.entries
    little = second.model_copy(update={"ratio": None, "low": None, "high": None})
    short = found.model_copy(update={"entries": (first, little), "pairs": ()})
    assert headline(short).startswith("Can't tell: too little was measured to compare.")
    assert words.reasons(little) == "too few blocks for a ratio"


def test_one_that_raced_alone_is_compared_with_nobody() -> None:
    said = headline(only(sample.verdict(), "nginx"))
    assert said.startswith("nginx raced alone (")


def test_a_warning_of_several_is_said_once_and_names_them() -> None:
    verdict = sample.verdict()
    first, second, *others = (e.model_copy(update={"warnings": ()}) for e in verdict.entries)
    entries = tuple(
        entry.model_copy(update={"warnings": ("it has never been steady", *more)})
        for entry, more in ((first, ()), (second, ("it leaks",)))
    )
    alike = verdict.model_copy(update={"entries": (*entries, *others), "warnings": ("of all",)})
    assert words.warnings(alike) == [
        "of all",
        f"{first.name} and {second.name}, each: it has never been steady",
        f"{second.name}: it leaks",
    ]


def test_in_an_open_loop_it_is_the_p99_that_is_ahead() -> None:
    open_loop = {"mode": "open", "ranked_by": "p99", "rate": 5000.0, "arrivals": "poisson"}
    verdict = only(sample.verdict(), "nginx", "go-nethttp").model_copy(update=open_loop)
    assert headline(verdict) == (
        "nginx answers sooner than go-nethttp, its p99 is shorter by 1.72× (1.70 to 1.74)."
    )
    assert words.loop(verdict) == "open loop with 5,000 requests/s to each (Poisson arrivals)"
    assert "closed loop" not in words.latency_caution(verdict)
    share = verdict.model_copy(update={"rate": None, "load": 0.7})
    assert words.loop(share).startswith("open loop with 70.0 % of each one's own peak")


@pytest.mark.parametrize(
    ("reached", "says"),
    [
        ({"reached": 0.008, "met": True, "more_s": None}, "±0.80 % between neighbours after"),
        ({"reached": 0.02, "met": False, "more_s": 30.0}, "About 30.0 s more would probably"),
        ({"reached": None, "met": False, "more_s": None}, "no neighbours to tell apart"),
    ],
)
def test_the_precision_that_was_asked_for_is_answered(
    reached: dict[str, object], says: str
) -> None:
    found = Precision.model_validate({"asked": 0.01, **reached})
    assert says in words.precision(sample.verdict().model_copy(update={"precision": found}))
    assert words.precision(sample.verdict()) == ""
