"""The pages as a browser shows them, offline, at the widths of a telephone, a tablet and a desk."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from bakeoff.model.ratio import Interval
from bakeoff.report import render
from bakeoff.report.kinds import race
from tests.browsing import opened
from tests.report import sample
from tests.report.documents import DOCUMENTS
from tests.report.render.test_html import CHARTS

pytestmark = pytest.mark.page

# A cell is clipped where its content is wider than it and doesn't show beyond it.
CLIPPED = """() => [...document.querySelectorAll('th, td, li, h1, h2, h3, h4, p, summary')]
  .filter(node => node.getClientRects().length && node.scrollWidth > node.clientWidth + 1
    && getComputedStyle(node).display !== 'inline')
  .map(node => node.textContent)"""
# Of the two drawings of a picture one is shown.
SHOWN = """() => [...document.querySelectorAll('figure')].map(figure =>
  [...figure.querySelectorAll('svg')].map(svg => svg.getBoundingClientRect())
    .filter(box => box.width > 100 && box.height > 60).length)"""
# Words of a picture that stick out of it are cut off.
CUT = """() => [...document.querySelectorAll('figure svg')].flatMap(svg => {
  const frame = svg.getBoundingClientRect();
  return [...svg.querySelectorAll('text')].filter(node => {
    const box = node.getBoundingClientRect();
    return box.width && (box.left < frame.left - 2 || box.right > frame.right + 2
      || box.top < frame.top - 2 || box.bottom > frame.bottom + 2);
  }).map(node => node.textContent);
})"""
OVERFLOW = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
DARK_WORDS = """() => [...document.querySelectorAll('.wide svg text')]
  .map(node => getComputedStyle(node).fill)
  .filter(fill => Math.max(...fill.match(/[0-9]+/g).map(Number)) < 128)"""
# A row's name stays in sight while its table is scrolled to the end.
NAMES = """() => [...document.querySelectorAll('.scroll')].filter(box => box.querySelector('thead'))
  .map(box => { box.scrollLeft = 10000;
    return box.querySelector('tbody th').getBoundingClientRect().left
      - box.getBoundingClientRect().left; })"""
SCROLLING = """() => [...document.querySelectorAll('.scroll')]
  .filter(box => box.scrollWidth > box.clientWidth).map(box => box.innerText)"""


@pytest.mark.parametrize("width", [390, 800, 1400])
@pytest.mark.parametrize("name", CHARTS)
def test_it_fits_and_fetches_nothing(
    browser: Browser, written: Callable[[str], Path], name: str, width: int
) -> None:
    html = written(name) / "report.html"
    with opened(browser, width, offline=True) as (page, seen):
        page.goto(html.as_uri())
        assert page.evaluate(SHOWN) == [1] * len(CHARTS[name].split())
        page.evaluate("document.querySelectorAll('details').forEach(node => node.open = true)")
        assert [address for address in seen if not address.startswith("data:")] == [html.as_uri()]
        assert page.evaluate(OVERFLOW) == 0
        assert page.evaluate(CLIPPED) == []
        assert page.evaluate(CUT) == []


@pytest.mark.parametrize("name", ["race", "capacity", "grid", "replay-of-many-rows"])
def test_in_the_dark_the_words_in_pictures_are_light(
    browser: Browser, written: Callable[[str], Path], name: str
) -> None:
    with opened(browser, 1400, "dark", offline=True) as (page, _):
        page.goto((written(name) / "report.html").as_uri())
        assert page.evaluate(DARK_WORDS) == []


def test_on_a_telephone_tables_scroll_and_keep_their_names(
    browser: Browser, written: Callable[[str], Path]
) -> None:
    with opened(browser, 390, offline=True) as (page, _):
        page.goto((written("race") / "report.html").as_uri())
        assert {round(left) for left in page.evaluate(NAMES)} == {0}


def test_on_a_desk_no_table_of_a_race_scrolls(browser: Browser, tmp_path: Path) -> None:
    """Not where the server's CPU time compares them, too, which is the widest that there is."""
    verdict = sample.verdict()
    slow = Interval(ratio=0.0483, low=0.0419, high=0.0556, n=190, boots=1)
    by_cpu = {"limited_by": "client", "cpu_ratio": slow}
    entries = tuple(entry.model_copy(update=by_cpu) for entry in verdict.entries)
    widest = race.document(verdict.model_copy(update={"entries": entries}))
    html = render.write(tmp_path, widest).parent / "report.html"
    with opened(browser, 1280, offline=True) as (page, _):
        page.goto(html.as_uri())
        page.evaluate("document.querySelectorAll('details').forEach(node => node.open = true)")
        assert page.evaluate(SCROLLING) == []


def test_a_snippet_styles_itself_and_not_the_notebook(browser: Browser) -> None:
    page = browser.new_page(viewport={"width": 1000, "height": 800})
    page.set_content(f"<h1>Notebook</h1>{render.snippet(DOCUMENTS['race']())}")
    style = "node => [getComputedStyle(node).maxWidth, getComputedStyle(node).letterSpacing]"
    assert page.locator("body").evaluate(style) == ["none", "normal"]
    assert page.locator("h1").evaluate(style) == ["none", "normal"]
    assert page.locator("p.note").first.evaluate(style)[0] == "704px"
    assert page.evaluate(SHOWN) == [1]
    page.close()


def test_someone_who_cant_see_finds_a_heading_and_a_name_for_each_picture(
    browser: Browser, written: Callable[[str], Path]
) -> None:
    with opened(browser, 1400, offline=True) as (page, _):
        page.goto((written("race") / "report.html").as_uri())
        pictures = page.locator(".wide svg[aria-label]:is([role=img], [role=group])")
        assert pictures.count() == page.locator("figure").count() == 8
        assert page.get_by_role("heading", level=1).count() == 1
        assert page.locator("table").count() == page.locator("table tbody").count()
        assert page.locator("thead th:not([scope=col]), tbody th:not([scope=row])").count() == 0
