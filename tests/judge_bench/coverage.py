"""How often the interval misses, level by level: `python -m tests.judge_bench.coverage`.

Prints the tables of docs/EVIDENCE.md, coverage of the interval, from races that are numbers alone
(tests/judge/levels.py). A race counts as missed if the interval of any pair does. In brackets the
median half-width of the simultaneous interval and the sd of the error, in %. Half a minute.
"""

import argparse
from collections.abc import Mapping
from math import sqrt

from tests.judge.levels import Drawn, tried

SEED = 1


def shared(sd: float) -> dict[str, float]:
    """Two levels alike, which have `sd` together."""
    return dict.fromkeys(("connections", "process"), sd / sqrt(2))


SPREADS = {
    "sd 0": {},
    "0.3 %, shared by both levels": shared(0.003),
    "1 %": shared(0.01),
    "2 %": shared(0.02),
    "1 %, a neighbour slows 30 % of slices": {**shared(0.01), "neighbour": 0.3},
}
NEW = {
    "8 draws, new processes each": Drawn(draws=8),
    "13 draws": Drawn(draws=13),
    "20 draws": Drawn(draws=20),
    "40 draws": Drawn(draws=40),
}

LEVELS = {
    "connections 1 %": {"connections": 0.01},
    "processes 1 %": {"process": 0.01},
    "both 2 %": {"connections": 0.02, "process": 0.02},
}
TURNS = {
    "20 draws, each fifth with the first process": Drawn(again=5),
    "30 draws, the same": Drawn(draws=30, again=5),
    "24 draws, 2 processes in turns": Drawn(draws=24, instances=2),
    "24 draws, 4 processes": Drawn(draws=24, instances=4),
    "24 draws, 8 processes": Drawn(draws=24, instances=8),
}

OTHERS = {
    f"two boots of 8 draws, both levels 0.5 %, boots {boot:.1%}": Drawn(
        boots=2, draws=8, connections=0.005, process=0.005, boot=boot
    )
    for boot in (0.0, 0.003, 0.02)
} | {
    "five contenders, one with four times the spread, 20 draws, both levels 0.5 %": Drawn(
        entries=5, connections=0.005, process=0.005, noisier=4.0
    )
}


def cell(drawn: Drawn, races: int) -> str:
    """One cell of a table."""
    found = tried(drawn, races, SEED)
    half_width, error_sd = 100 * found.simultaneous, 100 * found.error_sd
    return f"{found.missed / races:.1%} (±{half_width:.2f}; {error_sd:.2f})".replace("%", " %")


def table(
    rows: Mapping[str, Drawn], columns: Mapping[str, Mapping[str, float]], races: int
) -> list[str]:
    """Each row in each column, as Markdown."""
    lines = [f"| what is drawn | {' | '.join(columns)} |", "|---" * (1 + len(columns)) + "|"]
    for name, drawn in rows.items():
        cells = (cell(Drawn(**{**vars(drawn), **spreads}), races) for spreads in columns.values())
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="coverage", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--races", type=int, default=1000, help="in each cell (1000)")
    races = parser.parse_args().races
    print("\n".join([*table(NEW, SPREADS, races), "", *table(TURNS, LEVELS, races), ""]))
    for name, drawn in OTHERS.items():
        print(f"{name}: {cell(drawn, races)}")


if __name__ == "__main__":
    main()
