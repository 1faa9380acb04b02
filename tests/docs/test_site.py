"""`make site`: reference pages made of the schemas, and the whole site in a browser."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from docs.site import reference
from docs.site.build import INDEX, LINK, build, documents
from tests.browsing import opened
from tests.explore.test_browser import PICTURES
from tests.explore.walk import dead_links
from tests.report.render.test_browser import OVERFLOW

ROOT = Path(__file__).parents[2]
SPHINX = ROOT / "build" / "site" / "venv" / "bin" / "sphinx-build"


@pytest.mark.parametrize("name", reference.FILES)
def test_a_files_page_explains_each_of_its_keys_and_links_to_its_tables(name: str) -> None:
    page = reference.of_files()[name]
    rows = re.findall(r"^\| `(\S+)` \| (.+?) \| (.*?) \| (.*?) \|$", page, re.MULTILINE)
    assert len(rows) == page.count("\n| `") > 10
    assert [key for key, takes, _, meaning in rows if not takes or not meaning] == []
    tables = set(re.findall(r"^## (\S+)$", page, re.MULTILINE))
    assert set(re.findall(r"\]\(#(\S+?)\)", page)) == tables


def test_a_commands_help_is_plain_text_of_a_terminals_width() -> None:
    lines = reference.help_of(["history", "rebuild"]).splitlines()
    assert lines[0].strip().startswith("Usage: bakeoff history rebuild")
    assert "\x1b" not in "".join(lines)
    assert 80 < max(map(len, lines)) <= reference.COLUMNS


def test_the_index_lists_every_document_once() -> None:
    index = (ROOT / INDEX).read_text()
    targets = [link["target"] for link in LINK.finditer(index)]
    assert len(targets) == len(set(targets))
    every = {path.relative_to(ROOT).as_posix() for path in ROOT.glob("docs/*.md")}
    assert every - {INDEX} <= documents(index).keys()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sphinx fails where a link between documents leads nowhere."""
    if not SPHINX.exists():
        pytest.skip("what makes the site is not installed: make site")
    folder: Path = tmp_path_factory.mktemp("documents") / "a site"
    build(folder, str(SPHINX))
    return folder / "html"


def pages(site: Path) -> Iterator[Path]:
    """The documents; tests/explore has the explorer's pages."""
    return (page for page in site.rglob("*.html") if "races" not in page.parts)


@pytest.mark.slow
@pytest.mark.page
def test_every_page_opens_as_a_file_fits_loads_nothing_from_elsewhere_and_is_found(
    browser: Browser, site: Path
) -> None:
    """Half a minute to make it, another to open its 70 pages at a desk and on a telephone."""
    assert dead_links(site) == []
    assert len(list(pages(site))) > 60
    grounds = set()
    for width, scheme in ((1280, "light"), (390, "dark")):
        with opened(browser, width, scheme) as (page, seen):
            for file in pages(site):
                page.goto(file.as_uri())
                assert page.evaluate(OVERFLOW) <= 0, file
                page.evaluate(PICTURES)
            grounds.add(page.evaluate("getComputedStyle(document.body).backgroundColor"))
            assert [message for message in seen if not message.startswith(site.as_uri())] == []
            page.goto((site / "search.html").as_uri() + "?q=warm-up")
            page.locator("#search-results a").first.wait_for()
            # A hit's first words are fetched, which a page from file:// may not: only they lack.
            assert [message for message in seen if message.startswith("http")] == []
    assert len(grounds) == 2
