"""Claims of articles: a range for a ratio, held against the interval that was measured."""

from datetime import date

import pytest

from bakeoff.judge.claims import decide, outcome
from bakeoff.model.article import Article, Claim, Comparison, Metric, Published, Row, Setting, Shape
from bakeoff.model.finding import Finding
from bakeoff.model.ratio import Ratio


def claim(**changed: object) -> Claim:
    return Claim.model_validate(
        {
            "text": "quick is faster than slow",
            "comparison": "all",
            "metric": "requests_per_s",
            "of": "quick",
            "over": "slow",
            "above": 1.0,
            **changed,
        }
    )


def interval(low: float, high: float) -> Ratio:
    return Ratio(ratio=(low * high) ** 0.5, low=low, high=high, n=40, boots=3)


def article(*claims: Claim) -> Article:
    published = {
        "quick": Published(requests_per_s=(110, 130), memory_kib=(100, 200)),
        "slow": Published(pages_per_min=(6000,)),
    }
    return Article(
        name="test",
        title="Test",
        published=date(2012, 8, 12),
        language="English",
        summary="Two servers.",
        setting=Setting(cpu="some", cores=2, threads=4),
        loads={
            "ab": Shape(
                tool="ab", command="ab", connections=9, connection="close", http="1.0", requests=9
            )
        },
        comparisons=(
            Comparison(
                name="all",
                title="All",
                workload="hello",
                load="ab",
                cpus="one",
                rows=tuple(
                    Row(name=name, contender=name, label=name, published=figures)
                    for name, figures in published.items()
                ),
            ),
        ),
        claims=claims,
    )


def text(words: str) -> Finding:
    return Finding.of("text", text=words)


class Measured:
    def __init__(self, result: Ratio | Finding, metric: Metric = "requests_per_s") -> None:
        self.result = result
        self.metric = metric

    def interval(self, metric: Metric, of: str, over: str) -> Ratio | Finding:
        assert (metric, of, over) == (self.metric, "quick", "slow")
        return self.result


@pytest.mark.parametrize(
    ("low", "high", "above", "below", "result"),
    [
        (1.01, 1.20, 1.0, None, "holds"),
        (0.80, 0.99, 1.0, None, "does not hold"),
        (0.95, 1.05, 1.0, None, "can't tell"),
        (1.10, 1.15, 1.18, None, "does not hold"),
        (1.10, 1.30, 1.18, None, "can't tell"),
        (1.20, 1.30, 1.18, None, "holds"),
        (0.40, 0.60, None, 0.7, "holds"),
        (0.95, 1.05, 0.9, 1.1, "holds"),
        (1.11, 1.50, 0.9, 1.1, "does not hold"),
        (0.50, 0.89, 0.9, 1.1, "does not hold"),
        (0.50, 1.50, 0.9, 1.1, "can't tell"),
        # An interval that ends on the border is on its own side of it.
        (0.90, 1.10, 0.9, 1.1, "holds"),
        (1.10, 1.30, 0.9, 1.1, "does not hold"),
        (0.70, 0.90, 0.9, 1.1, "does not hold"),
        (0.89, 1.10, 0.9, 1.1, "can't tell"),
        (0.90, 1.11, 0.9, 1.1, "can't tell"),
    ],
)
def test_a_claim_is_a_range_for_a_ratio(
    low: float, high: float, above: float | None, below: float | None, result: str
) -> None:
    assert outcome(claim(above=above, below=below), interval(low, high)) == result


def test_a_decided_claim_stands_beside_the_published_ratio() -> None:
    (result,) = decide(article(claim()), {"all": Measured(interval(1.1, 1.3))}, {})
    assert (result.finding, result.why) == ("holds", None)
    assert result.published == pytest.approx(120 / 100)
    assert result.measured == interval(1.1, 1.3)


def test_what_one_side_did_not_publish_has_no_published_ratio() -> None:
    memory = claim(metric="memory")
    (result,) = decide(article(memory), {"all": Measured(interval(1.1, 1.3), "memory")}, {})
    assert result.published is None


@pytest.mark.parametrize(
    ("asked", "evidence", "missing", "why"),
    [
        (claim(), {"all": Measured(text("it did not come up"))}, {}, text("it did not come up")),
        (claim(), {}, {"all": "ab is not installed"}, text("ab is not installed")),
        (claim(), {}, {}, Finding.of("comparison_missing")),
        (
            claim(undecidable="a picture of four cores"),
            {"all": Measured(interval(2, 3))},
            {},
            text("a picture of four cores"),
        ),
    ],
)
def test_a_claim_without_evidence_cannot_be_told_and_says_why(
    asked: Claim, evidence: dict[str, Measured], missing: dict[str, str], why: Finding
) -> None:
    (result,) = decide(article(asked), evidence, missing)
    assert (result.finding, result.why, result.measured) == ("can't tell", why, None)
