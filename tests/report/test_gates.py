"""Gates and the confirmation, wherever a verdict is read."""

from typing import Any

import pytest

from bakeoff import report
from bakeoff.model.gate import Gate, GateResult
from bakeoff.model.verdict import Interval, Verdict
from bakeoff.report import words
from bakeoff.report.page import page
from bakeoff.report.tables import slices_table
from tests.report import sample
from tests.report.test_terminal import printed

GATE = Gate(text="new >= 0.98 * old", left="new", sign=">=", factor=0.98, right="old")
FIGURES = {"ratio": 0.971, "low": 0.962, "high": 0.979, "n": 480}


def result(**changed: Any) -> GateResult:
    return GateResult.model_validate(
        {"gate": GATE, "outcome": "fails", "passes": False, "cant_tell": "pass", **changed}
    )


def gated(*results: GateResult) -> Verdict:
    return sample.verdict().model_copy(update={"gates": results})


def solo(agrees: bool) -> Verdict:
    verdict = sample.verdict()
    alone = Interval(ratio=0.55, low=0.51, high=0.59, n=10, boots=10)
    entries = tuple(
        entry.model_copy(update={"solo": alone, "solo_agrees": agrees})
        if entry.name == "go-nethttp"
        else entry
        for entry in verdict.entries
    )
    return verdict.model_copy(update={"entries": entries})


@pytest.mark.parametrize(
    ("found", "says"),
    [
        (
            result(**FIGURES),
            "new >= 0.98 * old: fails, the ratio is 0.971 (0.962 to 0.979), n = 480 blocks",
        ),
        (
            result(reason="old is not valid: it died"),
            "new >= 0.98 * old: fails, old is not valid: it died",
        ),
        (
            result(**FIGURES, outcome="can't tell", passes=True),
            "new >= 0.98 * old: can't tell, the ratio is 0.971 (0.962 to 0.979), n = 480 blocks;"
            " it passes by --cant-tell pass",
        ),
        (
            result(outcome="can't tell", cant_tell="fail", reason="too few blocks have both"),
            "new >= 0.98 * old: can't tell, too few blocks have both; it fails by --cant-tell fail",
        ),
    ],
)
def test_a_gate_says_what_became_of_it_and_why(found: GateResult, says: str) -> None:
    assert words.gate(found, "requests_per_s") == says


def test_of_a_race_ranked_by_p99_a_gate_says_so() -> None:
    assert "by p99, where more is better, the ratio is" in words.gate(result(**FIGURES), "p99")


def test_terminal_and_markdown_have_a_line_for_each_gate() -> None:
    verdict = gated(result(**FIGURES), result(**FIGURES, outcome="holds", passes=True))
    text = printed(verdict, 120)
    assert "✗ new >= 0.98 * old: fails, the ratio is 0.971" in text
    assert "✓ new >= 0.98 * old: holds, the ratio is 0.971" in text
    assert "## Gates\n\n- ✗ new \\>= 0.98 \\* old: fails" in report.markdown(verdict)


def test_a_race_without_gates_and_confirmation_says_nothing_of_them() -> None:
    for text in (printed(sample.verdict(), 120), report.markdown(sample.verdict())):
        assert "Gates" not in text and "Confirmation" not in text
    assert "ratio solo" not in slices_table(sample.verdict()).heads


@pytest.mark.parametrize(("agrees", "says"), [(True, "agrees"), (False, "does not agree")])
def test_the_solo_figure_stands_beside_the_race(agrees: bool, says: str) -> None:
    verdict = solo(agrees)
    said = f"go-nethttp 0.550× (0.510 to 0.590), n = 10 rounds, {says}."
    assert words.confirmation(verdict) == (
        f"With one contender up at a time, against nginx: {said}"
    )
    assert "Confirmation: With one contender" in printed(verdict, 120)
    assert "Confirmation: With one contender" in report.markdown(verdict)
    table = slices_table(verdict)
    (row,) = [row for row in table.rows if row[0] == "go-nethttp"]
    assert row[-3:] == ("0.550× (0.510 to 0.590)", "10", "yes" if agrees else "no")


def test_the_page_has_both() -> None:
    verdict = solo(False).model_copy(update={"gates": (result(**FIGURES),)})
    text = page(sample.plan(), verdict, sample.records(), sample.receipts(), ())
    assert '<h2 id="gates">Gates</h2>' in text
    assert "✗ new &gt;= 0.98 * old: fails" in text
    assert "<strong>Confirmation.</strong> With one contender up at a time" in text
