"""Pictures of what an answer costs: CPU time, memory, bytes. Bars start at zero."""

from collections.abc import Callable, Sequence
from typing import Any

import altair as alt

from bakeoff.model.verdict import PerRequest, VerdictEntry
from bakeoff.report import figures
from bakeoff.report.charts.race import Race, Sketch, shown
from bakeoff.report.charts.theme import INK, TWIN, Drawing, Frame, colour_scale, data, names_axis


def cpu(race: Race) -> Sketch | None:
    """CPU time per request: the server's, user and system, and the generator's beside it."""
    rows = [row for entry in race.ranked for row in _cpu_rows(entry)]
    if not rows:
        return None
    return Sketch(
        slug="cpu",
        title="CPU time per request",
        reading=(
            "Coloured: the server's whole process tree, user time solid and system time faint."
            " Grey: what the load generator spent on the same request. On loopback each side pays"
            " a part of the other's network work."
        ),
        alt_text=_spoken(
            race, lambda e: figures.duration(e.cpu_us_per_request.server), "server CPU per request"
        ),
        draw=lambda frame: _draw_bars(
            race, rows, {"user": 1.0, "system": 0.5}, "µs of CPU per request", frame
        ),
    )


def _cpu_rows(entry: VerdictEntry) -> list[dict[str, Any]]:
    cost = entry.cpu_us_per_request
    name = shown(entry)
    rows = [
        _bar(name, "server", part, us, figures.duration(cost.server)) for part, us in split(cost)
    ]
    return [*rows, _bar(name, "generator", "user", cost.client, figures.duration(cost.client))]


def split(cost: PerRequest) -> list[tuple[str, float]]:
    """The server's time as user and system, fitted to their sum, which is the finer reading."""
    if cost.server is None:
        return []
    parts = (cost.server_user or 0.0) + (cost.server_system or 0.0)
    if not parts:
        return [("user", cost.server)]
    scale = cost.server / parts
    return [
        ("user", (cost.server_user or 0.0) * scale),
        ("system", (cost.server_system or 0.0) * scale),
    ]


def memory(race: Race) -> Sketch | None:
    """Memory of the process tree before and after the load."""
    rows = [
        _bar(shown(entry), moment, moment, value, figures.mib(value))
        for entry in race.ranked
        for moment, value in (("idle", entry.memory_mib.idle), ("loaded", entry.memory_mib.loaded))
        if value is not None
    ]
    if not rows:
        return None
    return Sketch(
        slug="memory",
        title="Memory",
        reading=(
            "Pss summed over the server's processes: faint before any load, solid after it."
            " Memory that processes share is counted once."
        ),
        alt_text=_spoken(race, lambda e: figures.mib(e.memory_mib.loaded), "memory under load"),
        draw=lambda frame: _draw_bars(race, rows, {"idle": 0.45, "loaded": 1.0}, "MiB", frame),
    )


def response_bytes(race: Race) -> Sketch | None:
    """What one answer weighs: head and body."""
    rows = [
        _bar(
            shown(entry),
            "answer",
            part,
            size,
            f"{figures.octets(weight.head)} + {figures.octets(weight.body)}",
        )
        for entry in race.ranked
        for weight in (entry.bytes_per_response,)
        for part, size in (("body", weight.body), ("head", weight.head))
    ]
    if not rows:
        return None
    return Sketch(
        slug="bytes",
        title="Bytes of one answer",
        reading=(
            "Body solid, head faint. The bodies are the same;"
            " a longer head is more to write and to read."
        ),
        alt_text=_spoken(
            race, lambda e: figures.octets(e.bytes_per_response.head), "bytes of head"
        ),
        draw=lambda frame: _draw_bars(race, rows, {"body": 1.0, "head": 0.5}, "bytes", frame),
    )


def _bar(name: str, lane: str, part: str, value: float, figure: str) -> dict[str, Any]:
    return {"name": name, "lane": lane, "part": part, "value": value, "figure": figure}


def _spoken(race: Race, figure: Callable[[VerdictEntry], str], what: str) -> str:
    each = "; ".join(f"{shown(entry)} {figure(entry)}" for entry in race.ranked)
    return f"Bars of {what}: {each}."


def _draw_bars(
    race: Race, rows: Sequence[dict[str, Any]], parts: dict[str, float], unit: str, frame: Frame
) -> Drawing:
    """Bars by contender and lane. `parts` says how solid each part is; the hue says whose it is."""
    lanes = list(dict.fromkeys(row["lane"] for row in rows))
    names = list(dict.fromkeys(row["name"] for row in rows))
    stacked = _stacked(rows)
    longest = max(row["end"] for row in stacked)
    # Room for the figure behind the longest bar.
    scale = alt.Scale(domain=[0, longest * (1.45 if frame.narrow else 1.14) or 1], nice=False)
    y = alt.Y("name:N", sort=names, axis=names_axis(), scale=alt.Scale(paddingInner=0.3))
    offset = alt.YOffset("lane:N", sort=lanes, scale=alt.Scale(paddingInner=0.12))
    axis = alt.Axis(title=unit, tickCount=frame.ticks, format=",~f", labelOverlap=True)
    bars = (
        alt.Chart(data(stacked))
        .mark_bar()
        .encode(
            x=alt.X("start:Q", scale=scale, axis=axis),
            x2="end:Q",
            y=y,
            yOffset=offset,
            color=alt.condition(
                "datum.lane == 'generator'",
                alt.value(TWIN),
                alt.Color("name:N", scale=colour_scale(race.colours), legend=None),
            ),
            opacity=alt.Opacity(
                "part:N",
                scale=alt.Scale(domain=list(parts), range=list(parts.values())),
                legend=None,
            ),
        )
    )
    ends = {(row["name"], row["lane"]): row for row in stacked}
    labels = (
        alt.Chart(data(list(ends.values())))
        .mark_text(align="left", dx=5, fontSize=11, color=INK)
        .encode(x=alt.X("end:Q", scale=scale), y=y, yOffset=offset, text="figure:N")
    )
    height = len(names) * (44 if len(lanes) > 1 else 28)
    return alt.layer(bars, labels).properties(height=height)


def _stacked(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows with where each part begins and ends, one upon the other in their order."""
    reached: dict[tuple[str, str], float] = {}
    placed = []
    for row in rows:
        start = reached.get((row["name"], row["lane"]), 0.0)
        end = reached[row["name"], row["lane"]] = start + row["value"]
        placed.append(row | {"start": start, "end": end})
    return placed
