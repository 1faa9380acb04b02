"""A board in a terminal: the races that are due, and the result of each cell."""

from collections.abc import Sequence

from bakeoff.board.due import State
from bakeoff.board.measuring import DueRace
from bakeoff.model.board import Board, BoardCell, BoardRow, Change
from bakeoff.report import figures
from bakeoff.report.document import Document, List, items, tabulated
from bakeoff.report.sentences import listed, sentences, who

CHANGED: dict[Change, str] = {
    "sources": "its sources changed, or it isn’t built",
    "version": "its version changed",
    "link": "no race ties it to the others",
    "method": "another version of bakeoff, other cores or another workload",
    "machine": "the machine’s kernel or settings changed",
}
"""Changes since a contender was raced."""


CUT_SHORT = "its race was cut short by its time limit"


def planned(due: Sequence[DueRace], states: Sequence[State]) -> Document:
    total_s = sum(race.about_s for race in due)
    races = figures.plural(len(due), "race")
    headline = f"{races}, {figures.about(total_s)} besides builds." if due else "Nothing is due."
    of = {state.cell.name: state for state in states}
    table = tabulated(
        "What is due",
        due,
        [
            ("Cell", lambda race: race.cell.name),
            ("Contenders", lambda race: ", ".join(race.names)),
            ("Why", lambda race: why(race, of[race.cell.name])),
            ("Time", lambda race: figures.time_to_wait(race.about_s)),
        ],
        text=("Contenders", "Why"),
    )
    return Document("The board’s plan", headline, (table,))


def why(race: DueRace, state: State) -> str:
    """Why it is due: each reason with the number of contenders that have it."""
    if race.run:
        return "was cut off, and goes on"
    reasons: dict[str, int] = {}
    for name in race.names:
        if name in state.waiting:
            lacking = CUT_SHORT if state.race_of(name) else "never raced"
            own = [CHANGED[change] for change in state.changed(name)] or [lacking]
            for reason in own:
                reasons[reason] = reasons.get(reason, 0) + 1
    return "; ".join(f"{reason} ({count})" for reason, count in reasons.items())


def leaders(cell: BoardCell) -> str:
    first = [row for row in cell.rows if (by := row.by.get("throughput")) and by.rank]
    level = [row.name for row in first if (by := row.by["throughput"]).rank and by.rank[0] == 1]
    if not level:
        return "no contenders have been compared yet"
    return f"{level[0]} is the fastest" if len(level) == 1 else f"{who(level)} are level"


def document(board: Board) -> Document:
    raced = [cell for cell in board.cells if cell.state != "empty"]
    table = tabulated(
        "Cells",
        board.cells,
        [
            ("Cell", lambda cell: cell.name),
            ("Ahead", leaders),
            ("Compared", lambda cell: str(sum(bool(row.by) for row in cell.rows))),
            ("Out", lambda cell: str(sum(row.is_out for row in cell.rows))),
            ("To be raced", lambda cell: str(len(cell.waiting))),
            ("State", lambda cell: state_of(cell)),
        ],
        text=("Ahead", "State"),
    )
    cells = figures.plural(len(board.cells), "cell")
    headline = f"{len(raced)} of {cells} {'is' if len(raced) == 1 else 'are'} raced."
    out = [f"{cell.name}: {row.name}: {why}" for cell in board.cells for row, why in out_of(cell)]
    left = [f"{cell.name}: {why}" for cell in raced for why in to_be_raced(cell)]
    lists = List("Out", items("✗", out)), List("To be raced", items("!", left))
    return Document("The board", headline, (table, *lists))


def to_be_raced(cell: BoardCell) -> list[str]:
    """The contenders that wait for a race, by what the board shows of them until then."""
    rows = {row.name: row for row in cell.rows}
    shown: dict[str, list[str]] = {}
    for name in cell.waiting:
        row = rows.get(name)
        if row is None:
            said = "no race with it has ended yet; the next `bakeoff board` has one"
        elif row.changed:
            said = f"its old figures are shown; {listed(CHANGED[each] for each in row.changed)}"
        else:
            by = row.by.get("throughput")
            until = "its intervals are wider" if by and by.ratio else "it can’t be compared"
            said = f"{CUT_SHORT}; {until} until the next `bakeoff board` has measured the rest"
        shown.setdefault(said, []).append(name)
    return [f"{', '.join(names)}: {said}" for said, names in shown.items()]


def out_of(cell: BoardCell) -> list[tuple[BoardRow, str]]:
    """The contenders that are out of a cell, with the reasons."""
    return [
        (row, row.out or " ".join(sentences(row.reasons)) or "it was not compared")
        for row in cell.rows
        if row.is_out
    ]


def state_of(cell: BoardCell) -> str:
    if cell.state == "old":
        return f"old: {listed(CHANGED[change] for change in cell.changed)}"
    return {"current": "current", "empty": "not raced yet"}[cell.state]
