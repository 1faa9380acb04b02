"""The claims of an article: each holds, does not hold, or can't be decided.

The evidence is what a comparison of the article measured: intervals of ratios in any metric.

Throughput has the race's own simultaneous intervals, with one end where a row did at least what was
measured. Latency is compared in long slices, block by block, with the levels of the race. Memory is
compared boot by boot, and the output of load tools round by round, with Student's t. Each of these
intervals holds for its one pair alone.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import inf, log, nan
from typing import Literal, Protocol

import numpy as np

from bakeoff.judge.calm import calm
from bakeoff.judge.compare import MIN_BLOCKS, family
from bakeoff.judge.history import History
from bakeoff.judge.latency import merge, summary
from bakeoff.judge.paired import Paired, pair_up
from bakeoff.model.article import Article, Claim, Metric
from bakeoff.model.entry import VerdictEntry
from bakeoff.model.finding import Finding
from bakeoff.model.load import Latency
from bakeoff.model.plan import Plan
from bakeoff.model.ratio import Interval, Ratio
from bakeoff.model.replay import ClaimResult
from bakeoff.model.samples import Block, Record, Slice, ToolRun
from bakeoff.model.verdict import Verdict

# The short slices of a slow server last this long too, and the drain cuts little of them.
LASTING_NS = 250_000_000
MIN_BOOTS = 2
MIN_ROUNDS = 5

Outcome = Literal["holds", "does not hold", "can't tell"]
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
    """The measurements of one comparison."""

    def interval(self, metric: Metric, of: str, over: str) -> Ratio | Finding:
        """The ratio `of` / `over` in `metric`, or why there is none."""


@dataclass(frozen=True)
class RaceEvidence:
    """A race of our own engine."""

    plan: Plan
    verdict: Verdict
    records: Sequence[Record]

    def interval(self, metric: Metric, of: str, over: str) -> Ratio | Finding:
        entries = {entry.name: entry for entry in self.verdict.entries}
        for name in (of, over):
            if fault := self.verdict.trouble(name):
                return fault
        if metric in LATENCIES:
            for name in (of, over):
                if entries[name].at_least:
                    return Finding.of("generator_in_latency", name=name)
            return self._latency(LATENCIES[metric], of, over)
        if metric == "memory":
            return self._memory(of, over)
        if metric == "cpu":
            return Finding.of("cpu_not_compared")
        pair = self.verdict.pair(of, over)
        if pair is None:
            return Finding.of("few_blocks_side_by_side")
        if metric == "bytes_per_s":
            return _scaled(pair.ratio, _weight(entries[of]) / _weight(entries[over]))
        return pair.ratio

    def _latency(self, metric: LatencyMetric, of: str, over: str) -> Ratio | Finding:
        history = History.of(self.records)
        cpus = self.plan.cores.here

        def merit(slice_: Slice) -> float:
            latency = summary(merge([slice_.event]))
            value = metric(latency) if latency else None
            return log(value) if value else nan

        lasting = [
            block.model_copy(update={"slices": tuple(filter(partial(_lasts, block), block.slices))})
            for block in calm(history.blocks, cpus)
        ]
        paired = pair_up(lasting, history.draws, (of, over), merit)
        return _compared(paired, (of, over), MIN_BLOCKS, "long blocks")

    def _memory(self, of: str, over: str) -> Ratio | Finding:
        rows = [
            (end.boot, {name: used.pss_mib for name, used in end.loaded.items()})
            for end in History.of(self.records).ends
        ]
        return _by_rows(rows, (of, over), MIN_BOOTS, "boots")


@dataclass(frozen=True)
class ToolEvidence:
    """Rounds of a load tool: each row has one run in each round."""

    runs: Sequence[ToolRun]

    def interval(self, metric: Metric, of: str, over: str) -> Ratio | Finding:
        if metric in ("memory", "cpu"):
            return Finding.of("not_read", metric=metric)
        rounds: dict[int, dict[str, float | None]] = {}
        for run in self.runs:
            rounds.setdefault(run.round, {})[run.row] = _of_tool(run, metric)
        failures = [run.failure for run in self.runs if run.row in (of, over) and run.failure]
        rows = sorted(rounds.items())
        what, failure = "rounds with the figure", failures[0] if failures else None
        return _by_rows(rows, (of, over), MIN_ROUNDS, what, failure)


def agreement(runs: Sequence[ToolRun], row: str) -> Interval | Finding:
    """The requests per second of `row` that the engine makes, over those that the tool makes."""
    rounds: dict[int, dict[str, float | None]] = {}
    for run in runs:
        if run.row == row:
            loader = "engine" if run.loader == "engine" else "tool"
            rounds.setdefault(run.round, {})[loader] = _of_tool(run, "requests_per_s")
    return _by_rows(sorted(rounds.items()), ("engine", "tool"), MIN_ROUNDS, "rounds")


def _scaled(ratio: Ratio, factor: float) -> Ratio:
    return ratio.model_copy(
        update={
            key: factor * value
            for key in ("ratio", "low", "high")
            if (value := getattr(ratio, key)) is not None
        }
    )


def _by_rows(
    rows: Sequence[tuple[int, Mapping[str, float | None]]],
    names: tuple[str, str],
    least: int,
    what: str,
    failure: str | None = None,
) -> Interval | Finding:
    """The ratio of the two from rows of (number, value by name), each a boot or a round."""
    table = [[log(value) if (value := row.get(name)) else nan for name in names] for _, row in rows]
    numbers = np.array([number for number, _ in rows], dtype=np.int64)
    paired = Paired.of_boots(names, numbers, np.array(table).reshape(-1, 2))
    return _compared(paired, names, least, what, failure)


def _compared(
    paired: Paired, names: tuple[str, str], least: int, what: str, failure: str | None = None
) -> Interval | Finding:
    found = family(paired, least)
    if not found:
        n = paired.blocks_of(*names)
        return Finding.of("few_pairs", n=n, least=least, what=what, failure=failure)
    return found[frozenset(names)].interval_alone(names[0])


def _lasts(block: Block, slice_: Slice) -> bool:
    return block.kind == "long" or slice_.event.window_ns >= LASTING_NS


def _of_tool(run: ToolRun, metric: Metric) -> float | None:
    if run.result is None:
        return None
    if metric in LATENCIES:
        return LATENCIES[metric](run.result.latency_us) if run.result.latency_us else None
    return run.result.requests_per_s if metric == "requests_per_s" else run.result.bytes_per_s


def _weight(entry: VerdictEntry) -> int:
    weight = entry.bytes_per_response
    return max(1, weight.head + weight.body)


def decide(
    article: Article, evidence: Mapping[str, Evidence], missing: Mapping[str, str]
) -> tuple[ClaimResult, ...]:
    """All claims, in the article's order.

    `evidence` is by comparison; `missing` has the reason for each comparison without any.
    """
    return tuple(_decided(article, claim, evidence, missing) for claim in article.claims)


def outcome(claim: Claim, measured: Ratio) -> Outcome:
    """Holds where the whole interval lies in the claim's range, does not where none of it does.

    An end that the interval lacks lies beyond all ranges that have one on that side. A ratio that
    is just an end of the range (two that hold the same memory, to the byte) can't be told.
    """
    above, below = claim.above or 0.0, claim.below or inf
    low, high = measured.ends
    inside, outside = low >= above and high <= below, high <= above or low >= below
    if inside == outside:
        return "can't tell"
    return "holds" if inside else "does not hold"


def _decided(
    article: Article, claim: Claim, evidence: Mapping[str, Evidence], missing: Mapping[str, str]
) -> ClaimResult:
    measured: Ratio | Finding
    if claim.undecidable:
        measured = Finding.of("text", text=claim.undecidable)
    elif claim.comparison in evidence:
        measured = evidence[claim.comparison].interval(claim.metric, claim.of, claim.over)
    elif claim.comparison in missing:
        measured = Finding.of("text", text=missing[claim.comparison])
    else:
        measured = Finding.of("comparison_missing")
    interval = measured if isinstance(measured, Ratio) else None
    return ClaimResult(
        text=claim.text,
        comparison=claim.comparison,
        metric=claim.metric,
        of=claim.of,
        over=claim.over,
        above=claim.above,
        below=claim.below,
        published=_published(article, claim),
        finding=outcome(claim, interval) if interval else "can't tell",
        measured=interval,
        why=measured if isinstance(measured, Finding) else None,
        unequal=claim.unequal,
    )


def _published(article: Article, claim: Claim) -> float | None:
    rows = {row.name: row for row in article.comparison(claim.comparison).rows}
    of, over = (rows[name].published.value(claim.metric) for name in (claim.of, claim.over))
    return of / over if of is not None and over else None
