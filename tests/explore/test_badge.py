"""Badges: who is ahead and by how much, or a tie; one line, whatever the names are."""

import re
import xml.etree.ElementTree as ET
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.explore import address as to
from bakeoff.explore.address import file_of, live
from bakeoff.explore.badge import Badge, of_pair, of_ratio, of_verdict, of_words, width_px
from bakeoff.explore.page import fragment
from bakeoff.explore.share import badge_of, of_badge
from bakeoff.explore.views import view
from bakeoff.model.pairs import Pair
from bakeoff.model.ratio import Ratio
from bakeoff.model.verdict import Verdict
from bakeoff.model.workload import Unit
from bakeoff.report import figures
from tests.explore.conftest import Shelves
from tests.explore.visitor import Elements, Visitor

SVG = "{http://www.w3.org/2000/svg}"
FOUND = {
    "faster": (1.32, 1.31, 1.335),
    "slower": (0.5, 0.48, 0.51),
    "can't tell": (1.01, 0.98, 1.04),
}


def pair(finding: Any, a: str = "nginx", b: str = "go", **other: Any) -> Pair:
    ratio, low, high = FOUND[finding]
    given = {"ratio": ratio, "low": low, "high": high, "n": 40, **other}
    return Pair(
        a=a,
        b=b,
        ratio=Ratio(**given),
        finding=finding,
        equivalent=False,
        minimum_detectable_effect=None,
    )


@pytest.mark.parametrize(
    ("compared", "message", "tone"),
    [
        (pair("faster"), "nginx 1.32× go ±1.1 %", "ahead"),
        (pair("slower"), "nginx 0.500× go ±4.0 %", "behind"),
        (pair("can't tell"), "nginx, go: tie ±3.0 %", "tie"),
        (pair("faster", high=None), "nginx ≥ 1.31× go", "ahead"),
        (pair("can't tell", low=None, high=None), "nginx, go: tie", "tie"),
    ],
)
def test_a_pair_in_a_line(compared: Pair, message: str, tone: str) -> None:
    badge = of_pair(compared)
    assert (badge.name, badge.message, badge.tone) == ("nginx-over-go", message, tone)
    assert badge.alt_text == f"bakeoff: {message}"


@pytest.mark.parametrize(
    ("low", "high", "tone"),
    [(1.1, 1.4, "ahead"), (0.8, 0.9, "behind"), (0.9, 1.2, "tie"), (1.1, None, "ahead")],
)
def test_of_a_ratio_the_interval_says_who_is_ahead(low: float, high: float, tone: str) -> None:
    measured = Ratio(ratio=(low * (high or low)) ** 0.5, low=low, high=high, n=9, boots=1)
    badge = of_ratio("last", "a", "b", measured, "2026-11-23")
    assert badge.tone == tone
    assert badge.message.endswith(", 2026-11-23")
    assert ("tie" in badge.message) == (tone == "tie")


def test_a_race_says_who_leads_by_how_much(shelves: Shelves) -> None:
    verdict: Verdict = shelves.race.result
    result = of_verdict(verdict)
    leads = verdict.pair("fast", "middle")
    assert leads is not None and leads.ratio.low and leads.ratio.high
    middle = figures.interval(leads.ratio.ratio, leads.ratio.low, leads.ratio.high)[0]
    assert result.message.startswith(f"fast {middle}× middle ±")
    assert result.tone == "ahead"


def test_a_race_in_which_nobody_leads_is_a_tie(shelves: Shelves) -> None:
    verdict: Verdict = shelves.race.result
    level = [pair.model_copy(update={"finding": "can't tell"}) for pair in verdict.pairs]
    three = verdict.model_copy(update={"pairs": tuple(level)})
    assert of_verdict(three).message == "tie of fast, middle, slow"
    of_two = [
        pair if "slow" in (pair.a, pair.b) else level[at] for at, pair in enumerate(verdict.pairs)
    ]
    two = of_verdict(verdict.model_copy(update={"pairs": tuple(of_two)}))
    assert two.message.startswith("fast, middle: tie ±") and two.tone == "tie"


def test_a_race_that_says_nothing_has_a_badge_that_says_so(shelves: Shelves) -> None:
    verdict: Verdict = shelves.race.result
    not_valid = of_verdict(verdict.model_copy(update={"valid": False}))
    assert (not_valid.message, not_valid.tone) == ("no valid verdict", "none")
    cut = of_verdict(verdict.model_copy(update={"complete": False}))
    assert cut.message.endswith("(cut short)")


@pytest.mark.parametrize("unit", ["request", "message"])
def test_one_alone_has_its_rate_in_what_the_race_counts(shelves: Shelves, unit: Unit) -> None:
    verdict: Verdict = shelves.race.result
    fast = next(entry for entry in verdict.entries if entry.name == "fast")
    alone = of_verdict(verdict.model_copy(update={"entries": (fast,), "unit": unit}))
    assert alone.message == f"fast, {figures.rate(fast.requests_per_s)} {unit}s/s"


def test_words_are_a_line() -> None:
    assert of_words("It holds.").message == "It holds"
    assert len(of_words("very " * 40).message) == 72


@given(st.text(max_size=30), st.sampled_from(["ahead", "behind", "tie", "none"]))
def test_every_badge_is_a_picture_that_loads_and_runs_nothing(message: str, tone: Any) -> None:
    drawn = fragment("badge.svg", badge=Badge("result", message, tone))
    root = ET.fromstring(drawn)
    assert root.tag == f"{SVG}svg" and root.get("role") == "img"
    assert {element.tag for element in root} == {
        f"{SVG}{n}" for n in ("title", "style", "path", "text")
    }
    assert float(root.get("width", "0")) > width_px(message) + 53
    assert "prefers-color-scheme: dark" in drawn
    assert "url(" not in drawn and "http" not in drawn.replace("http://www.w3.org", "").replace(
        message, ""
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_its_words_can_be_read(scheme: str) -> None:
    light, _, dark = fragment("badge.svg", badge=Badge("result", "a")).partition("@media")
    style = light if scheme == "light" else dark
    text = re.search(r"text \{ fill: (#\w+)", style)
    grounds = re.findall(r"\.(?!none\b)\w+ \{ fill: (#\w+)", style)
    assert text and len(grounds) == 4
    assert all(contrast(text[1], ground) >= 4.5 for ground in grounds)


def test_each_view_has_its_own(visitor: Visitor, shelves: Shelves) -> None:
    views = {
        to.run(shelves.id): "fast 1.",
        to.contender("slow"): "slow 0.",
        to.matrix(): "middle",
        to.two(*(run.id for run in shelves.runs)): "bakeoff: ",
    }
    for address, said in views.items():
        page = view(shelves.index, address)
        first = page.badges()[0]
        path = live(badge_of(page, first.name))
        answer = visitor.ask(path)
        assert answer.headers["content-type"].startswith("image/svg+xml")
        assert said in answer.text
        shown = Elements.of(visitor.page(live(address))).all("img")
        assert (path, first.alt_text) in {(picture["src"], picture["alt"]) for picture in shown}
        assert file_of(badge_of(page, first.name)).endswith(f"/badge/{first.name}.svg")
    matrix = view(shelves.index, to.matrix())
    assert len({badge.name for badge in matrix.badges()}) == 6


@pytest.mark.parametrize("name", ["nothing.svg", "result", "result.png", "..%2fresult.svg"])
def test_what_is_no_badge_is_not_there(visitor: Visitor, shelves: Shelves, name: str) -> None:
    assert visitor.ask(f"{shelves.page}/badge/{name}").status_code == 404


def test_a_family_that_somebody_chose_has_no_badge(visitor: Visitor, shelves: Shelves) -> None:
    assert visitor.ask(f"{shelves.page}/badge/result.svg?of=0.2").status_code == 404
    assert "badge/" not in visitor.page(f"{shelves.page}?of=0.2")


def test_lines_to_copy_are_escaped_for_what_they_are_pasted_into(shelves: Shelves) -> None:
    page = view(shelves.index, to.run(shelves.id))
    badge = Badge("result", 'a] <b> "c" \\')
    markdown, html = of_badge(page, badge, "https://example.org/bench/")
    assert markdown.text == (
        f'[![bakeoff: a\\] <b> "c" \\\\](https://example.org/bench/run/{shelves.id}/badge/result.svg)]'
        f"(https://example.org/bench/run/{shelves.id}.html)"
    )
    assert Elements.of(html.text).all("img") == [
        {
            "src": f"https://example.org/bench/run/{shelves.id}/badge/result.svg",
            "alt": badge.alt_text,
        }
    ]


def contrast(one: str, other: str) -> float:
    """WCAG 2.2: the contrast of two colours."""

    def luminance(colour: str) -> float:
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    dark, light = sorted(map(luminance, (one, other)))
    return (light + 0.05) / (dark + 0.05)
