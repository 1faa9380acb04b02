"""The next race's ratio, predicted from recorded races: `python -m tests.judge_bench.tomorrow`.

Unequal contenders: five were raced ten times, on three occasions of one day; four were raced by
each method that the judge's bench proved. Equal ones: five programs were raced some 44 times
against themselves, on three days. From so many known races and one more, in the order of time, the
next one's ratio is predicted: by the races of its pair, or by those of the other pairs (family).
Prints how many of the next ratios were covered, of all and of those that have another occasion than
the race before, and the median half-width in %. Last, how much occasions differ, and how many
ratios were within the interval of the race before.

A record has intervals that hold over its pairs together, and no degrees of freedom: their errors
are taken as a normal's.
"""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain, pairwise
from math import expm1, log, sqrt
from pathlib import Path
from statistics import NormalDist, median
from typing import Any

from bakeoff.judge.prediction import (
    OCCASION_S,
    Met,
    expecting,
    occasions,
    of_occasions,
    within_occasions,
)
from bakeoff.model.history import Earlier, EarlierRatio
from bakeoff.model.pairs import Pair
from bakeoff.model.ratio import Ratio
from tests.judge_bench.kept import method_of, most, one_state, state

RECORDS = Path(__file__).parents[2] / "records"
COLD = "vertx"
"""Its draws began cold in most of the races against itself."""
KNOWN = {"pair": (4, 5, 6, 8, 12), "family": (5, 6, 8, 12)}


@dataclass(frozen=True)
class Seen:
    """One comparison, and when its race began."""

    at: datetime
    pair: Pair


Lines = dict[str, list[Seen]]
"""The races of each pair, in the order of time."""


@dataclass(frozen=True)
class Predicted:
    """Whether the next ratio was covered, the half-width in ln ratio, and whether the next race had
    another occasion than the last known one."""

    covered: bool
    half_width: float
    apart: bool


def lines() -> dict[str, Lines]:
    """By set: five contenders, four of each proved method, and equals."""
    found: dict[str, Lines] = defaultdict(lambda: defaultdict(list))
    for race in _races():
        at, among = datetime.fromisoformat(race["at"]), len(race["pairs"])
        for each in race["pairs"]:
            if race["part"] == "repeat":
                found["five"][f"{each['a']} {each['b']}"].append(Seen(at, paired(each, among)))
            elif race["part"] == "unequal" and each["ratio"]["low"] and each["ratio"]["high"]:
                met = paired({**each, **each["ratio"]}, among)
                met = met if met.a < met.b else met.turned()
                found[f"four, {method_of(race)}"][f"{met.a} {met.b}"].append(Seen(at, met))
            elif race["part"] == "equal" and "noise" not in race and race["subject"] != COLD:
                found["equal"][race["subject"]].append(Seen(at, paired(each, among)))
    return found


def _races() -> Sequence[Mapping[str, Any]]:
    """Each recorded race that has pairs once, in the order of time; of races whose distance or
    speed of the cores is known only those at the one that most had."""
    found: dict[str, Mapping[str, Any]] = {}
    for pattern in ("*judge-bench.json", "*method-proof.json"):
        for path in sorted(RECORDS.glob(pattern)):
            for race in json.loads(path.read_text()).get("races", ()):
                if race.get("pairs"):
                    found.setdefault(f"{race['at']} {race['subject']}", race)
    states = {key: state(race) for key, race in found.items()}
    usual = most([each for each in states.values() if all(each)], one_state)
    return [found[key] for key in sorted(found) if one_state(usual, states[key])]


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


def _earlier(of: Lines, known: slice, now: datetime, without: str = "") -> Earlier:
    """The `known` races; builds are called by their places among all names, two copies of one
    alike."""
    builds: dict[str, str] = {}
    ratios = []
    for name, races in of.items():
        for seen in races:
            for each in (seen.pair.a, seen.pair.b):
                alike = each.partition("#")[0]
                builds[each] = builds.setdefault(alike, f"{len(builds):012x}")
        for number, seen in enumerate(races[known]):
            if name != without:
                ratios.append(
                    EarlierRatio(
                        run=f"{number:012x}",
                        a=builds[seen.pair.a],
                        b=builds[seen.pair.b],
                        ratio=seen.pair.ratio.ratio,
                        error=seen.pair.error,
                        began_at=seen.at,
                    )
                )
    return Earlier(builds=builds, ratios=tuple(ratios), began_at=now)


def predictions(of: Lines, known: int, basis: str) -> Iterator[Predicted]:
    """Of each pair and first race."""
    for name, races in of.items():
        for first in range(len(races) - known - 1):
            now, then = races[first + known], races[first + known + 1]
            own = {name: races} if basis == "pair" else of
            without = "" if basis == "pair" else name
            earlier = _earlier(own, slice(first, first + known), now.at, without)
            (found,) = expecting([now.pair], earlier)
            assert found.next_race and found.next_race.basis == basis
            low, high = found.next_race.low, found.next_race.high
            covered = low <= then.pair.ratio.ratio <= high
            yield Predicted(
                covered, log(high / low) / 2, (then.at - now.at).total_seconds() > OCCASION_S
            )


def between_occasions(*sets: Lines) -> float:
    """The sd of ln ratio between occasions, beyond what their means' errors are: pooled over all
    pairs."""
    total, freedom = 0.0, 0
    for races in chain.from_iterable(of.values() for of in sets):
        places = occasions({str(number): seen.at for number, seen in enumerate(races)})
        met = [
            Met(places[str(number)], log(seen.pair.ratio.ratio), seen.pair.error or 0.0)
            for number, seen in enumerate(races)
        ]
        values, squares = of_occasions(met, within_occasions(met))
        if len(values) > 1:
            total += (len(values) - 1) * float(values.var(ddof=1) - squares.mean())
            freedom += len(values) - 1
    return sqrt(max(0.0, total / max(1, freedom)))


def _counted(found: Sequence[Predicted]) -> str:
    return f"{sum(each.covered for each in found)} of {len(found)}"


def main() -> None:
    sets = lines()
    for what, of in sets.items():
        for basis, several in KNOWN.items():
            for known in several:
                found = list(predictions(of, known, basis))
                if not found:
                    continue
                half = median(each.half_width for each in found)
                apart = _counted([each for each in found if each.apart])
                row = (_counted(found), f"± {100 * half:.2f} %", f"another occasion {apart}")
                print(what, basis, known, *row, sep="  ")
        both = [(a.pair, b.pair) for races in of.values() for a, b in pairwise(races)]
        inside = sum(
            abs(log(b.ratio.ratio / a.ratio.ratio)) <= 1.96 * (a.error or 0) for a, b in both
        )
        print(what, "within the interval of the race before", f"{inside} of {len(both)}", sep="  ")
    unequal = {name: [of] for name, of in sets.items() if name != "equal"}
    unequal["all"] = [of for (of,) in unequal.values()]
    for name, some in unequal.items():
        print(name, f"sd between occasions {100 * between_occasions(*some):.2f} %", sep="  ")


if __name__ == "__main__":
    main()
