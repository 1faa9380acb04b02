"""report.html and the files beside it, read as text."""

import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from pathlib import Path

from bakeoff import report
from bakeoff.model.verdict import Verdict
from bakeoff.report.contenders import response_head
from bakeoff.report.page import page
from tests.report import sample

HOSTILE = '"><script>alert(1)</script>{{ 7 * 7 }}'
SECTIONS = (
    "standings", "left-out", "trust", "unequal-work", "pictures", "findings", "pairs",
    "long-slices", "boot-ratios", "warm-up", "work", "costs",
    "latency", "cpu-figures", "memory-figures", "errors", "circumstances", "method", "machine",
    "contenders", "again",
)  # fmt: skip
VOID = {"meta", "link", "br", "hr", "img", "input"}


class Page(HTMLParser):
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


def test_the_page_is_well_formed_and_has_its_sections(written: Path) -> None:
    parsed = Page((written / "report.html").read_text(encoding="utf-8"))
    assert parsed.open == []
    assert len(parsed.ids) == len(set(parsed.ids))
    assert set(SECTIONS) <= set(parsed.ids)
    assert set(parsed.labels) <= set(parsed.ids)
    assert parsed.tags.count("h1") == 1
    assert parsed.tags.count("figure") == 9


def test_the_page_needs_nothing_from_elsewhere(written: Path) -> None:
    text = (written / "report.html").read_text(encoding="utf-8")
    parsed = Page(text)
    assert all(address.startswith(("#", "data:")) for address in parsed.addresses)
    assert "script" not in parsed.tags
    assert not re.search(r"@import|url\((?!#)", text)
    assert len(text) < 2_000_000


def test_the_page_says_what_was_run(written: Path) -> None:
    text = (written / "report.html").read_text(encoding="utf-8")
    assert "bakeoff race nginx libuv-http-parser go-nethttp --seed 7" in text
    assert "5f" * 32 in text
    assert "gcc (Debian 12.2.0-14) 12.2.0" in text
    assert "HTTP/1.1 200 OK\nServer: Node http\nContent-Type: text/plain" in text
    assert "needs erl: apt-get install erlang-base" in text


def test_each_picture_is_a_file_of_its_own(written: Path) -> None:
    names = sorted(path.name for path in (written / "charts").iterdir())
    assert names == [
        "blocks.svg", "boots.svg", "bytes.svg", "cores.svg", "cpu.svg", "memory.svg",
        "percentiles.svg", "ratios.svg", "weather.svg",
    ]  # fmt: skip
    for name in names:
        ET.parse(written / "charts" / name)


def test_no_draft_is_left(written: Path) -> None:
    assert not [path for path in written.rglob("*") if path.name.startswith(".")]


def test_markdown_and_csv_are_what_the_functions_give(written: Path) -> None:
    assert (written / "report.md").read_text(encoding="utf-8") == report.markdown(sample.verdict())
    assert (written / "report.csv").read_text(encoding="utf-8") == report.csv(sample.verdict())


def hostile_verdict() -> Verdict:
    """The sample with an attack wherever a word comes from outside."""
    text = sample.verdict().to_json()
    for word in ("go-nethttp", "erlang-cowboy", "gunicorn", "kvm", "3 wrong answers", "steal)"):
        text = text.replace(word, word + HOSTILE.replace('"', '\\"'))
    return Verdict.from_json(text, "the sample")


def test_words_from_outside_are_never_markup(tmp_path: Path) -> None:
    plan = sample.plan().model_copy(update={"command_line": ("bakeoff", "race", HOSTILE)})
    receipts = {
        name: receipt.model_copy(update={"version": HOSTILE, "tools": {HOSTILE: HOSTILE}})
        for name, receipt in sample.receipts().items()
    }
    written = report.write(tmp_path, plan, hostile_verdict(), sample.records()[:12], receipts)
    parsed = Page(written.read_text(encoding="utf-8"))
    assert parsed.open == []
    assert "script" not in parsed.tags
    assert "{{ 7 * 7 }}" in written.read_text(encoding="utf-8")
    for picture in (tmp_path / "charts").iterdir():
        assert not [node for node in ET.parse(picture).iter() if node.tag.endswith("script")]


def test_a_page_without_records_receipts_and_pictures() -> None:
    text = page(sample.plan(), sample.verdict(), [], {}, [])
    parsed = Page(text)
    assert parsed.open == []
    assert "pictures" not in parsed.ids


def test_an_invalid_or_unfinished_verdict_is_said_at_the_top() -> None:
    verdict = sample.verdict().model_copy(update={"valid": False, "complete": False})
    text = page(sample.plan(), verdict, [], {}, [])
    assert "This verdict is not valid. The run ended before it was complete." in text


def test_the_head_of_an_answer_is_shown_as_it_was_sent() -> None:
    assert response_head("SFRUUC8xLjEgMjAwIE9LDQpYOiDkDQoNCmJvZHk=") == "HTTP/1.1 200 OK\nX: ä"
    assert response_head("not base64!") == ""
    assert response_head("") == ""
