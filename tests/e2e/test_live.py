"""A real race, watched over server-sent events in a browser, and ended from there."""

import os
import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import psutil
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from bakeoff.runs import open_run
from tests.browsing import opened
from tests.e2e.conftest import BAKEOFF, QUICK, Place
from tests.waiting import wait_for

pytestmark = [pytest.mark.e2e, pytest.mark.page]
SERIOUS = ("serious", "critical")
WITHIN_MS = 120_000
"""The judge yields to all else that a busy machine does."""


@contextmanager
def raced(place: Place, *words: str) -> "Iterator[subprocess.Popen[str]]":
    """A race of which something is measured; it is killed where nobody has ended it."""
    race = place.begin("race", *words)
    try:
        wait_for(lambda: place.blocks() > 4, 120)
        yield race
    finally:
        race.kill()


@contextmanager
def explorer(place: Place) -> "Iterator[tuple[subprocess.Popen[str], str]]":
    """An explorer of what is measured in this place, and its link; nothing of it outlives it."""
    process = subprocess.Popen(
        [BAKEOFF, "explore", "runs"],
        cwd=place.path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        assert process.stdout
        yield process, process.stdout.readline().strip()
    finally:
        own = psutil.Process(process.pid).children(recursive=True)
        os.kill(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=60)
        assert "Traceback" not in said, said
        assert not any(each.is_running() for each in own)


def serious(page: Page) -> list[str]:
    """What axe finds that keeps somebody out."""
    found = Axe().run(page).response["violations"]
    return [f"{each['id']}: {each['help']}" for each in found if each["impact"] in SERIOUS]


def test_a_race_is_watched_and_ended_in_a_browser(place: Place, browser: Browser) -> None:
    words = (place.server("a"), place.server("b"), *QUICK, "-d", "300")
    with (
        raced(place, *words) as race,
        explorer(place) as (_, link),
        opened(browser, 390) as (page, seen),
    ):
        page.set_default_timeout(WITHIN_MS)
        page.goto(link)
        page.locator(".running a").click()
        standing = page.locator("#live")
        expect(standing.get_by_role("heading", name="Standings")).to_be_visible(timeout=WITHIN_MS)
        assert serious(page) == []
        first = measured(standing.inner_text())
        page.wait_for_function(
            "before => !document.querySelector('#live').innerText.includes(before)",
            arg=first[0],
            timeout=WITHIN_MS,
        )
        assert blocks(measured(standing.inner_text())) > blocks(first), "without being asked again"

        mark = page.locator(".mark:visible").first
        label = mark.get_attribute("aria-label")
        mark.focus()
        expect(page.locator(".mark-label")).to_have_text(str(label))
        page.keyboard.press("Escape")
        expect(page.locator(".mark-label")).to_be_hidden()

        page.get_by_text("End this run…").click()
        page.get_by_role("button", name="End it now").click()
        its_page = standing.get_by_role("link", name="its page")
        its_page.wait_for(timeout=WITHIN_MS)
        assert "ended early" in standing.inner_text()
        assert serious(page) == []
        its_page.click()
        expect(page.get_by_role("heading", name="Standings")).to_be_visible()
        page.get_by_text("Share", exact=True).click()
        assert page.locator(".share img").evaluate("image => image.naturalWidth") > 100
        assert serious(page) == []
        # What a page still wanted when it was left is given up.
        host = link.partition("/?")[0]
        assert not [told for told in seen if not told.startswith((host, f"failed: {host}"))]
        page.goto(host)
        expect(page.locator(".running")).to_have_count(0)
        out, err = race.communicate(timeout=120)
    assert race.returncode == 130, err
    assert "finished blocks are kept; to go on: bakeoff resume" in err
    run = open_run(place.path / "runs" / "latest")
    assert not run.result.complete and run.result.blocks > 4
    assert "Report: " in out


def measured(text: str) -> re.Match[str]:
    """How much is measured, as the page says it."""
    found = re.search(r"([\d,]+) blocks? measured", text)
    assert found, text
    return found


def blocks(said: re.Match[str]) -> int:
    return int(said[1].replace(",", ""))
