"""From pairs to standings: who is first, who may be, and who can't be told apart."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from bakeoff.judge.compare import MIN_BLOCKS, Compared, Pairs
from bakeoff.judge.disturbed import judged_kind
from bakeoff.judge.history import History
from bakeoff.judge.letters import letters
from bakeoff.judge.ranks import rank_ranges
from bakeoff.judge.rows import Standing
from bakeoff.model.verdict import Interval, Pair

FINDINGS = {1: "faster", 0: "can't tell", -1: "slower"}


def ordered(names: Sequence[str], reference: str, pairs: Pairs) -> list[str]:
    """Fastest first by ratio to the reference; those without a ratio last; ties by name."""

    def place(name: str) -> tuple[int, float, str]:
        if name == reference:
            return 0, 0.0, name
        found = pairs.get(frozenset({name, reference}))
        return (0, -found.main.log_ratio(name), name) if found else (1, 0.0, name)

    return sorted(names, key=place)


def standings(
    names: Sequence[str], reference: str, pairs: Pairs, seen: History
) -> dict[str, Standing]:
    """The standing of each valid entry; `names` are in the order of `ordered`, as is the result.

    A pair without 10 blocks is one that can't be told apart.
    """
    faster = [fast_slow for pair in pairs.values() if (fast_slow := _faster(pair))]
    ranks = rank_ranges(names, faster)
    shown = letters(names, {frozenset(each) for each in faster})
    kind = judged_kind(seen.blocks)
    found = {}
    for name in names:
        against = pairs.get(frozenset({name, reference})) if name != reference else None
        shared = seen.blocks_of(name, reference, kind=kind)
        found[name] = Standing(
            against=against,
            n=against.main.sample.n if against else shared,
            is_reference=name == reference,
            rank=ranks[name],
            letters=shown[name],
            warnings=(
                *_few_blocks(name, reference, against, shared),
                *_some_blocks(reference, shared, seen.blocks_of(reference, kind=kind)),
                *_slice_length(name, reference, against, seen),
            ),
        )
    return found


def with_all_blocks(
    found: Mapping[str, Standing], reference: str, pairs: Pairs
) -> dict[str, Standing]:
    """The standings, each with its ratio over all blocks, `pairs`, those left out included."""
    return {
        name: replace(standing, all_blocks=pair.main.interval(name))
        if (pair := pairs.get(frozenset({name, reference}))) and name != reference
        else standing
        for name, standing in found.items()
    }


def _faster(pair: Compared) -> tuple[str, str] | None:
    a, b = pair.main.names
    return {1: (a, b), 0: None, -1: (b, a)}[pair.main.finding]


def _few_blocks(name: str, reference: str, against: Compared | None, n: int) -> list[str]:
    if against is not None or name == reference:
        return []
    return [
        f"too few blocks for a ratio: it and {reference} were measured side by side in {n}, and "
        f"{MIN_BLOCKS} are the least"
    ]


def listed(names: Sequence[str], pairs: Pairs) -> tuple[Pair, ...]:
    """All pairs, the one that stands higher first; `names` are in the order of `ordered`."""
    found = []
    for place, a in enumerate(names):
        for b in names[place + 1 :]:
            pair = pairs.get(frozenset({a, b}))
            if pair is not None:
                found.append(_pair(pair, a, b))
    return tuple(found)


def _pair(pair: Compared, a: str, b: str) -> Pair:
    main = pair.main
    interval = main.interval(a)
    sign = 1 if a == main.names[0] else -1
    return Pair.model_validate(
        {
            "a": a,
            "b": b,
            "ratio": interval.ratio,
            "low": interval.low,
            "high": interval.high,
            "n": interval.n,
            "finding": FINDINGS[sign * main.finding],
            "equivalent": main.equivalent,
            "minimum_detectable_effect": main.width.detectable,
        }
    )


def _some_blocks(reference: str, shared: int, all_blocks: int) -> list[str]:
    if shared >= all_blocks or shared < MIN_BLOCKS:
        return []
    return [
        f"it had its turn in {shared:,} of the {all_blocks:,} blocks of {reference}; the two are "
        "compared on these"
    ]


def _slice_length(name: str, reference: str, pair: Compared | None, seen: History) -> list[str]:
    """Short and long slices disagree: both figures, and which one counts."""
    if pair is None or pair.long is None or not pair.disagrees:
        return []
    long, short = (figures(side.interval(name)) for side in (pair.long, pair.short))
    return [
        f"the length of a slice matters: against {reference}, in {_slices(name, seen)} "
        f"the ratio is {long}, in short ones {short}; the figure of the long slices counts"
    ]


def _slices(name: str, seen: History) -> str:
    lengths = seen.lengths(name)
    if lengths is None:
        return "long slices"
    return f"long slices ({lengths.long_ms} ms instead of {lengths.short_ms} ms)"


def figures(found: Interval | Pair) -> str:
    """A ratio and its interval, as sentences have them."""
    return f"{found.ratio:.3f} ({found.low:.3f} to {found.high:.3f})"
