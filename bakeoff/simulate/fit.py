"""The conditions of a real race, from its samples: `bakeoff simulate --like RUN`.

Drift and a slice's own noise are told apart by the variogram, half the mean squared difference of
ln throughput over the time between two slices: slice_sd² + drift_sd²·(1 − exp(−h/τ)). Its robust
estimate is that of Cressie and Hawkins, Mathematical Geology 12(2), 1980: slices have heavy tails.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import median

import numpy as np
import scipy
from numpy.typing import NDArray

from bakeoff.judge import boot_spread
from bakeoff.judge.bootstrap import sample
from bakeoff.judge.cost import steal_share
from bakeoff.judge.paired import ln_throughput, pair_up
from bakeoff.judge.robust import trimmed_mean
from bakeoff.model.errors import BadUsage
from bakeoff.model.plan import Plan
from bakeoff.model.samples import Block, Record, SliceLengths, Warmup
from bakeoff.model.simulation import Conditions
from bakeoff.simulate.conditions import USUAL
from bakeoff.simulate.server import SERVICE_CV

Floats = NDArray[np.float64]
MIN_BLOCKS = 30
STEPS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128)
"""How many slices on: the pairs of slices whose differences tell noise and drift apart."""


@dataclass(frozen=True)
class Series:
    """The short slices of all boots in their order. `level` is ln throughput about the entry's own
    in that boot; `after_own` marks those that followed a slice of the same server."""

    boot: NDArray[np.int64]
    at_s: Floats
    level: Floats
    after_own: NDArray[np.bool_]


def conditions_of(plan: Plan, records: Sequence[Record]) -> Conditions:
    """Those that the run met, whose reference stands for its servers. Raises `BadUsage` where
    fewer than 30 short blocks with an answer in each slice were measured."""
    blocks = [each for each in records if isinstance(each, Block)]
    short = [block for block in blocks if block.kind == "short"]
    if plan.mode != "closed":
        raise BadUsage(f"--like {plan.run}: was an open loop; it takes a closed one")
    if len(short) < MIN_BLOCKS or len(plan.entries) < 2:
        raise BadUsage(
            f"--like {plan.run}: has {len(short)} short blocks of {len(plan.entries)} servers; it "
            f"takes {MIN_BLOCKS} blocks of two at least"
        )
    lengths = _lengths(plan, records)
    cpus = frozenset(plan.cores.server + plan.cores.client)
    seen = _series(short)
    noise_sd, drift_sd, drift_s = _weather(seen)
    reference = [
        one.event.requests_per_s
        for block in short
        for one in block.slices
        if one.entry == plan.reference
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
        cold_us=_cold_us(seen, lengths.short_ms),
        steals_per_s=(steal_share(blocks, cpus) or 0.0) * len(cpus) * 1000 / USUAL.steal_ms,
        steal_ms=USUAL.steal_ms,
        boot_sd=_boot_sd(plan, short),
        # Which was started last is part of what differs from boot to boot.
        start_order=0.0,
    )


def _lengths(plan: Plan, records: Sequence[Record]) -> SliceLengths:
    for record in records:
        if isinstance(record, Warmup) and plan.reference in record.lengths:
            return record.lengths[plan.reference]
    raise BadUsage(f"--like {plan.run}: its reference, {plan.reference}, was never up")


def _series(blocks: Sequence[Block]) -> Series:
    turns = [(block.boot, one) for block in blocks for one in block.slices]
    boot = np.array([boot for boot, _ in turns])
    names = np.array([one.entry for _, one in turns])
    level = np.array([ln_throughput(one) for _, one in turns])
    for number in np.unique(boot):
        for name in np.unique(names):
            theirs = (boot == number) & (names == name)
            level[theirs] -= trimmed_mean(level[theirs]) if theirs.any() else 0.0
    return Series(
        boot=boot,
        at_s=np.array([one.event.start_ns / 1e9 for _, one in turns]),
        level=level,
        after_own=np.concatenate([[False], (names[1:] == names[:-1]) & (boot[1:] == boot[:-1])]),
    )


def _weather(seen: Series) -> tuple[float, float, float]:
    """slice_sd, drift_sd, drift_s: least squares of the model on the variogram's root."""
    found = []
    for step in STEPS[: int(np.searchsorted(STEPS, len(seen.level) // 4))]:
        together = seen.boot[step:] == seen.boot[:-step]
        apart_s = (seen.at_s[step:] - seen.at_s[:-step])[together]
        differences = np.abs(seen.level[step:] - seen.level[:-step])[together]
        # Pairs with a long block between them are further apart than their step says.
        usual = apart_s < 1.5 * np.median(apart_s)
        found.append((apart_s[usual].mean(), np.sqrt(_cressie_hawkins(differences[usual]))))
    lags_s, roots = np.array(found).T

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


def _cold_us(seen: Series, short_ms: int) -> float:
    """What a slice after another server's has less than one after its own, as time; 0 at least."""
    own, others = seen.level[seen.after_own], seen.level[~seen.after_own]
    if not len(own) or not len(others):
        return 0.0
    return max(0.0, trimmed_mean(own) - trimmed_mean(others)) * short_ms * 1000


def _gap_ms(blocks: Sequence[Block], ramp_ms: int) -> float:
    """From a slice's window to the ramp of the next in its block, the middle one."""
    gaps_ms = [
        (after.event.start_ns - before.event.end_ns) / 1e6 - ramp_ms
        for block in blocks
        for before, after in zip(block.slices, block.slices[1:], strict=False)
    ]
    return max(0.0, median(gaps_ms)) if gaps_ms else USUAL.gap_ms


def _boot_sd(plan: Plan, blocks: Sequence[Block]) -> float:
    """One program's, by the judge's own estimate of each pair's: the median of its posterior."""
    names = [entry.name for entry in plan.entries]
    paired = pair_up(blocks, names)
    found = []
    for name in names:
        if name != plan.reference and paired.blocks_of(name, plan.reference):
            spread = sample(paired, name, plan.reference, boots_are_blocks=False).spread
            assert spread is not None
            found.append(float(boot_spread.draw(spread, np.array([0.5]))[0]))
    return median(found) / sqrt(2) if found else USUAL.boot_sd
