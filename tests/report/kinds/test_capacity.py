"""What is said of a search for capacities."""

from bakeoff.report.kinds.capacity import document
from bakeoff.report.render import markdown
from tests.report.sample import capacity as sample


def test_what_nobody_meets_is_said_with_the_best_that_was_reached() -> None:
    text = markdown(document(sample.nobody()))
    assert "No contender holds p99 ≤ 10.0 ms: the best was slow, with a p99 of 44.0 ms" in text
    assert "The run ended early" in text
    assert document(sample.nobody()).alarm == "The run ended before it was complete."


def test_the_data_have_the_capacities_then_the_rates() -> None:
    kinds = [row["kind"] for row in document(sample.report()).data]
    assert kinds == ["capacity"] * 7 + ["rate"] * 40
