"""The static site: every link leads to a file, and nothing in it says where it was made."""

import json
from pathlib import Path
from shutil import copytree

import pytest

from bakeoff.explore.site import MANIFEST, RUNS, copy_into, export
from bakeoff.history import open_index
from bakeoff.history.place import sqlite_url
from bakeoff.history.results import indexed_path
from bakeoff.model.site import Site
from bakeoff.report.render.html import layout
from bakeoff.runs import AnyRun, open_run
from tests.explore.conftest import Shelves
from tests.explore.visitor import Elements
from tests.explore.walk import dead_links, foreign
from tests.runs.world import World


@pytest.fixture(scope="module")
def several(shelves: Shelves, tmp_path_factory: pytest.TempPathFactory) -> list[AnyRun]:
    """Copies of one race, each a day after the one before."""
    folder = tmp_path_factory.mktemp("several")
    runs = []
    for day in range(1, 3):
        copy = folder / f"race-{day}"
        copytree(shelves.race.path, copy)
        changed = {
            "plan.json": {"run": copy.name},
            "verdict.json": {"run": copy.name},
            "machine.json": {"taken_at": f"2026-03-0{day}T12:00:00+00:00"},
        }
        for name, keys in changed.items():
            value = json.loads((copy / name).read_text())
            (copy / name).write_text(json.dumps(value | keys))
        runs.append(open_run(copy))
    return runs


def exported(site: Path) -> None:
    index = open_index(sqlite_url(site.with_suffix(".sqlite")))
    index.rebuild(map(indexed_path, sorted((site / RUNS).iterdir())))
    assert export(index, site, World({}))[1] == []
    index.close()


def test_every_link_leads_to_a_file_of_the_site(site: Path) -> None:
    assert len(list(site.rglob("*.html"))) > 10
    assert dead_links(site) == []
    assert foreign(site) == []


def test_a_link_that_leads_nowhere_or_loads_from_elsewhere_is_found(tmp_path: Path) -> None:
    (tmp_path / "style.css").write_text("@import 'other.css'")
    (tmp_path / "page.html").write_text(
        '<a href="page.html">here</a> <a href="../other.html">there</a> <a href="#top">up</a>'
        '<a href="https://example.org/">web</a> <img src="https://example.org/a.png">'
    )
    assert dead_links(tmp_path) == ["page.html: ../other.html"]
    assert len(foreign(tmp_path)) == 2


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


def test_a_run_s_page_has_the_report_s_own_pictures_and_the_first_as_a_file(
    site: Path, shelves: Shelves
) -> None:
    page = site / "run" / f"{shelves.id}.html"
    slugs = [chart.slug for chart in layout(shelves.race.document()).charts]
    assert len(slugs) == 8, "ratios, latency, cost, blocks and draws, weather, processors"
    figures = Elements.of(page.read_text()).all("figure")
    assert [figure["id"] for figure in figures] == [f"picture-{slug}" for slug in slugs]
    assert [file.name for file in (site / "run" / shelves.id / "chart").iterdir()] == ["ratios.svg"]


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


def files_in(site: Path) -> dict[str, bytes]:
    """Every file of a site but the runs that were published to it."""
    files = {str(file.relative_to(site)): file for file in site.rglob("*") if file.is_file()}
    return {name: file.read_bytes() for name, file in files.items() if name[:5] != "runs/"}


def test_runs_that_are_published_one_by_one_make_the_same_site_as_all_at_once(
    several: list[AnyRun], tmp_path: Path
) -> None:
    for run in several:
        copy_into(tmp_path / "one by one", run)
        exported(tmp_path / "one by one")
        copy_into(tmp_path / "at once", run)
    exported(tmp_path / "at once")
    assert files_in(tmp_path / "one by one") == files_in(tmp_path / "at once")


def test_a_page_stays_where_nothing_changed_unless_it_is_for_another_address(
    shelves: Shelves, tmp_path: Path
) -> None:
    site = tmp_path / "site"
    one, other = (site / "run" / f"{run.id}.html" for run in shelves.runs)
    export(shelves.index, site, World({}))
    one.write_text("left alone")
    other.unlink()
    export(shelves.index, site, World({}))
    assert one.read_text() == "left alone"
    assert other.is_file()
    export(shelves.index, site, World({}), url="https://example.org/")
    assert "https://example.org/" in one.read_text()


def test_an_export_that_was_cut_off_is_begun_again(shelves: Shelves, tmp_path: Path) -> None:
    class Impatient(World):
        def measured(self, done_s: float, of_s: float, text: str, rates: object = None) -> None:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        export(shelves.index, tmp_path / "site", Impatient({}))
    export(shelves.index, tmp_path / "site", World({}))
    assert dead_links(tmp_path / "site") == []
