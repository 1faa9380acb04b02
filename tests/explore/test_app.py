"""The application: every page, what is wrong with an address, and what lies beside a view."""

import csv
import io
import json
from pathlib import Path

import pyarrow.parquet
import pytest

from bakeoff.explore import address as to
from bakeoff.explore.address import live
from bakeoff.history.index import Index
from bakeoff.report.glossary import GLOSSARY
from tests.explore.conftest import Shelves
from tests.explore.visitor import Elements, Visitor
from tests.history.indexed import run

PLACES = ["/", "/contender", "/contender/slow", "/matrix", "/article", "/words"]


@pytest.mark.parametrize("path", PLACES)
def test_an_index_without_a_run_has_pages_that_say_so(no_index: Index, path: str) -> None:
    answer = Visitor.let_in(no_index).ask(path)
    assert answer.status_code == (404 if path == "/contender/slow" else 200)
    assert "<h1>" in answer.text


def test_every_link_of_every_page_leads_somewhere(visitor: Visitor) -> None:
    todo, seen = ["/"], set[str]()
    while todo:
        path = todo.pop()
        if path in seen:
            continue
        seen.add(path)
        answer = visitor.ask(path)
        assert answer.status_code == 200, f"{path}: {answer.text}"
        if answer.headers["content-type"].startswith("text/html"):
            links = Elements.of(answer.text).links()
            todo += [
                link for link in links if link.startswith("/") and not link.endswith(".parquet")
            ]
    assert len(seen) > 15


@pytest.mark.parametrize("path", PLACES)
def test_a_page_is_laid_out_for_those_who_cannot_see_it(visitor: Visitor, path: str) -> None:
    page = Elements.of(visitor.page(path))
    assert len(page.all("main")) == len(page.all("h1")) == 1
    assert page.links()[0] == "#content"
    assert all(head.get("scope") for head in page.all("th"))
    assert all("style" not in attributes for _, attributes in page.found)
    ids = [attributes["id"] for _, attributes in page.found if "id" in attributes]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize(
    "path",
    [
        "/nothing",
        "/run",
        "/run/ffffffffffff",
        "/run/%2e%2e%2f%2e%2e%2fetc%2fpasswd",
        "/run/..%2f..%2fetc",
        "/two/ffffffffffff",
        "/contender/nobody",
        "/contender/slow?series=ffffffffffff",
        "/matrix?workload=nothing",
        "/article/nothing",
        "/words/nothing",
        "/chart/nothing.svg",
    ],
)
def test_what_is_not_there_is_said(visitor: Visitor, path: str) -> None:
    answer = visitor.ask(path)
    assert answer.status_code == 404
    assert "There is nothing here" in answer.text


@pytest.mark.parametrize("name", ["../app.py", "%2e%2e/app.py", "%2e%2e%2fapp.py", ".", "nothing"])
def test_no_path_leads_out_of_the_assets(visitor: Visitor, name: str) -> None:
    assert visitor.ask(f"/assets/{name}").status_code == 404


def test_a_part_is_a_part_of_its_run_and_no_path(visitor: Visitor, shelves: Shelves) -> None:
    for part in ("..", "../..", "/etc", "confirm/.."):
        assert visitor.ask(live(to.run(shelves.id, part=part))).status_code == 404


@pytest.mark.parametrize("of", ["a", "0.x", "-1", "0..²", "99999999999999999999"])
def test_numbers_that_are_none_are_refused(visitor: Visitor, shelves: Shelves, of: str) -> None:
    answer = visitor.ask(live(to.run(shelves.id).asking(of=of)))
    assert answer.status_code == 422
    assert "such as 0.2.3" in answer.text


def test_a_form_leads_to_the_views_one_link(visitor: Visitor, shelves: Shelves) -> None:
    answer = visitor.ask("/?q=&contender=slow&workload=&machine=&kind=")
    assert (answer.status_code, answer.headers["location"]) == (303, "/?contender=slow")
    answer = visitor.ask(f"{shelves.page}?of=0&of=2&against=2")
    assert answer.headers["location"] == f"{shelves.page}?against=2&of=0.2"


def test_the_first_page_shows_pictures_of_the_newest_races(
    visitor: Visitor, shelves: Shelves
) -> None:
    # Of two that began in the same second their ids decide.
    newest = sorted(shelves.runs, key=lambda run: (run.began_at, run.id), reverse=True)
    pictures = [f"{live(to.run(run.id))}/chart/ratios.svg" for run in newest]
    first = Elements.of(visitor.page("/"))
    assert [
        picture["src"] for picture in first.all("img") if "chart" in str(picture["src"])
    ] == pictures
    assert all(visitor.ask(picture).status_code == 200 for picture in pictures)
    assert "/chart/" not in visitor.page("/?contender=slow")


def test_a_line_has_one_address_and_one_of_a_single_race_leads_to_it(no_index: Index) -> None:
    races = [run(number, {"a": 2.0, "b": 1.0}, workload="json") for number in (1, 2)]
    only = run(3, {"a": 2.0, "b": 1.0, "c": 1.0}, workload="hello")
    no_index.add(*races, only)
    lines = Elements.of(Visitor.let_in(no_index).page("/contender/a")).links()
    assert live(to.contender("a")) in lines and live(to.run(only.id)) in lines
    assert not [link for link in lines if "series=" in link]


def test_the_words_are_those_of_the_glossary(visitor: Visitor) -> None:
    page = Elements.of(visitor.page("/words"))
    assert len(page.all("dt")) == len(GLOSSARY)
    assert all(said in page.text for words in GLOSSARY.items() for said in words)


def test_nothing_is_changed_by_asking(visitor: Visitor) -> None:
    assert visitor.ask("/", method="POST").status_code == 405


def test_the_figures_are_the_reports_own(visitor: Visitor, shelves: Shelves) -> None:
    rows = [dict(row) for row in shelves.race.document().data]
    assert json.loads(visitor.ask(f"{shelves.page}/data.json").content) == rows
    table = pyarrow.parquet.read_table(
        io.BytesIO(visitor.ask(f"{shelves.page}/data.parquet").content)
    )
    assert table.column("requests_per_s").to_pylist() == [row["requests_per_s"] for row in rows]
    lines = csv.DictReader(io.StringIO(visitor.ask(f"{shelves.page}/data.csv").text))
    assert [float(line["requests_per_s"]) for line in lines] == [
        row["requests_per_s"] for row in rows
    ]


def test_a_moment_is_written_as_in_files_of_a_run(visitor: Visitor) -> None:
    first, *_ = json.loads(visitor.ask("/data.json").content)
    assert first["began_at"].endswith("Z")


def test_what_a_browser_keeps_has_a_name_of_plain_letters(
    visitor: Visitor, shelves: Shelves
) -> None:
    kept = visitor.ask("/contender/slow/data.csv").headers["content-disposition"]
    assert kept == 'attachment; filename="bakeoff-contender-slow.csv"'


@pytest.mark.parametrize(
    ("schema", "said"),
    [("bakeoff.verdict/9", "of a newer bakeoff"), ("bakeoff.verdict/0", "of an earlier bakeoff")],
)
def test_a_verdict_of_another_schema_is_said(
    tmp_path: Path, no_index: Index, shelves: Shelves, schema: str, said: str
) -> None:
    verdict = json.loads((shelves.race.path / "verdict.json").read_text())
    other = tmp_path / "verdict.json"
    other.write_text(json.dumps({**verdict, "schema": schema}))
    no_index.add(shelves.runs[0].model_copy(update={"path": str(other)}))
    answer = Visitor.let_in(no_index).ask(shelves.page)
    assert answer.status_code == 422
    assert "schema" in answer.text


def test_a_database_that_is_away_is_said(tmp_path: Path, shelves: Shelves) -> None:
    from bakeoff import history
    from bakeoff.history.place import sqlite_url

    file = tmp_path / "history.sqlite"
    index = history.open_index(sqlite_url(file))
    index.add(*shelves.runs)
    index.close()
    for path in tmp_path.iterdir():
        path.unlink()
    file.write_bytes(b"this is no database, and never was one" * 200)
    answer = Visitor.let_in(index).ask("/")
    assert answer.status_code == 503
    assert "the history" in answer.text
