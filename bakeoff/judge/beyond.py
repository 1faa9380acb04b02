"""How a server behaves beyond its capacity, told apart by name.

What is offered comes from many more connections than its peak was measured with, and who waits for
a second goes away. Most of it can't be answered in time, and a server has these ways with the rest:
it lets it wait (and those who wait may fill its memory), it says no (`sheds`), it refuses
connections, it drops them, it lets them wait until they give up; or it gets so busy with being
overloaded that it answers less than before, or dies.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import exp, log, sqrt
from statistics import fmean, median, stdev

from bakeoff.judge.claims import MIN_ROUNDS
from bakeoff.judge.day_figures import Seen, right_per_s
from bakeoff.judge.latency import Merged, merge, merge_encoded
from bakeoff.judge.lines import TIE_WITHIN
from bakeoff.judge.quantiles import t_quantile
from bakeoff.judge.tally import wrong_answers
from bakeoff.model.day import LOADS, Phase
from bakeoff.model.finding import Finding
from bakeoff.model.samples import DayTurn

BEYOND: tuple[Phase, ...] = ("load_150", "load_300")
AT_CAPACITY: Phase = "load_100"
COLLAPSED = 0.5
FAILED_MIN = 0.01
KEEPS_UP = 0.95
SWELLS = 1.15
SWELLS_MIB = 8.0
UNEVEN = 5.0
UNEVEN_US = 100_000.0
DIED = "it died: "
GROUPS: Mapping[str, tuple[str, ...]] = {
    "sheds": ("status",),
    "refuses": ("connect_refused", "connect", "handshake", "alpn", "address_exhausted"),
    "drops": ("reset", "early_close", "write", "stream_reset", "goaway"),
    "times_out": ("timeout", "connect_timeout"),
}
"""What each way is told by: the engine's kinds of errors. Others are answers that are wrong."""


@dataclass(frozen=True)
class _Had:
    """The rounds in which a contender had its turn in one phase, and the turns."""

    level: float
    rounds: Sequence[tuple[Seen, DayTurn]]

    @property
    def kept(self) -> list[float]:
        """Right answers per second over the round's own peak, of each round."""
        return [right_per_s(turn.slices[0]) / seen.peak for seen, turn in self.rounds]

    @property
    def held(self) -> float:
        """The median of it."""
        return median(self.kept)

    @property
    def late(self) -> Merged:
        """Latencies, from when requests were due."""
        return merge([turn.slices[0].event for _, turn in self.rounds])

    @property
    def waits(self) -> Merged:
        """Latencies within the server, from when requests were sent."""
        events = [turn.slices[0].event for _, turn in self.rounds]
        return merge_encoded([event.service for event in events if event.service])

    def shares(self) -> dict[str, float]:
        """Of all that was tried, what failed, by kind."""
        events = [turn.slices[0].event for _, turn in self.rounds]
        errors: Counter[str] = sum((Counter(event.errors) for event in events), Counter())
        wrong = sum(map(wrong_answers, events))
        attempts = sum(event.requests_all for event in events) + errors.total() - wrong
        return {kind: n / max(1, attempts) for kind, n in errors.items()}

    def keeps_up(self) -> bool:
        """Whether it answered nearly all that was offered."""
        offered = sum(turn.slices[0].rate or 0.0 for _, turn in self.rounds)
        return sum(right_per_s(turn.slices[0]) for _, turn in self.rounds) >= KEEPS_UP * offered

    def swollen(self) -> tuple[float, float] | None:
        """Memory at this load and at 100 % of the peak, MiB, medians, where it is clearly more."""
        both = [
            (turn.memory.pss_mib, full.memory.pss_mib)
            for seen, turn in self.rounds
            if turn.memory and (full := seen.turn(AT_CAPACITY)) and full.memory
        ]
        if not both:
            return None
        now, before = (median(each) for each in zip(*both, strict=True))
        return (now, before) if now >= max(SWELLS * before, before + SWELLS_MIB) else None


def behaviour(phase: Phase, rounds: Sequence[Seen]) -> Finding | None:
    """What one contender does in a phase beyond capacity, over all rounds; None: it had none."""
    level = LOADS[phase]
    outs = [turn.out for seen in rounds for turn in seen.turns.values() if turn.phase == phase]
    died = [out for out in outs if out.startswith(DIED)]
    if died and 2 * len(died) >= len(outs):
        return Finding.of("dies_beyond", level=level, n=len(died), how=died[0].removeprefix(DIED))
    had = _had(phase, rounds)
    if not had:
        return None
    held, shares = had.held, had.shares()
    if held < COLLAPSED:
        return _failing("collapses", had, shares)
    failing = {code: sum(shares.get(kind, 0.0) for kind in kinds) for code, kinds in GROUPS.items()}
    worst = max(failing, key=failing.__getitem__)
    if failing[worst] >= FAILED_MIN:
        if worst == "times_out":
            return Finding.of("times_out", level=level, held=held, share=failing[worst])
        own = {kind: share for kind, share in shares.items() if kind in GROUPS[worst]}
        return _failing(worst, had, own)
    if had.keeps_up():
        return Finding.of("keeps_up", level=level, held=held)
    p50_us = had.late.quantile_us(0.5)
    if swollen := had.swollen():
        mib, before = swollen
        return Finding.of(
            "queues_in_memory", level=level, held=held, p50_us=p50_us, mib=mib, mib_at_peak=before
        )
    return Finding.of("answers_late", level=level, held=held, p50_us=p50_us)


def traits(phase: Phase, rounds: Sequence[Seen]) -> Iterator[Finding]:
    """What else can be said of one contender in a phase beyond capacity."""
    had = _had(phase, rounds)
    if not had or had.held < COLLAPSED:
        return
    if (high := _high(had.kept)) is not None and high < 1 / TIE_WITHIN:
        yield Finding.of("sags", level=had.level, held=had.held, high=high)
    waits = had.waits
    usual_us, long_us = waits.quantile_us(0.5), waits.quantile_us(0.99)
    if usual_us and long_us and long_us >= max(UNEVEN_US, UNEVEN * usual_us):
        yield Finding.of("uneven", level=had.level, p50_us=usual_us, p99_us=long_us)
    full = [turn.tcp.listen_overflows for _, turn in had.rounds if turn.tcp]
    if full and median(full):
        yield Finding.of("door_full", level=had.level, overflows=round(median(full)))


def _had(phase: Phase, rounds: Sequence[Seen]) -> _Had | None:
    rows = [(seen, turn) for seen in rounds if seen.peak and (turn := seen.turn(phase))]
    return _Had(LOADS[phase], rows) if rows else None


def _failing(code: str, had: _Had, shares: Mapping[str, float]) -> Finding:
    values = [*shares.values()]
    return Finding.of(code, level=had.level, held=had.held, kinds=[*shares], shares=values)


def _high(kept: Sequence[float]) -> float | None:
    """The upper end of the 95 % interval of the geometric mean; None: of too few rounds."""
    if len(kept) < MIN_ROUNDS:
        return None
    logs = [log(max(each, 1e-6)) for each in kept]
    quantile = t_quantile(len(logs) - 1, 0.975)
    return exp(fmean(logs) + quantile * stdev(logs) / sqrt(len(logs)))


def errors_of(rounds: Sequence[Seen]) -> Mapping[Phase, dict[str, int]]:
    """What went wrong in each phase, by kind, over all rounds."""
    found: dict[Phase, Counter[str]] = {}
    for seen in rounds:
        for turn in seen.turns.values():
            for each in turn.slices:
                found.setdefault(turn.phase, Counter()).update(each.event.errors)
    return {phase: dict(errors) for phase, errors in found.items() if errors}
