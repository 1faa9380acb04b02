"""The site of a board: its pages as files, what they say, and how large they are."""

import re
from pathlib import Path

import pytest

from bakeoff.board.folder import read
from bakeoff.board.pages import PairPage, cell_at, contender_at, pages, pair_at
from bakeoff.board.site import write
from bakeoff.explore.address import file_of
from bakeoff.model.errors import BadUsage, Status
from tests.board.conftest import Boards

PAIR_BYTES_MAX = 4_800
"""With it the 2,080 pairs of 65 contenders take ten megabytes, beside notes and a page's rows."""


@pytest.fixture
def site(boards: Boards) -> Path:
    boards(most=4)
    return boards.here / "board" / "site"


def links(page: Path) -> set[Path]:
    hrefs = re.findall(r'(?:href|src)="([^"#]+)', page.read_text())
    return {(page.parent / href).resolve() for href in hrefs if not href.startswith("https:")}


def test_every_link_leads_to_a_file_of_the_site(site: Path) -> None:
    pages = [*site.rglob("*.html")]
    # An index, two cells by three measures, six of contenders, ten pairs, and trust.
    assert len(pages) == 1 + 2 * 3 + 6 + 10 + 1
    for page in pages:
        for target in links(page):
            assert target.is_file() and target.is_relative_to(site.resolve()), f"{page}: {target}"


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    for file in (*site.rglob("*.html"), *site.rglob("*.css"), *site.rglob("*.js")):
        assert not re.search(
            r'(src|rel="stylesheet" href)="(https?:)?//|@import|url\(', file.read_text()
        )


def test_each_figure_has_the_command_that_repeats_it(site: Path) -> None:
    cell = (site / file_of(cell_at_hello(site))).read_text()
    # Of the two fastest, which are equal, either may lead.
    assert re.search("bakeoff race e [ab] --workload hello", cell)
    pair = (site / file_of(pair_at("a", "e"))).read_text()
    assert "bakeoff race a e --workload hello" in pair
    assert "bakeoff why a e --workload hello" in pair
    assert "bakeoff race e --workload hello" in (site / file_of(contender_at("e"))).read_text()


def test_a_page_of_two_takes_apart_the_greatest_difference(site: Path) -> None:
    board = read(site.parent)
    of = {page.address: page for page in pages(board)}
    apart, level = of[pair_at("a", "d")], of[pair_at("a", "b")]
    assert isinstance(apart, PairPage) and isinstance(level, PairPage)
    ratios = {cell.name: pair.ratio.ratio for cell, pair in apart.pairs}
    assert apart.furthest and apart.furthest.name == max(ratios, key=ratios.__getitem__)
    over_tls = apart.furthest.model_copy(update={"protocol": "h2"})
    command = f"bakeoff why a d --workload {over_tls.workload} --protocol h2"
    assert apart.race(["a", "d"], over_tls, command="why") == command
    assert level.furthest is None
    assert "bakeoff why" not in (site / file_of(pair_at("a", "b"))).read_text()


def cell_at_hello(site: Path):  # type: ignore[no-untyped-def]
    return cell_at(read(site.parent).cell("hello/h1"))


def test_a_page_of_two_is_small(site: Path) -> None:
    sizes = {page: page.stat().st_size for page in (site / "pair").rglob("*.html")}
    assert max(sizes.values()) <= PAIR_BYTES_MAX


def test_names_and_notes_are_text(boards: Boards) -> None:
    boards("--only", "hello")
    made = boards.board()
    first = made.contenders[0].model_copy(update={"title": "<script>", "note": "a & b"})
    made = made.model_copy(update={"contenders": (first, *made.contenders[1:])})
    write(made, boards.here / "own")
    for page in (boards.here / "own").rglob("*.html"):
        assert "<script>" not in page.read_text()


def test_it_is_made_anew_without_measuring(boards: Boards, site: Path) -> None:
    runs = boards.runs()
    assert boards("--site", "elsewhere").exit_code == Status.DONE
    assert boards.runs() == runs
    assert (boards.here / "elsewhere/index.html").read_text() == (site / "index.html").read_text()


def test_pages_that_are_no_more_are_removed(boards: Boards, site: Path) -> None:
    made = read(site.parent)
    write(made.model_copy(update={"cells": made.cells[:1]}), site)
    assert not (site / file_of(cell_at(made.cells[1]))).exists()
    assert len([*site.rglob("*.html")]) == sum(1 for _ in pages(made)) - 3


def test_a_folder_with_other_files_is_refused(boards: Boards, site: Path) -> None:
    (boards.here / "full").mkdir()
    (boards.here / "full" / "file").touch()
    refused = boards("--site", "full").exception
    assert isinstance(refused, BadUsage)


def test_a_folder_without_a_board_is_named(boards: Boards) -> None:
    refused = boards("--site", "site", "--out", "none").exception
    assert isinstance(refused, BadUsage) and "board.json" in str(refused)


def test_what_is_old_is_said(boards: Boards) -> None:
    boards("--only", "hello")
    boards.world.on_machine = boards.world.on_machine.model_copy(update={"kernel": "7.0"})
    boards("--only", "json")
    page = (boards.here / "board/site/index.html").read_text()
    assert "Old: the machine" in page
