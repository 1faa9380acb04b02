"""The conditions of a simulated race: the usual ones, or a real race's (`simulate --like RUN`).

Drift and a slice's own noise are told apart by the variogram, half the mean squared difference of
ln throughput over the time between two slices: slice_sd² + drift_sd²·(1 − exp(−h/τ)). Its robust
estimate is that of Cressie and Hawkins, Mathematical Geology 12(2), 1980: slices have heavy tails.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import median

import numpy as np
import scipy
from numpy.typing import NDArray

from bakeoff.judge.calm import steal_share
from bakeoff.judge.paired import ln_throughput, pair_up
from bakeoff.judge.trimmed import trimmed_mean
from bakeoff.model.cut import Draw, DrawRule, SliceLengths, Warmup
from bakeoff.model.errors import BadUsage
from bakeoff.model.plan import Plan
from bakeoff.model.samples import Block, Record
from bakeoff.model.simulation import Conditions
from bakeoff.plan.schedule import slice_lengths
from bakeoff.simulate.server import SERVICE_CV

Floats = NDArray[np.float64]
MIN_BLOCKS = 30
STEPS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128)
"""How many slices on: the pairs of slices whose differences tell noise and drift apart."""

_REQUESTS_PER_S, _CONNECTIONS = 100_000, 64
"""libuv and http_parser in that race."""
_LENGTHS = slice_lengths(_REQUESTS_PER_S, mean_latency_us=1e6 * _CONNECTIONS / _REQUESTS_PER_S)
"""What a race gives such a server today."""

USUAL = Conditions(
    source="a shared virtual machine with 2 cores (records/2026-11-21-default-race)",
    requests_per_s=_REQUESTS_PER_S,
    connections=_CONNECTIONS,
    short_ms=_LENGTHS.short_ms,
    long_ms=_LENGTHS.long_ms,
    ramp_ms=_LENGTHS.ramp_ms,
    # From a slice's end to the next one's ramp: drain, accounting, a command to the engine.
    gap_ms=2.0,
    # Mean ln throughput of a block's six slices: sd 0.2, autocorrelation 0.72 at 0.45 s and 0.1 at
    # 2 s. Bursts are part of that sd; the two nginx, 0.15 s apart, differed by 0.065 (robust sd),
    # which an sd of 0.15 explains alone.
    drift_sd=0.15,
    drift_s=1.4,
    # One server's 20 ms slices, 30 ms apart, paired: 0.03 to 0.04 in same-server-twice, of which
    # the drift above makes 0.03.
    slice_sd=0.02,
    # Behind a ramp of 20 ms seven programs answer as behind one of 80 ms: +1.9 to -1.8 %, each
    # +-1.2 to 2.1 %, and 0 in the mean (METHODOLOGY.md, rotation). Behind 5 ms it was 300 us.
    cold_us=0.0,
    # Steal was 0.35 % of two cores in same-server-twice; a tick of 10 ms at a time.
    steals_per_s=0.7,
    steal_ms=10,
    # Rounds of two copies of libuv, 2.5 s each: ln ratio had an sd of 0.55 to 0.75 % beyond the
    # noise within a round, with new connections as with new processes; Go 1 to 1.2 %, Node 0.4 %
    # with new connections and 1.8 % with new processes (METHODOLOGY.md).
    connections_sd=0.004,
    process_sd=0.004,
    # A boot was seen to differ from another by its processes and connections alone.
    boot_sd=0.0,
    draw_s=1.0,
    instances=None,
    start_order=0.001,
)


@dataclass(frozen=True)
class Series:
    """The short slices of all boots in order. `level` is ln throughput minus the entry's trimmed
    mean in that boot; `after_own` marks slices that followed one of the same server."""

    boot: NDArray[np.int64]
    at_s: Floats
    level: Floats
    after_own: NDArray[np.bool_]


def conditions_of(plan: Plan, records: Sequence[Record]) -> Conditions:
    """The conditions of a run, whose reference stands for all its servers.

    Raises `BadUsage` for an open loop, or if fewer than `MIN_BLOCKS` short blocks were measured.
    """
    blocks = [record for record in records if isinstance(record, Block)]
    short = [block for block in blocks if block.kind == "short"]
    draws = [record for record in records if isinstance(record, Draw)]
    if plan.mode != "closed":
        raise BadUsage(
            f"--like {plan.run}: was an open loop (--rate or --load); it takes a closed one"
        )
    if len(short) < MIN_BLOCKS or len(plan.entries) < 2:
        fault = f"is too short: it has {len(short)} of the {MIN_BLOCKS} blocks that are needed"
        if len(plan.entries) < 2:
            fault = "has one contender; it takes two"
        raise BadUsage(f"--like {plan.run}: {fault}")
    lengths = _lengths(plan, records)
    cpus = plan.cores.here
    series = _series(short)
    noise_sd, drift_sd, drift_s = _weather(series)
    reference = [
        measured.event.requests_per_s
        for block in short
        for measured in block.slices
        if measured.entry == plan.reference
    ]
    requests_per_s = max(1.0, median(reference))
    answered = max(1.0, requests_per_s * lengths.short_ms / 1000)
    return Conditions(
        source=f"run {plan.run}",
        requests_per_s=requests_per_s,
        connections=plan.connections,
        short_ms=lengths.short_ms,
        long_ms=lengths.long_ms,
        ramp_ms=lengths.ramp_ms,
        gap_ms=_gap_ms(short, lengths.ramp_ms),
        drift_sd=drift_sd,
        drift_s=drift_s,
        # The queue's own part of it comes with the simulated servers.
        slice_sd=sqrt(max(0.0, noise_sd**2 - SERVICE_CV**2 / answered)),
        cold_us=_cold_us(series, lengths.short_ms),
        steals_per_s=(steal_share(blocks, cpus) or 0.0) * len(cpus) * 1000 / USUAL.steal_ms,
        steal_ms=USUAL.steal_ms,
        **_level_sds(plan, short, draws),
        draw_s=_draw_s(plan, records),
        instances=_instances(plan, draws),
        # The order of starts is part of what differs from process to process.
        start_order=0.0,
    )


def _lengths(plan: Plan, records: Sequence[Record]) -> SliceLengths:
    for record in records:
        if isinstance(record, Warmup) and plan.reference in record.lengths:
            return record.lengths[plan.reference]
    raise BadUsage(f"--like {plan.run}: its reference, {plan.reference}, was never measured")


def _series(blocks: Sequence[Block]) -> Series:
    slices = [(block.boot, each) for block in blocks for each in block.slices]
    boot = np.array([boot for boot, _ in slices])
    names = np.array([each.entry for _, each in slices])
    level = np.array([ln_throughput(each) for _, each in slices])
    for number in np.unique(boot):
        for name in np.unique(names):
            theirs = (boot == number) & (names == name)
            level[theirs] -= trimmed_mean(level[theirs]) if theirs.any() else 0.0
    return Series(
        boot=boot,
        at_s=np.array([each.event.start_ns / 1e9 for _, each in slices]),
        level=level,
        after_own=np.concatenate([[False], (names[1:] == names[:-1]) & (boot[1:] == boot[:-1])]),
    )


def _weather(series: Series) -> tuple[float, float, float]:
    """slice_sd, drift_sd, drift_s: least squares of the model on the variogram's root."""
    points = []
    for step in STEPS[: int(np.searchsorted(STEPS, len(series.level) // 4))]:
        together = series.boot[step:] == series.boot[:-step]
        apart_s = (series.at_s[step:] - series.at_s[:-step])[together]
        differences = np.abs(series.level[step:] - series.level[:-step])[together]
        # Pairs with a long block between them are further apart than their step says.
        usual = apart_s < 1.5 * np.median(apart_s)
        points.append((apart_s[usual].mean(), np.sqrt(_cressie_hawkins(differences[usual]))))
    lags_s, roots = np.array(points).T

    def model(h: Floats, slice_sd: float, drift_sd: float, drift_s: float) -> Floats:
        rising: Floats = np.sqrt(slice_sd**2 + drift_sd**2 * -np.expm1(-h / drift_s))
        return rising

    first, last = max(1e-6, float(roots[0])), max(1e-6, float(roots[-1]))
    longest_s = float(lags_s[-1])
    (slice_sd, drift_sd, drift_s), _ = scipy.optimize.curve_fit(
        model,
        lags_s,
        roots,
        p0=(first / 2, last, longest_s / 2),
        bounds=((0, 0, lags_s[0] / 10), (2 * last, 4 * last, 10 * longest_s)),
    )
    return float(slice_sd), float(drift_sd), float(drift_s)


def _cressie_hawkins(differences: Floats) -> float:
    n = len(differences)
    return float(np.mean(np.sqrt(differences)) ** 4 / (0.457 + 0.494 / n) / 2)


def _cold_us(series: Series, short_ms: int) -> float:
    """What a slice loses after another server's, compared to one after its own; 0 at least."""
    own, others = series.level[series.after_own], series.level[~series.after_own]
    if not len(own) or not len(others):
        return 0.0
    return max(0.0, trimmed_mean(own) - trimmed_mean(others)) * short_ms * 1000


def _gap_ms(blocks: Sequence[Block], ramp_ms: int) -> float:
    """The median time from a slice's window to the ramp of the next slice in its block."""
    gaps_ms = [
        (after.event.start_ns - before.event.end_ns) / 1e6 - ramp_ms
        for block in blocks
        for before, after in zip(block.slices, block.slices[1:], strict=False)
    ]
    return max(0.0, median(gaps_ms)) if gaps_ms else USUAL.gap_ms


def _level_sds(plan: Plan, blocks: Sequence[Block], draws: Sequence[Draw]) -> dict[str, float]:
    """One program's on each level, from the median of the pairs'.

    Boots of earlier versions are one draw each: what differs between those is the processes'.
    """
    names = [entry.name for entry in plan.entries]
    paired = pair_up(blocks, draws, names)
    found = [
        paired.estimate(name, plan.reference).spread
        for name in names
        if name != plan.reference and paired.blocks_of(name, plan.reference)
    ]

    def typical(of_pairs: Iterable[float | None]) -> float:
        known = [sd for sd in of_pairs if sd is not None]
        return median(known) / sqrt(2) if known else 0.0

    of_boots = typical(each.boot_sd for each in found)
    return {
        "connections_sd": typical(each.connections_sd for each in found),
        "process_sd": typical(each.process_sd for each in found) if draws else of_boots,
        "boot_sd": of_boots if draws else 0.0,
    }


def _draw_s(plan: Plan, records: Sequence[Record]) -> float:
    rules = [record.draw_s for record in records if isinstance(record, DrawRule)]
    return rules[0] if rules else plan.duration_s / plan.boots


def _instances(plan: Plan, draws: Sequence[Draw]) -> int | None:
    """How many processes of the reference took turns in a boot; None: each draw had a new one."""
    ran = [(draw.boot, draw.processes.get(plan.reference, 0)) for draw in draws]
    if len(set(ran)) == len(ran):
        return None
    return max(len({process for boot, process in ran if boot == given}) for given, _ in ran)
