"""The page of a replay as a browser shows it, offline."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.report.test_browser import CLIPPED, CUT, OVERFLOW, SHOWN, opened

pytestmark = pytest.mark.page


@pytest.mark.parametrize("width", [390, 1400])
@pytest.mark.parametrize("folder", ["cut_off", "brick"])
def test_it_fits_and_fetches_nothing(
    browser: Browser, folder: str, width: int, request: pytest.FixtureRequest
) -> None:
    html: Path = request.getfixturevalue(folder) / "report.html"
    page, seen = opened(browser, html, width)
    page.evaluate("document.querySelectorAll('details').forEach(node => node.open = true)")
    assert [address for address in seen if not address.startswith("data:")] == [html.as_uri()]
    assert page.evaluate(OVERFLOW) == 0
    assert page.evaluate(CLIPPED) == []
    assert page.evaluate(SHOWN) == [1] * 3
    assert page.evaluate(CUT) == []
    page.context.close()


def test_in_the_dark_the_words_in_pictures_are_light(browser: Browser, brick: Path) -> None:
    page, _ = opened(browser, brick / "report.html", 1400, "dark")
    dark = page.evaluate(
        """() => [...document.querySelectorAll('.wide svg text')]
          .map(node => getComputedStyle(node).fill)
          .filter(fill => Math.max(...fill.match(/[0-9]+/g).map(Number)) < 128)"""
    )
    assert dark == []
    page.context.close()


def test_every_heading_that_the_top_names_is_there(browser: Browser, cut_off: Path) -> None:
    page, _ = opened(browser, cut_off / "report.html", 1400)
    for link in page.locator("nav a").all():
        assert page.locator(link.get_attribute("href") or "").count() == 1
    assert page.get_by_role("heading", level=1).count() == 1
    page.context.close()
