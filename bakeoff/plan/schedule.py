"""The schedule of a boot: orders, slice lengths, and how long each contender is warmed up.

Orders are random, and the same for the same seed.
"""

import math
import random
from collections.abc import Iterable, Sequence

from bakeoff.model.cut import WARM_UP_S_MIN, WARM_UP_SLICE_MS, SliceLengths
from bakeoff.model.plan import SLICE_MS_MIN, Plan

SINGLE_PER_KIND = 8
"""Answers to each request of a mix, in a slice with one under way at a time."""
SINGLE_SLOWER = 3
SINGLE_MS_MAX = 250
SLICE_MS_MAX = 2000
RESPONSES_PER_SLICE_MIN = 200
MEAN_LATENCIES_PER_SLICE_MIN = 10
BLOCKS_WANTED = 12
MEAN_LATENCIES_PER_SLICE_FEW = 2
RAMP_MS_MIN = 20
RAMP_MEAN_LATENCIES = 2
LONG_SLICE_MS_MIN = 250
HELD_GAPS = 5
HELD_GAP_MS = 1000.0
LONG_FACTOR = 5
REQUESTS_FOR_P99 = 1000
"""Ten of these requests are slower than the p99."""
OPEN_RAMP_MS_MIN = 50
OPEN_RAMP_MS_MAX = 500
OPEN_RAMP_MEAN_LATENCIES = 10
KNOWN_FLAT_S_MIN = 1.0
FIRST_PROCESS_EVERY = 5
WARM_UP_PER_MEASURED_S = 3


def start_order(plan: Plan, boot: int, instance: int = 0) -> list[str]:
    """The entries in the order in which boot `boot` starts a process of each.

    The order is random each time: of two copies of one program, the one started second can be the
    faster one (docs/EVIDENCE.md, coverage).
    """
    key = ("start", boot, instance) if instance else ("start", boot)
    return _shuffled((entry.name for entry in plan.entries), plan.seed, *key)


def draw_order(plan: Plan, boot: int, draw: int, names: Sequence[str]) -> list[str]:
    """The entries `names`, in the order in which a draw starts, connects and warms them up."""
    return _shuffled(names, plan.seed, "draw", boot, draw)


def has_first_process(plan: Plan, boot: int, draw: int) -> bool:
    """Whether a draw is the one of five that belongs to the first processes of the boot."""
    turn, place = divmod(draw, FIRST_PROCESS_EVERY)
    key = f"{plan.seed}/first/{boot}/{turn}"
    return random.Random(key).randrange(FIRST_PROCESS_EVERY) == place


def cohort(plan: Plan, boot: int, draw: int, instances: int) -> int:
    """The number of a contender's process in a draw, of its `instances`.

    After each `instances` draws all processes have had equally many. The number is the same for all
    contenders: process j of one meets process j of another.
    """
    turn, place = divmod(draw, instances)
    order = list(range(instances))
    random.Random(f"{plan.seed}/cohort/{boot}/{turn}").shuffle(order)
    return order[place]


def block_order(plan: Plan, boot: int, block: int, running: Sequence[str]) -> list[str]:
    """The entries that are `running`, in the order of their slices in this block."""
    return _shuffled(running, plan.seed, "block", boot, block)


def day_order(plan: Plan, number: int, phase: str, turn: int, names: Sequence[str]) -> list[str]:
    """The entries `names`, in the order of one phase of round `number` of a day."""
    return _shuffled(names, plan.seed, "day", number, phase, turn)


def arrival_seed(plan: Plan, boot: int, block: int) -> int:
    """The seed of a block's arrivals in an open loop, the same for all contenders."""
    return random.Random(f"{plan.seed}/arrivals/{boot}/{block}").getrandbits(64)


def _shuffled(names: Iterable[str], *key: object) -> list[str]:
    order = list(names)
    random.Random("/".join(map(str, key))).shuffle(order)
    return order


def slice_lengths(
    requests_per_s: float,
    mean_latency_us: float,
    shortest_ms: int = SLICE_MS_MIN,
    longest_ms: float = SLICE_MS_MAX,
    long_ms_min: int = LONG_SLICE_MS_MIN,
) -> SliceLengths:
    """One contender's lengths, from its warm-up.

    The shorter a block, the more of the machine's drift cancels (EVIDENCE.md, short slices); but a
    slice must hold enough answers, and many round trips. Each contender has its own length: a slow
    one would else stretch all slices, and the block with them. A contender whose answers all came
    after its windows has a latency and no rate; one that never answers has neither, and gets the
    shortest slices. Over a network all slices have at least `shortest_ms`. They have at most
    `longest_ms` if a few round trips fit into that: fewer answers in each of enough slices say more
    than enough of them in too few. Long ones have at least `long_ms_min`.
    """
    needed_ms = max(shortest_ms, MEAN_LATENCIES_PER_SLICE_MIN * mean_latency_us / 1000)
    if requests_per_s > 0:
        needed_ms = max(needed_ms, 1000 * RESPONSES_PER_SLICE_MIN / requests_per_s)
    few_ms = max(shortest_ms, MEAN_LATENCIES_PER_SLICE_FEW * mean_latency_us / 1000)
    short_ms = min(SLICE_MS_MAX, math.ceil(min(needed_ms, max(longest_ms, few_ms))))
    ramp_ms = math.ceil(max(RAMP_MS_MIN, RAMP_MEAN_LATENCIES * mean_latency_us / 1000))
    return SliceLengths(
        short_ms=short_ms,
        long_ms=max(long_ms_min, LONG_FACTOR * short_ms),
        ramp_ms=min(short_ms, ramp_ms),
    )


def long_ms_min(plan: Plan) -> int:
    """The least length of long slices: a gap of a held stream is only seen within one."""
    held = plan.workload.held
    gap_ms = (held.gap_ms or HELD_GAP_MS) if held else 0
    return max(LONG_SLICE_MS_MIN, math.ceil(HELD_GAPS * gap_ms))


def longest_slice_ms(plan: Plan) -> float:
    """The longest short slice that allows `BLOCKS_WANTED` slices of each contender."""
    measured_s = plan.duration_s / plan.boots * (1 - plan.long_share)
    return 1000 * measured_s / len(plan.entries) / BLOCKS_WANTED


def single_ms(requests_per_s: float, kinds: int, shortest_ms: int = SLICE_MS_MIN) -> int:
    """The length of a slice with one request of `kinds` under way at a time, in ms.

    `requests_per_s` is the server's throughput at full load: a request alone also waits for its
    round trip.
    """
    wanted = SINGLE_PER_KIND * kinds
    needed_ms = 1000 * wanted * SINGLE_SLOWER / requests_per_s if requests_per_s > 0 else 0.0
    return max(shortest_ms, min(SINGLE_MS_MAX, math.ceil(needed_ms)))


def open_lengths(
    rate: float, mean_latency_us: float, shortest_ms: int = LONG_SLICE_MS_MIN
) -> SliceLengths:
    """One contender's lengths in an open loop of `rate` requests per second: all are long.

    A slice holds enough requests for its p99. The ramp lets the queue find its usual length, since
    each slice begins with an empty one; `mean_latency_us` is that of the warm-up, at full load.
    """
    needed_ms = math.ceil(1000 * REQUESTS_FOR_P99 / rate)
    window_ms = max(shortest_ms, min(SLICE_MS_MAX, needed_ms))
    ramp_ms = math.ceil(OPEN_RAMP_MEAN_LATENCIES * mean_latency_us / 1000)
    return SliceLengths(
        short_ms=window_ms,
        long_ms=window_ms,
        ramp_ms=max(OPEN_RAMP_MS_MIN, min(OPEN_RAMP_MS_MAX, ramp_ms)),
    )


def warm_up_slices(share_s: float, known: bool, bound_s: float) -> tuple[int, int]:
    """The least and the most slices of one contender's warm-up in one boot.

    At least `WARM_UP_S_MIN` and at most `bound_s`; but no more than three times `share_s`, its
    share of this boot's measured time, though at least 1 s: a short race stays short. A contender
    that is `known`, by its twin or by flat warm-ups in earlier boots, gets at least 1 s.
    """
    most_s = min(max(WARM_UP_PER_MEASURED_S * share_s, KNOWN_FLAT_S_MIN), bound_s)
    least_s = min(KNOWN_FLAT_S_MIN if known else WARM_UP_S_MIN, most_s)
    least, most = (max(1, round(1000 * time_s / WARM_UP_SLICE_MS)) for time_s in (least_s, most_s))
    return least, most
