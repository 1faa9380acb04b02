"""A day's lines: each figure of each phase, of all contenders, with the intervals of their ratios.

A round is what boots are elsewhere: new processes of all, and all phases of all contenders within
minutes of each other. So contenders are paired by round, and an interval is made of rounds.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import exp, log

import numpy as np

from bakeoff.judge.beyond import BEYOND, DIED, behaviour, errors_of
from bakeoff.judge.claims import MIN_ROUNDS
from bakeoff.judge.compare import Comparison, family
from bakeoff.judge.day_figures import READINGS, Reading, Seen, recovered_after_ms
from bakeoff.judge.paired import Paired
from bakeoff.judge.spread import estimate
from bakeoff.model.day import (
    MAIN,
    MORE_IS_BETTER,
    Day,
    DayEntry,
    DayLine,
    DayPair,
    DayPlan,
    DayValue,
    Figure,
    Outcome,
    Phase,
)
from bakeoff.model.finding import Finding
from bakeoff.model.machine import Machine
from bakeoff.model.receipt import Receipt
from bakeoff.model.samples import DayEnd, DayTurn, Record

TIE_WITHIN = 1.1
STEPS: Mapping[tuple[Phase, Figure], float] = {("recovery", "time_ms"): 50.0}
"""Figures that are read in steps. Two that are no further apart than a step can't be told."""
GENERATOR_BUSY = 0.9
STAYS_ILL = 0.5
BLOCKED = 0.5

Rounds = Mapping[int, Mapping[str, Seen]]
"""Round → contender → its turns."""


def judge_day(
    plan: DayPlan,
    receipts: Mapping[str, Receipt],
    records: Sequence[Record],
    machine: Machine,
    complete: bool,
) -> Day:
    """The result of the rounds that there are, a round that was cut off among them."""
    names = [entry.name for entry in plan.race.entries]
    rounds = _rounds([each for each in records if isinstance(each, DayTurn)], names)
    ends = [record for record in records if isinstance(record, DayEnd)]
    lines = [
        line
        for phase, readings in READINGS.items()
        for figure, reading in readings.items()
        if (line := _line(phase, figure, reading, names, rounds))
    ]
    return Day(
        plan=plan,
        complete=complete,
        rounds=len(ends),
        lasted_s=sum(each.lasted_s for each in ends),
        entries=tuple(_entry(plan, receipts, name, rounds, ends) for name in names),
        lines=tuple(lines),
        warnings=tuple(_warnings(plan, rounds)),
        skipped=plan.race.skipped,
        machine=machine,
    )


def _rounds(turns: Sequence[DayTurn], names: Sequence[str]) -> Rounds:
    found: dict[int, dict[str, dict[tuple[Phase, int], DayTurn]]] = {}
    for turn in turns:
        if turn.entry in names:
            own = found.setdefault(turn.round, {}).setdefault(turn.entry, {})
            own[turn.phase, turn.number] = turn
    return {n: {name: Seen(own) for name, own in of.items()} for n, of in found.items()}


def _line(
    phase: Phase, figure: Figure, reading: Reading, names: Sequence[str], rounds: Rounds
) -> DayLine | None:
    """One figure of one phase; None where nobody has it."""
    table = _table(phase, figure, reading, names, rounds)
    if not np.isfinite(table.ln_y).any():
        return None
    sign = _sign(figure)
    values = {name: _value(table, name, sign) for name in names}
    comparisons = family(table, MIN_ROUNDS)
    step = STEPS.get((phase, figure), 0.0)
    return DayLine(
        phase=phase,
        figure=figure,
        main=figure in MAIN[phase],
        values=tuple(
            DayValue(
                name=name,
                value=values[name],
                n=table.blocks_of(name, name),
                why=None if values[name] is not None else _why(phase, name, rounds),
            )
            for name in names
        ),
        pairs=tuple(_pair(each, values, step) for each in comparisons.values()),
    )


def _table(
    phase: Phase, figure: Figure, reading: Reading, names: Sequence[str], rounds: Rounds
) -> Paired:
    """ln of a figure, more being better; a row for each turn of each round."""
    keys = sorted(
        {
            (number, turn)
            for number, seen in rounds.items()
            for own in seen.values()
            for turn in own.numbers(phase)
        }
    )
    columns, ln_y = tuple(sorted(names)), np.full((len(keys), len(names)), np.nan)
    for row, (number, turn_number) in enumerate(keys):
        for column, name in enumerate(columns):
            seen = rounds[number].get(name)
            turn = seen.turn(phase, turn_number) if seen else None
            value = reading(seen, turn) if seen and turn else None
            if value is not None and value > 0:
                ln_y[row, column] = _sign(figure) * log(value)
    boot = np.array([number for number, _ in keys], dtype=np.int64)
    draw = np.array([turn for _, turn in keys], dtype=np.int64)
    # Each cold start is a process of its own.
    process = np.repeat(draw[:, None], len(columns), axis=1)
    return Paired(columns, boot, draw, process, ln_y)


def _sign(figure: Figure) -> int:
    return 1 if figure in MORE_IS_BETTER else -1


def _value(table: Paired, name: str, sign: int) -> float | None:
    """The geometric mean over rounds, weighted as the ratios' are."""
    column = table.names.index(name)
    own = table.ln_y[:, column]
    there = np.isfinite(own)
    if not there.any():
        return None
    process = table.process[there, column]
    return exp(sign * estimate(own[there], table.boot[there], table.draw[there], process).centre)


def _why(phase: Phase, name: str, rounds: Rounds) -> Finding:
    """Why a contender has no figure on a line: the reason that its turns give most often."""
    outs = [
        turn.out
        for seen in rounds.values()
        if name in seen
        for turn in seen[name].turns.values()
        if turn.phase == phase and turn.out
    ]
    if not outs:
        return Finding.of("not_seen")
    return Finding.of("out_of_phase", n=len(outs), reason=max(set(outs), key=outs.count))


def _pair(found: Comparison, values: Mapping[str, float | None], step: float) -> DayPair:
    interval = found.interval(found.a)
    outcome, why = _outcome(interval.low, interval.high), None
    a, b = values[found.a], values[found.b]
    near = step and a is not None and b is not None and abs(a - b) <= step
    if near and outcome in ("better", "worse"):
        outcome, why = "can't tell", Finding.of("below_step", step_ms=step)
    return DayPair(
        a=found.a,
        b=found.b,
        ratio=interval.ratio,
        low=interval.low,
        high=interval.high,
        n=interval.n,
        finding=outcome,
        why=why,
    )


def _outcome(low: float, high: float) -> Outcome:
    if low > 1:
        return "better"
    if high < 1:
        return "worse"
    return "tie" if low >= 1 / TIE_WITHIN and high <= TIE_WITHIN else "can't tell"


def _entry(
    plan: DayPlan,
    receipts: Mapping[str, Receipt],
    name: str,
    rounds: Rounds,
    ends: Sequence[DayEnd],
) -> DayEntry:
    own = [seen[name] for seen in rounds.values() if name in seen]
    receipt = receipts.get(name)
    return DayEntry(
        name=name,
        title=plan.race.entry(name).title,
        version=receipt.version if receipt else "",
        rounds=len(own),
        beyond=tuple(found for phase in BEYOND if (found := behaviour(phase, own))),
        warnings=tuple(_warnings_of(plan, own, name, ends)),
        errors=dict(errors_of(own)),
    )


def _warnings_of(
    plan: DayPlan, own: Sequence[Seen], name: str, ends: Sequence[DayEnd]
) -> Iterator[Finding]:
    """What casts a shadow on one contender's figures, or is to be known of it."""
    lost = [turn for seen in own for turn in seen.turns.values() if turn.out]
    for phase in READINGS:
        reasons = [turn.out for turn in lost if turn.phase == phase]
        if reasons and phase not in BEYOND:
            reason = max(set(reasons), key=reasons.count)
            code = "died_in_phase" if reason.startswith(DIED) else "missed_phase"
            how = reason.removeprefix(DIED)
            yield Finding.of(code, phase=phase, n=len(reasons), how=how)
    peaks = [each for seen in own if (turn := seen.turn("peak")) for each in turn.slices]
    if peaks:
        busy = float(np.median([each.event.busy for each in peaks]))
        if busy >= GENERATOR_BUSY:
            yield Finding.of("generator_at_peak", client_busy=busy)
    turns = [turn for seen in own if (turn := seen.turn("recovery"))]
    ill = sum(not _is_well(turn) for turn in turns)
    if turns and ill >= STAYS_ILL * len(turns):
        yield Finding.of("stays_ill", n=ill)
    answered = [each for seen in own if (each := _beside_slow(seen)) is not None]
    if answered and (share := float(np.median(answered))) < BLOCKED:
        yield Finding.of("blocked_by_slow_clients", n=plan.slow_clients, share=share)
    cut = [turn.opened for seen in own if (turn := seen.turn("slow")) and turn.opened is not None]
    if cut and max(cut) < plan.slow_clients / 2:
        yield Finding.of("cuts_slow_clients", n=max(cut), asked=plan.slow_clients)
    killed = sum((each.name, each.how) == (name, "SIGKILL") for end in ends for each in end.stopped)
    if killed:
        yield Finding.of("killed", n=killed, boots=len(ends))


def _beside_slow(seen: Seen) -> float | None:
    """The share that was answered beside slow clients."""
    turn = seen.turn("slow")
    return READINGS["slow"]["answered"](seen, turn) if turn else None


def _is_well(turn: DayTurn) -> bool:
    since_ns = turn.since_ns
    return since_ns is not None and recovered_after_ms(turn.slices, since_ns) is not None


def _warnings(plan: DayPlan, rounds: Rounds) -> Iterator[Finding]:
    """About the whole day."""
    if plan.race.cores.shared:
        yield Finding.of("cores_shared")
    counted = [
        turn.energy_uj is not None
        for seen in rounds.values()
        for own in seen.values()
        if (turn := own.turn("rest"))
    ]
    if counted and not any(counted):
        yield Finding.of("no_energy")
