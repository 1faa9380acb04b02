"""How a server behaves beyond its capacity, told apart by name.

A server that is offered more than it can do has five ways: it still answers as much as before, and
the rest waits; it turns some away; it lets them wait until they give up; it gets so busy with being
overloaded that it answers less than before; or it dies. What is offered comes from many more
connections than its peak was measured with, and who waits for a second goes away.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import median

from bakeoff.judge.day_figures import Seen, right_per_s
from bakeoff.judge.history import wrong_answers
from bakeoff.judge.latency import merge
from bakeoff.model.day import LOADS, Phase
from bakeoff.model.finding import Finding

BEYOND: tuple[Phase, ...] = ("load_150", "load_300")
COLLAPSED = 0.5
FAILED_MIN = 0.01
KEEPS_UP = 0.95
DIED = "it died: "
TIMEOUTS = ("timeout", "connect_timeout")


def behaviour(phase: Phase, rounds: Sequence[Seen]) -> Finding | None:
    """What one contender does in a phase beyond capacity, over all rounds; None: it had none."""
    level = LOADS[phase]
    outs = [turn.out for seen in rounds for turn in seen.turns.values() if turn.phase == phase]
    died = [out for out in outs if out.startswith(DIED)]
    if died and 2 * len(died) >= len(outs):
        return Finding.of("dies_beyond", level=level, n=len(died), how=died[0].removeprefix(DIED))
    had = [(seen, turn.slices[0]) for seen in rounds if seen.peak and (turn := seen.turn(phase))]
    if not had:
        return None
    kept = median(right_per_s(each) / seen.peak for seen, each in had)
    offered = sum(each.rate or 0.0 for _, each in had)
    rate = sum(right_per_s(each) for _, each in had)
    events = [each.event for _, each in had]
    errors: Counter[str] = sum((Counter(event.errors) for event in events), Counter())
    wrong = sum(map(wrong_answers, events))
    attempts = sum(event.requests_all for event in events) + errors.total() - wrong
    shares = {kind: n / max(1, attempts) for kind, n in errors.items()}
    refused = {kind: n for kind, n in shares.items() if kind not in TIMEOUTS}
    timed_out = sum(shares.values()) - sum(refused.values())
    if kept < COLLAPSED:
        values = [*shares.values()]
        return Finding.of("collapses", level=level, held=kept, kinds=[*shares], shares=values)
    if sum(refused.values()) >= max(FAILED_MIN, timed_out):
        values = [*refused.values()]
        return Finding.of("refuses", level=level, held=kept, kinds=[*refused], shares=values)
    if timed_out >= FAILED_MIN:
        return Finding.of("times_out", level=level, held=kept, share=timed_out)
    if rate >= KEEPS_UP * offered:
        return Finding.of("keeps_up", level=level, held=kept)
    return Finding.of("answers_late", level=level, held=kept, p50_us=merge(events).quantile_us(0.5))


def errors_of(rounds: Sequence[Seen]) -> Mapping[Phase, dict[str, int]]:
    """What went wrong in each phase, by kind, over all rounds."""
    found: dict[Phase, Counter[str]] = {}
    for seen in rounds:
        for turn in seen.turns.values():
            for each in turn.slices:
                found.setdefault(turn.phase, Counter()).update(each.event.errors)
    return {phase: dict(errors) for phase, errors in found.items() if errors}
