"""Boards of a kind of machine, compared: `python -m tests.judge_bench.boards FIRST SECOND [NEXT]`.

Each is a file `board.json` whose first cell counts. Of the pairs that the first two have in common
it prints how many both tell apart, and how many of these with the same sign; and how many ratios
differ by no more than both intervals. With a third board it predicts its ratios as a race does
(`judge/prediction.py`): from SECOND's pair and, since no pair has raced often enough, from how much
all other pairs differ between FIRST and SECOND.
"""

import sys
from collections.abc import Iterator, Sequence
from math import log
from pathlib import Path
from statistics import median

from bakeoff.board.tying import Reach
from bakeoff.judge.prediction import expecting
from bakeoff.model.board import Board, BoardCell, BoardPair
from bakeoff.model.history import Earlier, EarlierRatio
from bakeoff.model.pairs import NextRace, Pair, pair_of
from bakeoff.model.ratio import Ratio
from tests.judge_bench.tomorrow import paired

Both = tuple[BoardPair, BoardPair]


def shared(first: BoardCell, second: BoardCell) -> Iterator[Both]:
    """The pairs of both, with a over b in either."""
    for pair in first.pairs:
        if found := pair_of(second.pairs, pair.a, pair.b):
            yield pair, found


def told(both: Sequence[Both]) -> list[bool]:
    """Of the pairs that both tell apart, whether they have the same sign."""
    sides = {"faster", "slower"}
    return [a.finding == b.finding for a, b in both if a.finding in sides and b.finding in sides]


def changed(both: Both) -> Ratio:
    """The second ratio over the first."""
    before, after = (Reach.of(pair.ratio) for pair in both)
    return after.over(before).ratio


def raced(cell: BoardCell) -> Iterator[tuple[str, Pair]]:
    """The pairs that met in one race, and that race."""
    races = {row.name: row.race for row in cell.rows}
    among = {race.run: len(race.contenders) for race in cell.races}
    for pair in cell.pairs:
        race = races[pair.a]
        if not pair.links and pair.ratio.low and pair.ratio.high:
            recorded = pair.model_dump(include={"a", "b", "finding"}) | pair.ratio.model_dump()
            yield race, paired(recorded, among[race] * (among[race] - 1) // 2)


def expected(first: BoardCell, second: BoardCell) -> Iterator[tuple[Pair, NextRace]]:
    """The pairs of the second board's races, and where their next ratios are expected."""
    earlier = [each for cell in (first, second) for each in raced(cell)]
    names = sorted({name for _, pair in earlier for name in (pair.a, pair.b)})
    ids = {name: f"{place:012x}" for place, name in enumerate(names)}
    runs = {race: f"{place:012x}" for place, race in enumerate({race for race, _ in earlier})}
    for _, pair in raced(second):
        others = tuple(
            EarlierRatio(
                run=runs[race],
                a=ids[each.a],
                b=ids[each.b],
                ratio=each.ratio.ratio,
                error=each.error,
            )
            for race, each in earlier
            if each.error and {each.a, each.b} != {pair.a, pair.b}
        )
        (found,) = expecting([pair], Earlier(builds=ids, ratios=others))
        if found.next_race:
            yield pair, found.next_race


def share(of: Sequence[bool]) -> str:
    return f"{sum(of)} of {len(of)}, {100 * sum(of) / len(of):.1f} %"


def main(*paths: Path) -> None:
    first, second, *following = (Board.read_json(path).cells[0] for path in paths)
    both = list(shared(first, second))
    print("pairs of both boards", len(both), sep="  ")
    print("same sign, of those that both tell apart", share(told(both)), sep="  ")
    inside = [not changed(pair).excludes(1) for pair in both]
    print("ratios that differ by no more than both intervals", share(inside), sep="  ")
    for cell in following:
        within, widths = [], []
        for pair, next_race in expected(first, second):
            if found := pair_of(cell.pairs, pair.a, pair.b):
                within.append(next_race.low <= found.ratio.ratio <= next_race.high)
                widths.append(log(next_race.high / next_race.low) / 2)
        print("next ratios where they were expected", share(within), sep="  ", end=", ")
        print(f"± {100 * median(widths):.1f} %")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
