"""The page as a browser shows it, offline, at the widths of a telephone, a tablet and a desk."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

pytestmark = pytest.mark.page

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
# A cell is clipped where its content is wider than it and doesn't show beyond it.
CLIPPED = """() => [...document.querySelectorAll('th, td, dd, li, h1, h2, h3, p')]
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


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("no Chromium to open the report in: apt-get install chromium")
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        yield launched
        launched.close()


def opened(
    browser: Browser, html: Path, width: int, scheme: str = "light"
) -> tuple[Page, list[str]]:
    """The page at `width` px, and what went wrong or was fetched while it opened."""
    context = browser.new_context(
        viewport={"width": width, "height": 900},
        color_scheme=scheme,  # type: ignore[arg-type]
        offline=True,
    )
    page = context.new_page()
    seen: list[str] = []
    page.on("console", lambda message: seen.append(f"console: {message.text}"))
    page.on("pageerror", lambda error: seen.append(f"error: {error}"))
    page.on("request", lambda request: seen.append(request.url))
    page.goto(html.as_uri())
    return page, seen


@pytest.mark.parametrize("width", [390, 800, 1400])
def test_it_fits_and_fetches_nothing(browser: Browser, written: Path, width: int) -> None:
    html = written / "report.html"
    page, seen = opened(browser, html, width)
    assert [address for address in seen if not address.startswith("data:")] == [html.as_uri()]
    assert page.evaluate(OVERFLOW) == 0
    assert page.evaluate(CLIPPED) == []
    assert page.evaluate(SHOWN) == [1] * 9
    assert page.evaluate(CUT) == []
    page.context.close()


@pytest.mark.parametrize("width", [390, 1400])
def test_everything_unfolded_still_fits(browser: Browser, written: Path, width: int) -> None:
    page, _ = opened(browser, written / "report.html", width)
    page.evaluate("document.querySelectorAll('details').forEach(node => node.open = true)")
    assert page.evaluate(OVERFLOW) == 0
    assert page.evaluate(CLIPPED) == []
    assert page.get_by_text("as it came over the wire").first.is_visible()
    page.context.close()


def test_in_the_dark_the_words_in_pictures_are_light(browser: Browser, written: Path) -> None:
    page, _ = opened(browser, written / "report.html", 1400, "dark")
    dark = page.evaluate(
        """() => [...document.querySelectorAll('.wide svg text')]
          .map(node => getComputedStyle(node).fill)
          .filter(fill => Math.max(...fill.match(/[0-9]+/g).map(Number)) < 128)"""
    )
    assert dark == []
    page.context.close()


def test_someone_who_cant_see_finds_a_heading_and_a_name_for_each_picture(
    browser: Browser, written: Path
) -> None:
    page, _ = opened(browser, written / "report.html", 1400)
    images = page.get_by_role("img")
    assert images.count() == 9
    assert page.get_by_role("heading", level=1).count() == 1
    assert page.locator("table").count() == page.locator("table tbody").count()
    assert page.locator("thead th:not([scope=col]), tbody th:not([scope=row])").count() == 0
    page.context.close()
