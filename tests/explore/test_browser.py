"""The pages in a real browser: at a desk and on a telephone, in light and dark, without a script,
by keyboard, from the application and from a static site opened as files."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser

from bakeoff.explore import address as to
from bakeoff.explore.address import file_of, live
from bakeoff.explore.app import application, listening
from bakeoff.explore.guard import Guard
from bakeoff.history.index import Index
from bakeoff.history.results import indexed
from bakeoff.plan import Environment
from tests.browsing import opened
from tests.explore.conftest import SPEEDS, Shelves
from tests.plan.places import catalogue
from tests.report.render.test_browser import OVERFLOW
from tests.runs.conftest import Measure
from tests.runs.world import World

pytestmark = pytest.mark.page
AXE = {"preload": False, "resultTypes": ["violations"]}
"""Axe fetches style sheets anew otherwise, which a page from `file://` may not."""

PICTURES = """() => Promise.all([...document.images].map((img) => {
  img.loading = "eager";
  return img.decode();
}))"""
"""Fails where a picture is broken; those further down are not loaded otherwise."""


def views(shelves: Shelves, site: Path) -> list[Path]:
    """One of each kind, as files."""
    of_runs = [file_of(to.run(run.id)) for run in shelves.runs]
    others = (
        to.shelf(),
        to.contender(),
        to.contender("fast"),
        to.matrix(),
        to.article(),
        to.words(),
    )
    (two,) = (site / "two").glob("*/*.html")
    return [two, *(site / file for file in [*of_runs, *map(file_of, others)])]


def pages_of_runs(shelves: Shelves, site: Path) -> set[str]:
    """The runs' pages. The two began in the same second: either may be the newest."""
    return {(site / file_of(to.run(run.id))).as_uri() for run in shelves.runs}


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_every_view_opens_as_a_file_fits_and_has_no_barrier(
    browser: Browser, shelves: Shelves, site: Path, width: int, scheme: str
) -> None:
    with opened(browser, width, scheme) as (page, seen):
        for file in views(shelves, site):
            page.goto(file.as_uri())
            assert page.evaluate(OVERFLOW) <= 0, file
            page.evaluate(PICTURES)
            found = Axe().run(page, options=AXE).response["violations"]
            grave = [
                violation["id"]
                for violation in found
                if violation["impact"] in ("serious", "critical")
            ]
            assert grave == [], file
        assert [message for message in seen if not message.startswith(site.as_uri())] == []


def test_a_static_site_is_searched_from_its_files(
    browser: Browser, shelves: Shelves, site: Path
) -> None:
    with opened(browser) as (page, _):
        page.goto((site / "index.html").as_uri())
        page.get_by_role("searchbox").fill("no such run")
        page.get_by_text("0 runs").wait_for()
        page.get_by_role("searchbox").fill("fast middle")
        page.get_by_text("2 runs", exact=True).wait_for()
        page.locator("#found a").first.click()
        assert page.url in pages_of_runs(shelves, site)


def test_without_a_script_everything_is_there_to_read(
    browser: Browser, shelves: Shelves, site: Path
) -> None:
    with opened(browser, java_script_enabled=False) as (page, _):
        for file in views(shelves, site):
            page.goto(file.as_uri())
            assert page.locator("h1").count() == 1
            assert page.locator("form:visible").count() == 0, "what would not work is not shown"
        page.goto((site / file_of(to.run(shelves.id))).as_uri())
        assert page.locator(".wide .mark").count() >= 3


def test_a_run_is_reached_and_its_figures_are_heard_by_keyboard_alone(
    browser: Browser, shelves: Shelves, site: Path
) -> None:
    with opened(browser) as (page, _):
        page.goto((site / "index.html").as_uri())
        link = page.locator("table a").first
        for _ in range(30):
            page.keyboard.press("Tab")
            if link.evaluate("node => node === document.activeElement"):
                break
        page.keyboard.press("Enter")
        page.wait_for_url(lambda url: url in pages_of_runs(shelves, site))
        heard = set()
        for _ in range(40):
            page.keyboard.press("Tab")
            heard.add(page.evaluate("document.activeElement.getAttribute('aria-label')"))
        figures = [label for label in heard if label and label.startswith("middle: 0.")]
        assert len(figures) == 1 and "paired blocks" in figures[0]


def test_the_arrow_keys_lead_along_a_row_of_the_matrix(browser: Browser, site: Path) -> None:
    with opened(browser) as (page, _):
        page.goto((site / file_of(to.matrix())).as_uri())
        page.locator(".wide .mark").first.focus()
        heard = []
        for _ in range(3):
            heard.append(page.evaluate("document.activeElement.getAttribute('aria-label')"))
            page.keyboard.press("ArrowRight")
        assert [label.partition(": ")[0] for label in heard] == [
            "fast over middle", "fast over slow", "middle over fast",
        ]  # fmt: skip


@contextmanager
def served(index: Index) -> Iterator[Guard]:
    """The explorer of an index at the guard's port."""
    import uvicorn

    with listening("127.0.0.1", 0, others=False) as bound:
        guard = Guard(bound.getsockname()[1])
        server = uvicorn.Server(uvicorn.Config(application(index, guard), log_level="error"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]})
        thread.start()
        try:
            yield guard
        finally:
            server.should_exit = True
            thread.join(timeout=20)


def test_back_forward_reload_and_a_link_show_the_same_view(
    browser: Browser, shelves: Shelves
) -> None:
    with served(shelves.index) as guard, opened(browser) as (page, seen):
        base = f"http://127.0.0.1:{guard.port}"
        page.goto(f"{base}/?token={guard.token}")
        page.goto(base + live(to.run(shelves.id)))
        page.get_by_text("Choose contenders").click()
        page.get_by_role("checkbox", name="middle").uncheck()
        page.get_by_role("button", name="Judge").click()
        page.wait_for_url("**/run/*of=0.2")
        shown = page.inner_text("main")
        assert "middle" not in page.inner_text("table >> nth=0")
        page.go_back()
        page.go_forward()
        assert page.inner_text("main") == shown
        page.reload()
        assert page.inner_text("main") == shown
        page.goto(f"{page.url}&token={guard.token}")
        assert page.inner_text("main") == shown
        assert "token" not in page.url
        # What a page still wanted when it was left is given up.
        ours = (base, f"failed: {base}")
        assert [message for message in seen if not message.startswith(ours)] == []


@pytest.mark.parametrize("place", ["", "/chart/flames.svg"])
def test_a_flame_graph_answers_on_its_page_and_as_a_file(
    browser: Browser, no_index: Index, tmp_path: Path, place: str
) -> None:
    here = Environment(
        catalogue(tmp_path / "catalogue", *SPEEDS), Path("/"), (0, 1), "t", ("race",)
    )
    race = Measure(here, tmp_path / "runs").race(World(dict(SPEEDS)), "fast", "slow", why=True)
    no_index.add(run := indexed(race))
    with served(no_index) as guard, opened(browser) as (page, seen):
        base = f"http://127.0.0.1:{guard.port}"
        page.goto(f"{base}/?token={guard.token}")
        page.goto(base + live(to.run(run.id)) + place)
        page.get_by_role("button", name="handle").locator("visible=true").first.click()
        assert page.get_by_role("button", name="sendto").locator("visible=true").count() == 0
        page.get_by_role("button", name="Whole graph").locator("visible=true").click()
        page.get_by_role("searchbox").locator("visible=true").fill("handle")
        assert "slow" in "".join(page.get_by_role("status").all_text_contents())
        ours = (base, f"failed: {base}")
        assert [message for message in seen if not message.startswith(ours)] == []
