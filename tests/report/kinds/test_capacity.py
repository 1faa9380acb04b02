"""What is said of a search for capacities."""

from bakeoff.model.capacity import CostAt, CostFigure, CostLine
from bakeoff.model.receipt import Expectation
from bakeoff.model.workload import ExpectSection
from bakeoff.report.kinds.capacity import document
from bakeoff.report.kinds.holding import varying
from bakeoff.report.render import markdown
from tests.ratios import interval
from tests.report.sample import capacity as sample


def test_what_nobody_meets_is_said_with_the_best_that_was_reached() -> None:
    text = markdown(document(sample.nobody()))
    assert "No contender holds p99 ≤ 10.0 ms: the best was slow, with a p99 of 44.0 ms" in text
    assert "The run ended early" in text
    assert document(sample.nobody()).alarm == "The run ended before it was complete."


def test_the_data_have_the_capacities_then_the_rates() -> None:
    kinds = [row["kind"] for row in document(sample.report()).data]
    assert kinds == ["capacity"] * 7 + ["rate"] * 40


def cost(at: CostAt, figure: CostFigure, quick: float, equal: float, finding: str) -> CostLine:
    ratio = equal / quick
    return CostLine.model_validate(
        {
            "at": at,
            "figure": figure,
            "requests_per_s": {"quick": 26_000.0, "equal": 26_000.0 if at == "equal" else 27_000.0},
            "values": [
                {"name": "quick", "value": quick, "n": 9},
                {"name": "equal", "value": equal, "n": 9},
                {"name": "bounded", "value": None, "n": 0, "why": {"code": "not_seen"}},
                {"name": "slow", "value": None, "n": 0, "why": {"code": "not_seen"}},
            ],
            "pairs": [
                {
                    "a": "quick",
                    "b": "equal",
                    "ratio": interval(ratio, 1.03, n=9),
                    "finding": finding,
                }
            ],
        }
    )


def test_what_a_request_costs_stands_beside_the_capacities() -> None:
    costs = (
        cost("share", "cpu_us_per_request", 19.0, 38.0, "better"),
        cost("equal", "memory_mib", 20.0, 20.2, "tie"),
    )
    made = document(sample.report().model_copy(update={"costs": costs}))
    text = markdown(made)
    assert "## What a request costs" in text
    assert "| half of its peak, CPU/request | ✓ 19.0 µs | 38.0 µs | – | – |" in text
    assert "| 26,000/s for all, memory | = 20.0 MiB | = 20.2 MiB | – | – |" in text
    assert "| half of its peak, CPU/request | ✗ 0.500× (0.485 to 0.515) | – | – |" in text
    rows = [row for row in made.data if row["kind"] == "cost"]
    assert {row["contender"] for row in rows} == {"quick", "equal", "bounded", "slow"}
    assert [row["finding"] for row in rows if "finding" in row] == ["better", "tie"]


def test_what_answers_that_vary_were_held_to_is_said() -> None:
    whole = sample.report()
    held = Expectation(answers=24, expect=ExpectSection(json_={"id": "number"}), varied=("id",))
    entries = (whole.entries[0].model_copy(update={"held": {"GET /": held}}), *whole.entries[1:])
    text = markdown(document(whole.model_copy(update={"entries": entries})))
    assert "quick: each answer is held to status 200 and the shape {id: number}; id varies" in text
    said = varying(entries, mix=True).items
    assert said[0].text.startswith("quick: each answer to GET / is held to status 200")
