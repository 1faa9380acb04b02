"""The standings: the order of the entries, the ranks each may have, ties, and lower bounds.

Entries that were limited by the load generator did at least what was measured. Such a figure is
censored, not wrong. A generator that takes time of its own never makes a server answer more: in a
closed queueing network throughput can only rise if a station gets faster, and in an open one a
request that is sent late is never answered sooner. So the ratio of a bounded entry over another has
a lower end and no upper one, and that of another over it an upper end and no lower one. Between two
bounded entries nothing is known. All that follows from a ratio (a finding, ranks, letters, gates,
claims) follows from the ends that it has. Ends are taken away only here.

Nothing is added up over several verdicts. They only show the leaders of each, and changes of
places.

The compact letter display is Piepho's (J. Comput. Graph. Stat. 13(2), 2004): insert and absorb.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations
from math import log, log1p
from string import ascii_lowercase, ascii_uppercase

from bakeoff.judge.by_cpu import by_state
from bakeoff.judge.compare import MARGIN, Comparison, Pairs
from bakeoff.judge.state import States, work_us
from bakeoff.model.grid import ChangeOfPlaces
from bakeoff.model.pairs import Pair
from bakeoff.model.ratio import EventRatios, Interval, Ratio
from bakeoff.model.verdict import Verdict


def bounded_ratio(interval: Interval, a: str, b: str, at_least: Collection[str]) -> Ratio:
    """The ratio a over b with the ends that it has; `at_least` names the bounded entries."""
    absent = {end: None for end, limited in (("low", b), ("high", a)) if limited in at_least}
    return Ratio(**interval.model_dump() | absent)


def mean_ratio(
    typical: Comparison | None,
    by_mean: Comparison | None,
    a: str,
    b: str,
    at_least: Collection[str],
) -> Interval | None:
    """The ratio of mean speeds a over b, which are those of short slices; None where one entry is
    bounded, or long slices count."""
    if not typical or typical.slice_length_matters:
        return None
    return unbounded(by_mean, a, b, at_least)


def unbounded(
    comparison: Comparison | None, a: str, b: str, at_least: Collection[str]
) -> Interval | None:
    """The ratio a over b of latencies, of which nothing is known where one entry is bounded."""
    return comparison.interval(a) if comparison and not {a, b} & {*at_least} else None


def event_ratios(
    by_figure: Mapping[str, Pairs], a: str, b: str, at_least: Collection[str]
) -> EventRatios | None:
    """`a` beside `b` by each figure of their streams' events; None: nothing is known of any."""
    if {a, b} & {*at_least}:
        return None
    of_pair = {key: pairs.get(frozenset({a, b})) for key, pairs in by_figure.items()}
    found = {
        key: pair.later_us(a) if key == "later_us" else pair.interval(a)
        for key, pair in of_pair.items()
        if pair
    }
    return EventRatios.model_validate(found) if found else None


LETTERS = ascii_lowercase + ascii_uppercase


def ordered(names: Sequence[str], reference: str, pairs: Pairs) -> list[str]:
    """Names by their ratio to the reference, fastest first; without a ratio last; ties by name."""

    def place(name: str) -> tuple[int, float, str]:
        if name == reference:
            return 0, 0.0, name
        pair = pairs.get(frozenset({name, reference}))
        return (0, -pair.log_ratio(name), name) if pair else (1, 0.0, name)

    return sorted(names, key=place)


def listed(
    names: Sequence[str],
    pairs: Pairs,
    at_least: Collection[str],
    by_cpu: Pairs,
    by_mean: Pairs,
    by_first_byte: Pairs,
    by_events: Mapping[str, Pairs],
    machine: States,
    *,
    within: float | None,
    measured_s: float,
    core_trip_ns: float | None = None,
) -> tuple[Pair, ...]:
    """All pairs, the one that stands higher first; `names` are in the order of `ordered`.

    `at_least` names the entries that did at least what was measured, `by_cpu` compares the requests
    per CPU second, `by_mean` mean speeds, `by_first_byte` the times to a body's first byte, and
    `machine` has the states that the machine was in.

    A difference up to the margin `within` makes neither faster. The margin is even on the log
    scale, so the order of the two does not matter. `measured_s`: the race's measured time.
    `core_trip_ns`: the usual distance of its cores.
    """
    margin, alike = within or 0.0, 1 + (within or MARGIN)

    def compared(a: str, b: str, comparison: Comparison) -> Pair:
        cpu, mean, first_byte = (
            each.get(frozenset({a, b})) for each in (by_cpu, by_mean, by_first_byte)
        )
        whole = a not in at_least and b not in at_least
        bounded = bounded_ratio(comparison.interval(a), a, b, at_least)
        cpu_ratio = cpu and cpu.interval(a)
        pair = Pair(
            a=a,
            b=b,
            ratio=bounded,
            finding=bounded.told(margin),
            equivalent=bounded.told(alike - 1) == "within",
            minimum_detectable_effect=comparison.width.detectable if whole else None,
            cpu_ratio=cpu_ratio,
            cpu_finding=cpu_ratio and cpu_ratio.told(margin),
            mean_ratio=mean_ratio(comparison, mean, a, b, at_least),
            first_byte_ratio=unbounded(first_byte, a, b, at_least),
            event_ratios=event_ratios(by_events, a, b, at_least),
            by_state=by_state(cpu, a, machine, len(by_cpu)) if cpu else None,
            core_trip_ns=core_trip_ns,
            fixed_work_us=work_us(machine),
        )
        if pair.decided or not whole:
            return pair
        off = abs(comparison.log_ratio(a))
        times = comparison.times(max(off - log1p(margin), log(alike) - off))
        more_s = None if times is None else max(0.0, measured_s * (times - 1))
        return pair.model_copy(update={"more_s": more_s})

    return tuple(
        compared(a, b, pairs[frozenset({a, b})])
        for a, b in combinations(names, 2)
        if frozenset({a, b}) in pairs
    )


def places(names: Sequence[str], pairs: Sequence[Pair]) -> dict[str, tuple[tuple[int, int], str]]:
    """Name → its rank range and its letters; two names without a pair are a tie."""
    faster = [
        (pair.a, pair.b) if pair.finding == "faster" else (pair.b, pair.a)
        for pair in pairs
        if pair.finding in ("faster", "slower")
    ]
    ranks = rank_ranges(names, faster)
    shown = letters(names, {frozenset(each) for each in faster})
    return {name: (ranks[name], shown[name]) for name in names}


def cpu_letters(
    names: Sequence[str], reference: str, by_cpu: Pairs, within: float | None
) -> dict[str, str]:
    """Name → its letters by server CPU, the thriftiest first, for compared entries. A difference up
    to the margin `within` does not count."""
    seen = [name for name in names if any(name in pair for pair in by_cpu)]
    first = reference if reference in seen else next(iter(seen), "")
    different = {
        pair
        for pair, each in by_cpu.items()
        if abs(each.estimate.centre) - log1p(within or 0.0) > each.width.simultaneous
    }
    return letters(ordered(seen, first, by_cpu), different)


def rank_ranges(
    names: Sequence[str], surely_faster: Iterable[tuple[str, str]]
) -> dict[str, tuple[int, int]]:
    """[1 + those surely faster than it, k − those surely slower] for each of the k names.

    `surely_faster` has (faster, slower) for each pair that can be told apart.
    """
    best = dict.fromkeys(names, 1)
    worst = dict.fromkeys(names, len(names))
    for faster, slower in surely_faster:
        best[slower] += 1
        worst[faster] -= 1
    return {name: (best[name], worst[name]) for name in names}


def letters(names: Sequence[str], different: set[frozenset[str]]) -> dict[str, str]:
    """Letters per name: two names share one if and only if they are not in `different`.

    `names` are in the order of the standings, so that `a` goes to the first.
    """
    columns: list[frozenset[str]] = [frozenset(names)]
    for pair in sorted(different, key=sorted):
        # Each column that holds both of the pair is split in two that hold one of them each, and
        # columns that lie within another are left out.
        split = [
            part
            for column in columns
            for part in ([column - {name} for name in sorted(pair)] if pair <= column else [column])
        ]
        distinct = list(dict.fromkeys(split))
        columns = [column for column in distinct if not any(column < other for other in distinct)]
    place = {name: position for position, name in enumerate(names)}
    ordered = sorted(columns, key=lambda column: sorted(place[name] for name in column))
    return {
        name: "".join(_letter(i) for i, column in enumerate(ordered) if name in column)
        for name in names
    }


def _letter(position: int) -> str:
    """a to z, A to Z, then the same with a number."""
    rounds, index = divmod(position, len(LETTERS))
    return LETTERS[index] + (str(rounds) if rounds else "")


def leaders(verdict: Verdict) -> tuple[str, ...]:
    """The fastest and all that tie with it; empty: no pair was compared."""
    if not verdict.valid or not verdict.pairs:
        return ()
    # The judge lists the ranked entries first, the fastest of them at the top.
    first = verdict.entries[0].name
    level = (
        entry.name
        for entry in verdict.entries[1:]
        if (pair := verdict.pair(first, entry.name)) and pair.finding != "faster"
    )
    return (first, *level)


def changes_of_places(verdicts: Mapping[str, Verdict]) -> tuple[ChangeOfPlaces, ...]:
    """Pairs in which each is surely ahead in at least one of the `verdicts`, which are by cell.

    Each cell's intervals hold for all its pairs at once, at 95 %; over the cells they don't.
    """
    names = dict.fromkeys(entry.name for verdict in verdicts.values() for entry in verdict.entries)
    changes = []
    for a, b in combinations(names, 2):
        pairs = {cell: verdict.pair(a, b) for cell, verdict in verdicts.items()}
        a_ahead, b_ahead = (
            tuple(cell for cell, pair in pairs.items() if pair and pair.finding == finding)
            for finding in ("faster", "slower")
        )
        if a_ahead and b_ahead:
            changes.append(ChangeOfPlaces(a=a, b=b, a_ahead=a_ahead, b_ahead=b_ahead))
    return tuple(changes)
