"""Two boards of a kind of machine, on two days: `python -m tests.judge_bench.boards FIRST SECOND`.

FIRST and SECOND are folders of `bakeoff board`, or files such as `board.json`. Of the pairs that
both boards compare in a cell it prints how many both tell apart, and how many of these with the
same sign; and the share of pairs whose two ratios differ by no more than both intervals. Where
FIRST is a folder, the races in it predicted next ratios: how many of those that met in one race of
SECOND, too, are within.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from bakeoff.board import folder
from bakeoff.board.raced import shelf
from bakeoff.board.tying import Reach
from bakeoff.model.board import Board, BoardPair
from bakeoff.model.pairs import NextRace, pair_of
from bakeoff.model.ratio import Ratio

Both = tuple[BoardPair, BoardPair]


def shared(first: Board, second: Board) -> Iterator[Both]:
    """The pairs of both, with a over b in either."""
    for cell in first.cells:
        later = next((each for each in second.cells if each.name == cell.name), None)
        for pair in cell.pairs if later else ():
            assert later
            if found := pair_of(later.pairs, pair.a, pair.b):
                yield pair, found


def told(both: list[Both]) -> list[bool]:
    """Of the pairs that both tell apart, whether they have the same sign."""
    sides = {"faster", "slower"}
    return [a.finding == b.finding for a, b in both if a.finding in sides and b.finding in sides]


def changed(both: Both) -> Ratio:
    """The second ratio over the first."""
    before, after = (Reach.of(pair.ratio) for pair in both)
    return after.over(before).ratio


def predictions(board: Path) -> Iterator[tuple[str, str, str, NextRace]]:
    """Cell, a, b, and the expected next ratio, of each pair in a race of a board's folder."""
    for race in shelf(board).races:
        cell = f"{race.run.planned.workload.name}/{race.run.planned.protocol}"
        for pair in race.verdict.pairs:
            if pair.next_race:
                yield cell, pair.a, pair.b, pair.next_race


def covered(board: Path, second: Board) -> list[bool]:
    """Whether the next ratio of each pair that met in one race both times is as expected."""
    pairs = {cell.name: cell.pairs for cell in second.cells}
    return [
        expected.low <= found.ratio.ratio <= expected.high
        for cell, a, b, expected in predictions(board)
        if (found := pair_of(pairs.get(cell, ()), a, b)) and not found.links
    ]


def read(path: Path) -> Board:
    return folder.read(path) if path.is_dir() else Board.read_json(path)


def share(of: list[bool]) -> str:
    return f"{sum(of)} of {len(of)}" + (f", {100 * sum(of) / len(of):.1f} %" if of else "")


def main(first: Path, second: Path) -> None:
    later = read(second)
    both = list(shared(read(first), later))
    print("pairs of both boards", len(both), sep="  ")
    print("same sign, of those that both tell apart", share(told(both)), sep="  ")
    inside = [not changed(pair).excludes(1) for pair in both]
    print("ratios that differ by no more than both intervals", share(inside), sep="  ")
    if first.is_dir():
        print("next ratios where they were expected", share(covered(first, later)), sep="  ")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:3]))
