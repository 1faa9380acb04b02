"""The rule by which a race is cut into draws: what is drawn anew, how often, for how long.

It sees how contenders start and warm up, what they hold in memory, and which address they have. It
does not see who is ahead. What its constants rest on is in METHODOLOGY.md, draws.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log, sqrt
from statistics import median
from typing import NamedTuple

from bakeoff.model.plan import Entry, Plan
from bakeoff.model.samples import WARM_UP_SLICE_MS, DrawRule, Redrawn, Slice, Warmup

READY_MS_MAX = 250.0
"""What needs longer to start isn't started for a draw of about a second."""
QUICK_SLICES = 2
"""Nor what is not steady after so many slices of its warm-up (0.5 s)."""
EARLY_SLICES = 3
"""So many after them stand for what follows."""
LAST_SLICES = 2
"""Where there are no more: a race may be so short that a warm-up has four slices."""
CHANGED, WEATHER, UNKNOWN = 0.03, 0.1, 0.2
"""Slices that differ by more, in ln, show a warm-up: in CPU per request, and in throughput, which
drifts with the machine where that can be told apart. With more noise than the last, nothing is
known of a warm-up."""
WARM_UP_MS = 75
"""For new connections, and for processes that are flat: as good as 250 ms (libuv)."""
BEGINNING = -log(1 - WARM_UP_MS / WARM_UP_SLICE_MS)
"""Throughput of an early slice that is away by less, in ln, is no warm-up where CPU per request is
known and within `WEATHER`: of ten warm-ups of flat programs one had such a slice 28 % off."""

BLOCKS_MIN = 10
"""Short blocks in a draw, where slices are short."""
BLOCKS_FEW = 3
"""Where slices take seconds."""
DRAWS_MIN, DRAWS_MAX = 8, 40
"""With fewer the interval depends on quantiles of t far out; more gain little."""
OVERHEAD_SHARE = 0.3
"""What draws may cost besides measuring, as a share of it."""
START_MS = 25.0
"""Starting, checking and stopping a process, besides its own time to get ready."""
CONNECT_MS = 40.0
"""A new engine, and its connections."""

INSTANCES_MAX = 8
"""Of t with seven degrees of freedom the quantile is 2.36, against 1.96 with any number more."""
INSTANCES_FEW = 6
"""An interval that rests on k processes is as wide as t of k − 1 degrees of freedom over √k: 1.59
with four, 1.05 with six, 0.84 with eight. Among 30 pairs four are 2.2 times as wide as six."""
WARMING_SHARE, WARMING_SHARE_MAX = 0.5, 1.5
"""What warming up further instances may take, as a share of the time that is measured; and what it
may take where that allows fewer than the few."""
SLICES_MORE = 2
MEMORY_SHARE = 0.25
"""Of the memory that is free: what measures must not make the machine swap."""
FILES_PER_PROCESS = 3
FILES_KEPT = 64
"""Open files of ours: three for the counters of a process, and some for everything else."""


@dataclass(frozen=True)
class Facts:
    """What the start and the warm-up of a contender's first process have shown."""

    entry: Entry
    time_to_ready_ms: float | None
    memory_mib: float


class Room(NamedTuple):
    """What is left on this machine: memory, and files that this process may still open."""

    memory_mib: float
    files: int


def draw_rule(plan: Plan, warmup: Warmup, facts: Sequence[Facts], room: Room) -> DrawRule:
    """The rule for a race of those in `facts`."""
    own = {each.entry.name: _redrawn(plan, warmup, each) for each in facts}
    redrawn = {each.entry.name: _as_twins(each.entry, own, facts) for each in facts}
    draw_s = _draw_s(plan, warmup, redrawn, facts)
    several = [each for each in facts if _lasts(redrawn[each.entry.name])]
    draws = max(1, int(plan.duration_s / plan.boots / draw_s))
    instances = min(_instances(plan, warmup, several, room), draws)
    for each in several:
        name = each.entry.name
        redrawn[name] = redrawn[name].model_copy(update={"instances": instances})
    return DrawRule(draw_s=draw_s, redrawn=redrawn)


def slices_again(warmup: Warmup, name: str) -> int:
    """How many slices a further process is warmed up for.

    Until the first one was steady and a little longer; what it took to be sure of that isn't needed
    twice. All of them, where it never was.
    """
    slices = len(warmup.requests_per_s.get(name, ()))
    if not warmup.steady.get(name, False):
        return slices
    return min(slices, warmup.steady_from.get(name, 0) + SLICES_MORE)


def is_warm(warmup: Warmup, measured: Slice) -> bool:
    """Whether a process costs no more than its contender's first one did when it was steady, but
    for the weather: in CPU time, or where that isn't seen in wall time."""
    name, cost_us = measured.entry, measured.server_cpu_us_per_request
    last = warmup.steady_from.get(name, 0)
    costs_us = [each for each in warmup.cpu_us_per_request.get(name, ())[last:] if each]
    if costs_us and cost_us is not None:
        return cost_us <= (1 + WEATHER) * median(costs_us)
    return measured.event.requests_per_s >= (1 - WEATHER) * (warmup.level(name) or 0.0)


def _redrawn(plan: Plan, warmup: Warmup, facts: Facts) -> Redrawn:
    """What is drawn of one contender; how many instances is not decided yet."""
    name = facts.entry.name
    connections = Redrawn(what="connections", instances=1, warm_up_ms=WARM_UP_MS, why="")
    if facts.entry.attached or facts.entry.fixed_port:
        why = "attached" if facts.entry.attached else "fixed_port"
        return connections.model_copy(update={"why": why})
    if plan.instances:
        return connections.model_copy(update={"why": "asked"})
    if facts.time_to_ready_ms is None or facts.time_to_ready_ms > READY_MS_MAX:
        return connections.model_copy(update={"why": "starts_slowly"})
    slices = _quick(warmup, name)
    if slices is None:
        return connections.model_copy(update={"why": "warms_slowly"})
    return Redrawn(
        what="processes",
        instances=1,
        # The slice after them may have begun slow: Node's second does, for 50 ms.
        warm_up_ms=slices * WARM_UP_SLICE_MS + WARM_UP_MS,
        why="warms_quickly" if slices else "flat",
    )


def _quick(warmup: Warmup, name: str) -> int | None:
    """With which slice it was as it is in the end, QUICK_SLICES at most; None: it was later.

    Other than a course, which an unsteady machine leaves undecided, it doesn't ask whether slices
    scatter, but whether early ones differ from the last ones by more than they scatter.
    """
    cpu_us = [each or 0.0 for each in warmup.cpu_us_per_request.get(name, ())]
    rates = warmup.requests_per_s.get(name, ())
    if len(rates) < QUICK_SLICES + LAST_SLICES or min(rates) <= 0:
        return None
    seen = len(cpu_us) == len(rates) and min(cpu_us) > 0
    last = warmup.steady_from.get(name, 0) if warmup.steady.get(name) else len(rates) // 2
    times = [1 / each for each in rates]
    if seen:
        quick = [_from(times, last, WEATHER, BEGINNING), _from(cpu_us, last, CHANGED, WEATHER)]
    else:
        quick = [_from(times, last, CHANGED, WEATHER)]
    known = [each for each in quick if each is not None]
    return max(known) if len(known) == len(quick) else None


def _from(values: Sequence[float], last: int, changed: float, away_max: float) -> int | None:
    """The first of the first slices from which `values`, times of a request, are as they are from
    slice `last` on.

    Single slices may be `away_max` above, in ln, and what follows them `changed` off. One below is
    no warm-up: a core that was idle is faster for half a second, whoever runs on it.
    """
    last = min(max(last, QUICK_SLICES), len(values) - LAST_SLICES)
    level = median(values[last:])
    away = [log(each / level) for each in values]
    # The noise of a single slice, from steps: neither a change nor a drift counts as noise.
    steps = [abs(log(b / a)) for a, b in pairwise(values[last:])]
    noise = median(steps) / (0.6745 * sqrt(2))
    early = log(median(values[QUICK_SLICES : QUICK_SLICES + EARLY_SLICES]) / level)
    if abs(early) > min(UNKNOWN, max(changed, 2 * noise)):
        return None
    limit = max(away_max, min(UNKNOWN, 3 * noise))
    differ = [each > limit for each in away[:QUICK_SLICES]]
    return max((n + 1 for n, each in enumerate(differ) if each), default=0)


def _as_twins(entry: Entry, own: Mapping[str, Redrawn], facts: Sequence[Facts]) -> Redrawn:
    """Copies of one program are drawn alike: as the one of them that takes longest."""
    names = [each.entry.name for each in facts if _program(each.entry) == _program(entry)]
    return max((own[name] for name in names), key=lambda each: (_lasts(each), each.warm_up_ms))


def _program(entry: Entry) -> tuple[object, ...]:
    """What is the same for a twin and its original, and for a contender that was named twice."""
    return entry.folder, entry.contender, entry.attached, entry.fixed_port


def _lasts(redrawn: Redrawn) -> bool:
    """Whether its processes live for the boot, and there can be several."""
    return redrawn.what == "connections" and redrawn.why not in ("attached", "fixed_port")


def _draw_s(
    plan: Plan, warmup: Warmup, redrawn: Mapping[str, Redrawn], facts: Sequence[Facts]
) -> float:
    """What one draw measures: so much that draws cost little, and hold enough blocks."""
    overhead_ms = CONNECT_MS
    for each in facts:
        rule = redrawn[each.entry.name]
        overhead_ms += rule.warm_up_ms
        if rule.what == "processes":
            overhead_ms += START_MS + (each.time_to_ready_ms or 0.0)
    lengths = [warmup.lengths[each.entry.name] for each in facts]
    short_share = 1 - plan.long_share if plan.mode == "closed" else 0.0
    if short_share > 0:
        block_s = sum(each.short_ms for each in lengths) / 1000 / short_share
    else:
        block_s = sum(each.long_ms for each in lengths) / 1000
    draw_s = max(overhead_ms / 1000 / OVERHEAD_SHARE, BLOCKS_MIN * block_s)
    if plan.precision is None:
        draw_s = max(draw_s, plan.duration_s / DRAWS_MAX)
    draw_s = max(min(draw_s, plan.duration_s / DRAWS_MIN), BLOCKS_FEW * block_s)
    return min(draw_s, plan.duration_s)


def _instances(plan: Plan, warmup: Warmup, several: Sequence[Facts], room: Room) -> int:
    """How many processes of each of `several` are up: all have the same number."""
    if not several:
        return 1
    each_s = sum(
        slices_again(warmup, each.entry.name) * WARM_UP_SLICE_MS / 1000
        + (each.time_to_ready_ms or 0.0) / 1000
        for each in several
    )
    shares_s = plan.duration_s / plan.boots / each_s if each_s else 0.0
    in_time, at_most = (1 + int(share * shares_s) for share in (WARMING_SHARE, WARMING_SHARE_MAX))
    wanted = plan.instances or min(INSTANCES_MAX, max(in_time, min(INSTANCES_FEW, at_most)))
    held_mib = sum(each.memory_mib for each in several)
    in_memory = 1 + int(MEMORY_SHARE * room.memory_mib / held_mib) if held_mib else wanted
    in_files = 1 + max(0, room.files - FILES_KEPT) // (FILES_PER_PROCESS * len(several))
    return max(1, min(wanted, in_memory, in_files))
