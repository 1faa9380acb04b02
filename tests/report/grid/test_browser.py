"""The page of a grid as a browser shows it, offline."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from bakeoff import report
from tests.report.grid import sample
from tests.report.test_browser import CLIPPED, CUT, OVERFLOW, opened

pytestmark = pytest.mark.page


@pytest.fixture(scope="module")
def html(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample's page."""
    return report.write_grid(tmp_path_factory.mktemp("grid"), sample.grid())


@pytest.mark.parametrize("width", [390, 1400])
def test_it_fits_and_fetches_nothing(browser: Browser, html: Path, width: int) -> None:
    page, seen = opened(browser, html, width)
    assert [address for address in seen if not address.startswith("data:")] == [html.as_uri()]
    assert page.evaluate(OVERFLOW) == 0
    assert page.evaluate(CLIPPED) == []
    assert page.evaluate(CUT) == []
    page.context.close()
