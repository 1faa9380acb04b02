"""The cost of pauses: an entry's mean speed beside its typical one, on which its ratios rest.

A trimmed mean leaves out events in fewer than two slices of five, so that a collector, a compaction
or a slow lock costs nothing. The mean has all of that. A window shows only a part of a pause that
outlasts it: a sixth of 200 ms every 2 s. So the mean speed is that of Little's law, requests in
flight over mean latency, which counts each request that began in a window however late its answer
came. A pause that began before the window is not counted: a pause that is under way when an entry's
turn comes would count too often. With kept connections, as many requests are in flight as there is
room for.

The cost of an entry's pauses is how far its mean ratio lies below its typical one, draw by draw,
relative to the others' median, since one of those may pause too. The machine slows all entries'
slices, and some programs more than others, but hardly twice as much. So pauses are the entry's own
where the whole interval lies above the distance of the others' mean speeds below their typical
ones.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, isfinite, log, nan

import numpy as np

from bakeoff.judge.compare import Comparison, Pairs, family, width
from bakeoff.judge.history import History, judged_kind
from bakeoff.judge.paired import Paired, pair_up
from bakeoff.judge.spread import Floats, trimmed_mean
from bakeoff.model.finding import Finding
from bakeoff.model.plan import Plan
from bakeoff.model.ratio import Interval

SHARE_MIN = 0.02
DRAWS_MIN = 2


@dataclass(frozen=True)
class Lost:
    """The share of its throughput that an entry lost in pauses beyond what the others lost, with a
    95 % interval that is simultaneous over the entries. `own`: pauses of its own took it."""

    share: float
    low: float
    high: float
    own: bool


@dataclass(frozen=True)
class Speeds:
    """Each entry's ln mean speed, a row per draw, and how far it is below the ln typical one;
    `any_time` as in `History`, `state_sd` as in `compare.width`."""

    mean: Paired
    below: Floats
    any_time: bool = False
    state_sd: float = 0.0

    @classmethod
    def of(cls, plan: Plan, history: History, names: Sequence[str]) -> "Speeds":
        """Those of `names` that keep their connections in a closed loop, none in another."""
        kept = [
            name
            for name in names
            if (plan.mode, plan.connection) == ("closed", "keep-alive")
            and all(entry.verification.keeps_alive for entry in history.started(name))
        ]
        kind = judged_kind(history.blocks)
        blocks = [block for block in history.blocks if block.kind == kind]
        speed = pair_up(blocks, history.draws, kept)
        # The answered requests that began in a window, and how long they took all together.
        began = pair_up(blocks, history.draws, kept, lambda of: of.event.latency_count or nan).ln_y
        waited = pair_up(
            blocks,
            history.draws,
            kept,
            lambda of: of.event.latency_count * of.event.latency_mean_us / 1e6 or nan,
        ).ln_y
        _, first, member = np.unique(
            np.stack([speed.boot, speed.draw]), axis=1, return_index=True, return_inverse=True
        )
        mean, typical = np.full((2, len(first), len(speed.names)), np.nan)
        for column, name in enumerate(speed.names):
            in_flight = history.places(plan, name)
            for row in range(len(first)):
                of_draw = member.ravel() == row
                there = of_draw & np.isfinite(waited[:, column])
                seen = speed.ln_y[of_draw, column]
                if there.any():
                    latency_s = waited[there, column].sum() / began[there, column].sum()
                    mean[row, column] = log(in_flight / latency_s)
                    typical[row, column] = trimmed_mean(seen[np.isfinite(seen)])

        draws = (speed.boot[first], speed.draw[first], speed.process[first])
        own = Paired(speed.names, *draws, mean)
        return cls(own, typical - mean, history.any_time, history.core.state_sd)

    def compared(self) -> Pairs:
        return family(self.mean, DRAWS_MIN, any_time=self.any_time, state_sd=self.state_sd)

    def lost(self, pairs: Pairs) -> Mapping[str, Lost]:
        """By entry, where something is known; `pairs` has the typical ratios."""
        found, names = {}, set(self.mean.names)
        for column, name in enumerate(self.mean.names):
            own_pairs = [pair for pair in pairs if name in pair <= names]
            taken = [self._taken(name, pairs[pair], *pair - {name}) for pair in own_pairs]
            each = np.array([_median(row) for row in np.array(taken).T])
            if np.isfinite(each).sum() < DRAWS_MIN:
                continue
            estimate = self.mean.estimate_of(each, name, name)
            ends = width(estimate, len(names), any_time=self.any_time).simultaneous
            low, high = estimate.centre - ends, estimate.centre + ends
            share = 1 - exp(-estimate.centre)
            others = _median(np.delete(self.below, column, axis=1).mean(axis=0))
            own = share >= SHARE_MIN and low > max(0.0, others)
            if isfinite(ends):
                found[name] = Lost(share, max(0.0, 1 - exp(-low)), 1 - exp(-high), own)
        return found

    def _taken(self, name: str, typical: Comparison, other: str) -> list[float]:
        """ln of the typical ratio over the mean one, a row per draw; NaN where one is missing."""
        ratios = (typical.short or typical).draw_ratios(name)
        centres = {(ratio.boot, ratio.draw): log(ratio.ratio) for ratio in ratios}
        draws = zip(self.mean.boot, self.mean.draw, self.mean.log_ratio(name, other), strict=True)
        return [centres.get((boot, draw), nan) - of_means for boot, draw, of_means in draws]


def with_cost(
    findings: Sequence[Finding], lost: Lost | None, reference: str, mean_ratio: Interval | None
) -> tuple[Finding, ...]:
    """The findings on an entry, with the cost of its pauses in place of their stillness.

    If it stood still, the pauses are its own, however few they were.
    """
    still = [finding for finding in findings if finding.code in ("stood_still", "silent_slices")]
    if not lost or not (lost.own or (still and lost.share >= SHARE_MIN)):
        return tuple(findings)
    keys = ("ratio", "low", "high")
    cost = Finding.of(
        "pauses_cost",
        *still,
        share=lost.share,
        share_low=lost.low,
        share_high=lost.high,
        reference=reference,
        **{key: getattr(mean_ratio, key, None) for key in keys},
    )
    return (*(finding for finding in findings if finding not in still), cost)


def _median(values: Floats) -> float:
    """The median of the values that are not NaN; NaN: there are none."""
    there = values[np.isfinite(values)]
    return float(np.median(there)) if len(there) else float("nan")
