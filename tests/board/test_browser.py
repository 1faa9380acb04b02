"""The board in a real browser, opened as files: it fits, has no barrier, and is filtered."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser

from bakeoff.board.pages import cell_at, contender_at, index, pair_at, trust_at
from bakeoff.board.site import write
from bakeoff.explore.address import file_of
from tests.board.conftest import Boards
from tests.browsing import opened
from tests.explore.test_browser import AXE
from tests.report.render.test_browser import OVERFLOW

pytestmark = pytest.mark.page


def test_pages_fit_have_no_barrier_and_are_filtered_in_the_address(
    browser: Browser, boards: Boards
) -> None:
    boards("--only", "hello", most=4)
    made = boards.board()
    other = made.contenders[4].model_copy(update={"language": "Go"})
    site = boards.here / "own"
    write(made.model_copy(update={"contenders": (*made.contenders[:4], other)}), site)
    of_cell = cell_at(made.cells[0], "cpu")
    views = (index(), of_cell, contender_at(), contender_at("a"), pair_at("a", "e"), trust_at())
    for width, scheme in ((1280, "light"), (390, "dark")):
        with opened(browser, width, scheme) as (page, seen):
            for view in views:
                page.goto((site / file_of(view)).as_uri())
                assert page.evaluate(OVERFLOW) <= 0, view
                found = Axe().run(page, options=AXE).response["violations"]
                grave = [each["id"] for each in found if each["impact"] in ("serious", "critical")]
                assert grave == [], view
            assert [each for each in seen if not each.startswith(site.as_uri())] == []
    with opened(browser) as (page, _):
        page.goto((site / "index.html").as_uri())
        rows = page.locator("tr[data-language]:visible")
        assert rows.count() == 5
        page.get_by_label("Language").select_option("Go")
        page.wait_for_url("**/index.html#language=Go")
        assert rows.count() == 1
        page.get_by_role("link", name="CPU per answer").click()
        page.wait_for_url("**/h1-cpu.html#language=Go")
        assert rows.count() == 1
        page.reload()
        assert rows.count() == 1 and page.get_by_label("Language").input_value() == "Go"
        page.locator("#two select[name=a]").select_option("e")
        page.locator("#two select[name=b]").select_option("b")
        page.get_by_role("button", name="Which one?").click()
        page.wait_for_url("**/pair/b/e.html")
