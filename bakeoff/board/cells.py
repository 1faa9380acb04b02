"""The cells of a board: their workloads, protocols and contenders."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bakeoff.model.board import BoardFile, RacesSection
from bakeoff.model.errors import BadFile, BadUsage, nearest
from bakeoff.model.protocol import Protocol
from bakeoff.model.workload import Workload
from bakeoff.plan import Catalogue, ResolvedContender, resolve_contenders

BOARD_FILE = "board.toml"


@dataclass(frozen=True)
class Cell:
    """A workload over a protocol, with all contenders that can take part."""

    workload: Workload
    protocol: Protocol
    contenders: tuple[ResolvedContender, ...]
    races: RacesSection

    @property
    def name(self) -> str:
        return f"{self.workload.name}/{self.protocol}"

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(each.name for each in self.contenders)

    def links(self, out: Sequence[str] = ()) -> tuple[str, ...]:
        """The two that are in each of its races; others if those of the file don't take part."""
        able = [name for name in self.names if name not in out]
        wanted = [name for name in self.races.links if name in able]
        return tuple(dict.fromkeys([*wanted, *able]))[:2]


def cells_of(catalogue: Catalogue, file: Path | None = None) -> tuple[Cell, ...]:
    """The cells that a file declares, by default the catalogue's. Raises `BadUsage`, `BadFile`."""
    path = file or catalogue.root / BOARD_FILE
    declared = BoardFile.read_toml(path)
    operands = declared.contenders or catalogue.names()
    contenders = resolve_contenders(operands, catalogue, path.parent.resolve())
    for each in contenders:
        if each.own_answer or not each.folder:
            fault = f"has {each.typed}; it takes names of the catalogue, and folders"
            raise BadFile(path, "contenders", fault)
    cells = []
    for name, protocols in declared.cells.items():
        workload = catalogue.workload(name)
        cells += [
            Cell(
                workload,
                protocol,
                tuple(
                    each
                    for each in contenders
                    if each.contender
                    and each.contender.path_for(workload)
                    and protocol in each.contender.protocols
                ),
                declared.races,
            )
            for protocol in protocols
        ]
    return tuple(cells)


def chosen(cells: Sequence[Cell], only: Sequence[str]) -> tuple[Cell, ...]:
    """The named cells, `hello/h1`, or all of a workload, `hello`; by default all cells.

    Raises `BadUsage`.
    """
    for name in only:
        if not any(name in (cell.name, cell.workload.name) for cell in cells):
            hint = nearest(name, [cell.name for cell in cells], "the board has")
            raise BadUsage(f"--only {name}: is not a cell{hint}")
    return tuple(cell for cell in cells if not only or {cell.name, cell.workload.name} & {*only})
