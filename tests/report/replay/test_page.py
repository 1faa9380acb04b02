"""report.html of a replay and the files beside it, read as text."""

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from bakeoff import report
from bakeoff.report.replay.as_csv import replay_csv
from bakeoff.report.replay.as_markdown import replay_markdown
from bakeoff.report.replay.page import replay_page
from tests.report.replay import sample
from tests.report.test_page import HOSTILE, Page

SECTIONS = (
    "article", "article-facts", "comparison-one-cpu-ab", "speed-one-cpu-ab", "costs-one-cpu-ab",
    "agreement-one-cpu-ab", "in-a-row-one-cpu-ab", "comparison-one-cpu-webbench",
    "comparison-many-cpus-ab", "comparison-many-cpus-webbench", "claims", "traps",
    "circumstances", "method", "machine", "again",
)  # fmt: skip


def text_of(folder: Path) -> str:
    return (folder / "report.html").read_text(encoding="utf-8")


def test_the_page_is_well_formed_and_has_its_sections(cut_off: Path) -> None:
    parsed = Page(text_of(cut_off))
    assert parsed.open == []
    assert len(parsed.ids) == len(set(parsed.ids))
    assert set(SECTIONS) <= set(parsed.ids)
    assert set(parsed.labels) <= set(parsed.ids)
    assert {address[1:] for address in parsed.addresses if address[0] == "#"} <= set(parsed.ids)
    assert parsed.tags.count("h1") == 1


def test_the_page_needs_nothing_from_elsewhere(cut_off: Path) -> None:
    text = text_of(cut_off)
    parsed = Page(text)
    links = {address for address in parsed.addresses if not address.startswith(("#", "data:"))}
    assert links == {"one-cpu-ab/report.html", "many-cpus-ab/report.html"}
    assert "script" not in parsed.tags
    assert not re.search(r"@import|url\((?!#)", text)
    assert len(text) < 1_000_000


def test_the_page_says_what_became_of_the_article(cut_off: Path) -> None:
    text = text_of(cut_off)
    for said in (
        "Of 11 claims of go-vs-node-2012, 1 holds here, 1 does not and 9 can&#39;t be told.",
        "The replay ended before it was complete.",
        "Intel Core i5 M 480, 2.67 GHz",
        "ab -c 100 -n 5000 http://127.0.0.1:8080/",
        "Skipped: needs webbench: apt-get install webbench.",
        "Skipped: the replay ended before it was measured.",
        "node-cluster: needs node: apt-get install nodejs.",
        "agree within noise",
        "31,000, 33,500, 35,100, 34,200, 35,900",
        "1.34× (1.28 to 1.39), n = 480",
        "published 1.11×; claimed 0.9 to 1.1×",
        "<strong>Unequal work.</strong> An answer of Go&#39;s is 110 bytes, one of Node&#39;s 88.",
        "It is about the busiest CPU in a picture of the whole machine",
        "GOMAXPROCS=1 bounds how many threads run Go code at once.",
        "bakeoff replay go-vs-node-2012 --scale 0.05",
    ):
        assert said in text, said


@pytest.mark.parametrize("kind", ["holds", "does-not-hold", "cant-tell"])
def test_findings_differ_by_more_than_their_colour(cut_off: Path, kind: str) -> None:
    text = text_of(cut_off)
    assert f'<span class="finding {kind}"><span aria-hidden="true">' in text
    assert len(set(re.findall(r'aria-hidden="true">(.)<', text))) == 3


def test_each_picture_is_a_file_of_its_own(cut_off: Path, brick: Path) -> None:
    names = sorted(path.name for path in (cut_off / "charts").iterdir())
    assert names == ["claims.svg", "speed-many-cpus-ab.svg", "speed-one-cpu-ab.svg"]
    names = sorted(path.name for path in (brick / "charts").iterdir())
    assert names == ["claims.svg", "memory-empty.svg", "speed-empty.svg"]
    for path in (brick / "charts").iterdir():
        ET.parse(path)


def test_no_draft_is_left_and_the_other_files_are_what_the_functions_give(cut_off: Path) -> None:
    assert not [path for path in cut_off.rglob("*") if path.name.startswith(".")]
    written = {
        name: (cut_off / name).read_text(encoding="utf-8") for name in ("report.md", "report.csv")
    }
    assert written["report.md"] == replay_markdown(sample.cut_off())
    assert written["report.csv"] == replay_csv(sample.cut_off())


def test_words_from_outside_are_never_markup(tmp_path: Path) -> None:
    html = report.write_replay(tmp_path, sample.hostile(HOSTILE))
    parsed = Page(html.read_text(encoding="utf-8"))
    assert html == tmp_path / "report.html"
    assert parsed.open == []
    assert "script" not in parsed.tags
    assert "{{ 7 * 7 }}" in html.read_text(encoding="utf-8")
    for picture in (tmp_path / "charts").iterdir():
        assert not [node for node in ET.parse(picture).iter() if node.tag.endswith("script")]


def test_a_source_is_a_link_only_to_the_web() -> None:
    replay = sample.brick()
    for source, linked in (("https://example.org/a", True), ("javascript:alert(1)", False)):
        article = replay.article.model_copy(update={"source": source})
        text = replay_page(replay.model_copy(update={"article": article}), [])
        assert (source in Page(text).addresses) is linked


def test_the_report_of_a_comparison_is_linked_where_it_was_raced() -> None:
    replay = sample.brick()
    assert "empty/report.html" in Page(replay_page(replay, [])).addresses
    rounds = tuple(one.model_copy(update={"loader": "wrk"}) for one in replay.comparisons)
    by_tool = replay.model_copy(update={"comparisons": rounds})
    assert "empty/report.html" not in Page(replay_page(by_tool, [])).addresses
