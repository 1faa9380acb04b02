"""What a report of capacities claims of objectives that nobody was found to hold."""

from bakeoff.report.kinds.capacity import document
from bakeoff.report.render import markdown
from tests.report.sample import capacity as capacities


def test_one_that_broke_at_the_lowest_rate_alone_is_not_called_unmet() -> None:
    report = capacities.report()
    (slow,) = (entry for entry in report.entries if entry.name == "slow")
    unsteady = slow.capacities[1].model_copy(
        update={"objective": capacities.STRICT.text, "limit": "unsteady"}
    )
    alone = slow.model_copy(update={"capacities": (unsteady,)})
    said = document(report.model_copy(update={"entries": (alone,), "pairs": ()}))
    assert said.headline.startswith("Which contender holds p99 ≤ 10.0 ms can't be told.")
    text = markdown(said)
    assert "| slow | can't tell | – | unsteady |" in text
    assert "broke, and at a higher rate it held" in text
