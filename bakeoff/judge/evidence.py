"""What a comparison of an article measured, as intervals of ratios in any metric.

Throughput has the race's own simultaneous intervals. Latency is compared in long slices, block by
block, memory boot by boot, and what load tools print round by round: each with the bootstrap of
the race, for its one pair alone.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import Protocol

import numpy as np

from bakeoff.judge.compare import MIN_LONG_BLOCKS, family
from bakeoff.judge.disturbed import calm
from bakeoff.judge.history import history
from bakeoff.judge.latency import merge, summary
from bakeoff.judge.paired import Paired
from bakeoff.model.article import Metric
from bakeoff.model.plan import Plan
from bakeoff.model.replay import ToolRun
from bakeoff.model.samples import Block, Record, Slice
from bakeoff.model.verdict import Interval, Latency, Verdict, VerdictEntry

# Of a slower server even the short slices last so long that what the drain cuts is little.
LASTING_NS = 250_000_000
MIN_BOOTS = 2
MIN_ROUNDS = 5

LatencyMetric = Callable[[Latency], float | None]
LATENCIES: dict[Metric, LatencyMetric] = {
    "latency_p50": lambda latency: latency.p50,
    "latency_p99": lambda latency: latency.p99,
    "latency_stdev": lambda latency: latency.stdev,
    "latency_p99_over_p50": lambda latency: (
        latency.p99 / latency.p50 if latency.p99 and latency.p50 else None
    ),
}


class Evidence(Protocol):
    """What one comparison measured."""

    def interval(self, metric: Metric, of: str, over: str) -> Interval | str:
        """The ratio `of` / `over` in `metric`, or in words why there is none."""


@dataclass(frozen=True)
class RaceEvidence:
    """A race of our own engine."""

    plan: Plan
    verdict: Verdict
    records: Sequence[Record]

    def interval(self, metric: Metric, of: str, over: str) -> Interval | str:
        """See `Evidence`."""
        entries = {entry.name: entry for entry in self.verdict.entries}
        for name in (of, over):
            if name not in entries:
                return self.verdict.trouble(name)
            if not entries[name].valid:
                return f"the figures of {name} can't stand: {'; '.join(entries[name].reasons)}"
        if metric in LATENCIES:
            return self._latency(LATENCIES[metric], of, over)
        if metric == "memory":
            return self._memory(of, over)
        if metric == "cpu":
            return "what the whole machine used is not compared: the generator is part of it"
        found = self._throughput(of, over)
        if metric == "bytes_per_s" and isinstance(found, Interval):
            return scaled(found, _weight(entries[of]) / _weight(entries[over]))
        return found

    def _throughput(self, of: str, over: str) -> Interval | str:
        pair = self.verdict.pair(of, over)
        if pair is None:
            return "too few blocks were measured side by side; a larger --scale measures more"
        return Interval(
            ratio=pair.ratio,
            low=pair.low,
            high=pair.high,
            n=pair.n,
            boots=max(1, self.verdict.boots),
        )

    def _latency(self, metric: LatencyMetric, of: str, over: str) -> Interval | str:
        cpus = frozenset(self.plan.cores.server + self.plan.cores.client)
        blocks = calm(history(self.records).blocks, cpus)
        rows = [(block.boot, _by_entry(block, metric, (of, over))) for block in blocks]
        what = "blocks of long slices, which latencies are taken from,"
        return _paired(rows, (of, over), MIN_LONG_BLOCKS, False, self.plan.seed, what)

    def _memory(self, of: str, over: str) -> Interval | str:
        rows = [
            (end.boot, {name: used.pss_mib for name, used in end.loaded.items()})
            for end in history(self.records).ends
        ]
        return _paired(rows, (of, over), MIN_BOOTS, True, self.plan.seed, "boots")


@dataclass(frozen=True)
class ToolEvidence:
    """Rounds of a load tool: in each, every row had one run."""

    runs: Sequence[ToolRun]
    seed: int

    def interval(self, metric: Metric, of: str, over: str) -> Interval | str:
        """See `Evidence`."""
        if metric in ("memory", "cpu"):
            return f"{metric} is not read while a tool makes the load"
        rounds: dict[int, dict[str, float | None]] = {}
        for run in self.runs:
            rounds.setdefault(run.round, {})[run.row] = _of_tool(run, metric)
        failures = [run.failure for run in self.runs if run.row in (of, over) and run.failure]
        rows = sorted(rounds.items())
        what = f"rounds with that figure{f' ({failures[0]})' if failures else ''}"
        return _paired(rows, (of, over), MIN_ROUNDS, True, self.seed, what)


def agreement(runs: Sequence[ToolRun], row: str, seed: int) -> Interval | str:
    """How many requests per second the engine makes of `row`, over what the tool makes of it."""
    rounds: dict[int, dict[str, float | None]] = {}
    for run in runs:
        if run.row == row:
            loader = "engine" if run.loader == "engine" else "tool"
            rounds.setdefault(run.round, {})[loader] = _of_tool(run, "requests_per_s")
    return _paired(sorted(rounds.items()), ("engine", "tool"), MIN_ROUNDS, True, seed, "rounds")


def scaled(found: Interval, factor: float) -> Interval:
    """The interval of a ratio that is `factor` times as large."""
    return found.model_copy(
        update={key: factor * getattr(found, key) for key in ("ratio", "low", "high")}
    )


def _paired(
    rows: Sequence[tuple[int, Mapping[str, float | None]]],
    names: tuple[str, str],
    least: int,
    rows_are_boots: bool,
    seed: int,
    what: str,
) -> Interval | str:
    """The ratio of the two from (boot, value by name) rows; those without both say nothing."""
    of, over = names
    whole = [(boot, a, b) for boot, row in rows if (a := row.get(of)) and (b := row.get(over))]
    if len(whole) < least:
        return f"{len(whole)} {what} have both, and {least} are the least; a larger --scale helps"
    columns = (of, over) if of < over else (over, of)
    table = np.array([(log(a), log(b)) for _, a, b in whole])
    boots = np.array([boot for boot, _, _ in whole], dtype=np.int64)
    paired = Paired(columns, boots, table if of < over else table[:, ::-1])
    return family(paired, least, rows_are_boots, seed)[frozenset(names)].interval_alone(of)


def _by_entry(
    block: Block, metric: LatencyMetric, names: tuple[str, str]
) -> dict[str, float | None]:
    return {
        one.entry: _of_slice(one, metric)
        for one in block.slices
        if one.entry in names and (block.kind == "long" or one.event.window_ns >= LASTING_NS)
    }


def _of_slice(one: Slice, metric: LatencyMetric) -> float | None:
    found = summary(merge([one.event]))
    return metric(found) if found else None


def _of_tool(run: ToolRun, metric: Metric) -> float | None:
    if run.result is None:
        return None
    if metric in LATENCIES:
        return LATENCIES[metric](run.result.latency_us) if run.result.latency_us else None
    return run.result.requests_per_s if metric == "requests_per_s" else run.result.bytes_per_s


def _weight(entry: VerdictEntry) -> int:
    weight = entry.bytes_per_response
    return max(1, weight.head + weight.body)
