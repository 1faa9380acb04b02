"""Gates as they are typed."""

import pytest

from bakeoff.model.errors import BadUsage
from bakeoff.model.gate import Gate
from bakeoff.plan.gates import race_gate, runs_gate

NAMES = ("new", "old", "node a.js", "98", "http://127.0.0.1:80/?a=1")


@pytest.mark.parametrize(
    ("text", "left", "sign", "factor", "right"),
    [
        ("new >= 0.98 * old", "new", ">=", 0.98, "old"),
        ("new>=0.98*old", "new", ">=", 0.98, "old"),
        ("  new > old ", "new", ">", 1, "old"),
        ("new <= 110% * old", "new", "<=", 1.1, "old"),
        ("new < .5 * old", "new", "<", 0.5, "old"),
        ('"node a.js" >= 98% * old', "node a.js", ">=", 0.98, "old"),
        ("old >= 'node a.js'", "old", ">=", 1, "node a.js"),
        ('old >= 2 * "98"', "old", ">=", 2, "98"),
        ("http://127.0.0.1:80/?a=1 >= old", "http://127.0.0.1:80/?a=1", ">=", 1, "old"),
    ],
)
def test_a_gate_of_a_race(text: str, left: str, sign: str, factor: float, right: str) -> None:
    gate = race_gate(text, NAMES)
    assert (gate.text, gate.left, gate.sign, gate.right) == (text, left, sign, right)
    assert gate.factor == pytest.approx(factor)


@pytest.mark.parametrize("text", ["new >= 0.98", "new>=98%"])
def test_a_gate_of_two_runs_has_a_factor_and_one_name(text: str) -> None:
    assert runs_gate(text, NAMES) == Gate(text=text, left="new", sign=">=", factor=0.98, right=None)


@pytest.mark.parametrize(
    "text",
    [
        "", "new", "new >=", "new 0.98 * old", "new = old", "new >= 0.98 old", "new >= * old",
        "new >= 0.98 *", ">= old", "new >= 0.98 * 2 * old", "new >= old new", 'new >= "old',
        "node a.js >= old", "new >= -1 * old", "98 >= old", "new >= 98%", "new >= x * old",
    ],
)  # fmt: skip
def test_what_is_no_gate_is_answered_with_the_grammar_and_an_example(text: str) -> None:
    with pytest.raises(BadUsage, match=r"NAME >= \[FACTOR \*\] NAME.*new >= 0\.98 \* old"):
        race_gate(text, NAMES)


@pytest.mark.parametrize(
    ("text", "precision", "within", "decides"),
    [
        ("new >= 0.98 * old", 0.01, None, True),
        ("new >= 0.98 * old", 0.03, None, False),
        ("new >= old", 0.01, None, False),
        ("new >= old", 0.01, 0.02, True),
        ("new >= old", None, None, True),
    ],
)
def test_a_precision_must_be_able_to_decide_a_gate_for_equals(
    text: str, precision: float | None, within: float | None, decides: bool
) -> None:
    if decides:
        assert race_gate(text, NAMES, precision=precision, within=within)
        return
    with pytest.raises(BadUsage, match="can't decide it for equal servers"):
        race_gate(text, NAMES, precision=precision, within=within)


@pytest.mark.parametrize("text", ["new >= old", "new >=", "new >= 0.98 * old", "0.98 >= new"])
def test_what_is_no_gate_of_two_runs(text: str) -> None:
    with pytest.raises(BadUsage, match=r"NAME >= FACTOR.*nginx >= 0\.98"):
        runs_gate(text, NAMES)
