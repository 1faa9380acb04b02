"""report.html and the files beside it, read as text."""

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest

from bakeoff.report import render
from bakeoff.report.document import Document, Section, Text, facts_table
from bakeoff.report.render.html import layout, page
from tests.report.documents import DOCUMENTS, FROM_OUTSIDE, attacked
from tests.report.render.test_terminal import everywhere

HOSTILE = '"><script>alert(1)</script>{{ 7 * 7 }}'
VOID = {"meta", "link", "br", "hr", "img", "input"}
CHARTS = {
    "race": "bytes cores cpu memory percentiles ratios steadiness weather",
    "capacity": "goodput latency-p99-9 latency-p99",
    "grid": "grid",
    "replay": "claims speed-many-cpus-ab speed-one-cpu-ab",
    "replay-of-many-rows": "claims memory-empty speed-empty",
    "crosscheck": "",
    "day": "",
    "draws": "",
    "comparison": "changes",
    "audit": "",
    "why": "flames",
}
SECTIONS = {
    "race": "standings not-ranked how-far-to-trust-it warnings unequal-work pictures comparisons"
    " every-pair long-slices-against-short-ones ratio-boot-by-boot warm-up figures latency cpu"
    " what-each-contender-does errors circumstances machine contenders measure-it-again",
    "capacity": "over-all-objectives at-capacity-and-past-it every-pair every-rate circumstances",
    "grid": "ratios-cell-by-cell requests-per-second changes-of-places cells machine",
    "replay": "one-cpu-ab requests-per-second requests-per-second-2 latency-and-memory claims"
    " engine-against-tool as-the-article-did-it the-article circumstances measure-it-again",
}


class Parsed(HTMLParser):
    """Tags, ids and addresses of a page; `open` is empty at the end of a well-formed one."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.addresses: list[str] = []
        self.labels: list[str] = []
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_startendtag(tag, attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        given = {name: value or "" for name, value in attrs}
        self.ids += [given["id"]] if "id" in given else []
        self.labels += given.get("aria-labelledby", "").split()
        self.addresses += [given[a] for a in ("src", "href", "xlink:href", "action") if a in given]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def html(document: Document) -> str:
    return page(document, layout(document))


def text_of(folder: Path) -> str:
    return (folder / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_page_is_well_formed_and_needs_nothing_from_elsewhere(
    name: str, written: Callable[[str], Path]
) -> None:
    text = text_of(written(name))
    parsed = Parsed(text)
    assert parsed.open == []
    assert len(parsed.ids) == len(set(parsed.ids))
    assert set(SECTIONS.get(name, "").replace("errors", "requests-and-errors").split()) <= set(
        parsed.ids
    )
    assert set(parsed.labels) <= set(parsed.ids)
    within = {address[1:] for address in parsed.addresses if address.startswith("#")}
    assert within <= set(parsed.ids)
    assert parsed.tags.count("h1") == 1
    assert parsed.tags.count("figure") == len(CHARTS[name].split())
    assert parsed.tags.count("script") == (name == "why")
    assert not re.search(r"@import|url\((?!#)", text)
    assert len(text) < 2_000_000


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_files_are_whole_and_what_the_functions_give(
    name: str, written: Callable[[str], Path]
) -> None:
    folder, document = written(name), DOCUMENTS[name]()
    assert not [path for path in folder.rglob("*") if path.name.startswith(".")]
    assert (folder / "report.md").read_text(encoding="utf-8") == render.markdown(document)
    assert (folder / "report.csv").read_text(encoding="utf-8") == render.csv(document.data)
    pictures = sorted((folder / "charts").iterdir())
    assert [path.stem for path in pictures] == CHARTS[name].split()
    for picture in pictures:
        ET.parse(picture)


@pytest.mark.parametrize(
    ("name", "links"),
    [
        ("race", set()),
        (
            "grid",
            {f"c{cell}/report.html" for cell in ("1-p1", "64-p1", "512-p1", "1-p16", "64-p16")},
        ),
        ("replay", {"one-cpu-ab/report.html", "many-cpus-ab/report.html"}),
        ("replay-of-many-rows", {"empty/report.html"}),
    ],
)
def test_a_page_leads_to_the_reports_of_its_parts(
    name: str, links: set[str], written: Callable[[str], Path]
) -> None:
    addresses = Parsed(text_of(written(name))).addresses
    assert {each for each in addresses if not each.startswith(("#", "data:"))} == links


def test_findings_differ_by_more_than_their_colour(written: Callable[[str], Path]) -> None:
    text = text_of(written("replay"))
    badges = re.findall(r'class="badge (\w+)"><span aria-hidden="true">(.)</span> ([^<]*)<', text)
    assert set(badges) == {
        ("good", "✓", "holds"),
        ("bad", "✗", "does not hold"),
        ("unknown", "?", "can&#39;t tell"),
    }


def test_what_does_not_count_is_struck_out(written: Callable[[str], Path]) -> None:
    text = text_of(written("race"))
    assert "<s>aiohttp</s>: wrong_answers 120 37197" in text
    assert "<s>it had 9,110 requests/s, n = 30,611 answers</s>" in text


def test_words_from_outside_are_never_markup() -> None:
    document = everywhere(HOSTILE)
    folded = Section(HOSTILE, (facts_table(HOSTILE, [(HOSTILE, HOSTILE)]),), HOSTILE, folded=True)
    for block in (folded, Text(HOSTILE, link=HOSTILE), Text("a", link="javascript://" + HOSTILE)):
        document = Document(
            document.title,
            document.headline,
            document.summary,
            (block,),
            lead=document.lead,
            facts=document.facts,
            context=document.context,
            alarm=document.alarm,
        )
        for text in (html(document), render.snippet(document)):
            parsed = Parsed(text)
            assert parsed.open == []
            assert "script" not in parsed.tags
            assert "{{ 7 * 7 }}" in text


@pytest.mark.parametrize("case", range(len(FROM_OUTSIDE)))
def test_a_name_from_outside_is_no_markup_in_page_and_pictures(case: int, tmp_path: Path) -> None:
    html = render.write(tmp_path, attacked(case, HOSTILE + "\x1b[2J"))
    text = html.read_text(encoding="utf-8")
    parsed = Parsed(text)
    assert parsed.open == []
    assert "script" not in parsed.tags
    assert "{{ 7 * 7 }}" in text
    assert "\x1b" not in text
    pictures = [ET.parse(path) for path in (tmp_path / "charts").iterdir()]
    assert pictures
    assert not [node for svg in pictures for node in svg.iter() if node.tag.endswith("script")]


@pytest.mark.parametrize("link", ["javascript:alert(1)", "javascript://%0aalert(1)", "data:x"])
def test_an_address_is_a_link_only_to_the_web_or_to_a_file_beside_the_page(link: str) -> None:
    addresses = Parsed(html(Document("", "", (Text("here", link=link),)))).addresses
    assert link not in addresses


def test_an_alarm_is_at_the_top() -> None:
    text = html(Document("", "Said.", (), alarm="It ended early."))
    assert '<p class="alarm" role="note">It ended early.</p>' in text


def test_a_snippet_has_the_headline_the_forest_plot_and_the_standings() -> None:
    text = render.snippet(DOCUMENTS["race"]())
    assert Parsed(text).tags.count("table") == Parsed(text).tags.count("figure") == 1
    assert "Can&#39;t tell nginx from libuv-http-parser" in text
    assert "0.578× (0.566 to 0.591)" in text


def test_a_draft_is_removed_where_the_folder_takes_no_file(tmp_path: Path) -> None:
    (tmp_path / "report.html").mkdir()
    with pytest.raises(OSError):
        render.write(tmp_path, Document("", "", ()))
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]
