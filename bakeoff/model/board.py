"""board.toml: the cells of a board. board.json: their results. Schema bakeoff.board/1."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt

from bakeoff.model.audit import Work
from bakeoff.model.base import Contract, IfAny, IfGiven
from bakeoff.model.finding import Finding
from bakeoff.model.machine import Machine
from bakeoff.model.pairs import Sided
from bakeoff.model.protocol import Protocol
from bakeoff.model.ratio import Ratio, Told
from bakeoff.model.verdict import NoiseFloor

Measure = Literal["throughput", "cpu", "first_byte", "memory"]
"""The order of a cell's contenders: by requests per second, and by the least CPU time per request,
time to the first byte of a body, and memory."""
Change = Literal["sources", "version", "link", "method", "machine"]
"""Changes since a contender was raced: its sources, its version, both contenders that its race
shares with the others, the method of measuring and judging, or the machine's software."""


class RacesSection(Contract):
    """How a cell is divided into races: `[races]`."""

    contenders: Annotated[int, Field(ge=3)] = 10
    """The most contenders of one race."""
    links: tuple[str, ...] = ()
    """The contenders in each race of a cell that has several: the first two of these that take
    part."""
    per_contender_s: PositiveFloat = 5.0
    """Seconds of measuring for each contender, and for the reference's twin."""


class BoardFile(Contract):
    """The cells of a board, and its contenders."""

    cells: Annotated[dict[str, tuple[Protocol, ...]], Field(min_length=1)]
    """Workloads, each with the protocols over which it is raced: `hello = ["h1", "h2"]`."""
    contenders: tuple[str, ...] = ()
    """The contenders that take part: names of the catalogue, and folders relative to this file. By
    default the whole catalogue."""
    races: RacesSection = RacesSection()


class EarlierRace(Contract):
    """A contender in a race of a `cell` that a newer race has replaced. Its figures are not
    comparable with others: the machine's speed differs between two races."""

    cell: str
    run: str
    began_at: datetime
    version: str
    requests_per_s: NonNegativeFloat
    cpu_us_per_request: IfGiven[NonNegativeFloat] = None


class BoardContender(Contract):
    """A contender of a board, as it was last raced: `tools` and `commands` are those of its build.
    `earlier` has the races before, the newest first.

    `work` is its work for an answer of the first cell in which it was raced, according to the
    audit; None: it was not raced, or not audited.
    """

    name: str
    title: str
    language: str
    kind: str
    homepage: str
    note: str
    version: str = ""
    source: str = ""
    tools: dict[str, str] = {}
    commands: tuple[tuple[str, ...], ...] = ()
    work: Work | None = None
    earlier: IfAny[tuple[EarlierRace, ...]] = ()


class Standing(Contract):
    """A contender by one measure: its `value` (requests/s, µs, µs or MiB), how many times as good
    it is as the best of the cell, its best and worst place, and its letters: contenders that share
    one can't be told apart. Memory has no ratio."""

    value: NonNegativeFloat
    ratio: Ratio | None = None
    rank: tuple[PositiveInt, PositiveInt] | None = None
    letters: str = ""


class BoardRow(Contract):
    """A contender in a cell, as in the `race` of that run's name.

    `by` is empty if it is `out`, for that reason or for the `reasons` of the judge. `changed` has
    the changes since; empty: there are none.
    """

    name: str
    race: str = ""
    version: str = ""
    source: str = ""
    changed: IfAny[tuple[Change, ...]] = ()
    out: IfAny[str] = ""
    reasons: IfAny[tuple[Finding, ...]] = ()
    latency_p99_us: IfGiven[NonNegativeFloat] = None
    by: dict[Measure, Standing] = {}

    @property
    def is_out(self) -> bool:
        return not self.by


class BoardPair(Sided):
    """Two contenders of a cell: `a` over `b`, by throughput, by requests per second of the server's
    CPU time, and by the time to the first byte of a body, b's over a's.

    All intervals of a cell hold at once, by each measure. `links` are the contenders through which
    two of different races are compared; empty: they met in one race.
    """

    ratio: Ratio
    finding: Told
    equivalent: bool
    cpu_ratio: IfGiven[Ratio] = None
    first_byte_ratio: IfGiven[Ratio] = None
    links: IfAny[tuple[str, ...]] = ()


class BoardRace(Contract):
    """A race of a cell, by the name of its run in the board's `runs`.

    `fairness` has the inequalities of its contenders' work. `cut_short`: its time limit ended it,
    and it goes on when the board is raced again.
    """

    run: str
    began_at: datetime
    contenders: tuple[str, ...]
    noise_floor: NoiseFloor | None
    measured_s: NonNegativeFloat
    disturbed_blocks: NonNegativeInt
    blocks: NonNegativeInt
    warnings: tuple[Finding, ...] = ()
    fairness: tuple[Finding, ...] = ()
    cut_short: IfAny[bool] = False


class LinkCheck(Sided):
    """The ratio of two links in a `later` race over that in an `earlier` one: it `agrees` if its
    interval contains 1. The intervals between races rest on this."""

    earlier: str
    later: str
    ratio: Ratio
    agrees: bool


class BoardCell(Contract):
    """A workload over a protocol. `state` is `old` if its races used another method or the machine
    before a change, which `changed` names, or if a contender has changed since: nothing of it is
    mixed with newer races. `waiting` has the contenders that are due to be raced."""

    name: str
    workload: str
    title: str
    protocol: Protocol
    connections: PositiveInt
    state: Literal["current", "old", "empty"]
    changed: tuple[Change, ...] = ()
    rows: tuple[BoardRow, ...] = ()
    pairs: tuple[BoardPair, ...] = ()
    races: tuple[BoardRace, ...] = ()
    checks: tuple[LinkCheck, ...] = ()
    waiting: tuple[str, ...] = ()


class Board(Contract):
    """All cells, and their contenders. `method` is the schema of the verdicts, and bakeoff's
    version. `machine` is that of the newest race; None: no race was run."""

    schema_: Literal["bakeoff.board/1"] = Field("bakeoff.board/1", alias="schema")
    bakeoff: str
    method: str
    machine: Machine | None
    contenders: tuple[BoardContender, ...]
    cells: tuple[BoardCell, ...]

    def cell(self, name: str) -> BoardCell:
        """Raises KeyError where it doesn't exist."""
        return {cell.name: cell for cell in self.cells}[name]

    def contender(self, name: str) -> BoardContender:
        """Raises KeyError where it doesn't exist."""
        return {contender.name: contender for contender in self.contenders}[name]
