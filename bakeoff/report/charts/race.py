"""The pictures of a race: its ratios, the costs of a request, and its series."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from bakeoff.model.compare import RunsComparison
from bakeoff.model.entry import PerRequest, VerdictEntry
from bakeoff.model.grid import Grid
from bakeoff.model.ratio import BootRatio, DrawRatio, Ratio
from bakeoff.model.samples import Block, Record
from bakeoff.model.verdict import Verdict
from bakeoff.report import figures
from bakeoff.report.charts.bars import Bar, Panel, bars
from bakeoff.report.charts.forest import Group, Lane, forest, open_ended, spoken
from bakeoff.report.charts.series import blocks_of
from bakeoff.report.charts.svg import TWIN, colours
from bakeoff.report.document import Chart, printable
from bakeoff.report.kinds.standings import ranked


@dataclass(frozen=True)
class Standing:
    """The entry whose ratio is drawn: a ranked one, or the twin."""

    name: str
    ratio: Ratio
    boots: tuple[BootRatio, ...] = ()
    draws: tuple[DrawRatio, ...] = ()


@dataclass(frozen=True)
class Race:
    """A judged run: the verdict and its blocks."""

    verdict: Verdict
    blocks: tuple[Block, ...]

    @classmethod
    def of(cls, verdict: Verdict, records: Sequence[Record] = ()) -> "Race":
        return cls(verdict, tuple(blocks_of(records)))

    @cached_property
    def ranked(self) -> list[VerdictEntry]:
        return ranked(self.verdict)

    @cached_property
    def standings(self) -> list[Standing]:
        standings = [
            Standing(printable(entry.name), entry.ratio, entry.boots, entry.draws)
            for entry in self.ranked
            if entry.ratio is not None
        ]
        floor = self.verdict.noise_floor
        if floor:
            standings.append(Standing(printable(floor.name), floor))
        return standings

    @cached_property
    def reference(self) -> str:
        return printable(self.verdict.reference)

    @cached_property
    def colours(self) -> dict[str, str]:
        floor = self.verdict.noise_floor
        twin = printable(floor.name) if floor else None
        return colours([standing.name for standing in self.standings], twin)


def lanes(race: Race, colour_of: Mapping[str, str]) -> list[Lane]:
    margin = race.verdict.equivalence_margin
    return [
        Lane(
            standing.name,
            (
                f"{figures.REFERENCE} reference"
                if standing.name == race.reference
                else figures.ratio_of(standing.ratio),
            ),
            standing.ratio,
            colour_of[standing.name],
            figures.plural(standing.ratio.n, "paired block"),
            shaded=(1 / (1 + margin), 1 + margin),
        )
        for standing in race.standings
    ]


def ratios(race: Race) -> Chart | None:
    drawn = lanes(race, race.colours)
    if not drawn:
        return None
    what = f"The p99 latency of {race.reference} over the contender's"
    if race.verdict.ranked_by == "requests_per_s":
        what = f"Requests per second over those of {race.reference}"
    twin = " The grey twin is a second copy of the reference: its gap to 1× is the noise floor."
    return Chart(
        slug="ratios",
        title="How fast, against the reference",
        reading=(
            f"{what}; each line is a simultaneous 95 % interval. Further right is faster. The"
            f" shaded band is {figures.margin(race.verdict.equivalence_margin)}, taken as"
            f" equivalent.{open_ended(drawn)}{twin if race.verdict.noise_floor else ''}"
        ),
        alt_text=f"Ratios to {race.reference}: {spoken(drawn)}.",
        draw=lambda frame: forest([Group(drawn)], f"ratio to {race.reference}, logarithmic", frame),
    )


def cpu(race: Race) -> Chart | None:
    def lanes(entry: VerdictEntry, name: str, colour: str) -> list[Bar]:
        cost = entry.cpu_us_per_request
        server, client = figures.duration(cost.server), figures.duration(cost.client)
        return [
            Bar(name, colour, list(zip(split(cost), (1.0, 0.5), strict=False)), server),
            Bar("", TWIN, [(cost.client, 1.0)], client),
        ]

    unit = race.verdict.unit
    loopback = " On loopback each side pays a part of the other's network work."
    return _costs(
        race,
        "cpu",
        f"CPU time per {unit}",
        "Coloured: the server's whole process tree, user time solid and system time faint. Grey:"
        f" what the load generator spent on the same {unit}."
        + (loopback if race.verdict.on_loopback else ""),
        f"µs of CPU per {unit}",
        lanes,
    )


def split(cost: PerRequest) -> list[float]:
    """The server's µs as user and system, scaled to their sum, which is the more exact figure."""
    if cost.server is None:
        return []
    user, system = cost.server_user or 0.0, cost.server_system or 0.0
    scale = cost.server / (user + system) if user + system else 0.0
    return [user * scale, system * scale] if scale else [cost.server]


def memory(race: Race) -> Chart | None:
    def lanes(entry: VerdictEntry, name: str, colour: str) -> list[Bar]:
        idle, loaded = entry.memory_mib.idle, entry.memory_mib.loaded
        return [
            Bar(label, colour, [(mib, solid)] if mib is not None else [], figures.mib(mib))
            for label, mib, solid in ((name, idle, 0.45), ("", loaded, 1.0))
        ]

    return _costs(
        race,
        "memory",
        "Memory",
        "Pss summed over the server's processes: faint before any load, solid after it. Memory"
        " that processes share is counted once.",
        "MiB",
        lanes,
    )


def response_bytes(race: Race) -> Chart | None:
    def lanes(entry: VerdictEntry, name: str, colour: str) -> list[Bar]:
        head, body = entry.bytes_per_response.head, entry.bytes_per_response.body
        figure = f"{figures.octets(head)} + {figures.octets(body)}"
        return [Bar(name, colour, [(body, 1.0), (head, 0.5)], figure)]

    return _costs(
        race,
        "bytes",
        "Bytes of one answer",
        "Body solid, head faint. The bodies are the same; a longer head is more to write and to"
        " read.",
        "bytes",
        lanes,
    )


def _costs(
    race: Race,
    slug: str,
    title: str,
    reading: str,
    unit: str,
    lanes: Callable[[VerdictEntry, str, str], list[Bar]],
) -> Chart | None:
    names = {printable(entry.name): entry for entry in race.ranked}
    by_name = {name: lanes(entry, name, race.colours[name]) for name, entry in names.items()}
    if not by_name:
        return None
    panel = Panel(unit, [bar for own in by_name.values() for bar in own])
    spoken = (f"{name} {', '.join(bar.figure for bar in own)}" for name, own in by_name.items())
    return Chart(
        slug,
        title,
        reading,
        f"Bars of {unit}: {'; '.join(spoken)}.",
        lambda frame: bars([panel], frame),
    )


def changes(compared: RunsComparison) -> Chart | None:
    changed = [change for change in compared.changes if change.name != compared.reference]
    hues = colours([change.name for change in changed if change.ratio])
    lanes = [
        Lane(change.name, (figures.ratio_of(change.ratio),), change.ratio, hues[change.name])
        for change in changed
        if change.ratio
    ]
    if not lanes:
        return None
    return Chart(
        slug="changes",
        title="What changed",
        reading=(
            f"Each contender’s ratio to {compared.reference} in the later run, over that in the"
            " earlier one; each line is a simultaneous 95 % interval. Further right is faster than"
            f" it was; an interval that holds 1× is a tie.{open_ended(lanes)}"
        ),
        alt_text=f"The later ratio over the earlier one: {spoken(lanes)}.",
        draw=lambda frame: forest([Group(lanes)], "later over earlier, logarithmic", frame),
    )


def cells(grid: Grid, contenders: Sequence[str], titles: Sequence[str], note: str) -> Chart | None:
    """Small multiples: a forest plot for each cell, under its title; None: none has a ratio."""
    hues = colours(list(dict.fromkeys(map(printable, contenders))))
    groups = [
        Group(
            lanes(race, dict.fromkeys(race.colours, TWIN) | hues) if race else (),
            f"{cell.name}: {title}",
        )
        for cell, title in zip(grid.cells, titles, strict=True)
        for race in [Race.of(cell.verdict) if cell.verdict else None]
    ]
    if not any(len(group.lanes) > 1 for group in groups):
        return None
    said = "; ".join(f"{group.title}: {spoken(group.lanes) or 'no figures'}" for group in groups)
    return Chart(
        slug="grid",
        title="How fast, against the reference, in every cell",
        reading=(
            f"Each line is a simultaneous 95 % interval of its cell's own race. {note}"
            " The grey twin is a second copy of the reference: its gap to 1× is the cell's noise"
            f" floor.{open_ended([lane for group in groups for lane in group.lanes])}"
        ),
        alt_text=f"Ratios to {printable(grid.reference)}, by cell: {said}.",
        draw=lambda frame: forest(groups, "ratio, logarithmic", frame),
    )
