"""An article's page: its claims over time, in tables and in a picture that say the same."""

from bakeoff.explore import address as to
from bakeoff.explore.address import live
from bakeoff.explore.views.article import ArticlePage, article
from bakeoff.history.index import Index
from bakeoff.model.history import IndexedClaim
from bakeoff.report import figures
from tests.explore.visitor import Elements, Visitor
from tests.history.indexed import run
from tests.ratios import interval
from tests.report.charts.drawn import marks

NAME = "an-article"


def claims(ratio: float) -> tuple[IndexedClaim, ...]:
    """Two claims, of which the second can't be decided."""
    common = {"article": NAME, "text": "a beats b"}
    return (
        IndexedClaim(**common, number=1, finding="holds", ratio=interval(ratio)),
        IndexedClaim(**common, number=2, finding="can't tell", ratio=None),
    )


def test_its_picture_and_its_tables_have_the_same_figures(no_index: Index) -> None:
    no_index.add(run(1, {"a": 2.0}, claims=claims(2.0)), run(2, {"a": 2.0}, claims=claims(1.7)))
    page = article(no_index, to.article(NAME))
    assert isinstance(page, ArticlePage)
    said = marks(page.charts[0])
    text = Elements.of(Visitor.let_in(no_index).page(live(page.address))).text
    for claim in page.claims:
        for point in claim.points:
            found = f"claim {claim.number} {point.claim.finding}"
            figure = figures.ratio_of(point.claim.ratio)
            assert figure in text
            assert any(found in line and (claim.number == 2 or figure in line) for line in said)
    assert len(said) == 4


def test_its_picture_is_a_file_and_stands_alone(no_index: Index) -> None:
    no_index.add(run(1, {"a": 2.0}, claims=claims(2.0)))
    visitor, page = Visitor.let_in(no_index), to.article(NAME)
    svg = visitor.ask(live(page.file("chart", "claims.svg")))
    assert svg.headers["content-type"].startswith("image/svg+xml")
    assert "chart/claims.svg" in visitor.page(live(page.file("embed", "claims.html")))
