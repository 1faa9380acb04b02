"""Ratios of a cell that was raced in several races, with intervals that all hold at once.

Each race has the links, which are the same two builds. For contenders a of one race and b of
another,

    ln a/b = (mean over the links l of ln a/l, in a's race) - (the same of b, in b's race).

The two races are independent, so their variances add. Within a race the ratios of one contender to
two links err together; the variance of their mean follows from the intervals of all three pairs:

    Var(mean of ln a/l) = mean of Var(ln a/l) - (sum over pairs of links of Var(ln l/m)) / k²

It is never taken as smaller than half of the smallest of them: intervals are estimates, too.
Half-widths replace standard errors (as in `judge/runs.py`: MOVER), since those of one race contain
one quantile. A race's intervals hold for its own pairs at once. To hold for all pairs of the cell,
each is widened by Tukey's quantile for all contenders of the cell over that for those of the race,
with the degrees of freedom of its draws; a cell of one race stays as it was judged.

The difference of races from one hour to the next is in no interval of one race. It is checked by
the links: their own ratio, in one race over that in another.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import exp, hypot, inf, log, sqrt

from bakeoff.judge.compare import MARGIN, tukey
from bakeoff.judge.runs import change
from bakeoff.model.board import BoardPair, LinkCheck
from bakeoff.model.pairs import Pair, pair_of
from bakeoff.model.ratio import Ratio

Of = Callable[[Pair], Ratio | None]
"""The compared figure of a pair: its throughput, CPU time or first byte."""


def throughput(pair: Pair) -> Ratio | None:
    return pair.ratio


def cpu(pair: Pair) -> Ratio | None:
    return pair.cpu_ratio


def first_byte(pair: Pair) -> Ratio | None:
    return pair.first_byte_ratio


@dataclass(frozen=True)
class Reach:
    """ln of a ratio, and how far its interval reaches below and above; infinite without an end."""

    centre: float
    below: float
    above: float
    n: int

    @classmethod
    def of(cls, ratio: Ratio, times: float = 1.0) -> "Reach":
        centre = log(ratio.ratio)
        below = inf if not ratio.low else (centre - log(ratio.low)) * times
        above = inf if ratio.high is None else (log(ratio.high) - centre) * times
        return cls(centre, below, above, ratio.n)

    @property
    def ratio(self) -> Ratio:
        low = exp(self.centre - self.below) if self.below < inf else None
        high = exp(self.centre + self.above) if self.above < inf else None
        return Ratio(ratio=exp(self.centre), low=low, high=high, n=self.n)

    def over(self, other: "Reach") -> "Reach":
        return Reach(
            self.centre - other.centre,
            hypot(self.below, other.above),
            hypot(self.above, other.below),
            min(self.n, other.n),
        )


@dataclass(frozen=True)
class OneRace:
    """The pairs of one race, and the build of each contender that was valid in it."""

    pairs: Sequence[Pair]
    builds: Mapping[str, object]

    def pair(self, a: str, b: str) -> Pair | None:
        return pair_of(self.pairs, a, b)

    def reach(self, a: str, b: str, of: Of, among: int) -> Reach | None:
        """`a` over `b`, with an interval for all pairs of a cell with this many contenders."""
        pair = self.pair(a, b)
        ratio = of(pair) if pair else None
        if ratio is None or pair is None:
            return None
        own = len(self.builds)
        freedom = max(1, (pair.ratio.draws or pair.ratio.n) - 1)
        times = tukey(among, freedom) / tukey(own, freedom) if among > own else 1.0
        return Reach.of(ratio, times)


def to_links(race: OneRace, a: str, links: Sequence[str], of: Of, among: int) -> Reach | None:
    """`a` over the geometric mean of the links, in one race; None: it lacks a pair."""
    own = [race.reach(a, link, of, among) for link in links]
    between = [race.reach(*two, of, among) for two in combinations(links, 2)]
    found, apart = [each for each in own if each], [each for each in between if each]
    if not links or len(found) < len(own) or len(apart) < len(between):
        return None
    k = len(links)

    def half_width(sides: Sequence[float], shared: Sequence[float]) -> float:
        squares = [side**2 for side in sides]
        if inf in squares:
            return inf
        least = min(squares) / 2 if k > 1 else squares[0]
        together = sum(side**2 for side in shared) / k**2
        return sqrt(max(sum(squares) / k - together, least))

    return Reach(
        sum(each.centre for each in found) / k,
        half_width([each.below for each in found], [each.below for each in apart]),
        half_width([each.above for each in found], [each.above for each in apart]),
        min(each.n for each in found),
    )


def tied(
    races: Sequence[OneRace], a: str, b: str, of: Of, among: int, links: Sequence[str]
) -> tuple[Reach | None, tuple[str, ...]]:
    """`a` over `b`: from the newest race that has both, or through links of two races; and those
    links.

    `races` are the newest first, and a link counts if it was the same build in both.
    """
    for race in races:
        if {a, b} <= race.builds.keys():
            return race.reach(a, b, of, among), ()
    mine, yours = (next((race for race in races if name in race.builds), None) for name in (a, b))
    if mine is None or yours is None:
        return None, ()
    shared = tuple(
        link
        for link in links
        if link in mine.builds and mine.builds[link] == yours.builds.get(link)
    )
    ends = to_links(mine, a, shared, of, among), to_links(yours, b, shared, of, among)
    return (ends[0].over(ends[1]), shared) if ends[0] and ends[1] else (None, ())


def pairs_of(races: Sequence[OneRace], links: Sequence[str]) -> tuple[BoardPair, ...]:
    """Every two contenders of a cell, the newest race first."""
    names = list(dict.fromkeys(name for race in races for name in race.builds))
    found = []
    for a, b in combinations(names, 2):
        reach, through = tied(races, a, b, throughput, len(names), links)
        if reach is None:
            continue
        by_cpu, _ = tied(races, a, b, cpu, len(names), links)
        by_first_byte, _ = tied(races, a, b, first_byte, len(names), links)
        ratio = reach.ratio
        found.append(
            BoardPair(
                a=a,
                b=b,
                ratio=ratio,
                finding=ratio.told(),
                equivalent=ratio.told(MARGIN) == "within",
                cpu_ratio=by_cpu and by_cpu.ratio,
                first_byte_ratio=by_first_byte and by_first_byte.ratio,
                links=through,
            )
        )
    return tuple(found)


def checks(races: Mapping[str, OneRace], links: Sequence[str]) -> tuple[LinkCheck, ...]:
    """The links' ratios in each race over those in the race before it; `races` by their names, the
    newest first."""
    found = []
    for (later, new), (earlier, old) in zip(
        list(races.items()), list(races.items())[1:], strict=False
    ):
        for a, b in combinations(links, 2):
            after, before = new.pair(a, b), old.pair(a, b)
            same = all(new.builds.get(link) == old.builds.get(link) for link in (a, b))
            if after and before and same:
                changed, _ = change(before, after)
                found.append(
                    LinkCheck(
                        a=a,
                        b=b,
                        earlier=earlier,
                        later=later,
                        ratio=changed,
                        agrees=not changed.excludes(1),
                    )
                )
    return tuple(found)
