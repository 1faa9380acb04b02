"""A line: one figure of all contenders, and how every two of them compare.

Among them are the costs of a request: CPU time and energy less those at rest, and memory. For these
a draw has the role of a day's round: new connections, often new processes, and all contenders
beside each other. So contenders are paired by draw.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import exp, log

import numpy as np

from bakeoff.judge.claims import MIN_ROUNDS
from bakeoff.judge.compare import Comparison, family
from bakeoff.judge.history import History
from bakeoff.judge.paired import Paired
from bakeoff.judge.spread import estimate
from bakeoff.model.capacity import CostAt, CostFigure, CostLine
from bakeoff.model.finding import Finding
from bakeoff.model.pairs import LinePair, LineValue, Outcome
from bakeoff.model.samples import Costs, CostSlice, Rested, Slice

TIE_WITHIN = 1.1


def line(
    table: Paired,
    names: Sequence[str],
    *,
    more_is_better: bool,
    why: Callable[[str], Finding],
    step: float = 0.0,
) -> tuple[tuple[LineValue, ...], tuple[LinePair, ...]]:
    """The values and the pairs of a `table` of ln figures, whose sign makes more the better.

    `why` says why a contender has none. If a figure is read in steps of `step`, two values that are
    at most a step apart can't be told apart.
    """
    sign = 1 if more_is_better else -1
    values = {name: _value(table, name, sign) for name in names}
    return (
        tuple(
            LineValue(
                name=name,
                value=value,
                n=table.blocks_of(name, name),
                why=None if value is not None else why(name),
            )
            for name, value in values.items()
        ),
        tuple(
            _pair(each, values[each.a], values[each.b], step)
            for each in family(table, MIN_ROUNDS).values()
        ),
    )


def _value(table: Paired, name: str, sign: int) -> float | None:
    """The geometric mean, weighted as the ratios' are."""
    column = table.names.index(name)
    own = table.ln_y[:, column]
    there = np.isfinite(own)
    if not there.any():
        return None
    process = table.process[there, column]
    return exp(sign * estimate(own[there], table.boot[there], table.draw[there], process).centre)


def _pair(found: Comparison, a: float | None, b: float | None, step: float) -> LinePair:
    ratio = found.interval(found.a)
    outcome, why = _outcome(ratio.low, ratio.high), None
    near = step and a is not None and b is not None and abs(a - b) <= step
    if near and outcome in ("better", "worse"):
        outcome, why = "can't tell", Finding.of("below_step", step_ms=step)
    return LinePair(a=found.a, b=found.b, ratio=ratio, finding=outcome, why=why)


def _outcome(low: float, high: float) -> Outcome:
    if low > 1:
        return "better"
    if high < 1:
        return "worse"
    return "tie" if low >= 1 / TIE_WITHIN and high <= TIE_WITHIN else "can't tell"


LOADS: tuple[CostAt, ...] = ("share", "equal")


def cpu_us_per_answer(slice_: Slice, idle: float | None, lasted_ns: float) -> float | None:
    """µs of CPU time per answer of a slice that lasted so long, ramp and drain included, less the
    use at rest, ns per ns. None: it can't be seen, or nothing is left."""
    answers = slice_.event.requests_all
    if slice_.server_cpu is None or idle is None or not answers:
        return None
    own_ns = slice_.server_cpu.total_ns - idle * lasted_ns
    return own_ns / 1e3 / answers if own_ns > 0 else None


def energy_uj_per_answer(
    slice_: Slice, used_uj: int | None, lasted_ns: float, rest_uj: int | None, rest_ns: int | None
) -> float | None:
    """µJ of all processors per answer, less the energy at rest; None where it isn't counted."""
    answers = slice_.event.requests_all
    if used_uj is None or rest_uj is None or not rest_ns or not answers:
        return None
    own_uj = used_uj - rest_uj * lasted_ns / rest_ns
    return own_uj / answers if own_uj > 0 else None


def cost_lines(history: History, names: Sequence[str]) -> Iterator[CostLine]:
    """A line for each load and figure that at least one of `names` has."""
    for at in LOADS:
        offered = _offered(history.costs, at)
        for figure, reading in _READINGS.items():
            table = _table(history, at, names, reading)
            if not np.isfinite(table.ln_y).any():
                continue
            values, pairs = line(
                table, names, more_is_better=False, why=lambda _: Finding.of("not_seen")
            )
            yield CostLine(at=at, figure=figure, requests_per_s=offered, values=values, pairs=pairs)


def counts_energy(history: History) -> bool:
    """Whether the processors' energy was counted in any draw."""
    return any(record.rested.energy_uj is not None for record in history.costs)


def _cpu(rested: Rested, each: CostSlice) -> float | None:
    cpu = rested.cpu.get(each.slice.entry)
    idle = cpu.total_ns / rested.lasted_ns if cpu else None
    return cpu_us_per_answer(each.slice, idle, each.lasted_ns)


def _memory(_rested: Rested, each: CostSlice) -> float | None:
    return each.memory.pss_mib or None if each.memory else None


def _energy(rested: Rested, each: CostSlice) -> float | None:
    return energy_uj_per_answer(
        each.slice, each.energy_uj, each.lasted_ns, rested.energy_uj, rested.lasted_ns
    )


_Reading = Callable[[Rested, CostSlice], float | None]
_READINGS: Mapping[CostFigure, _Reading] = {
    "cpu_us_per_request": _cpu,
    "memory_mib": _memory,
    "energy_uj_per_request": _energy,
}


def _offered(records: Sequence[Costs], at: CostAt) -> dict[str, float]:
    """The load that each was offered, as the geometric mean over draws."""
    logs: dict[str, list[float]] = {}
    for record in records:
        for cost in record.slices:
            if cost.at == at and cost.slice.rate:
                logs.setdefault(cost.slice.entry, []).append(log(cost.slice.rate))
    return {name: exp(float(np.mean(own))) for name, own in logs.items()}


def _table(history: History, at: CostAt, names: Sequence[str], reading: _Reading) -> Paired:
    """−ln of a figure, a row for each draw."""
    columns = tuple(sorted(names))
    shape = (len(history.costs), len(columns))
    ln_y, process = np.full(shape, np.nan), np.zeros(shape, np.int64)
    processes = {(draw.boot, draw.draw): draw.processes for draw in history.draws}
    for row, record in enumerate(history.costs):
        of_draw = processes.get((record.boot, record.draw), {})
        for cost in record.slices:
            name = cost.slice.entry
            if cost.at != at or name not in columns:
                continue
            column, value = columns.index(name), reading(record.rested, cost)
            process[row, column] = of_draw.get(name, 0)
            if value is not None:
                ln_y[row, column] = -log(value)
    boot = np.array([record.boot for record in history.costs], dtype=np.int64)
    draw = np.array([record.draw for record in history.costs], dtype=np.int64)
    return Paired(columns, boot, draw, process, ln_y)
