"""A flame graph in a browser, as a file, in a report and in the explorer: zoomed, searched, walked
through by keyboard."""

from collections.abc import Callable
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Locator, Page

from tests.browsing import opened
from tests.report.render.test_browser import OVERFLOW

pytestmark = pytest.mark.page


def frame(page: Page, name: str) -> Locator:
    shown = page.locator(".flame:visible")
    return shown.filter(has=page.locator("title", has_text=name)).first


def width(frame: Locator) -> float:
    return float(frame.get_attribute("width") or 0)


def names(page: Page) -> list[str]:
    told = "nodes => nodes.map(node => node.querySelector('title').textContent.split('\\n')[0])"
    shown: list[str] = page.locator(".flame:visible").evaluate_all(told)
    return shown


def search(page: Page) -> Locator:
    return page.get_by_role("searchbox").locator("visible=true")


def status(page: Page) -> str:
    return "".join(page.get_by_role("status").all_text_contents())


@pytest.fixture(params=["charts/flames.svg", "report.html"])
def file(request: pytest.FixtureRequest, written: Callable[[str], Path]) -> Path:
    return written("why") / str(request.param)


def test_a_frame_that_is_clicked_is_seen_alone_with_what_is_above_and_below(
    browser: Browser, file: Path
) -> None:
    with opened(browser, offline=True) as (page, seen):
        page.goto(file.as_uri())
        before, whole = names(page), width(frame(page, "all"))
        assert width(frame(page, "handle")) < whole / 2
        frame(page, "handle").click()
        assert names(page) == ["all", "user", "main", "handle", "parse & copy"]
        assert width(frame(page, "handle")) == pytest.approx(whole)
        page.get_by_role("button", name="Whole graph").locator("visible=true").click()
        assert names(page) == before and width(frame(page, "handle")) < whole / 2
        assert [each for each in seen if each != file.as_uri() and each != "data:,"] == []


def test_a_search_shows_what_fits_and_adds_up_its_time(browser: Browser, file: Path) -> None:
    with opened(browser, offline=True) as (page, _):
        page.goto(file.as_uri())
        search(page).fill("DEEP<")
        opacity = "node => getComputedStyle(node).opacity"
        assert frame(page, "deep<7>").evaluate(opacity) == "1"
        assert float(frame(page, "handle").evaluate(opacity)) < 0.5
        # What is within another one that fits is counted once.
        assert status(page).startswith("40 frames. b 0.00, a 1.")
        search(page).fill("")
        assert frame(page, "handle").evaluate(opacity) == "1" and status(page) == ""


def test_it_is_walked_through_by_keyboard(browser: Browser, file: Path) -> None:
    with opened(browser, offline=True) as (page, _):
        page.goto(file.as_uri())
        frame(page, "all").focus()
        said = "document.activeElement.querySelector('title').textContent.split('\\n')[0]"
        heard = []
        for key in ("ArrowDown", "ArrowRight", "ArrowLeft", "ArrowUp", "ArrowUp", "ArrowDown"):
            page.keyboard.press(key)
            heard.append(page.evaluate(said))
        assert heard == ["user", "kernel", "user", "all", "all", "user"]
        page.keyboard.press("ArrowRight")
        assert status(page).startswith("kernel: b ")
        page.keyboard.press("Enter")
        assert "user" not in names(page) and "sendto" in names(page)
        page.keyboard.press("Escape")
        assert "user" in names(page)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("wide", [1280, 390])
def test_it_fits_and_has_no_barrier(browser: Browser, file: Path, wide: int, scheme: str) -> None:
    with opened(browser, wide, scheme, offline=True) as (page, seen):
        page.goto(file.as_uri())
        if file.suffix == ".html":
            assert page.evaluate(OVERFLOW) <= 0
            found = Axe().run(page, options={"preload": False}).response["violations"]
            grave = [each["id"] for each in found if each["impact"] in ("serious", "critical")]
            assert grave == []
        words = frame(page, "all").locator("text").evaluate("node => getComputedStyle(node).fill")
        assert words == "rgb(20, 24, 29)", "on light frames, in the dark too"
        assert not [each for each in seen if each.startswith(("console", "error"))]


def test_without_a_script_its_frames_still_say_their_figures(browser: Browser, file: Path) -> None:
    with opened(browser, java_script_enabled=False) as (page, _):
        page.goto(file.as_uri())
        titles = page.locator(".flame:visible title").all_text_contents()
        assert any(title.startswith("parse & copy\nb ") for title in titles)
