"""The lines of a day: each figure of each phase for all contenders, with the intervals of ratios.

A round has the role that a boot has elsewhere: all contenders get new processes, and all phases of
all contenders are within minutes of each other. So contenders are paired by round, and an interval
is made of rounds.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import log

import numpy as np

from bakeoff.judge import day_figures
from bakeoff.judge.lines import line
from bakeoff.judge.paired import Paired
from bakeoff.judge.validity import seen_in_answers
from bakeoff.model import day
from bakeoff.model.finding import Finding
from bakeoff.model.machine import Machine
from bakeoff.model.receipt import Receipt, Verification
from bakeoff.model.samples import DayEnd, DayTurn, Record, Slice

STEPS: Mapping[tuple[day.Phase, day.Figure], float] = {("recovery", "time_ms"): 50.0}
"""Figures that are read in steps. Two that are at most a step apart can't be told apart."""
GENERATOR_BUSY = 0.9
STAYS_ILL = 0.5
BLOCKED = 0.5

Rounds = Mapping[int, Mapping[str, day_figures.Seen]]
"""Round → contender → its turns."""


def judge_day(
    plan: day.DayPlan,
    receipts: Mapping[str, Receipt],
    records: Sequence[Record],
    machine: Machine,
    complete: bool,
) -> day.Day:
    """The result of the rounds so far, including one that was cut off."""
    names = [entry.name for entry in plan.race.entries]
    rounds = _rounds([each for each in records if isinstance(each, DayTurn)], names)
    ends = [record for record in records if isinstance(record, DayEnd)]
    streams = any(
        slice_.event.first_byte
        for record in records
        if isinstance(record, DayTurn)
        for slice_ in record.slices
    )
    lines = [
        found
        for phase, readings in day_figures.READINGS.items()
        for figure, reading in readings.items()
        if (streams or figure != "first_byte_us")
        and (found := _line(phase, figure, reading, names, rounds))
    ]
    return day.Day(
        plan=plan,
        complete=complete,
        rounds=len(ends),
        lasted_s=sum(end.lasted_s for end in ends),
        entries=tuple(_entry(plan, receipts, name, rounds, ends) for name in names),
        lines=tuple(lines),
        warnings=tuple(_warnings(plan, rounds, ends)),
        skipped=plan.race.skipped,
        machine=machine,
    )


def _rounds(turns: Sequence[DayTurn], names: Sequence[str]) -> Rounds:
    found: dict[int, dict[str, dict[tuple[day.Phase, int], DayTurn]]] = {}
    for turn in turns:
        if turn.entry in names:
            own = found.setdefault(turn.round, {}).setdefault(turn.entry, {})
            own[turn.phase, turn.number] = turn
    return {n: {name: day_figures.Seen(own) for name, own in of.items()} for n, of in found.items()}


def _line(
    phase: day.Phase,
    figure: day.Figure,
    reading: day_figures.Reading,
    names: Sequence[str],
    rounds: Rounds,
) -> day.DayLine | None:
    table = _table(phase, figure, reading, names, rounds)
    if not np.isfinite(table.ln_y).any():
        return None
    values, pairs = line(
        table,
        names,
        more_is_better=figure in day.MORE_IS_BETTER,
        why=lambda name: _why(phase, name, rounds),
        step=STEPS.get((phase, figure), 0.0),
    )
    return day.DayLine(
        phase=phase, figure=figure, main=figure in day.MAIN[phase], values=values, pairs=pairs
    )


def _table(
    phase: day.Phase,
    figure: day.Figure,
    reading: day_figures.Reading,
    names: Sequence[str],
    rounds: Rounds,
) -> Paired:
    keys = sorted(
        {
            (number, turn)
            for number, seen in rounds.items()
            for own in seen.values()
            for turn in own.numbers(phase)
        }
    )
    columns, ln_y = tuple(sorted(names)), np.full((len(keys), len(names)), np.nan)
    sign = 1 if figure in day.MORE_IS_BETTER else -1
    for row, (number, turn_number) in enumerate(keys):
        for column, name in enumerate(columns):
            seen = rounds[number].get(name)
            turn = seen.turn(phase, turn_number) if seen else None
            value = reading(seen, turn) if seen and turn else None
            if value is not None and value > 0:
                ln_y[row, column] = sign * log(value)
    boot = np.array([number for number, _ in keys], dtype=np.int64)
    draw = np.array([turn for _, turn in keys], dtype=np.int64)
    # Each cold start has a process of its own.
    process = np.repeat(draw[:, None], len(columns), axis=1)
    return Paired(columns, boot, draw, process, ln_y)


def _why(phase: day.Phase, name: str, rounds: Rounds) -> Finding:
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


def _entry(
    plan: day.DayPlan,
    receipts: Mapping[str, Receipt],
    name: str,
    rounds: Rounds,
    ends: Sequence[DayEnd],
) -> day.DayEntry:
    own = [seen[name] for seen in rounds.values() if name in seen]
    verified = _verifications(own)
    receipt = receipts.get(name)
    return day.DayEntry(
        name=name,
        title=plan.race.entry(name).title,
        version=receipt.version if receipt else "",
        rounds=len(own),
        beyond=tuple(_beyond(own)),
        warnings=tuple(_warnings_of(plan, own, name, ends)),
        errors=dict(day_figures.errors_of(own)),
        held=verified[-1].held if verified else {},
    )


def _verifications(own: Sequence[day_figures.Seen]) -> list[Verification]:
    turns = (turn for seen in own for turn in seen.turns.values())
    return [turn.verification for turn in turns if turn.verification]


def _beyond(own: Sequence[day_figures.Seen]) -> Iterator[Finding]:
    for phase in day_figures.BEYOND:
        if found := day_figures.behaviour(phase, own):
            yield found
            yield from day_figures.traits(phase, own)


def _warnings_of(
    plan: day.DayPlan, own: Sequence[day_figures.Seen], name: str, ends: Sequence[DayEnd]
) -> Iterator[Finding]:
    lost = [turn for seen in own for turn in seen.turns.values() if turn.out]
    for phase in day_figures.READINGS:
        reasons = [turn.out for turn in lost if turn.phase == phase]
        if reasons and phase not in day_figures.BEYOND:
            reason = max(set(reasons), key=reasons.count)
            code = "died_in_phase" if reason.startswith(day_figures.DIED) else "missed_phase"
            how = reason.removeprefix(day_figures.DIED)
            yield Finding.of(code, phase=phase, n=len(reasons), how=how)
    peaks = [slice_ for seen in own if (turn := seen.turn("peak")) for slice_ in turn.slices]
    if peaks:
        busy = float(np.median([max(slice_.event.busy_cores) for slice_ in peaks]))
        if busy >= GENERATOR_BUSY:
            yield Finding.of("generator_at_peak", client_busy=busy)
        if (cores := _upstream_cores(peaks)) is not None:
            upstream = cores / plan.race.upstream_cores
            alone = set(plan.race.upstream_cpus) - set(plan.race.cores.client)
            mean = float(np.median([slice_.event.busy for slice_ in peaks]))
            together = mean + cores / len(set(plan.race.cores.client))
            if max(upstream, 0.0 if alone else together) >= GENERATOR_BUSY:
                yield Finding.of("upstream_at_peak", upstream_busy=upstream)
    turns = [turn for seen in own if (turn := seen.turn("recovery"))]
    ill = sum(
        turn.since_ns is None or day_figures.recovered_after_ms(turn.slices, turn.since_ns) is None
        for turn in turns
    )
    if turns and ill >= STAYS_ILL * len(turns):
        yield Finding.of("not_recovered", n=ill)
    answered = [
        share
        for seen in own
        if (turn := seen.turn("slow"))
        and (share := day_figures.READINGS["slow"]["answered"](seen, turn)) is not None
    ]
    if answered and (share := float(np.median(answered))) < BLOCKED:
        yield Finding.of("blocked_by_slow_clients", n=plan.slow_clients, share=share)
    cut = [turn.opened for seen in own if (turn := seen.turn("slow")) and turn.opened is not None]
    if cut and max(cut) < plan.slow_clients / 2:
        yield Finding.of("cuts_slow_clients", n=max(cut), asked=plan.slow_clients)
    killed = sum((stop.name, stop.how) == (name, "SIGKILL") for end in ends for stop in end.stopped)
    if killed:
        yield Finding.of("killed", n=killed, boots=len(ends))
    yield from seen_in_answers(_verifications(own))


def _upstream_cores(peaks: Sequence[Slice]) -> float | None:
    """How many cores the upstream kept at work; None: there is none."""
    shares = [
        slice_.upstream_cpu.total_ns / (slice_.event.drained_ns - slice_.event.start_ns)
        for slice_ in peaks
        if slice_.upstream_cpu and slice_.event.drained_ns > slice_.event.start_ns
    ]
    return float(np.median(shares)) if shares else None


def _warnings(plan: day.DayPlan, rounds: Rounds, ends: Sequence[DayEnd]) -> Iterator[Finding]:
    if len(plan.race.entries) > 1 and 0 < len(ends) < plan.rounds_min:
        needed_s = plan.rounds_min * float(np.median([end.lasted_s for end in ends]))
        yield Finding.of("few_day_rounds", n=len(ends), least=plan.rounds_min, needed_s=needed_s)
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
