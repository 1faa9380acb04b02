"""How much less CPU time a request takes in the window than in a whole slice, with its ramp.

The kernel's account of a server is read before the ramp and after the drain. In the ramp caches are
cold and some runtimes wake their threads one by one, so a request of Go costs 6 % more in a short
slice than under steady load, and one of a C server 0.4 % more. The engine also reads the servers'
clocks as the window begins and ends. A single such reading is inexact where the engine was late to
it, and where the server has not slept: the kernel brings the clock of a running process up to date
at its tick, every 1 to 10 ms. So beside a neighbour a window of 26 ms reads as 24 or as 28 ms, and
the plain mean of many is nearer than a trimmed one, which takes the more frequent of the two.

So slices keep their whole cost, and an entry's are multiplied by one factor. Entries whose factors
differ by no more than chance share one, so two builds of one server lose nothing by it.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import hypot, log
from statistics import fmean

import numpy as np

from bakeoff.judge.calm import had_company
from bakeoff.judge.spread import clustered, numbered
from bakeoff.model.samples import Block, Slice

SLICES_MIN = 30
"""An entry with fewer undisturbed slices has the factor of most."""
SURE = 3.0
"""In standard errors: factors that are nearer to each other are one."""


@dataclass(frozen=True)
class Factor:
    """ln of the factor of an entry's CPU time per request, and its standard error."""

    ln: float
    error: float


Factors = Mapping[str, Factor]


def factors(blocks: Iterable[Block]) -> Factors:
    """By entry; empty where the engine read no server's clocks often enough. Entries that share a
    factor have the same object."""
    found: dict[str, list[tuple[int, int, float]]] = defaultdict(list)
    for block in blocks:
        for each in block.slices if block.kind == "short" else ():
            ln = _ln_factor(each)
            found[each.entry] += [(block.boot, block.draw, ln)] if ln is not None else []
    own = {name: _factor(read) for name, read in found.items() if len(read) >= SLICES_MIN}
    if not own:
        return {}
    shared: dict[str, Factor] = {}
    for group in _groups(own):
        shared |= dict.fromkeys(group, _mean([own[name] for name in group]))
    of_most, _ = Counter(shared.values()).most_common(1)[0]
    return {name: shared.get(name, of_most) for name in found}


def _groups(own: Factors) -> Iterator[list[str]]:
    """Names in the order of their factors, parted where two neighbours differ."""
    group: list[str] = []
    for name in sorted(own, key=lambda each: own[each].ln):
        if group:
            last, each = own[group[-1]], own[name]
            if each.ln - last.ln > SURE * hypot(each.error, last.error):
                yield group
                group = []
        group.append(name)
    yield group


def _mean(alike: Sequence[Factor]) -> Factor:
    error = hypot(*(each.error for each in alike)) / len(alike)
    return Factor(fmean(each.ln for each in alike), error)


def _ln_factor(of: Slice) -> float | None:
    """None: one of the two costs is not known, or others had the cores."""
    window, whole_us = of.event.server, of.server_cpu_us_per_request
    if not window or not window.cpu_ns or not window.requests or not whole_us or had_company(of):
        return None
    return log(window.cpu_ns / 1000 / window.requests / whole_us)


def _factor(read: Sequence[tuple[int, int, float]]) -> Factor:
    """The mean of ln factors, each after its boot and draw, and the larger of its standard errors:
    slices of a draw resemble each other, and few draws may resemble each other by chance."""
    boot, draw, ln = map(np.array, zip(*read, strict=True))
    centre, share = float(ln.mean()), np.full(len(ln), 1 / len(ln))
    alone, of_draw = np.arange(len(ln)), numbered(boot, draw)
    groups = (alone, of_draw) if of_draw.any() else (alone,)
    return Factor(centre, max(clustered(share, ln - centre, each).value for each in groups))
