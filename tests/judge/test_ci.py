"""A change is slower where a gate fails, and not slower where all hold."""

import pytest

from bakeoff.judge import judge_ci
from bakeoff.judge.gate import is_decided
from bakeoff.model.ci import Ci, CiPlan, Revision
from bakeoff.model.finding import Finding
from bakeoff.model.gate import CantTell, Gate, GateResult, Outcome
from bakeoff.model.pairs import Pair
from bakeoff.model.plan import Skipped
from bakeoff.model.ratio import Interval, Ratio
from bakeoff.model.verdict import Verdict
from bakeoff.report.kinds.ci import headline
from tests.judge.facts import MACHINE
from tests.report.sample import race as sample

GATE = Gate(text="head >= 0.98 * base", left="head", sign=">=", factor=0.98, right="base")


def verdict(outcome: Outcome, ratio: float = 1.0, cant_tell: CantTell = "pass") -> Verdict:
    """A race of base and head whose one gate came out so."""
    whole = sample.verdict()
    entries = tuple(
        entry.model_copy(update={"name": name, "valid": True, "reasons": ()})
        for name, entry in zip(("base", "head"), whole.entries, strict=False)
    )
    low, high = ratio - 0.01, ratio + 0.01
    finding = "slower" if high < 1 else "faster" if low > 1 else "can't tell"
    pair = Pair.model_validate(
        {
            "a": "head",
            "b": "base",
            "ratio": Ratio(ratio=ratio, low=low, high=high, n=99, draws=8),
            "finding": finding,
            "equivalent": False,
            "minimum_detectable_effect": 0.014,
        }
    )
    gate = GateResult(
        gate=GATE,
        outcome=outcome,
        passes=outcome == "holds" or (outcome == "can't tell" and cant_tell == "pass"),
        cant_tell=cant_tell,
        ratio=pair.ratio,
    )
    return whole.model_copy(
        update={
            "reference": "base",
            "entries": entries,
            "pairs": (pair,),
            "gates": (gate,),
            "skipped": (),
        }
    )


def decided(race: Verdict, complete: bool = True) -> Ci:
    revision = Revision(name="main", commit="a" * 40, subject="s")
    plan = CiPlan(
        run="a-run",
        command_line=("bakeoff", "ci"),
        contender=".",
        base=revision,
        head=revision,
        race=sample.plan(),
        seed=1,
    )
    return judge_ci(plan, race, complete, MACHINE)


@pytest.mark.parametrize(
    ("outcome", "cant_tell", "says", "passes"),
    [
        ("holds", "pass", "not slower", True),
        ("can't tell", "pass", "can't tell", True),
        ("can't tell", "fail", "can't tell", False),
        ("fails", "pass", "slower", False),
    ],
)
def test_what_the_gate_says_decides_and_what_cannot_be_told_by_policy(
    outcome: Outcome, cant_tell: CantTell, says: str, passes: bool
) -> None:
    result = decided(verdict(outcome, cant_tell=cant_tell))
    assert (result.outcome, result.passes) == (says, passes)


def test_what_is_slower_is_said_with_its_figure() -> None:
    result = decided(verdict("fails", 0.95))
    assert headline(result) == "Slower: head does 0.950× (0.940 to 0.960) of base."


def beside(race: Verdict, by_cpu: Outcome) -> Verdict:
    """The race with a result by server CPU beside its gate's."""
    (gate,) = race.gates
    passes = by_cpu != "fails"
    second = {"by": "requests_per_cpu_s", "outcome": by_cpu, "passes": passes}
    return race.model_copy(update={"gates": (gate, gate.model_copy(update=second))})


def priced(race: Verdict) -> Verdict:
    """The race with the ratio of its pair by server CPU."""
    cpu = Interval(ratio=0.9, low=0.88, high=0.92, n=99, boots=1)
    changes = {"cpu_ratio": cpu, "cpu_finding": "slower"}
    pair = race.pairs[0].model_copy(update=changes)
    return race.model_copy(update={"pairs": (pair,)})


@pytest.mark.parametrize(
    ("throughput", "by_cpu", "says"),
    [
        ("holds", "holds", "not slower"),
        ("holds", "can't tell", "can't tell"),
        ("can't tell", "holds", "can't tell"),
        ("can't tell", "fails", "slower"),
        ("holds", "fails", "slower"),
        ("holds", "doesn't decide", "not slower"),
        ("can't tell", "doesn't decide", "can't tell"),
    ],
)
def test_not_slower_takes_both_figures_and_slower_one(
    throughput: Outcome, by_cpu: Outcome, says: str
) -> None:
    race = beside(verdict(throughput), by_cpu)
    assert decided(race).outcome == says
    assert is_decided(race, ()) == (says != "can't tell"), "then the race ends"


def test_a_race_goes_on_while_any_of_its_gates_is_undecided() -> None:
    race = beside(verdict("can't tell"), "fails")
    other = race.gates[0].model_copy(update={"gate": GATE.model_copy(update={"factor": 0.95})})
    assert not is_decided(race.model_copy(update={"gates": (*race.gates, other)}), ())


def test_what_is_slower_by_cpu_is_said_with_that_figure() -> None:
    race = priced(beside(verdict("can't tell"), "fails"))
    assert headline(decided(race)) == (
        "Slower: head does 1.000× (0.990 to 1.010) of base, by server CPU 0.900× (0.880 to 0.920)."
    )


@pytest.mark.parametrize("who", ["base", "head"])
def test_without_valid_figures_it_is_not_raced_and_not_slower(who: str) -> None:
    whole = verdict("fails", 0.9)
    died = Finding.of("died", how="SIGKILL")
    broken = whole.model_copy(
        update={
            "entries": tuple(
                entry.model_copy(update={"valid": False, "reasons": (died,)})
                if entry.name == who
                else entry
                for entry in whole.entries
            )
        }
    )
    result = decided(broken)
    assert (result.outcome, result.passes) == ("not raced", False)
    assert f"Not raced: {who}" in headline(result) and "SIGKILL" in headline(result)


def test_one_that_never_started_is_named_with_its_reason() -> None:
    whole = verdict("fails")
    out = (Skipped(name="head", reason="ended with status 1"),)
    gone = whole.model_copy(update={"entries": whole.entries[:1], "pairs": (), "skipped": out})
    result = decided(gone)
    assert result.outcome == "not raced"
    assert "ended with status 1" in headline(result)


def test_a_run_that_ended_early_says_so_last() -> None:
    assert headline(decided(verdict("can't tell"), complete=False)).endswith("The run ended early.")


def test_what_is_not_slower_is_said_with_the_share_that_the_gate_allows() -> None:
    assert headline(decided(verdict("holds", 1.0))).startswith(
        "Not slower than base by more than 2 %: it does 1.000× (0.990 to 1.010)"
    )
    assert headline(decided(verdict("holds", 1.1))).startswith("Faster: every gate holds")
