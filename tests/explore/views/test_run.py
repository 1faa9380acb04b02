"""A run's page: what its report says, and any family of its contenders, judged anew."""

import re

from bakeoff.explore import address as to
from bakeoff.explore.drawing.matrix import WORDS
from bakeoff.explore.opened import opened
from bakeoff.explore.views.matrix import matrix
from bakeoff.explore.views.run import run
from bakeoff.model.verdict import Verdict
from bakeoff.report.document import Table
from bakeoff.report.kinds.standings import pairs, standings
from bakeoff.runs import open_run
from bakeoff.runs.kinds.race import RaceRun
from tests.explore.conftest import Shelves
from tests.explore.visitor import Elements, Visitor
from tests.ratios import known
from tests.report.charts.drawn import marks


def test_every_cell_of_the_standings_is_the_reports(visitor: Visitor, shelves: Shelves) -> None:
    text = Elements.of(visitor.page(shelves.page)).text
    table = standings(shelves.race.result)
    assert isinstance(table, Table) and len(table.rows) == 4
    for row in table.rows:
        assert re.search(r"\s*".join(re.escape(cell) for cell in row.cells), text), row.cells


def test_a_run_s_picture_says_the_figures_of_its_standings(shelves: Shelves) -> None:
    verdict = shelves.race.result
    assert isinstance(verdict, Verdict)
    said = marks(run(shelves.index, to.run(shelves.id)).charts[0])
    for row in standings(verdict).rows:
        name, _, ratio, n, *_ = row.cells
        assert name == verdict.reference or f"{name}: {ratio}, {n} paired blocks" in said


def test_the_matrix_s_picture_says_the_figures_of_every_pair(shelves: Shelves) -> None:
    found = matrix(shelves.index, to.matrix())
    said = marks(found.charts[0])
    assert len(said) == 6, "three contenders, each against two"
    (newest,) = {cell.run.parts[1] for row in found.rows.values() for cell in row.values()}
    indexed = shelves.index.run(newest)
    assert indexed is not None
    verdict = opened(indexed).verdict
    assert verdict is not None
    for row in pairs(verdict).rows:
        both, finding, ratio, n, *_ = row.cells
        assert f"{both.replace(' / ', ' over ')}: {WORDS[finding]}, {ratio}, n = {n}" in said


def test_all_of_the_report_is_there(shelves: Shelves) -> None:
    page = run(shelves.index, to.run(shelves.id))
    titles = {shown.block.title for shown in page.layout.parts}  # type: ignore[union-attr]
    assert {"Standings", "How far to trust it", "Comparisons", "Figures"} <= titles
    assert page.document.headline == shelves.race.document().headline


def test_a_family_has_the_intervals_of_a_race_of_its_own(shelves: Shelves) -> None:
    whole = opened(shelves.runs[0])
    two = opened(shelves.runs[0], of=(0, 2))
    assert whole.entries == ("fast", "middle", "slow")
    assert two.verdict is not None and whole.verdict is not None
    assert {entry.name for entry in two.verdict.entries} == {"fast", "slow"}
    pair, among_three = (
        shown.verdict.pair("fast", "slow") for shown in (two, whole) if shown.verdict
    )
    assert pair is not None and among_three is not None
    assert pair.ratio.ratio == among_three.ratio.ratio
    (low, high), (lowest, highest) = pair.ratio.ends, among_three.ratio.ends
    assert high / low < highest / lowest, "one pair, not three"


def test_a_family_is_held_against_whom_one_likes(shelves: Shelves) -> None:
    verdict = opened(shelves.runs[0], of=(1, 2), against=2).verdict
    assert verdict is not None and verdict.reference == "slow"
    middle = verdict.entry("middle")
    assert 1.5 < known(known(middle).ratio).ratio < 1.7


def test_all_contenders_are_the_race_itself(shelves: Shelves) -> None:
    anew = opened(shelves.runs[0], of=(0, 1, 2)).verdict
    assert anew == shelves.race.result


def test_a_family_s_page_says_that_it_is_one(visitor: Visitor, shelves: Shelves) -> None:
    assert "judged anew" in visitor.page(f"{shelves.page}?of=0.2")
    assert "judged anew" not in visitor.page(shelves.page)
    page = run(shelves.index, to.run(shelves.id, (0, 2)))
    assert {row["name"] for row in page.document.data} == {"fast", "slow"}
    assert [member.name for member in page.family if member.chosen] == ["fast", "slow"]


def test_a_result_without_samples_is_shown_as_it_was_judged(shelves: Shelves) -> None:
    alone = shelves.runs[0].model_copy(update={"path": str(shelves.race.path / "verdict.json")})
    assert opened(alone).verdict == shelves.race.result


def test_a_run_that_was_judged_again_is_read_again(shelves: Shelves) -> None:
    before = opened(shelves.runs[0])
    raced = open_run(shelves.race.path)
    assert isinstance(raced, RaceRun)
    raced.store.keep("verdict.json", raced.result)
    assert opened(shelves.runs[0]) is not before


def test_the_reports_pictures_are_there_and_each_is_a_file_too(
    visitor: Visitor, shelves: Shelves
) -> None:
    page = Elements.of(visitor.page(shelves.page))
    files = [href for link in page.all("a") if (href := link.get("href") or "").endswith(".svg")]
    assert len(files) == len(page.all("figure")) > 3
    picture = visitor.ask(files[0])
    assert picture.headers["content-type"].startswith("image/svg+xml")
    assert picture.text.startswith("<svg ") and "fast" in picture.text
    assert visitor.ask(files[0].replace(".svg", "x.svg")).status_code == 404
