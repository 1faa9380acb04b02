"""Every finding has its sentence. `tests/report/sentences.txt` has them all."""

from collections.abc import Callable
from pathlib import Path

import pytest

from bakeoff.model.finding import Finding
from bakeoff.model.findings import CODES, WARNINGS_OF_ENTRIES, WARNINGS_OF_RACES, example
from bakeoff.model.findings.row import Row
from bakeoff.model.findings.values import VALUES
from bakeoff.report import glossary, warnings
from bakeoff.report.sentences import filled, in_unit, joined, sentence
from tests.report import sentences


def test_the_sentences_are_those_that_are_kept() -> None:
    assert sentences.KEPT.read_text() == sentences.text(), "run: python -m tests.report.sentences"


@pytest.mark.parametrize(
    ("name", "page"), [("WARNINGS", warnings.page), ("GLOSSARY", glossary.page)]
)
def test_a_page_is_current(name: str, page: Callable[[], str]) -> None:
    kept = Path(__file__).parents[2] / "docs" / f"{name}.md"
    assert kept.read_text() == page(), "run: make schemas"


def test_every_value_of_a_sentence_is_documented_and_no_other() -> None:
    assert {value for row in CODES.values() for value in row.values} == set(VALUES)


def test_an_example_changes_values_that_its_sentence_has() -> None:
    for code, row in CODES.items():
        assert set(example(code)) == set(row.values), code


def test_a_row_tells_its_values_and_what_the_sentence_says_of_them() -> None:
    row = Row("{names:who} {names:has|have} {n:# lock|locks} at {ratio,low,high:interval}[ ({at})]")
    assert row.values == ("names", "n", "ratio", "low", "high", "at")
    assert row.optional == {"low", "high", "at"}
    assert row.meaning == "`names` have `n` locks at `ratio` (`low` to `high`) (`at`)."


# Of these the words come from outside, or they are only said as a part of another.
WITHOUT_ADVICE = {"verification", "few_twin_blocks", "several"}


def test_each_warning_says_what_can_be_done() -> None:
    warned = {**WARNINGS_OF_ENTRIES, **WARNINGS_OF_RACES}
    assert {code for code, row in warned.items() if not row.advice} == WITHOUT_ADVICE


def test_each_warning_of_an_entry_has_its_sentence_for_several() -> None:
    for code, row in WARNINGS_OF_ENTRIES.items():
        used = set(Row(row.several).values)
        assert "names" in used, code
        assert used - {"names"} <= set(row.values), code


def test_advice_ends_a_sentence_and_is_no_part_of_a_reason() -> None:
    few, row = warnings.found("few_blocks"), CODES["few_blocks"]
    assert sentence(few) == f"{joined([few])}; {row.advice}"


def test_a_finding_has_all_values_of_its_code() -> None:
    with pytest.raises(ValueError, match="`values` of generator_limit are"):
        Finding.of("generator_limit", client_busy=0.97)


def test_what_is_in_a_value_is_no_template() -> None:
    assert filled("{how}", {"how": "[{x}] 5%"}) == "[{x}] 5%"
    assert filled("<{names:who} {n}>", {"names": ["{x}"], "n": [1]}) == "{x} 1"


@pytest.mark.parametrize(
    ("template", "values", "said"),
    [
        ("{names:who} {names:leaves|leave}", {"names": ["a"]}, "a leaves"),
        ("{names:who} {names:leaves|leave}", {"names": ["a", "b"]}, "a and b leave"),
        ("{names:who} {names:leaves|leave}", {"names": "abcdef"}, "a, b, c and 3 others leave"),
        ("{n:# boot}, {m:# process|processes}", {"n": 1, "m": 2}, "1 boot, 2 processes"),
        ("{boot:nth} {share:.1%} {us:ms}", {"boot": 0, "share": 0.014, "us": 9e3}, "1 1.4 % 9 ms"),
        ("{shares:to .0%}", {"shares": [0.7, 0.48]}, "48 to 70 %"),
        ("{shares:to .0%}", {"shares": [0.7, 0.7]}, "70 %"),
        ("{shares:max .0%}", {"shares": [0.7, 0.48]}, "70 %"),
        ("{ratio,low,high:interval}", {"ratio": 1.5, "low": 1.2, "high": None}, "≥ 1.20×"),
        ("{low,high:doubt}", {"low": 0.955, "high": 0.989}, "4.5 %"),
        ("{slope:slower}", {"slope": -0.5}, "4.7 % lower"),
        ("{slope:slower}", {"slope": 1.1}, "11.1 % higher"),
        ("it waited[ on {core}]", {"core": 0}, "it waited on 0"),
        ("it waited[ on {core}]", {"core": None}, "it waited"),
        ("it waited[{alone:, alone}]", {"alone": True}, "it waited, alone"),
        ("it waited[{alone:, alone}]", {"alone": False}, "it waited"),
        ("<{names:who}: {n}>", {"names": list("abc"), "n": [1, 2, 1]}, "a and c: 1, b: 2"),
        ("<{n} with {names:who}>", {"names": list("abcd"), "n": [1] * 4}, "1 with a, b, c and d"),
        ("<{kinds:words} {n}>", {"kinds": ["no_answer", "b"], "n": [1, 1]}, "no answer 1, b 1"),
        (
            "<{names:who} {n}>",
            {"names": "abcdefg", "n": range(7)},
            "a 0, b 1, c 2, d 3, e 4, and 2 more",
        ),
    ],
)
def test_a_template_is_filled(template: str, values: dict[str, object], said: str) -> None:
    assert filled(template, values) == said


def test_several_share_one_sentence_with_what_any_of_them_has() -> None:
    busy = [
        Finding.of("limit_unknown", client_core=None, server_busy=share, client_busy=0.7)
        for share in (0.48, 0.72)
    ]
    values = {"names": ["a", "b"], "server_busy": [0.48, 0.72], "client_busy": [0.7, 0.7]}
    worded = filled(CODES["limit_unknown"].several, values)
    assert joined([Finding.of("several", *busy, names=["a", "b"])]) == worded


def test_messages_are_counted_where_requests_are_not() -> None:
    lost = Finding.of("few_unanswered", **example("few_unanswered"))
    said = sentence(lost, "message")
    assert said == sentence(lost).replace(" requests ", " messages ")
    assert joined([lost], "message") != joined([lost])
    assert in_unit("{requests:range} of {n:# request}", "message") == (
        "{requests:range} of {n:# message}"
    )
