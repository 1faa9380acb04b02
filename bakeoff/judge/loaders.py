"""Several load generators: the blocks that they loaded together, faulty ones, and each one's work.

A block is left out because of a generator, never because of a server's answers: a generator was
lost, began late, lost its clock or its cores, or sent late when the others did not. A slow or lossy
generator is named, too, by the server's answers to each; but no block is left out for that.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean, median

from bakeoff.histograms import TOP_US
from bakeoff.judge.latency import merge, merge_encoded
from bakeoff.model.finding import Finding
from bakeoff.model.loaders import LoaderSlice
from bakeoff.model.samples import Block, Slice
from bakeoff.model.verdict import LoaderFigures

APART_SHARE = 0.02
"""As a share of a window, how far apart generators may start that load together."""
STOLEN_MAX = 0.05
"""The share of its cores' time that a generator's host may take in a slice."""
LAG_MIN_US = 200.0
UNLIKE = 3.0
"""A generator's send lag, losses or tail are its own where they are this many times the others'."""
SLOW_SHARE = 0.8
"""The share of what the others' connections get in a closed loop."""
MISSES_MAX = 0.001
BUSY_MAX = 0.9

FAULTS = ("loader_late", "loader_clock_jumped", "loader_stolen", "loader_lags")
"""Faults that spoil a slice, beside a loss; codes of findings."""


def faults(slice_: Slice) -> dict[str, str]:
    """Loader → its fault in this slice; empty where all loaded together."""
    shares = slice_.loaders
    found = {}
    first_ns = min((share.late_ns for share in shares), default=0)
    lags_us = [_lag_us(share) for share in shares]
    for place, share in enumerate(shares):
        if share.late_ns - first_ns > APART_SHARE * share.event.window_ns:
            found[share.loader] = "loader_late"
        elif share.clock_jumped:
            found[share.loader] = "loader_clock_jumped"
        elif share.stolen is not None and share.stolen > STOLEN_MAX:
            found[share.loader] = "loader_stolen"
        elif _stands_out(lags_us, place, LAG_MIN_US):
            found[share.loader] = "loader_lags"
    return found


def _lag_us(share: LoaderSlice) -> float:
    """The p99 of how late it sent; a wait for a connection is shared by all."""
    if not share.event.send_lag:
        return 0.0
    return merge_encoded([share.event.send_lag]).quantile_us(0.99) or 0.0


def _stands_out(values: Sequence[float], place: int, least: float) -> bool:
    """Whether one value is over `least`, and far above the median of the others."""
    others = [each for at, each in enumerate(values) if at != place]
    return bool(others) and values[place] > max(least, UNLIKE * median(others))


def spoiled(blocks: Sequence[Block]) -> frozenset[int]:
    """The places of the blocks that were not loaded together by all generators.

    A clock's jump is known at the next look at the clock: the slices since the look before are
    spoiled. A loss spoils the slices that follow until connections are shared out anew.
    """
    if not any(slice_.loaders for block in blocks for slice_ in block.slices):
        return frozenset()
    full = max(_connections(slice_) for block in blocks for slice_ in block.slices)
    found: set[int] = set()
    told_by: dict[tuple[int, str], dict[int, list[int]]] = {}
    for at, block in enumerate(blocks):
        for slice_ in block.slices:
            if slice_.lost or _connections(slice_) < full or faults(slice_):
                found.add(at)
            for share in slice_.loaders:
                looks = told_by.setdefault((block.boot, share.loader), {})
                if share.clock_jumped and looks:
                    found.update(looks[list(looks)[-1]])
                looks.setdefault(share.offset_ns, []).append(at)
    return frozenset(found)


def _connections(slice_: Slice) -> int:
    return sum(share.connections for share in slice_.loaders)


@dataclass(frozen=True)
class Loading:
    """The work of one generator in all blocks: its slices."""

    name: str
    shares: tuple[LoaderSlice, ...]

    @cached_property
    def window_ns(self) -> int:
        return sum(share.event.window_ns for share in self.shares)

    @property
    def requests_per_s(self) -> float:
        requests = sum(share.event.answered for share in self.shares)
        return requests / self.window_ns * 1e9 if self.window_ns else 0.0

    @property
    def busy(self) -> float:
        """Share of the time in which its busiest core was at work."""
        at_work_ns = (max(share.event.busy_cores) * share.event.window_ns for share in self.shares)
        return sum(at_work_ns) / self.window_ns if self.window_ns else 0.0

    @property
    def due(self) -> int:
        """Requests that it sent, or should have sent, in the windows."""
        return sum(share.event.due for share in self.shares)

    @property
    def misses(self) -> int:
        return sum(share.event.misses for share in self.shares)

    @cached_property
    def quantiles_us(self) -> tuple[float | None, float | None]:
        merged = merge(share.event for share in self.shares)
        return merged.quantile_us(0.5), merged.quantile_us(0.99)

    @property
    def clock_error_us(self) -> float:
        """How far off its clock may have been, as a median."""
        return median(share.clock_error_ns for share in self.shares) / 1e3


def loadings(blocks: Sequence[Block]) -> list[Loading]:
    """Each generator's, in the order of their names; empty for a single generator."""
    shares: dict[str, list[LoaderSlice]] = {}
    for block in blocks:
        for slice_ in block.slices:
            for share in slice_.loaders:
                shares.setdefault(share.loader, []).append(share)
    return [Loading(name, tuple(given)) for name, given in sorted(shares.items())]


def figures(blocks: Sequence[Block]) -> tuple[LoaderFigures, ...]:
    given = loadings(blocks)
    together = sum(each.requests_per_s for each in given)
    rows = []
    for each in given:
        p50_us, p99_us = each.quantiles_us
        cpu_ns = sum(share.event.cpu_ns for share in each.shares)
        requests = sum(share.event.requests for share in each.shares)
        # The share of its cores' time that its host took, in the slices where it is known.
        stolen = [share.stolen for share in each.shares if share.stolen is not None]
        rows.append(
            LoaderFigures(
                name=each.name,
                connections=max(share.connections for share in each.shares),
                slices=len(each.shares),
                requests_per_s=each.requests_per_s,
                share=each.requests_per_s / together if together else 0.0,
                ceiling_per_s=each.requests_per_s / each.busy if each.busy else None,
                busy=each.busy,
                cpu_us_per_request=cpu_ns / 1e3 / requests if requests else None,
                p50_us=p50_us,
                p99_us=p99_us,
                misses=each.misses,
                late_us=max(share.late_ns for share in each.shares) / 1e3,
                clock_error_us=each.clock_error_us,
                stolen=fmean(stolen) if stolen else None,
            )
        )
    return tuple(rows)


def findings(blocks: Sequence[Block], left_out: int, is_open: bool) -> Iterator[Finding]:
    """Findings on the generators; `left_out` of these blocks are left out because of them."""
    lost: dict[str, str] = {}
    # The number of each one's slices, and how many of them each of its faults spoiled.
    slices: Counter[str] = Counter()
    spoiled: Counter[tuple[str, str]] = Counter()
    for slice_ in (slice_ for block in blocks for slice_ in block.slices):
        lost = {**slice_.lost, **lost}
        slices.update(share.loader for share in slice_.loaders)
        spoiled.update((code, name) for name, code in faults(slice_).items())
    for name, how in lost.items():
        yield Finding.of("loader_lost", loader=name, how=how)
    found = [
        Finding.of(code, loader=name, n=n, slices=slices[name])
        for code in FAULTS
        for (of, name), n in sorted(spoiled.items())
        if of == code
    ]
    if left_out:
        yield Finding.of("loaders_apart", *found, n=left_out, blocks=len(blocks))
    else:
        yield from found
    given = loadings(blocks)
    yield from _unlike(given, is_open)
    for each in given:
        most_us = APART_SHARE * median(share.event.window_ns for share in each.shares) / 1e3
        if each.clock_error_us > most_us:
            yield Finding.of(
                "loader_clock_coarse",
                loader=each.name,
                error_us=each.clock_error_us,
                most_us=most_us,
            )


def _unlike(given: Sequence[Loading], is_open: bool) -> Iterator[Finding]:
    if len(given) < 2:
        return
    losses = [each.misses / max(1, each.due) for each in given]
    tails = [each.quantiles_us[1] or TOP_US for each in given]
    paces = [
        each.requests_per_s / fmean(share.connections for share in each.shares) for each in given
    ]
    mean_busy = fmean(each.busy for each in given)
    for place, each in enumerate(given):
        others = _without(paces, place)
        if _stands_out(losses, place, MISSES_MAX):
            yield Finding.of(
                "loader_lossy", loader=each.name, missing=each.misses, attempts=each.due
            )
        elif _stands_out(tails, place, 0.0):
            p99_us, others_us = tails[place], median(_without(tails, place))
            yield Finding.of("loader_tail", loader=each.name, value_us=p99_us, others_us=others_us)
        elif not is_open and paces[place] < SLOW_SHARE * median(others):
            share = paces[place] / median(others)
            yield Finding.of("loader_slow", loader=each.name, share=share)
        if each.busy >= BUSY_MAX > mean_busy:
            yield Finding.of("loader_limit", loader=each.name, client_busy=each.busy)


def _without(values: Sequence[float], place: int) -> list[float]:
    return [each for at, each in enumerate(values) if at != place]
