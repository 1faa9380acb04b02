"""The rule by which a race is divided into draws: what is drawn anew, how often, for how long.

It sees the contenders' start, warm-up, memory and addresses. It does not see which one is ahead.
The reasons for its constants are in docs/CONSTANTS.md.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import NamedTuple

from bakeoff.model.cut import WARM_UP_SLICE_MS, DrawRule, Redrawn, Warmup
from bakeoff.model.plan import Entry, Plan
from bakeoff.model.samples import Slice
from bakeoff.runs.measuring.warmup import HARDLY_BUSY

READY_MS_MAX = 500.0
"""A contender that needs longer to start isn't started for a draw of about a second."""
WARM_UP_MS = 75
"""For new connections, and for processes that are flat: as good as 250 ms (libuv)."""
QUICK_MS = 500
"""A contender that is cold for longer isn't started for a draw of about a second either."""
WEATHER = 0.1
"""A process is warm if its requests cost at most this share more than those of a steady one."""

BLOCKS_MIN = 10
"""Short blocks in a draw, if slices are short."""
BLOCKS_FEW = 3
"""The same, if slices take seconds."""
DRAWS_MIN, DRAWS_MAX = 8, 32
"""With fewer draws the interval depends on quantiles of t far out; more draws gain little."""
OVERHEAD_SHARE = 0.7
"""The cost of draws besides measuring, as a share of it. If processes differ by more than the
variation within a draw, more draws are worth more than longer ones."""
START_MS = 25.0
"""Starting, checking and stopping a process, besides its own time to get ready."""
CONNECT_MS = 40.0
"""A new engine, and its connections."""

INSTANCES_MAX = 8
"""The quantile of t with seven degrees of freedom is 2.36, against 1.96 with any larger number."""
INSTANCES_FEW = 6
"""An interval that rests on k processes is as wide as t of k − 1 degrees of freedom over √k: 1.59
with four, 1.05 with six, 0.84 with eight. Among 30 pairs it is 2.2 times as wide with four as with
six."""
WARMING_SHARE, WARMING_SHARE_MAX = 0.5, 1.5
"""The time for warming up further instances, as a share of the measured time; and the share that is
allowed if the first permits fewer than `INSTANCES_FEW`."""
SLICES_MORE = 2
MEMORY_SHARE = 0.25
"""The share of the free memory: a measurement must not make the machine swap."""
FILES_PER_PROCESS = 3
FILES_KEPT = 64
"""Files that we keep open: three for the counters of a process, and some for everything else."""


@dataclass(frozen=True)
class Facts:
    """What the start of a contender's first process has shown, and how long its processes were
    loaded before a draw in earlier runs."""

    entry: Entry
    time_to_ready_ms: float | None
    memory_mib: float
    warming_ms: float | None = None

    def before_draw_ms(self, redrawn: Redrawn) -> float:
        loaded_ms = max(redrawn.warm_up_ms, self.warming_ms or 0.0)
        if redrawn.what == "connections":
            return loaded_ms
        return loaded_ms + START_MS + (self.time_to_ready_ms or 0.0)


class Room(NamedTuple):
    """The free resources of this machine: memory, and files that this process may still open."""

    memory_mib: float
    files: int


def draw_rule(plan: Plan, warmup: Warmup, facts: Sequence[Facts], room: Room) -> DrawRule:
    own = {each.entry.name: _redrawn(plan, warmup, each) for each in facts}
    # Copies of one program are drawn alike: as the one of them that takes longest.
    redrawn = {
        fact.entry.name: max(
            (own[f.entry.name] for f in facts if _program(f.entry) == _program(fact.entry)),
            key=lambda redrawn: (_lasts(redrawn), redrawn.warm_up_ms),
        )
        for fact in facts
    }
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

    As many as the first one needed to be steady, and a few more: the slices that made this sure
    aren't needed twice. All of them, if it never was steady.
    """
    slices = len(warmup.requests_per_s.get(name, ()))
    if not warmup.steady.get(name, False):
        return slices
    return min(slices, warmup.steady_from.get(name, 0) + SLICES_MORE)


def is_warm(warmup: Warmup, measured: Slice) -> bool:
    """Whether a process costs no more than its contender's first one in its steady state, except
    for the weather."""
    cost_us, requests_per_s = measured.server_cpu_us_per_request, measured.event.requests_per_s
    return _as_steady(warmup, measured.entry, cost_us, requests_per_s)


def cold_ms(warmup: Warmup, name: str) -> int | None:
    """How long the first process was loaded until it was warm. None: it never was, or it got slower
    then, so that new processes would be faster than it."""
    rates = warmup.requests_per_s.get(name, ())
    costs_us = warmup.cpu_us_per_request.get(name) or (None,) * len(rates)
    if warmup.courses.get(name) == "slowdown":
        return None
    warm = [_as_steady(warmup, name, *each) for each in zip(costs_us, rates, strict=True)]
    return warm.index(True) * WARM_UP_SLICE_MS if any(warm) else None


def _as_steady(warmup: Warmup, name: str, cost_us: float | None, requests_per_s: float) -> bool:
    """By CPU time per request or, if that isn't seen or hardly any is used, by requests per
    second."""
    steady = warmup.cpu_us_per_request.get(name, ())[warmup.steady_from.get(name, 0) :]
    costs_us, level = [each for each in steady if each], warmup.level(name) or 0.0
    # A slice with so little CPU time has a few milliseconds, whose noise looks like a cold process.
    seen = bool(costs_us) and level * median(costs_us) > HARDLY_BUSY * 1e6
    if seen and cost_us is not None:
        return cost_us <= (1 + WEATHER) * median(costs_us)
    return requests_per_s >= (1 - WEATHER) * level


def _redrawn(plan: Plan, warmup: Warmup, facts: Facts) -> Redrawn:
    """What is drawn of one contender; the number of its instances is not decided yet."""
    entry, ready_ms = facts.entry, facts.time_to_ready_ms
    after_ms = cold_ms(warmup, entry.name)
    why = ""
    if entry.attached:
        why = "attached"
    elif entry.fixed_port:
        why = "fixed_port"
    elif plan.instances:
        why = "asked"
    elif ready_ms is None or ready_ms > READY_MS_MAX:
        why = "starts_slowly"
    elif after_ms is None or after_ms > QUICK_MS:
        why = "warms_slowly"
    if why:
        return Redrawn(what="connections", instances=1, warm_up_ms=WARM_UP_MS, why=why)
    return Redrawn(
        what="processes",
        instances=1,
        warm_up_ms=WARM_UP_MS + (after_ms or 0),
        why="warms_quickly" if after_ms else "flat",
    )


def _program(entry: Entry) -> tuple[object, ...]:
    """What a twin shares with its original, and a contender that was named twice with itself."""
    return entry.folder, entry.contender, entry.attached, entry.fixed_port


def _lasts(redrawn: Redrawn) -> bool:
    """Whether its processes live for the boot, and there can be several."""
    return redrawn.what == "connections" and redrawn.why not in ("attached", "fixed_port")


def _draw_s(
    plan: Plan, warmup: Warmup, redrawn: Mapping[str, Redrawn], facts: Sequence[Facts]
) -> float:
    """The length of one draw: so long that draws cost little, and hold enough blocks."""
    overhead_ms = CONNECT_MS + sum(each.before_draw_ms(redrawn[each.entry.name]) for each in facts)
    lengths = [warmup.lengths[each.entry.name] for each in facts]
    short_share = 1 - plan.long_share if plan.mode == "closed" else 0.0
    if short_share > 0:
        block_s = sum(each.short_ms for each in lengths) / 1000 / short_share
    else:
        block_s = sum(each.long_ms for each in lengths) / 1000
    draw_s = max(overhead_ms / 1000 / OVERHEAD_SHARE, BLOCKS_MIN * block_s)
    if not plan.may_end_early:
        draw_s = max(draw_s, plan.duration_s / DRAWS_MAX)
    draw_s = max(min(draw_s, plan.duration_s / DRAWS_MIN), BLOCKS_FEW * block_s)
    return min(draw_s, plan.duration_s)


def _instances(plan: Plan, warmup: Warmup, several: Sequence[Facts], room: Room) -> int:
    """How many processes of each of `several` run: all have the same number."""
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


def time_left_s(
    plan: Plan,
    budget_s: float,
    warmup: Warmup,
    warm_up_s: float,
    rule: DrawRule,
    facts: Sequence[Facts],
) -> float:
    """The draws of a boot that measures for `budget_s`, with what they cost, until its end.

    Further processes are warmed up as slowly as the first ones, which took `warm_up_s`: a server
    with a compiler needs as long again after each slice until it is at rest.
    """
    slice_ms = 1000 * warm_up_s / max(1, sum(map(len, warmup.requests_per_s.values())))
    lengths = [warmup.lengths[each.entry.name] for each in facts]
    window_ms = sum(each.short_ms for each in lengths)
    # A drain lasts as long as an answer: it waits for the requests in flight.
    around_ms = sum(each.ramp_ms for each in lengths) + sum(
        warmup.mean_latency_us[each.entry.name] / 1000 for each in facts
    )
    draw_ms, again_ms = CONNECT_MS, 0.0
    for each in facts:
        redrawn = rule.redrawn[each.entry.name]
        draw_ms += each.before_draw_ms(redrawn)
        ready_ms = START_MS + (each.time_to_ready_ms or 0.0)
        slices = slices_again(warmup, each.entry.name)
        again_ms += (redrawn.instances - 1) * (ready_ms + slices * slice_ms)
    draws = max(1, round(budget_s / rule.draw_s))
    around = around_ms / window_ms * (1 - plan.long_share if plan.mode == "closed" else 1)
    return budget_s * (1 + around) + (draws * draw_ms + again_ms) / 1000
