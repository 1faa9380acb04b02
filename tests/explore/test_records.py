"""The project's own records as a site: every page that they have, every link, and no other host."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from bakeoff import history
from bakeoff.explore.site import export
from bakeoff.history.index import Index
from bakeoff.history.place import sqlite_url
from bakeoff.history.results import found_in, indexed_or_why
from bakeoff.model.history import IndexedRun
from tests.browsing import opened
from tests.explore.walk import dead_links, foreign
from tests.report.render.test_browser import OVERFLOW
from tests.runs.world import World

RECORDS = Path(__file__).parents[2] / "records"
SMALL = 4
"""Races that every change is tested with; all of them take a minute."""


@pytest.fixture(scope="module", params=["small", pytest.param("all", marks=pytest.mark.slow)])
def index(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Index]:
    found = {path: indexed_or_why(path) for path in found_in([RECORDS])}
    runs = {path: run for path, run in found.items() if isinstance(run, IndexedRun)}
    assert len(runs) > 5
    if request.param == "small":
        races = [path for path, run in runs.items() if run.kind == "race"]
        by_size = sorted(races, key=lambda path: len(runs[path].to_json()))
        runs = {path: runs[path] for path in by_size[:SMALL]}
    opened = history.open_index(sqlite_url(tmp_path_factory.mktemp("records") / "history.sqlite"))
    opened.rebuild(runs.values())
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def site(index: Index, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("records") / "a site"
    _, faults = export(index, folder, World({}))
    assert faults == []
    return folder


def test_each_record_has_its_page_and_every_link_leads_somewhere(index: Index, site: Path) -> None:
    assert index.paths().keys() <= {page.stem for page in (site / "run").glob("*.html")}
    assert dead_links(site) == []


def test_it_is_small_for_each_record_and_has_no_page_twice(index: Index, site: Path) -> None:
    taken = sum(file.stat().st_size for file in site.rglob("*") if file.is_file())
    assert taken <= 250_000 * len(index.paths())
    pages = [file.read_bytes() for file in site.rglob("*.html")]
    assert len(pages) == len(set(pages))


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    assert foreign(site) == []


@pytest.mark.page
@pytest.mark.slow
@pytest.mark.parametrize("width", [1280, 390])
def test_every_page_opens_as_a_file_fits_and_asks_no_host(
    browser: Browser, site: Path, width: int
) -> None:
    pages = sorted(site.rglob("*.html"))
    with opened(browser, width) as (page, seen):
        for file in pages:
            page.goto(file.as_uri())
            assert page.evaluate(OVERFLOW) <= 0, file
        # The next page is asked for before this one's icon has come: that has failed then.
        asked = [url.removeprefix("failed: ") for url in seen]
        assert [url for url in asked if not url.startswith(site.as_uri())] == []
