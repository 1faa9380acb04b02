"""The next race's ratio, predicted from recorded races: `python -m tests.judge_bench.tomorrow`.

Five contenders were raced ten times, on three occasions of one day (unequal), and five programs
some 44 times against themselves, on three days (equal). From so many known races and one more, in
the order of time, the next one's ratio is predicted: by the races of its pair, or by those of the
other pairs (family). Prints how many of the next ratios were covered, and the median half-width in
%; of the ten races also which share was covered when they are put into random orders. Last, how
many ratios were within the interval of the race before.

A record has intervals that hold over its pairs together, and no degrees of freedom: their errors
are taken as a normal's.
"""

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import expm1, log
from pathlib import Path
from random import Random
from statistics import NormalDist, median
from typing import Any

from bakeoff.judge.past import expecting
from bakeoff.model.history import Earlier, EarlierRatio
from bakeoff.model.pairs import Pair
from bakeoff.model.ratio import Ratio

RECORDS = Path(__file__).parents[2] / "records"
COLD = "vertx"
"""Its draws began cold in most of the races against itself."""
KNOWN = {"pair": (4, 5, 6, 7, 8), "family": (5, 6, 7, 8)}
ORDERS = 200
Lines = dict[str, list[Pair]]
"""The races of each pair, in the order of time."""


@dataclass(frozen=True)
class Coverage:
    """How many of `n` next ratios were covered, and the median half-width in ln ratio."""

    covered: int
    n: int
    half_width: float


def lines() -> tuple[Lines, Lines]:
    """Of unequal contenders, and of equals."""
    races: dict[str, dict[str, Any]] = {}
    for path in sorted(RECORDS.glob("*judge-bench.json")):
        for race in json.loads(path.read_text()).get("races", ()):
            races.setdefault(race["at"] + race["subject"], race)
    unequal: Lines = defaultdict(list)
    equal: Lines = defaultdict(list)
    for race in sorted(races.values(), key=lambda race: race["at"]):
        among = len(race.get("pairs", ()))
        for each in race.get("pairs", ()):
            if race["part"] == "repeat":
                unequal[f"{each['a']} {each['b']}"].append(paired(each, among))
            elif race["part"] == "equal" and race["subject"] != COLD:
                equal[race["subject"]].append(paired(each, among))
    return unequal, equal


def paired(recorded: dict[str, Any], among: int) -> Pair:
    """A recorded comparison, one of `among` whose intervals hold at once."""
    normal = NormalDist()
    half = log(recorded["high"] / recorded["low"]) / 2
    error = half / normal.inv_cdf((1 + 0.95 ** (1 / among)) / 2)
    ratio = Ratio(**{name: recorded[name] for name in ("ratio", "low", "high")}, n=1)
    return Pair(
        **{name: recorded[name] for name in ("a", "b", "finding")},
        ratio=ratio,
        equivalent=False,
        minimum_detectable_effect=expm1(half + normal.inv_cdf(0.8) * error),
    )


def _earlier(of: Lines, first: int, known: int, without: str = "") -> Earlier:
    """`known` races from the `first` on; builds are called by their places among all names."""
    builds: dict[str, str] = {}
    ratios = []
    for name, races in of.items():
        for pair in races:
            for each in (pair.a, pair.b):
                builds.setdefault(each, f"{len(builds):012x}")
        for number, pair in enumerate(races[first : first + known]):
            a, b = builds[pair.a], builds[pair.b]
            if name != without:
                run, ratio = f"{number:012x}", pair.ratio.ratio
                ratios.append(EarlierRatio(run=run, a=a, b=b, ratio=ratio, error=pair.error))
    return Earlier(builds=builds, ratios=tuple(ratios))


def predictions(of: Lines, known: int, basis: str) -> Iterator[tuple[bool, float]]:
    """Whether the next ratio was covered, and the half-width, of each pair and first race."""
    for name, races in of.items():
        for first in range(len(races) - known - 1):
            now, then = races[first + known], races[first + known + 1]
            own = {name: races} if basis == "pair" else of
            earlier = _earlier(own, first, known, "" if basis == "pair" else name)
            (found,) = expecting([now], earlier)
            assert found.next_race and found.next_race.basis == basis
            low, high = found.next_race.low, found.next_race.high
            yield low <= then.ratio.ratio <= high, log(high / low) / 2


def coverage(found: Sequence[tuple[bool, float]]) -> Coverage:
    """Of all predictions together."""
    return Coverage(sum(hit for hit, _ in found), len(found), median(half for _, half in found))


def shuffled(of: Lines, seed: int) -> Lines:
    """The races in another order, the same for all pairs of a race."""
    order = list(range(min(map(len, of.values()))))
    Random(seed).shuffle(order)
    return {name: [races[at] for at in order] for name, races in of.items()}


def main() -> None:
    unequal, equal = lines()
    orders = [shuffled(unequal, seed) for seed in range(ORDERS)]
    for what, of in (("unequal", unequal), ("equal", equal)):
        for basis, several in KNOWN.items():
            for known in several:
                found = coverage(list(predictions(of, known, basis)))
                row = [f"{found.covered} of {found.n}, ± {100 * found.half_width:.2f} %"]
                if of is unequal:
                    every = [each for order in orders for each in predictions(order, known, basis)]
                    row.append(f"in any order {100 * coverage(every).covered / len(every):.1f} %")
                print(what, basis, known, *row, sep="  ")
        both = [pair for races in of.values() for pair in pairwise(races)]
        inside = sum(
            abs(log(b.ratio.ratio / a.ratio.ratio)) <= 1.96 * (a.error or 0) for a, b in both
        )
        print(what, "within the interval of the race before", f"{inside} of {len(both)}", sep="  ")


if __name__ == "__main__":
    main()
