"""Results as Python sees them: data frames, latencies, pairs and gates of a run."""

import os
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from bakeoff.model.compare import RunsComparison
from bakeoff.model.errors import BadUsage, NoVerdict, nearest
from bakeoff.model.gate import GateResult
from bakeoff.model.pairs import Pair
from bakeoff.model.plan import Plan
from bakeoff.model.samples import Block, Record, ToolRun
from bakeoff.model.verdict import Verdict
from bakeoff.plan import race_gate
from bakeoff.plan.values import parse_share
from bakeoff.report.document import Document
from bakeoff.report.sentences import joined

if TYPE_CHECKING:
    from bakeoff.judge.latency import Merged

Row = dict[str, str | int | float | bool | None]


class Reported(ABC):
    """A result with a report: it shows itself in a notebook, as Markdown and as a data frame."""

    @abstractmethod
    def document(self) -> Document:
        """The report as data, before it is rendered."""

    def to_markdown(self) -> str:
        """The report as Markdown."""
        from bakeoff.report import render

        return render.markdown(self.document())

    def _repr_html_(self) -> str:
        from bakeoff.report import render

        return str(render.snippet(self.document()))

    def _frame(self) -> Any:
        from bakeoff.report import render

        rows = [
            {"contender" if column == "name" else column: value for column, value in row.items()}
            for row in self.document().data
        ]
        return render.frame(rows)


class Results(Reported):
    """The results of a run that was measured and judged; most of them are those of a race."""

    kind: ClassVar[str]
    """What was measured, by its name in `bakeoff`, such as `race` or `day`."""
    path: Path
    """Its folder, with plan, samples, result and report."""

    @property
    @abstractmethod
    def plan(self) -> Any:
        """The decisions before the start; of the type that fits the kind."""

    @property
    @abstractmethod
    def result(self) -> Any:
        """The whole result, of the type that fits the kind. Raises `BadUsage` without one."""

    @property
    @abstractmethod
    def parts(self) -> Mapping[str, "Results"]:
        """The races of a grid or a replay, by the names of their folders; a race has none."""

    @abstractmethod
    def records(self) -> Sequence[Record]:
        """The log, in order."""

    @property
    def verdict(self) -> Verdict:
        """The result of a race. Raises `BadUsage` for another kind of run."""
        if not isinstance(self.result, Verdict):
            raise self._no_race()
        return self.result

    def entries(self) -> Any:
        """A data frame of the result, a row per contender, with the columns of report.csv.

        The contender's name is in `contender`, here as in `blocks`. A grid has a row per contender
        and cell, a replay one per row of the article, a crosscheck one per comparison. The frame
        comes from polars or pandas, whichever is installed. Raises `MissingPiece` without either.
        """
        return self._frame()

    def blocks(self) -> Any:
        """A data frame of the measurements, a row per slice or run of a load tool.

        `boot`, `block`, `turn` (place within the block) and `kind` (short, long) say when it was;
        in a grid or a replay `part` says which race. `rate` is the offered load, None in a closed
        loop. Blocks that the verdict leaves out, as the host took the cores away, are included.
        """
        from bakeoff.report import render

        rows = list(_rows(self.records()))
        for name, part in self.parts.items():
            rows += [{"part": name, **row} for row in _rows(part.records())]
        return render.frame(rows)

    def latencies(self, name: str) -> "Latencies":
        """The latencies of one contender of a race, from the same slices as the verdict's.

        Raises `BadUsage` where the contender doesn't exist.
        """
        from bakeoff.judge.calm import calm
        from bakeoff.judge.history import History
        from bakeoff.judge.latency import merge

        plan, name = self._race_plan, self._entry_name(name)
        samples = History.of(self.records())
        kept = calm(samples.blocks, plan.cores.here)
        return Latencies(name, merge(replace(samples, blocks=kept).lasting(name)))

    def slower(self, name: str, than: str | None = None, by: float | str = 0.0) -> bool:
        """Whether `name` is surely slower than `than`, the reference if None, by more than `by`.

        The whole simultaneous 95 % interval decides, as for a gate: False if `name` is as fast or
        faster, or if that can't be told. A contender that was limited by the load generator did at
        least what was measured, and is never surely slower. `by` is a share: 0.02 or "2 %". In an
        open loop, which is ranked by p99 latency, slower means a higher p99. Raises `NoVerdict`
        where one of them has no valid result.
        """
        pair = self.pair(name, than)
        return pair.ratio.ends[1] < 1 - _margin(by)

    def faster(self, name: str, than: str | None = None, by: float | str = 0.0) -> bool:
        """Whether `name` is surely faster than `than` by more than `by`; see `slower`."""
        pair = self.pair(name, than)
        return pair.ratio.ends[0] > 1 + _margin(by)

    def pair(self, name: str, than: str | None = None) -> Pair:
        """The ratio of two contenders of a race, with its simultaneous 95 % interval.

        Its `ratio` lacks an end if the load generator was the limit. `than` is the reference if
        None. Both may be given as to `race`. Raises `BadUsage`, and `NoVerdict` where one of them
        has no valid result.
        """
        verdict = self.verdict
        a, b = self._entry_name(name), self._entry_name(than or verdict.reference)
        if verdict.noise_floor and verdict.noise_floor.name in (a, b):
            raise BadUsage("the twin is the reference again: see run.verdict.noise_floor")
        if a == b:
            raise BadUsage(f"{a} can't be compared with itself; name another one with `than`")
        faults = [fault for each in (a, b) if (fault := verdict.trouble(each))]
        if faults:
            raise NoVerdict(joined(faults))
        pair = verdict.pair(a, b)
        if pair is None:
            raise NoVerdict(f"too few blocks have both {a} and {b}")
        return pair

    def gate(self, text: str) -> GateResult:
        """A condition such as "new >= 0.98 * old", decided by the whole interval.

        Its `outcome` is `holds`, `fails` or `can't tell`. Raises `BadUsage`.
        """
        from bakeoff.judge.gate import decided

        verdict = self.verdict
        names = [entry.name for entry in verdict.entries] + [out.name for out in verdict.skipped]
        plan = self._race_plan.model_copy(update={"gates": (race_gate(text, names),)})
        return decided(plan, verdict)[0]

    def __repr__(self) -> str:
        return f"<bakeoff.Run {self.kind} {str(self.path)!r}>"

    @property
    def _race_plan(self) -> Plan:
        if not isinstance(self.plan, Plan):
            raise self._no_race()
        return self.plan

    def _no_race(self) -> BadUsage:
        parts = f"; its races are run.parts: {', '.join(self.parts)}" if self.parts else ""
        return BadUsage(f"{self.path}: is a {self.kind}, not a race{parts}")

    def _entry_name(self, name: str) -> str:
        """The entry of that name, or of the folder, command or URL that was given to `race`."""
        plan = self._race_plan
        names = [entry.name for entry in plan.entries] + [out.name for out in plan.skipped]
        if name in names:
            return name
        for entry in plan.entries:
            is_typed = entry.origin in ("command", "url") and entry.title == name
            is_folder = entry.origin == "folder" and entry.folder == os.path.realpath(name)
            if (is_typed or is_folder) and not entry.twin_of:
                return entry.name
        raise BadUsage(f"there is no {name} in this run{nearest(name, names, 'there are')}")


@dataclass(frozen=True)
class Latencies:
    """The latencies of one contender's requests, all histograms merged without loss, in µs.

    The histograms are HdrHistograms with three significant digits. Requests that were never
    answered count as slower than all others, so a high percentile may be None.
    """

    name: str
    _merged: "Merged"

    @property
    def count(self) -> int:
        """How many requests were answered."""
        return self._merged.answered

    @property
    def unanswered(self) -> int:
        """How many requests were never answered."""
        return self._merged.misses

    @property
    def mean(self) -> float:
        """The mean of the answered requests, µs."""
        return self._merged.mean_us

    @property
    def stdev(self) -> float:
        """The standard deviation of the answered requests, µs."""
        return self._merged.stdev_us

    def percentile(self, percent: float) -> float | None:
        """The latency within which `percent` of all requests stay, µs; None: they don't.

        Raises `BadUsage` where it is not between 0 and 100.
        """
        if not 0 <= percent <= 100:
            raise BadUsage(f"percentile: is {percent:g}; it takes a number from 0 to 100, as 99.9")
        return self._merged.quantile_us(percent / 100)


@dataclass(frozen=True)
class Comparison(Reported):
    """Two runs compared: changes for the better and for the worse."""

    result: RunsComparison

    @property
    def passes(self) -> bool:
        """Whether no gate fails."""
        return all(gate.passes for gate in self.result.gates)

    def changes(self) -> Any:
        """A data frame with a row per contender of both runs."""
        return self._frame()

    def document(self) -> Document:
        """The report as data, before it is rendered."""
        from bakeoff.report.kinds import comparison

        return comparison.document(self.result)

    def __repr__(self) -> str:
        return f"<bakeoff.Comparison {self.result.before.run} {self.result.after.run}>"


def _margin(by: float | str) -> float:
    try:
        return 0.0 if by == 0 else parse_share(by, below=1)
    except ValueError as error:
        raise BadUsage(f"by: {error}") from None


def _rows(records: Sequence[Record]) -> Iterator[Row]:
    for record in records:
        if isinstance(record, Block):
            yield from _slice_rows(record)
        elif isinstance(record, ToolRun):
            yield _tool_row(record)


def _slice_rows(block: Block) -> Iterator[Row]:
    for turn, piece in enumerate(block.slices):
        event = piece.event
        window_s = event.window_ns / 1e9
        yield {
            "boot": block.boot,
            "block": block.block,
            "turn": turn,
            "kind": block.kind,
            "contender": piece.entry,
            "rate": piece.rate,
            "window_s": window_s,
            "requests": event.requests,
            "requests_per_s": event.requests_per_s,
            "latency_mean_us": event.latency_mean_us if event.latency_count else None,
            "errors": sum(event.errors.values()),
            "server_cpu_us_per_request": piece.server_cpu_us_per_request,
            "client_busy": max(event.busy_cores),
        }


def _tool_row(run: ToolRun) -> Row:
    result = run.result
    latency = result.latency_us if result else None
    return {
        "round": run.round,
        "kind": run.kind,
        "tool": run.loader,
        "contender": run.row or None,
        "requests": result.requests if result else None,
        "requests_per_s": result.requests_per_s if result else None,
        "latency_mean_us": latency.mean if latency else None,
        "latency_p50_us": latency.p50 if latency else None,
        "latency_p99_us": latency.p99 if latency else None,
        "failure": run.failure or None,
    }
