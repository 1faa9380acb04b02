"""The matrix: which contenders are ahead, on one workload, protocol, load and class of machine."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from bakeoff.explore import address as to
from bakeoff.explore.address import Address
from bakeoff.explore.badge import Badge, of_pair
from bakeoff.explore.drawing.matrix import WORDS, standing
from bakeoff.explore.page import NotThere, Page
from bakeoff.history.index import Index
from bakeoff.model.history import Matrix, MatrixKey
from bakeoff.model.pairs import Pair
from bakeoff.report import figures
from bakeoff.report.document import DataRow
from bakeoff.report.flat import flat

SIGNS = {"faster": "▲", "slower": "▼", "within": "=", "can't tell": "="}


@dataclass(frozen=True, kw_only=True)
class Cell:
    """The row's contender over the column's. `run` is the one in which they were last compared."""

    sign: str
    words: str
    ratio: str
    interval: str
    n: int
    run: Address
    pair: Pair


@dataclass(frozen=True, kw_only=True)
class MatrixPage(Page):
    """`rows` has the cells by the contenders' names; pairs that were never compared are missing.

    The contenders are ordered by the number of others that each is ahead of. `keys` has the
    choices.
    """

    template: ClassVar[str] = "matrix.html"
    goes_on: ClassVar[bool] = True
    table: ClassVar[str] = "matrix_table.html"

    key: MatrixKey | None
    names: tuple[str, ...]
    rows: Mapping[str, Mapping[str, Cell]]
    keys: tuple[tuple[MatrixKey, Address], ...]

    def badges(self) -> tuple[Badge, ...]:
        return tuple(of_pair(cell.pair) for row in self.rows.values() for cell in row.values())

    def embeds(self) -> Mapping[str, str]:
        return {"table": self.title, **super().embeds()} if self.key else {}


def matrix(index: Index, address: Address) -> MatrixPage:
    if len(address.parts) > 1:
        raise NotThere("no page has this address")
    keys = tuple(
        # Each has one address: the first is shown for an empty query.
        (key, address_of(key) if number else to.matrix())
        for number, key in enumerate(index.matrices())
    )
    key = _chosen([key for key, _ in keys], address)
    found = index.matrix(key.workload, key.protocol, key.load, key.machine_class) if key else None
    names = _ordered(found) if found else ()
    return MatrixPage(
        address=address,
        title="Which contender is ahead of which",
        data=lambda: _data(found),
        charts=standing(found, names) if found else (),
        key=key,
        names=names,
        rows=_rows(found) if found else {},
        keys=keys,
    )


def address_of(key: MatrixKey) -> Address:
    return to.matrix(
        workload=key.workload, protocol=key.protocol, load=key.load, machine=key.machine_class
    )


def _chosen(keys: Sequence[MatrixKey], address: Address) -> MatrixKey | None:
    """The first key that fits the query; None: there is no comparison at all."""
    asked = {
        "workload": address.asked("workload"),
        "protocol": address.asked("protocol"),
        "load": address.asked("load"),
        "machine_class": address.asked("machine"),
    }
    fits = (
        key
        for key in keys
        if all(getattr(key, name) == value for name, value in asked.items() if value)
    )
    chosen = next(fits, None)
    if chosen is None and any(asked.values()):
        raise NotThere(
            "no two contenders were compared under these conditions; /matrix lists those that were"
        )
    return chosen


def _rows(found: Matrix) -> Mapping[str, Mapping[str, Cell]]:
    rows: dict[str, dict[str, Cell]] = {}
    for pair, run in zip(found.pairs, found.runs, strict=True):
        for seen in (pair, pair.turned()):
            rows.setdefault(seen.a, {})[seen.b] = _cell(seen, run)
    return rows


def _cell(pair: Pair, run: str) -> Cell:
    ratio, bracket, interval = figures.ratio_of(pair.ratio).partition(" (")
    return Cell(
        sign=SIGNS[pair.finding],
        words=WORDS[pair.finding],
        ratio=ratio,
        interval=interval.removesuffix(")") if bracket else "",
        n=pair.ratio.n,
        run=to.run(run),
        pair=pair,
    )


def _ordered(found: Matrix) -> tuple[str, ...]:
    ahead = dict.fromkeys(found.contenders, 0)
    for pair in found.pairs:
        if pair.finding in ("faster", "slower"):
            winner, loser = (pair.a, pair.b) if pair.finding == "faster" else (pair.b, pair.a)
            ahead[winner] += 1
            ahead[loser] -= 1
    return tuple(sorted(ahead, key=lambda name: (-ahead[name], name)))


def _data(found: Matrix | None) -> list[DataRow]:
    if found is None:
        return []
    return [{**flat(pair), "run": run} for pair, run in zip(found.pairs, found.runs, strict=True)]
