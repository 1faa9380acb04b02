"""The static site: every link leads to a file, and nothing in it says where it was made."""

import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from bakeoff.explore.site import MANIFEST, export
from bakeoff.model.errors import BadUsage
from bakeoff.model.site import Site
from tests.explore.conftest import Shelves
from tests.explore.visitor import Elements
from tests.runs.world import World

LINK = re.compile(r'(?:href|src|srcset|data-shards)="([^"]*)"')


@pytest.fixture(scope="module")
def site(shelves: Shelves, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("exported") / "a site"
    _, faults = export(shelves.index, folder, World({}))
    assert faults == []
    return folder


def test_every_link_leads_to_a_file_of_the_site(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) > 10
    for page in pages:
        for link in LINK.findall(page.read_text()):
            if link.startswith(("https://", "#")) or not link:
                continue
            path = (page.parent / unquote(urlsplit(link).path)).resolve()
            assert path.is_file() and path.is_relative_to(site), f"{page}: {link}"


def test_it_has_each_run_the_comparison_with_the_one_before_and_every_line(site: Path) -> None:
    folders = {path.parent.name for path in site.rglob("*.html")}
    assert {"run", "contender"} <= folders
    assert len(list((site / "run").glob("*.html"))) == 2
    assert len(list((site / "two").glob("*/*.html"))) == 1


def test_the_same_figures_are_on_the_page_as_in_the_application(
    site: Path, shelves: Shelves
) -> None:
    text = Elements.of((site / "run" / f"{shelves.id}.html").read_text()).text
    for entry in shelves.race.result.entries:
        assert entry.name in text
    assert "Judged among themselves" not in text, "a family takes a server"


def test_nothing_says_where_it_was_made(site: Path, shelves: Shelves) -> None:
    for file in site.rglob("*"):
        if file.is_file():
            assert str(shelves.race.path.parent).encode() not in file.read_bytes(), file


def test_the_search_has_every_run_in_a_file_named_by_its_content(
    site: Path, shelves: Shelves
) -> None:
    (shard,) = (site / "assets").glob("runs-*.js")
    assert all(f"run/{run.id}.html" in shard.read_text() for run in shelves.runs)


def test_a_second_export_leaves_nothing_of_the_first(shelves: Shelves, tmp_path: Path) -> None:
    export(shelves.index, tmp_path / "site", World({}))
    before = Site.read_json(tmp_path / "site" / MANIFEST)
    stale = tmp_path / "site" / "run" / "stale.html"
    stale.touch()
    more = before.model_copy(update={"files": (*before.files, "run/stale.html", "../kept")})
    (tmp_path / "site" / MANIFEST).write_text(more.to_json())
    (tmp_path / "kept").touch()
    export(shelves.index, tmp_path / "site", World({}))
    assert not stale.exists()
    assert (tmp_path / "kept").exists(), "nothing outside of the site is ours"
    assert Site.read_json(tmp_path / "site" / MANIFEST) == before


def test_a_folder_with_something_else_in_it_is_left_alone(shelves: Shelves, tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").touch()
    with pytest.raises(BadUsage, match="has other files in it"):
        export(shelves.index, tmp_path, World({}))
    with pytest.raises(BadUsage, match="is no folder"):
        export(shelves.index, tmp_path / "thesis.txt", World({}))
    assert [each.name for each in tmp_path.iterdir()] == ["thesis.txt"]
