"""Badges: a view's result in one line, as a small SVG for a README; words, tone and file.

A badge names the two contenders, which is ahead, and the interval, or says that it is a tie; it
never has only a rank.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import isfinite
from typing import Literal

from bakeoff.model.pairs import Pair
from bakeoff.model.ratio import Ratio
from bakeoff.model.verdict import Verdict
from bakeoff.report import figures
from bakeoff.report.kinds.standings import ranked

Tone = Literal["ahead", "behind", "tie", "none"]
NAMES_MAX = 3
WORDS_MAX = 72
LABEL = "bakeoff"
_WIDTHS = {
    **dict.fromkeys("ijl|'", 0.24),
    **dict.fromkeys(" .,:;!/It()[]f-r", 0.31),
    **dict.fromkeys("ABCDEFGHJKLNOPQRSTUVXYZ&", 0.69),
    **dict.fromkeys("mwMW%@", 0.88),
}
"""Widths in Arial, in ems; any other character is as wide as a digit or two thirds of an em."""


@dataclass(frozen=True)
class Badge:
    """`name` is that of its file, without an ending; `message` is its text after "bakeoff"."""

    name: str
    message: str
    tone: Tone = "none"

    @property
    def alt_text(self) -> str:
        return f"{LABEL}: {self.message}"

    @property
    def message_px(self) -> float:
        return width_px(self.message)


def width_px(text: str) -> float:
    """The width of the text in Arial of 11 px; a picture of another width is stretched to it."""
    ems = (_WIDTHS.get(letter, 0.56 if letter.isascii() else 0.67) for letter in text)
    return round(sum(ems) * 11, 1)


def of_verdict(verdict: Verdict) -> Badge:
    return Badge("result", *_result(verdict))


def of_pair(pair: Pair) -> Badge:
    tones: dict[str, Tone] = {"faster": "ahead", "slower": "behind"}
    tone = tones.get(pair.finding, "tie")
    return Badge(f"{pair.a}-over-{pair.b}", over(pair.a, pair.b, pair.ratio, tone), tone)


def of_ratio(name: str, a: str, b: str, measured: Ratio, when: str) -> Badge:
    """A ratio whose interval shows by itself which one is ahead."""
    tones: dict[str, Tone] = {"faster": "ahead", "slower": "behind"}
    tone = tones.get(measured.told(), "tie")
    return Badge(name, f"{over(a, b, measured, tone)}, {when}", tone)


def of_words(text: str) -> Badge:
    said = text.rstrip(".")
    return Badge("result", said if len(said) <= WORDS_MAX else f"{said[: WORDS_MAX - 1]}…")


def over(a: str, b: str, measured: Ratio, tone: Tone) -> str:
    """`nginx 1.32× go-nethttp ±1.3 %`, or that it is a tie, and within which bounds."""
    ratio, low, high = measured.ratio, measured.low, measured.high
    if tone == "tie" or not ratio:
        return f"{a}, {b}: tie{f' {_within(ratio, low, high)}' if ratio and low and high else ''}"
    if low is None or high is None:
        return f"{a} {figures.ratio_of(measured)} {b}"
    middle = figures.interval(ratio, low, high)[0]
    return f"{a} {middle}× {b} {_within(ratio, low, high)}"


def _within(ratio: float, low: float | None, high: float | None) -> str:
    ends = [end / ratio for end in (low, high) if end and isfinite(end)]
    return f"±{figures.percent(max(abs(end - 1) for end in ends))}"


def _result(verdict: Verdict) -> tuple[str, Tone]:
    entries = ranked(verdict)
    cut = "" if verdict.complete else " (cut short)"
    if not verdict.valid or not entries:
        return "no valid verdict", "none"
    leader = entries[0]
    if len(entries) == 1:
        rate = f"{figures.rate(leader.requests_per_s)} {verdict.unit}s/s"
        return f"{leader.name}, {rate}{cut}", "none"
    pairs = [verdict.pair(leader.name, other.name) for other in entries[1:]]
    level = [pair for pair in pairs if pair is None or pair.finding != "faster"]
    if not level and pairs[0]:
        return over(leader.name, pairs[0].b, pairs[0].ratio, "ahead") + cut, "ahead"
    if len(level) == 1 and level[0]:
        return over(leader.name, level[0].b, level[0].ratio, "tie") + cut, "tie"
    return f"tie of {_listed([leader.name, *(pair.b for pair in level if pair)])}{cut}", "tie"


def _listed(names: Iterable[str]) -> str:
    every = list(names)
    more = len(every) - NAMES_MAX
    return ", ".join(every[:NAMES_MAX]) + (f" and {more} more" if more > 0 else "")
