"""The colours of all pictures, in light and in dark."""

from collections.abc import Sequence

INK, QUIET, GRID, PAPER = "#1f2328", "#59636e", "#d8dee4", "#ffffff"
TWIN = "#818b98"
# Okabe and Ito's colours without yellow and black, then three that keep apart from them: all of
# middle lightness, so that they read on white and on near-black.
PALETTE = (
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00",
    "#56b4e9", "#8b6fd1", "#a6761d", "#6b8e23",
)  # fmt: skip
DASHES = ("", "7 3", "2 2", "4 2 1 2")
FINDINGS = {"holds": PALETTE[2], "does not hold": PALETTE[1], "can't tell": QUIET}
_IN_THE_DARK = {INK: "--ink, #e6eaef", QUIET: "--quiet, #9aa5b1", GRID: "--line, #2c333b"}
DARK = "\n".join(
    (
        f'[fill="{PAPER}"] {{ fill: none; }}',
        *(
            f'[{what}="{light}"] {{ {what}: var({dark}); }}'
            for light, dark in _IN_THE_DARK.items()
            for what in ("fill", "stroke")
        ),
    )
)
"""CSS for a dark ground. Colours are attributes, which every program reads; these rules find them
by their value. A page that has these properties has its own colours in pictures, too."""


def colours(names: Sequence[str], twin: str | None = None) -> dict[str, str]:
    """One colour per entry, by its place in the race, the same in every picture."""
    own = [name for name in names if name != twin]
    given = {name: PALETTE[place % len(PALETTE)] for place, name in enumerate(own)}
    return {name: given.get(name, TWIN) for name in names}
