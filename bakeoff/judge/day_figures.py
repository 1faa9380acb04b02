"""The figures of a day's turns, and how a server behaves beyond its capacity.

Overload comes from many more connections than the peak was measured with, and a client that waits
for a second goes away. A server can't answer most of it in time, and treats the rest in one of
these ways: it lets requests wait (which may fill its memory), it rejects them (`sheds`), it refuses
connections, it drops them, it lets clients wait until they give up; or the overload takes so much
of its work that it answers less than before, or dies.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import exp, log, sqrt
from statistics import fmean, median, stdev

from bakeoff.judge.claims import MIN_ROUNDS
from bakeoff.judge.latency import Merged, first_bytes, merge, merge_encoded
from bakeoff.judge.lines import TIE_WITHIN, cpu_us_per_answer, energy_uj_per_answer
from bakeoff.judge.quantiles import t_quantile
from bakeoff.judge.tally import wrong_answers
from bakeoff.model.day import LOADS, Figure, Phase
from bakeoff.model.finding import Finding
from bakeoff.model.samples import DayTurn, Slice

FIRST_REQUESTS = 1000
WELL_WITHIN = 1.5
WELL_SLICES = 2
REST_CPU_MS_PER_S_MIN = 0.1
ANSWERED_MIN = 0.01


@dataclass(frozen=True)
class Seen:
    """The turns of one contender in one round, by phase and number."""

    turns: Mapping[tuple[Phase, int], DayTurn]

    def turn(self, phase: Phase, number: int = 0) -> DayTurn | None:
        """A turn that was had; None: there is none, or the contender was out."""
        turn = self.turns.get((phase, number))
        return None if turn is None or turn.out else turn

    def numbers(self, phase: Phase) -> list[int]:
        return sorted(number for of, number in self.turns if of == phase)

    @property
    def idle_cpu(self) -> float | None:
        """CPU time at rest, ns per ns; None: it can't be seen."""
        rest = self.turn("rest")
        return rest.cpu.total_ns / rest.lasted_ns if rest and rest.cpu and rest.lasted_ns else None

    @property
    def peak(self) -> float:
        """Requests per second; 0: there is no peak."""
        peak = self.turn("peak")
        return median(map(right_per_s, peak.slices)) if peak and peak.slices else 0.0


Reading = Callable[[Seen, DayTurn], float | None]


def right_per_s(slice_: Slice) -> float:
    """Right answers per second within the window; the wrong ones are taken to be spread evenly."""
    event = slice_.event
    wrong_share = wrong_answers(event) / event.requests_all if event.requests_all else 0.0
    return event.requests_per_s * max(0.0, 1 - wrong_share)


def quantile_us(slice_: Slice, p: float) -> float | None:
    """A latency; a request that was never answered counts as the engine's longest wait, from the
    beginning of its window. None: nothing was due."""
    event = slice_.event
    merged = merge([event])
    if not merged.answered + merged.misses:
        return None
    found = merged.quantile_us(p)
    return found if found is not None else max(1, event.drained_ns - event.start_ns) / 1e3


def recovered_after_ms(slices: Sequence[Slice], since_ns: int) -> float | None:
    """The time until two slices in a row have a median within 1.5 times that of the first slice,
    which was before: the end of the first of the two. None: that is yet to come."""
    usual_us = quantile_us(slices[0], 0.5)
    if usual_us is None:
        return None
    well = 0
    for place, slice_ in enumerate(slices[1:], start=1):
        now_us = quantile_us(slice_, 0.5)
        well = well + 1 if now_us is not None and now_us <= WELL_WITHIN * usual_us else 0
        if well == WELL_SLICES:
            return max(1.0, (slices[place - WELL_SLICES + 1].event.end_ns - since_ns) / 1e6)
    return None


def _first_ms(_seen: Seen, turn: DayTurn) -> float | None:
    """The time of the first thousand answers; the last slice counts as far as they reach into it.

    Nothing is in flight between slices, so the time between them is not the server's.
    """
    done, spent_ns = 0, 0.0
    for slice_ in turn.slices:
        event = slice_.event
        took_ns = event.drained_ns - event.start_ns
        if done + event.requests_all >= FIRST_REQUESTS:
            share = (FIRST_REQUESTS - done) / event.requests_all
            return max(1e-3, (spent_ns + share * took_ns) / 1e6)
        done, spent_ns = done + event.requests_all, spent_ns + took_ns
    return None


def _memory(_seen: Seen, turn: DayTurn) -> float | None:
    return turn.memory.pss_mib or None if turn.memory else None


def _quantile(p: float) -> Reading:
    return lambda _seen, turn: quantile_us(turn.slices[0], p) if turn.slices else None


def _first_byte(_seen: Seen, turn: DayTurn) -> float | None:
    """The median; for answers in one piece, the median of their end."""
    if not turn.slices:
        return None
    event = turn.slices[0].event
    return (first_bytes([event]) or merge([event])).quantile_us(0.5)


def _answered(_seen: Seen, turn: DayTurn) -> float | None:
    event = turn.slices[-1].event
    if not event.due or not event.requests_all:
        return ANSWERED_MIN if event.due else None
    right = max(0.0, 1 - wrong_answers(event) / event.requests_all)
    return max(event.latency_count / event.due * right, ANSWERED_MIN)


def _kept(seen: Seen, turn: DayTurn) -> float | None:
    return max(right_per_s(turn.slices[0]) / seen.peak, ANSWERED_MIN) if seen.peak else None


def _cpu_per_request(seen: Seen, turn: DayTurn) -> float | None:
    """µs per answer, less the CPU time at rest; None where that leaves nothing."""
    slice_ = turn.slices[0]
    event = slice_.event
    # Open loops at a share of the peak have a ramp of a quarter of their window.
    ramp_ns = event.window_ns / 4 if turn.phase in LOADS else 0.0
    lasted_ns = event.drained_ns - event.start_ns + ramp_ns
    return cpu_us_per_answer(slice_, seen.idle_cpu, lasted_ns)


def _energy_per_request(seen: Seen, turn: DayTurn) -> float | None:
    """µJ per answer, of all processors, less the energy at rest."""
    rest = seen.turn("rest")
    if rest is None:
        return None
    lasted_ns = turn.lasted_ns or 0
    return energy_uj_per_answer(
        turn.slices[0], turn.energy_uj, lasted_ns, rest.energy_uj, rest.lasted_ns
    )


def _recovery_ms(_seen: Seen, turn: DayTurn) -> float | None:
    if turn.since_ns is None or not turn.slices:
        return None
    found = recovered_after_ms(turn.slices, turn.since_ns)
    # A server that was not well at the end counts as well then: it took at least so long.
    last = turn.slices[-1].event
    return found if found is not None else max(1.0, (last.end_ns - turn.since_ns) / 1e6)


def _storm_ms(_seen: Seen, turn: DayTurn) -> float | None:
    event = turn.slices[0].event
    return max(1e-3, (event.drained_ns - event.start_ns) / 1e6)


def _slowdown(_seen: Seen, turn: DayTurn) -> float | None:
    without, beside = (quantile_us(slice_, 0.5) for slice_ in turn.slices)
    return beside / without if without and beside else None


def _growth(seen: Seen, turn: DayTurn) -> float | None:
    rest = seen.turn("rest")
    if rest is None or not rest.memory or not turn.memory or not rest.memory.pss_mib:
        return None
    return turn.memory.pss_mib / rest.memory.pss_mib or None


_SOON: dict[Figure, Reading] = {"p50_us": _quantile(0.5), "first_byte_us": _first_byte}
_LOADED: dict[Figure, Reading] = {
    "p50_us": _quantile(0.5),
    "p99_us": _quantile(0.99),
    "answered": _answered,
}
READINGS: Mapping[Phase, Mapping[Figure, Reading]] = {
    "start": {"time_ms": lambda _seen, turn: turn.ready_ms or None},
    "first": {"time_ms": _first_ms},
    "rest": {
        "cpu_ms_per_s": lambda seen, _turn: (
            None if seen.idle_cpu is None else max(1e3 * seen.idle_cpu, REST_CPU_MS_PER_S_MIN)
        ),
        "memory_mib": _memory,
    },
    "peak": {"requests_per_s": lambda seen, _turn: seen.peak or None},
    "load_10": _SOON | _LOADED,
    "load_70": {**_SOON, "answered": _answered, "cpu_us_per_request": _cpu_per_request},
    "load_100": {"kept": _kept, "answered": _answered},
    "load_150": {"kept": _kept, **_LOADED},
    "load_300": {"kept": _kept, **_LOADED},
    "equal": {
        "cpu_us_per_request": _cpu_per_request,
        "energy_uj_per_request": _energy_per_request,
        "memory_mib": _memory,
        "p99_us": _quantile(0.99),
    },
    "recovery": {"time_ms": _recovery_ms},
    "storm": {"time_ms": _storm_ms, "p50_us": _quantile(0.5), "answered": _answered},
    "slow": {"slowdown": _slowdown, "answered": _answered},
    "after": {"memory_mib": _memory, "growth": _growth},
}
"""The figures of each phase, and how each is read from a turn; None: the turn has none."""


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
"""The engine's kinds of errors that reveal each way. Errors of other kinds are wrong answers."""


@dataclass(frozen=True)
class _Had:
    """The rounds in which a contender had its turn in one phase, and the turns."""

    level: float
    rounds: Sequence[tuple[Seen, DayTurn]]

    @property
    def kept(self) -> list[float]:
        return [right_per_s(turn.slices[0]) / seen.peak for seen, turn in self.rounds]

    @property
    def held(self) -> float:
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
        """The share of all requests that failed, by kind."""
        events = [turn.slices[0].event for _, turn in self.rounds]
        errors: Counter[str] = sum((Counter(event.errors) for event in events), Counter())
        wrong = sum(map(wrong_answers, events))
        attempts = sum(event.requests_all for event in events) + errors.total() - wrong
        return {kind: n / max(1, attempts) for kind, n in errors.items()}

    def keeps_up(self) -> bool:
        offered = sum(turn.slices[0].rate or 0.0 for _, turn in self.rounds)
        return sum(right_per_s(turn.slices[0]) for _, turn in self.rounds) >= KEEPS_UP * offered

    def swollen(self) -> tuple[float, float] | None:
        """The medians of memory at this load and at 100 % of the peak, MiB, where it is clearly
        more."""
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
    had = _had(phase, rounds)
    if not had or had.held < COLLAPSED:
        return
    if len(had.kept) >= MIN_ROUNDS:
        logs = [log(max(share, 1e-6)) for share in had.kept]
        # The upper end of the 95 % interval of the geometric mean.
        error = stdev(logs) / sqrt(len(logs))
        high = exp(fmean(logs) + t_quantile(len(logs) - 1, 0.975) * error)
        if high < 1 / TIE_WITHIN:
            yield Finding.of("slows_beyond", level=had.level, held=had.held, high=high)
    waits = had.waits
    usual_us, long_us = waits.quantile_us(0.5), waits.quantile_us(0.99)
    if usual_us and long_us and long_us >= max(UNEVEN_US, UNEVEN * usual_us):
        yield Finding.of("uneven", level=had.level, p50_us=usual_us, p99_us=long_us)
    full = [turn.tcp.listen_overflows for _, turn in had.rounds if turn.tcp]
    if full and median(full):
        yield Finding.of("overflows_beyond", level=had.level, overflows=round(median(full)))


def _had(phase: Phase, rounds: Sequence[Seen]) -> _Had | None:
    rows = [(seen, turn) for seen in rounds if seen.peak and (turn := seen.turn(phase))]
    return _Had(LOADS[phase], rows) if rows else None


def _failing(code: str, had: _Had, shares: Mapping[str, float]) -> Finding:
    values = [*shares.values()]
    return Finding.of(code, level=had.level, held=had.held, kinds=[*shares], shares=values)


def errors_of(rounds: Sequence[Seen]) -> Mapping[Phase, dict[str, int]]:
    """The errors of each phase, by kind, over all rounds."""
    found: dict[Phase, Counter[str]] = {}
    for seen in rounds:
        for turn in seen.turns.values():
            for slice_ in turn.slices:
                found.setdefault(turn.phase, Counter()).update(slice_.event.errors)
    return {phase: dict(errors) for phase, errors in found.items() if errors}
