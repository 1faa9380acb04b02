"""Record the README's race of two commands as a picture that moves: make recording."""

import os
import re
import shlex
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from html import escape
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from tests.docs.conftest import ROOT, blocks, run
from tests.screen import Typed, typed

RECORDING = ROOT / "docs" / "pictures" / "race.svg"
SVG = "http://www.w3.org/2000/svg"
COLUMNS, HEIGHT = 84, 40
CELL_X, CELL_Y, MARGIN = 8.4, 18, 12
FRAMES, AS_FAST, HELD_S = 20, 8, 6
SETTLED_S = 0.05
"""A redraw is several writes; after so long without one it is whole."""
LIGHT = {
    "back": "#f6f8fa", "fg": "#24292f", "dim": "#6e7781", "red": "#cf222e", "green": "#1a7f37",
    "yellow": "#9a6700", "cyan": "#1b7c83", "bar": "#0969da", "rest": "#d0d7de",
}  # fmt: skip
DARK = {
    "back": "#161b22", "fg": "#e6edf3", "dim": "#8b949e", "red": "#ff7b72", "green": "#3fb950",
    "yellow": "#d29922", "cyan": "#39c5cf", "bar": "#58a6ff", "rest": "#30363d",
}  # fmt: skip
NAMED = {1: "red", 2: "green", 3: "yellow", 6: "cyan", 197: "bar", 237: "rest"}
"""The colours of a terminal that bakeoff uses, by their numbers."""

Frame = tuple[float, Sequence[str]]
"""From when on it is seen, in s, and its lines with their colours."""


def frames(shown: Typed) -> list[Frame]:
    """Whole redraws, evenly over the time, and what is there in the end."""
    seen: list[Frame] = []
    after = [at_s for at_s, _ in shown.written[1:]] + [float("inf")]
    for (at_s, screen), next_s in zip(shown.screens(HEIGHT), after, strict=True):
        lines = tuple(screen.coloured)
        if next_s - at_s > SETTLED_S and (not seen or seen[-1][1] != lines):
            seen.append((at_s, lines))
    apart_s = seen[-1][0] / FRAMES
    kept = seen[:1]
    for frame in seen[1:-1]:
        if frame[0] - kept[-1][0] >= apart_s:
            kept.append(frame)
    return [*kept, seen[-1]]


def picture(command: str, shown: Sequence[Frame], recorded_on: str) -> str:
    """The frames as SVG: one after another, or the last alone where nothing is to move."""
    lines = max(len(lines) for _, lines in shown) + 1
    width, height = 2 * MARGIN + COLUMNS * CELL_X, 2 * MARGIN + lines * CELL_Y
    lasts_s = shown[-1][0] / AS_FAST + HELD_S
    begins = [100 * at_s / AS_FAST / lasts_s for at_s, _ in shown]
    begins[0] = 0.0
    moves = []
    for place, (begin, end) in enumerate(pairwise([*begins, 100.0])):
        hidden = "0%{visibility:hidden}" if place else ""
        gone = f"{end:.2f}%{{visibility:hidden}}" if end < 100 else ""
        moves.append(
            f"#f{place}{{animation-name:k{place}}}"
            f"@keyframes k{place}{{{hidden}{begin:.2f}%{{visibility:visible}}{gone}}}"
        )
    first = f"\x1b[1m$ {command}\x1b[0m"
    drawn = "\n".join(
        f'<g class="f" id="f{place}">\n{_lines([first, *lines])}\n</g>'
        for place, (_, lines) in enumerate(shown)
    )
    said = (
        f"Recorded on {recorded_on} by `make recording`, shown {AS_FAST} times as fast: {command}"
    )
    classes = "".join(f".{name}{{fill:var(--{name})}}" for name in (*NAMED.values(), "dim"))
    return f"""<svg xmlns="{SVG}" viewBox="0 0 {width:.0f} {height}" role="img">
<title>{escape(command)}</title>
<desc>{escape(said)}</desc>
<style>
svg{{{_scheme(LIGHT)}}}
@media (prefers-color-scheme:dark){{svg{{{_scheme(DARK)}}}}}
rect{{fill:var(--back)}}
text{{fill:var(--fg);font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;\
white-space:pre}}
{classes}.bold{{font-weight:bold}}
.f{{visibility:hidden}}.f:last-of-type{{visibility:visible}}
@media (prefers-reduced-motion:no-preference){{.f{{animation:{lasts_s:.2f}s step-end infinite}}
{"".join(moves)}}}
</style>
<rect width="100%" height="100%" rx="8"/>
{drawn}
</svg>
"""


def _scheme(colours: dict[str, str]) -> str:
    return "".join(f"--{name}:{colour};" for name, colour in colours.items())


def _lines(lines: Sequence[str]) -> str:
    return "\n".join(
        part for row, line in enumerate(lines) for part in _parts(Text.from_ansi(line), row)
    )


def _parts(line: Text, row: int) -> Iterator[str]:
    """Each part of one style, as wide as a terminal has it, whatever the font."""
    x, y = float(MARGIN), MARGIN + (row + 0.75) * CELL_Y
    for text, style, _ in line.render(Console(width=10 * COLUMNS)):
        classes = [NAMED.get((style and style.color and style.color.number) or 0, "")]
        classes += [name for name in ("bold", "dim") if style and getattr(style, name)]
        of = f' class="{" ".join(classes).strip()}"' if any(classes) else ""
        for words in re.finditer(r"\S+(?: \S+)*", text):
            at, wide = (CELL_X * cell_len(part) for part in (text[: words.start()], words[0]))
            yield (
                f'<text x="{x + at:.1f}" y="{y:.1f}" textLength="{wide:.1f}"'
                f' lengthAdjust="spacingAndGlyphs"{of}>{escape(words[0], quote=False)}</text>'
            )
        x += CELL_X * cell_len(text)


def main() -> None:
    servers, race, *_ = blocks("README.md", "sh")
    command = race.strip()
    with TemporaryDirectory() as folder:
        run(servers, Path(folder)).check_returncode()
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        env = {"PATH": path, "XDG_DATA_HOME": folder, "XDG_CACHE_HOME": folder}
        shown = typed(shlex.split(command), Path(folder), COLUMNS, HEIGHT, **env)
    if shown.status:
        sys.exit(f"{command}: ended with status {shown.status}")
    RECORDING.write_text(picture(command, frames(shown), f"{datetime.now(UTC):%Y-%m-%d}"))


if __name__ == "__main__":
    main()
