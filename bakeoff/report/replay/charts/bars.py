"""The article's bar chart, redrawn beside ours: the same rows, order and colours."""

from collections.abc import Sequence

from bakeoff.report import figures
from bakeoff.report.charts.race import Sketch
from bakeoff.report.charts.theme import colours
from bakeoff.report.replay import words
from bakeoff.report.replay.charts.panels import Bar, Panel, side_by_side
from bakeoff.report.replay.parts import Part, published_mib, published_runs
from bakeoff.report.words import printable


def speed_slug(comparison: str) -> str:
    """What the picture of a comparison's requests per second is called."""
    return f"speed-{comparison}"


def memory_slug(comparison: str) -> str:
    """What the picture of a comparison's memory is called."""
    return f"memory-{comparison}"


def speed(part: Part, all_parts: Sequence[Part]) -> Sketch | None:
    """Requests per second: published and measured."""
    if part.skipped:
        return None
    hues = _colours(all_parts)
    in_a_row = {
        one.row: one.requests_per_s for one in (part.measured.in_a_row if part.measured else ())
    }
    there, here = [], []
    for row, result in part.rows:
        published, hue = row.published.value("requests_per_s"), hues[row.name]
        name = printable(words.label(row))
        runs = published_runs(row.published)
        there.append(Bar(name, hue, published, figures.rate(published), runs, "no figure"))
        found = result.requests_per_s if result and not result.skipped else None
        runs = in_a_row.get(row.name, ()) if found else ()
        here.append(Bar(printable(row.name), hue, found, figures.rate(found), runs, "skipped"))
    return _sketch(
        speed_slug(part.there.name),
        "Requests per second: the article's figures and ours",
        words.bars(
            several=any(len(bar.runs) > 1 for bar in there),
            in_a_row=any(len(bar.runs) > 1 for bar in here),
        ),
        (Panel("Published", "requests/s", tuple(there)), Panel("Here", "requests/s", tuple(here))),
    )


def memory(part: Part, all_parts: Sequence[Part]) -> Sketch | None:
    """Memory: published and measured, where the article printed any."""
    pairs = [(row, result, published_mib(row.published)) for row, result in part.rows]
    measured = any(result and result.memory_mib is not None for _, result, _ in pairs)
    if part.skipped or not measured or all(mib is None for *_, mib in pairs):
        return None
    hues = _colours(all_parts)
    there, here = [], []
    for row, result, mib in pairs:
        hue, name = hues[row.name], printable(words.label(row))
        there.append(Bar(name, hue, mib, figures.mib(mib), missing="no figure"))
        found = result.memory_mib if result and not result.skipped else None
        said = "skipped" if result and result.skipped else "not measured"
        here.append(Bar(printable(row.name), hue, found, figures.mib(found), missing=said))
    return _sketch(
        memory_slug(part.there.name),
        "Memory: the article's figures and ours",
        f"{words.MEMORY_NOTE} {words.BARS_NOTE}",
        (Panel("Published", "MiB", tuple(there)), Panel("Here", "MiB", tuple(here))),
    )


def _colours(all_parts: Sequence[Part]) -> dict[str, str]:
    """A colour for each row of the article, the same in every comparison."""
    names = dict.fromkeys(row.name for part in all_parts for row in part.there.rows)
    return colours(list(names), None)


def _sketch(slug: str, title: str, reading: str, panels: tuple[Panel, Panel]) -> Sketch:
    said = (
        f"{panel.title}: {', '.join(f'{bar.name} {_told(bar)}' for bar in panel.bars)}"
        for panel in panels
    )
    return Sketch(
        slug=slug,
        title=title,
        reading=reading,
        alt_text=f"Bars of {panels[0].unit}. {'. '.join(said)}.",
        draw=lambda frame: side_by_side(panels, frame),
    )


def _told(bar: Bar) -> str:
    return bar.missing if bar.value is None else bar.figure
