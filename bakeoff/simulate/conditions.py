"""The conditions of a simulated race: the usual ones, a real race's, or those of a machine's races.

The variogram separates drift from a slice's own noise. It is half the mean squared difference of ln
throughput over the time between two slices: slice_sd² + drift_sd²·(1 − exp(−h/τ)). Its robust
estimate is that of Cressie and Hawkins, Mathematical Geology 12(2), 1980: slices have heavy tails.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import median

import numpy as np
from numpy.typing import NDArray

from bakeoff.judge.calm import steal_share
from bakeoff.judge.paired import ln_throughput, pair_up
from bakeoff.judge.spread import trimmed_mean
from bakeoff.model.cut import Draw, DrawRule, SliceLengths, Warmup
from bakeoff.model.errors import BadUsage
from bakeoff.model.plan import SLICE_MS_MIN, Plan
from bakeoff.model.ratio import Spread
from bakeoff.model.samples import Block, Record
from bakeoff.model.simulation import Conditions
from bakeoff.model.verdict import Verdict
from bakeoff.report.figures import plural
from bakeoff.simulate.server import SERVICE_CV

TRIMMED_SD = 0.85
"""The √n-fold standard error of a trimmed mean of such slices' differences, over their sd."""
Floats = NDArray[np.float64]
MIN_BLOCKS = 30
STEPS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128)
"""The distances of the pairs of slices whose differences separate noise from drift."""

USUAL = Conditions(
    source="a shared virtual machine with 2 cores",
    # libuv and http_parser there (records/2026-11-21-default-race).
    requests_per_s=100_000,
    connections=64,
    # From a slice's end to the next one's ramp: drain, accounting, a command to the engine.
    gap_ms=2.0,
    # Two slices of one server differed by an sd of 5 % at 30 to 60 ms, 9 % at 0.1 to 0.2 s, 12 % at
    # 0.3 to 0.5 s and 19 % beyond 5 s, on a noisy machine; these make 5.4, 8.3, 12 and 19 %. A
    # quiet one has a tenth.
    drift_sd=0.13,
    drift_s=0.8,
    slice_sd=0.022,
    # Steal was 0.35 % of two cores in same-server-twice; a tick of 10 ms at a time.
    steals_per_s=0.7,
    steal_ms=10,
    # Rounds of two copies of libuv, 2.5 s each: ln ratio had an sd of 0.55 to 0.75 % beyond the
    # noise within a round, with new connections as with new processes; Go 1 to 1.2 %, Node 0.4 %
    # with new connections and 1.8 % with new processes.
    connections_sd=0.004,
    process_sd=0.004,
    # Boots were seen to differ only by their processes and connections.
    boot_sd=0.0,
)


@dataclass(frozen=True)
class Series:
    """The short slices of all boots in order. `level` is ln throughput minus the entry's trimmed
    mean in that boot."""

    boot: NDArray[np.int64]
    at_s: Floats
    level: Floats


def conditions_of(plan: Plan, records: Sequence[Record]) -> Conditions:
    """The conditions of a run, whose reference represents all its servers.

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
    warmups = [record for record in records if isinstance(record, Warmup)]
    lengths = next((warm.lengths for warm in warmups if plan.reference in warm.lengths), None)
    if lengths is None:
        raise BadUsage(f"--like {plan.run}: its reference, {plan.reference}, was never measured")
    cpus = plan.cores.here
    noise_sd, drift_sd, drift_s = _weather(_series(short))
    reference = [
        measured.event
        for block in short
        for measured in block.slices
        if measured.entry == plan.reference
    ]
    answered = max(1.0, median(event.requests for event in reference))
    return Conditions(
        source=f"run {plan.run}",
        requests_per_s=max(1.0, median(event.requests_per_s for event in reference)),
        connections=plan.connections,
        gap_ms=_gap_ms(short, lengths),
        drift_sd=drift_sd,
        drift_s=drift_s,
        # The queue's own part of it comes with the simulated servers.
        slice_sd=sqrt(max(0.0, noise_sd**2 - SERVICE_CV**2 / answered)),
        steals_per_s=(steal_share(blocks, cpus) or 0.0) * len(cpus) * 1000 / USUAL.steal_ms,
        steal_ms=USUAL.steal_ms,
        **_level_sds(plan, short, draws),
        lasting=any(
            record.redrawn[plan.reference].what == "connections"
            for record in records
            if isinstance(record, DrawRule) and plan.reference in record.redrawn
        ),
    )


def _series(blocks: Sequence[Block]) -> Series:
    slices = [slice_ for block in blocks for slice_ in block.slices]
    boot = np.array([block.boot for block in blocks for _ in block.slices])
    names = np.array([slice_.entry for slice_ in slices])
    level = np.array(list(map(ln_throughput, slices)))
    for number in np.unique(boot):
        for name in np.unique(names):
            theirs = (boot == number) & (names == name)
            level[theirs] -= trimmed_mean(level[theirs]) if theirs.any() else 0.0
    return Series(
        boot=boot, at_s=np.array([slice_.event.start_ns / 1e9 for slice_ in slices]), level=level
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

    first, last = max(1e-6, float(roots[0])), max(1e-6, float(roots[-1]))
    longest_s = float(lags_s[-1])
    at = np.array([first / 2, last, longest_s / 2])
    least, most = (0.0, 0.0, lags_s[0] / 10), (2 * last, 4 * last, 10 * longest_s)

    def model(slice_sd: float, drift_sd: float, drift_s: float) -> tuple[Floats, Floats]:
        """The root at each lag, and its derivatives."""
        reached = -np.expm1(-lags_s / drift_s)
        root = np.sqrt(slice_sd**2 + drift_sd**2 * reached)
        of_s = -(drift_sd**2) * (1 - reached) * lags_s / drift_s**2 / 2
        return root, np.array([slice_sd + 0 * root, drift_sd * reached, of_s]).T / root[:, None]

    # Levenberg's and Marquardt's method: Newton's where the fit is good, downhill elsewhere.
    damping = 1e-3
    for _ in range(500):
        fit, slopes = model(*at)
        curvature, downhill = slopes.T @ slopes, slopes.T @ (roots - fit)
        damped = curvature + damping * np.diag(curvature.diagonal() + 1e-12)
        there = np.clip(at + np.linalg.solve(damped, downhill), least, most)
        if np.sum((roots - model(*there)[0]) ** 2) < np.sum((roots - fit) ** 2):
            at, damping = there, damping / 4
        elif (damping := damping * 4) > 1e9:
            break
    return float(at[0]), float(at[1]), float(at[2])


def _cressie_hawkins(differences: Floats) -> float:
    n = len(differences)
    return float(np.mean(np.sqrt(differences)) ** 4 / (0.457 + 0.494 / n) / 2)


def _gap_ms(blocks: Sequence[Block], lengths: Mapping[str, SliceLengths]) -> float:
    """The median time from a slice's window to the ramp of the next slice in its block."""
    gaps_ms = [
        (after.event.start_ns - before.event.end_ns) / 1e6 - lengths[after.entry].ramp_ms
        for block in blocks
        for before, after in zip(block.slices, block.slices[1:], strict=False)
        if after.entry in lengths
    ]
    return max(0.0, median(gaps_ms)) if gaps_ms else USUAL.gap_ms


def _level_sds(plan: Plan, blocks: Sequence[Block], draws: Sequence[Draw]) -> dict[str, float]:
    """One program's sd on each level, from the median of the pairs'.

    Boots of earlier versions are one draw each: the difference between those is that of processes.
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

    of_boots = typical(spread.boot_sd for spread in found)
    return {
        "connections_sd": typical(spread.connections_sd for spread in found),
        "process_sd": typical(spread.process_sd for spread in found) if draws else of_boots,
        "boot_sd": of_boots if draws else 0.0,
    }


def conditions_of_past(verdicts: Iterable[Verdict], names: Sequence[str] = ()) -> Conditions | None:
    """The conditions of one machine's races: the median spread of their ratios, over the pairs of
    `names`, by default of all entries and their references. None: there was no such ratio."""
    found = [
        (verdict, entry, entry.spread)
        for verdict in verdicts
        if verdict.mode == "closed"
        for entry in verdict.entries
        if entry.spread and {entry.name, verdict.reference} >= set(names)
    ]
    if not found:
        return None
    requests_per_s = max(1.0, median(entry.requests_per_s for _, entry, _ in found))
    slice_ms = median(entry.slice_ms or SLICE_MS_MIN for _, entry, _ in found)
    of = " and ".join(names) or "all contenders"
    return conditions_of_spreads(
        [spread for _, _, spread in found],
        source=f"this machine's history, {plural(len(found), 'ratio')} of {of}",
        requests_per_s=requests_per_s,
        connections=round(median(verdict.connections for verdict, _, _ in found)),
        answered=requests_per_s * slice_ms / 1000,
    )


def conditions_of_spreads(
    spreads: Sequence[Spread],
    *,
    source: str,
    requests_per_s: float,
    connections: int,
    answered: float,
) -> Conditions:
    """The median spread of ratios whose slices had this many requests `answered`.

    The spread of blocks contains the machine's weather, so the conditions have none besides.
    """

    def typical(level: Callable[[Spread], float | None]) -> float:
        known = [sd for spread in spreads if (sd := level(spread)) is not None]
        return median(known) / sqrt(2) if known else 0.0

    slice_sd = typical(lambda spread: spread.block_sd) / TRIMMED_SD
    return Conditions(
        source=source,
        requests_per_s=requests_per_s,
        connections=connections,
        gap_ms=USUAL.gap_ms,
        drift_sd=0.0,
        drift_s=USUAL.drift_s,
        slice_sd=sqrt(max(0.0, slice_sd**2 - SERVICE_CV**2 / answered)),
        steals_per_s=0.0,
        steal_ms=USUAL.steal_ms,
        connections_sd=typical(lambda spread: spread.connections_sd),
        process_sd=typical(lambda spread: spread.process_sd),
        boot_sd=typical(lambda spread: spread.boot_sd),
        lasting=median(spread.processes / spread.draws for spread in spreads) <= 0.5,
    )
