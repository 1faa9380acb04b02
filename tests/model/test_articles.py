"""The published tests in articles/ keep their contract, and their figures fit each other."""

from itertools import pairwise
from typing import NamedTuple

import pytest
from pytest import approx

from bakeoff.model.article import Article, Claim, Published, Shape
from bakeoff.plan import Catalogue

CATALOGUE = Catalogue.shipped()
PATHS = sorted((CATALOGUE.root / "articles").glob("*.toml"))
ARTICLES = [Article.read_toml(path) for path in PATHS]

A_PLACE_KEPT = {"brick"}
"""Contenders that a row names before they exist."""

CONTRADICTED = {
    "On one CPU Go and Node are about level with ab.": "its runs put Go 10.8 % ahead",
    "On several CPUs Go and Node are about level with ab.": "its runs put Go 13.0 % ahead",
    "Spring Boot answers fewer requests than Node, one process of it.": "it printed 28 % more",
}
"""Claims that the article's own figures contradict, as we read its words."""


class Figures(NamedTuple):
    """A row's figures, the load that they come from, and which row it is."""

    where: str
    load: Shape
    published: Published


FIGURES = [
    Figures(f"{article.name}/{one.name}/{row.name}", article.loads[one.load], row.published)
    for article in ARTICLES
    for one in article.comparisons
    for row in one.rows
]
CLAIMS = [(article, claim) for article in ARTICLES for claim in article.claims]


def of(tool: str) -> list[Figures]:
    return [each for each in FIGURES if each.load.tool == tool]


def published_ratio(article: Article, claim: Claim) -> float | None:
    rows = {row.name: row.published for row in article.comparison(claim.comparison).rows}
    top, bottom = rows[claim.of].value(claim.metric), rows[claim.over].value(claim.metric)
    return top / bottom if top and bottom else None


def test_the_five_published_tests_are_here_under_their_own_names() -> None:
    assert [path.stem for path in PATHS] == [
        "cpp-vs-go-frameworks",
        "fastify-vs-fasthttp",
        "go-vs-node-2012",
        "hello-world-2013",
        "node-go-spring",
    ]
    assert [article.name for article in ARTICLES] == [path.stem for path in PATHS]


@pytest.mark.parametrize("article", ARTICLES, ids=lambda article: article.name)
def test_an_article_is_complete(article: Article) -> None:
    named = {row.contender for one in article.comparisons for row in one.rows}
    assert named <= set(CATALOGUE.names()) | A_PLACE_KEPT
    assert all(CATALOGUE.workload(comparison.workload) for comparison in article.comparisons)
    assert article.traps
    assert {comparison.load for comparison in article.comparisons} == set(article.loads)
    claimed = {claim.comparison for claim in article.claims}
    assert claimed == {comparison.name for comparison in article.comparisons}
    assert len({claim.text for claim in article.claims}) == len(article.claims), "none comes twice"


@pytest.mark.parametrize("row", FIGURES, ids=lambda row: row.where)
def test_a_row_has_a_figure_for_each_run_and_percentiles_that_rise(row: Figures) -> None:
    webbench = row.load.tool == "webbench"
    runs = row.published.pages_per_min if webbench else row.published.requests_per_s
    assert len(runs) == row.load.repeats
    latency = row.published.latency_ms
    ranks = [int(name[1:]) for name in latency.percentiles]
    values = [*latency.percentiles.values(), *([latency.max] if latency.max else [])]
    assert ranks == sorted(ranks)
    assert all(low <= high for low, high in pairwise(values))


@pytest.mark.parametrize("row", of("ab"), ids=lambda row: row.where)
def test_abs_figures_follow_from_each_other_to_the_last_digit(row: Figures) -> None:
    rate, published = row.published.requests_per_s[0], row.published
    if published.time_per_request_ms is not None:
        per_request = row.load.connections / rate * 1000
        assert published.time_per_request_ms == approx(per_request, abs=6e-4)
        assert published.time_across_all_ms == approx(1000 / rate, abs=6e-4)
    if published.requests is not None and published.total_bytes is not None:
        assert published.requests == row.load.requests
        taken_s = published.requests / rate
        assert published.time_taken_s == approx(taken_s, abs=6e-4)
        kib_per_s = published.total_bytes / 1024 / taken_s
        assert published.transfer_kib_per_s == approx(kib_per_s, abs=0.011)
        assert published.body_bytes is not None
        assert published.total_bytes > published.requests * published.body_bytes


@pytest.mark.parametrize("row", of("wrk"), ids=lambda row: row.where)
def test_wrks_figures_follow_from_each_other_as_it_rounds(row: Figures) -> None:
    """`1.67m`, `30.08MB`, `14.15k`; the threads' rates add up to the whole."""
    published = row.published
    assert published.requests and published.time_taken_s and published.total_bytes
    taken_s = published.requests / published.requests_per_s[0]
    assert taken_s == approx(published.time_taken_s, rel=0.004)
    assert taken_s == approx(row.load.duration_s, rel=0.01)
    kib_per_s = published.total_bytes / 1024 / taken_s
    assert published.transfer_kib_per_s == approx(kib_per_s, abs=0.006 * 1024)
    each = published.thread_requests_per_s.mean
    assert each is not None
    assert row.load.threads * each == approx(published.requests_per_s[0], rel=0.03)


@pytest.mark.parametrize("row", of("webbench"), ids=lambda row: row.where)
def test_webbenchs_figures_follow_from_each_other(row: Figures) -> None:
    published = row.published
    if published.requests is not None and row.load.duration_s is not None:
        assert published.pages_per_min[0] == published.requests * 60 / row.load.duration_s
    runs = zip(published.bytes_per_s, published.pages_per_min, strict=True)
    sizes = [bytes_per_s * 60 / pages for bytes_per_s, pages in runs]
    assert sizes == approx([round(sizes[-1])] * len(sizes), rel=5e-4), "one size in every run"


@pytest.mark.parametrize(("article", "claim"), CLAIMS, ids=lambda each: getattr(each, "text", ""))
def test_a_claim_fits_the_figures_or_says_why_it_cannot_be_told(
    article: Article, claim: Claim
) -> None:
    ratio = published_ratio(article, claim)
    if ratio is not None:
        above, below = claim.above or 0, claim.below or float("inf")
        assert (above < ratio < below) == (claim.text not in CONTRADICTED)
    assert ratio is not None or claim.undecidable
    assert claim.metric != "cpu" or claim.undecidable, "nobody else's CPU use can be repeated"


def test_what_an_article_contradicts_is_a_claim_and_a_trap() -> None:
    contradicted = {article.name for article, claim in CLAIMS if claim.text in CONTRADICTED}
    assert set(CONTRADICTED) <= {claim.text for _, claim in CLAIMS}
    traps = {article.name: " ".join(article.traps) for article in ARTICLES}
    assert contradicted == {"go-vs-node-2012", "node-go-spring"}
    assert "10.8 % ahead on one CPU and 13.0 %" in traps["go-vs-node-2012"]
    assert "28 % more than one" in traps["node-go-spring"]
