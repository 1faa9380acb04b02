"""A differential flame graph: how two contenders spend CPU time, and which of them spends more.

A frame is as wide as the time of both together, and its colour shows the share of that time by
which one exceeds the other; width times depth of colour is their difference. Gregg's differential
graph has the widths of one of the two, so it has no place for work that only the other does, and
the difference between two servers is mostly of that kind. Sums nest, which the larger or smaller
value of two would not, and both contenders are drawn alike. The outermost function is at the top,
as a page is read.

Without a script each frame shows its figures; `flames.js` adds zooming, search and the keyboard.
"""

from collections.abc import Iterator, Set
from functools import partial
from importlib.resources import files

from markupsafe import Markup, escape

from bakeoff.model.why import Flame, Flames
from bakeoff.report.charts.svg import element, fitting, length, moved, quiet, rect, text
from bakeoff.report.document import Chart, Drawing, Frame, printable
from bakeoff.report.sentences import CALLED

SCRIPT = (files("bakeoff.report.charts") / "flames.js").read_text(encoding="utf-8")
LEAST_PX = 1.0
"""Narrower frames are added up."""
FRAMES_MAX = 800
NAME_MAX = 120
ROW_PX, GAP_PX, LABEL_PX, CONTROLS_PX = 17, 1, 34, 62
SHADES = ((0.5, 3.0), (0.2, 1.5), (0.05, 1.1))
"""From this share of both that one has more, a shade is used; the second number is one's multiple
of the other then."""
OTHERS, ITS = ("#3d9be0", "#82bfec", "#c3dff5"), ("#e8930c", "#f2b552", "#f8dcae")
"""Blue and orange, which people with any kind of colour-blindness can tell apart; so light that
dark words are readable on all of them."""
ALIKE, WORDS = "#dde1e6", "#14181d"


def flame_graph(of: Flames, number: int) -> Chart:
    names = printable(of.name), printable(of.other)
    return Chart(
        slug=f"flames-{number}" if number > 1 else "flames",
        title=f"{names[0]} against {names[1]}: flame graph",
        reading=(
            "Each frame is a function, and those below it are what it called. Its width is the CPU "
            f"time per {of.unit} of both together, its colour says which of the two spends more of "
            "it; grey is what samples can't tell apart. User time has stacks of functions; kernel "
            "time is by system call, with the kernel's functions below. Click a frame, or press "
            "Enter, to see it alone; arrow keys lead to its neighbours, Escape to the whole."
        ),
        alt_text=f"Flame graph of both: {_figures(of.root, of)}.",
        draw=partial(_draw, of),
        script=SCRIPT,
    )


def _draw(of: Flames, frame: Frame) -> Drawing:
    legend = _legend(of, frame)
    hint = quiet("Point at a frame to see its figures.", 0, 16)
    top = legend.height + CONTROLS_PX
    px = frame.width / (of.root.us or 1)
    # Of equally wide frames the caller comes first, so that every frame has its caller above it.
    widest = sorted(_all(of.root), key=lambda flame: -flame.us)[:FRAMES_MAX]
    least_us = LEAST_PX / px
    kept = {id(flame) for flame in widest if flame.us >= least_us}
    placed = list(_placed(of.root, 0, 0.0, kept, least_us))
    drawn = [_frame(flame, of, depth, left * px, flame.us * px) for flame, depth, left in placed]
    names = {
        "data_its": printable(of.name),
        "data_other": printable(of.other),
        "data_unit": of.unit,
    }
    parts = [
        *legend.parts,
        element(
            "g",
            element("g", hint, class_="flame-hint"),
            transform=f"translate(0 {legend.height})",
            class_="flame-controls",
            data_width=frame.width,
        ),
        element("g", *drawn, class_="flames", transform=f"translate(0 {top})", fill=WORDS, **names),
    ]
    deepest = max(depth for _, depth, _ in placed)
    return Drawing(top + (deepest + 1) * ROW_PX, parts)


def _all(flame: Flame) -> Iterator[Flame]:
    yield flame
    for inner in flame.inner:
        yield from _all(inner)


def _placed(
    flame: Flame, depth: int, left_us: float, kept: Set[int], least_us: float
) -> Iterator[tuple[Flame, int, float]]:
    """Each frame, before those below it, with its depth and the place where it begins."""
    yield flame, depth, left_us
    small = [inner for inner in flame.inner if id(inner) not in kept]
    rest = Flame(
        f"{len(small)} more",
        sum(inner.its_us for inner in small),
        sum(inner.other_us for inner in small),
        is_told=False,
    )
    shown = [inner for inner in flame.inner if id(inner) in kept]
    for inner in [*shown, *([rest] if rest.us >= least_us else [])]:
        yield from _placed(inner, depth + 1, left_us, kept, least_us)
        left_us += inner.us


def _frame(flame: Flame, of: Flames, depth: int, left: float, width: float) -> Markup:
    name = _name(flame)
    inside = [
        element("title", escape(f"{name}\n{_figures(flame, of)}")),
        element("rect", width="100%", height="100%", fill=_shade(flame)),
    ]
    if width > LABEL_PX:
        inside.append(element("text", escape(fitting(name, width - 6)), x=3, y=12))
    return element(
        "svg",
        *inside,
        class_="flame",
        x=f"{left:.3f}",
        y=depth * ROW_PX,
        width=f"{width:.3f}",
        height=ROW_PX - GAP_PX,
        data_us=f"{flame.its_us:.3f} {flame.other_us:.3f}",
    )


def _name(flame: Flame) -> str:
    name = printable(CALLED.get(flame.name, flame.name))
    return name if len(name) <= NAME_MAX else f"{name[: NAME_MAX - 1]}…"


def _figures(flame: Flame, of: Flames) -> str:
    both = f"{printable(of.name)} {flame.its_us:.2f}, {printable(of.other)} {flame.other_us:.2f}"
    return f"{both}: {flame.its_us - flame.other_us:+.2f} µs per {of.unit}"


def _shade(flame: Flame) -> str:
    more = (flame.its_us - flame.other_us) / (flame.us or 1)
    shades = ITS if more > 0 else OTHERS
    fits = [shade for (share, _), shade in zip(SHADES, shades, strict=True) if abs(more) >= share]
    return fits[0] if fits and flame.is_told else ALIKE


def _legend(of: Flames, frame: Frame) -> Drawing:
    """From what the other has more, by blue and grey, to what it has more itself."""
    times = [f"{more:g}×" for _, more in SHADES]
    scale = [
        *zip(OTHERS, times, strict=True),
        (ALIKE, "alike"),
        *zip(reversed(ITS), reversed(times), strict=True),
    ]
    each = 44
    room = frame.width / 2 - 8 if frame.narrow else (frame.width - each * len(scale)) / 2 - 12
    more = [fitting(f"more in {printable(name)}", room) for name in (of.other, of.name)]
    left, top = (0.0, 20) if frame.narrow else (length(more[0]) + 8, 0)
    swatches = [
        moved(
            [
                rect(0, 0, each, 16, fill=shade),
                text(said, each / 2, 12, fill=WORDS, text_anchor="middle"),
            ],
            left + each * place,
            top,
        )
        for place, (shade, said) in enumerate(scale)
    ]
    end = left + each * len(scale)
    words = [
        text(more[0], 0, 12),
        text(more[1], end, 12, text_anchor="end") if frame.narrow else text(more[1], end + 8, 12),
    ]
    return Drawing(top + 26, [*words, *swatches])
