"""Every finding has its sentence."""

from inspect import signature
from string import Formatter

import pytest

from bakeoff.model.codes import CODES, WARNINGS_OF_ENTRIES, WARNINGS_OF_RACES
from bakeoff.model.finding import Finding
from bakeoff.model.values import VALUES
from bakeoff.report.sentences import ADVICE, SENTENCES, SEVERAL, joined, sentence


def test_every_code_has_a_sentence_and_every_value_is_documented() -> None:
    assert {*SENTENCES, "several"} == set(CODES)
    assert {value for code in CODES.values() for value in code.values} == set(VALUES)


@pytest.mark.parametrize("code", SENTENCES)
def test_a_sentence_uses_all_values_of_its_finding(code: str) -> None:
    worded = SENTENCES[code]
    values = set(CODES[code].values)
    if isinstance(worded, str):
        assert {name for _, name, _, _ in Formatter().parse(worded) if name} - {"because"} == values
    else:
        taken = signature(worded).parameters
        rest = {name for name, each in taken.items() if each.kind is each.VAR_KEYWORD}
        needed = {name for name, each in taken.items() if each.default is each.empty} - rest
        assert needed <= values
        assert rest or values <= set(taken)


def test_a_part_that_lacks_a_value_is_left_out() -> None:
    lost: dict[str, str | float] = {"quantile": "p99", "value_us": 204_000.0}
    whole = sentence(Finding.of("packets_lost", **lost, retransmits=0))
    assert "were lost (the kernel sent 0 segments again, over all servers of this machine)" in whole
    assert "were lost;" in sentence(Finding.of("packets_lost", **lost, retransmits=None))


def test_a_finding_of_an_earlier_version_names_no_core() -> None:
    values = {"client_busy": 0.97, "server_busy": 0.4}
    old = Finding.model_validate({"code": "generator_limit", "values": values})
    assert sentence(old).startswith("the load generator was the limit, busy 97 % of the time, and")
    with pytest.raises(ValueError, match="`values` of generator_limit are"):
        Finding.of("generator_limit", client_busy=0.97)


def test_what_is_in_a_value_is_no_template() -> None:
    assert sentence(Finding.of("died", how="[{x}] 5%")) == "[{x}] 5%"


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["a"], "a leaves open what it was asked to close"),
        (["a", "b"], "a and b leave open what they were asked to close"),
        (list("abcdef"), "a, b, c and 3 others leave open what they were asked to close"),
    ],
)
def test_verbs_agree_with_their_names(names: list[str], said: str) -> None:
    assert sentence(Finding.of("stays_open", names=names)) == said


# Of these the words come from outside, or they are only said as a part of another.
WITHOUT_ADVICE = {"verification", "few_twin_blocks", "several"}


def test_each_warning_says_what_can_be_done() -> None:
    warnings = {*WARNINGS_OF_ENTRIES, *WARNINGS_OF_RACES}
    assert set(ADVICE) == warnings - WITHOUT_ADVICE


def test_advice_ends_a_sentence_and_is_no_part_of_a_reason() -> None:
    few = Finding.of("few_blocks", reference="a", n=3, least=10)
    assert sentence(few).endswith("10 are the least; run it longer (-d)")
    assert joined([few]).endswith("10 are the least")


def test_each_warning_of_an_entry_has_its_sentence_for_several() -> None:
    assert set(SEVERAL) == set(WARNINGS_OF_ENTRIES)
    for code, worded in SEVERAL.items():
        used = {name for _, name, _, _ in Formatter().parse(worded.replace("[", "")) if name}
        assert used - {"names", "because"} <= set(CODES[code].values), code


def several(*findings: Finding) -> str:
    names = [chr(ord("a") + place) for place in range(len(findings))]
    return sentence(Finding.of("several", *findings, names=names))


def test_several_share_one_sentence_with_the_least_and_the_most_of_their_values() -> None:
    limits = [
        Finding.of("limit_unknown", server_busy=busy, client_busy=0.7)
        for busy in (0.48, 0.72, 0.6, 0.5, 0.55)
    ]
    assert several(*limits) == (
        "the limit of a, b, c and 2 others is unknown: the servers were busy 48 to 72 % of the time"
        " and the load generator 70 %; let nothing else run, or use more connections (-c 256) if it"
        " can take them"
    )


def test_what_only_some_of_several_know_is_said_of_those() -> None:
    stood = [Finding.of("stood_still", length_us=None, times=n, slices=90) for n in (3, 12)]
    assert several(*stood).startswith("a and b stood still, in 3 to 12 slices each: ")
    lengths = {"long_ratio": 1.1, "long_low": 1.0, "long_high": 1.2, "short_low": 1.1}
    unlike = [
        Finding.of(
            "slice_length_matters",
            **lengths,
            reference="r",
            long_ms=None,
            short_ms=None,
            short_ratio=1.2,
            short_high=1.3,
        )
    ]
    assert "in long slices their ratios are 1.100, in short ones 1.200" in several(*unlike * 2)


def test_two_copies_that_differ_have_one_doubt_wherever_it_is_said() -> None:
    twin = Finding.of("twin_differs", name="a", ratio=0.972, low=0.955, high=0.989)
    assert "a difference smaller than 4.5 % is in doubt" in sentence(twin)


@pytest.mark.parametrize(
    ("slope", "ends", "said"),
    [
        (-0.5, (-0.9, -0.1), "feels a slow machine more than b does: where a fixed piece of work"),
        (1.1, (0.4, 1.8), "feels a slow machine less than b does: where a fixed piece of work"),
    ],
)
def test_a_slope_is_told_as_what_a_slower_machine_does_to_the_ratio(
    slope: float, ends: tuple[float, float], said: str
) -> None:
    quiet = {"quiet": 0.412, "quiet_low": 0.4, "quiet_high": 0.425, "work_us": 146.2}
    of = {"slope": slope, "slope_low": ends[0], "slope_high": ends[1]}
    found = sentence(Finding.of("feels_machine", name="a", other="b", **of, **quiet))
    assert said in found
    change = "4.7 % lower (0.95 % to 8.2 %)" if slope < 0 else "11.1 % higher (3.9 % to 18.7 %)"
    assert change in found
    assert "where that took 146 µs, it was 0.412 (0.4 to 0.425)" in found
