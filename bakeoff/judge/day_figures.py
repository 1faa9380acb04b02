"""What one turn of a day comes to: from slices, counters and memory to figures."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from bakeoff.judge.costs import cpu_us_per_answer, energy_uj_per_answer
from bakeoff.judge.latency import merge
from bakeoff.judge.tally import wrong_answers
from bakeoff.model.day import LOADS, Figure, Phase
from bakeoff.model.engine import SliceEvent
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
        """One that was had; None: there is none, or it was out."""
        turn = self.turns.get((phase, number))
        return None if turn is None or turn.out else turn

    def numbers(self, phase: Phase) -> list[int]:
        """The numbers of a phase's turns."""
        return sorted(number for of, number in self.turns if of == phase)

    @property
    def idle_cpu(self) -> float | None:
        """CPU time at rest, ns per ns; None: it can't be seen."""
        rest = self.turn("rest")
        return rest.cpu.total_ns / rest.lasted_ns if rest and rest.cpu and rest.lasted_ns else None

    @property
    def peak(self) -> float:
        """Requests per second; 0: it has none."""
        peak = self.turn("peak")
        return median(map(right_per_s, peak.slices)) if peak and peak.slices else 0.0


Reading = Callable[[Seen, DayTurn], float | None]


def right_per_s(slice_: Slice) -> float:
    """Right answers per second within the window; the wrong ones are taken to be spread evenly."""
    event = slice_.event
    wrong_share = wrong_answers(event) / event.requests_all if event.requests_all else 0.0
    return event.requests_per_s * max(0.0, 1 - wrong_share)


def quantile_us(slice_: Slice, p: float) -> float | None:
    """A latency; that of a request that was never answered is the longest the engine waited, from
    the beginning of its window. None: nothing was due."""
    event = slice_.event
    merged = merge([event])
    if not merged.answered + merged.misses:
        return None
    found = merged.quantile_us(p)
    return found if found is not None else max(1, event.drained_ns - event.start_ns) / 1e3


def recovered_after_ms(slices: Sequence[Slice], since_ns: int) -> float | None:
    """How long until two slices in a row have a median within 1.5 times that of the first slice,
    which was before; the end of the first of them. None: not yet."""
    usual_us = quantile_us(slices[0], 0.5)
    if usual_us is None:
        return None
    well = 0
    for place, each in enumerate(slices[1:], start=1):
        now_us = quantile_us(each, 0.5)
        well = well + 1 if now_us is not None and now_us <= WELL_WITHIN * usual_us else 0
        if well == WELL_SLICES:
            return max(1.0, (slices[place - WELL_SLICES + 1].event.end_ns - since_ns) / 1e6)
    return None


def _first_ms(_seen: Seen, turn: DayTurn) -> float | None:
    """The time of the first thousand answers; the last slice counts as far as they reach into it.

    Between slices nothing is in flight, so what lies between them is no time of the server's.
    """
    done, spent_ns = 0, 0.0
    for each in turn.slices:
        event = each.event
        took_ns = event.drained_ns - event.start_ns
        if done + event.requests_all >= FIRST_REQUESTS:
            share = (FIRST_REQUESTS - done) / event.requests_all
            return max(1e-3, (spent_ns + share * took_ns) / 1e6)
        done, spent_ns = done + event.requests_all, spent_ns + took_ns
    return None


def _rest_cpu(seen: Seen, _turn: DayTurn) -> float | None:
    idle = seen.idle_cpu
    return None if idle is None else max(1e3 * idle, REST_CPU_MS_PER_S_MIN)


def _memory(_seen: Seen, turn: DayTurn) -> float | None:
    return turn.memory.pss_mib or None if turn.memory else None


def _quantile(p: float) -> Reading:
    return lambda _seen, turn: quantile_us(turn.slices[0], p) if turn.slices else None


def _answered(_seen: Seen, turn: DayTurn) -> float | None:
    """Of the last slice, which has what the phase is about."""
    event = turn.slices[-1].event
    if not event.due or not event.requests_all:
        return ANSWERED_MIN if event.due else None
    right = max(0.0, 1 - wrong_answers(event) / event.requests_all)
    return max(event.latency_count / event.due * right, ANSWERED_MIN)


def _kept(seen: Seen, turn: DayTurn) -> float | None:
    return max(right_per_s(turn.slices[0]) / seen.peak, ANSWERED_MIN) if seen.peak else None


def _cpu_per_request(seen: Seen, turn: DayTurn) -> float | None:
    """µs per answer, less what it uses at rest; None where that leaves nothing."""
    slice_ = turn.slices[0]
    event = slice_.event
    lasted_ns = event.drained_ns - event.start_ns + _ramp_ns(turn, event)
    return cpu_us_per_answer(slice_, seen.idle_cpu, lasted_ns)


def _ramp_ns(turn: DayTurn, event: SliceEvent) -> float:
    """Open loops of a share of the peak have a ramp of a quarter of their window."""
    return event.window_ns / 4 if turn.phase in LOADS else 0.0


def _energy_per_request(seen: Seen, turn: DayTurn) -> float | None:
    """µJ per answer, of all processors, less what they use at rest."""
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
    # What was not well at the end counts as if it had been then: it took at least so long.
    last = turn.slices[-1].event
    return found if found is not None else max(1.0, (last.end_ns - turn.since_ns) / 1e6)


def _storm_ms(_seen: Seen, turn: DayTurn) -> float | None:
    event = turn.slices[0].event
    return max(1e-3, (event.drained_ns - event.start_ns) / 1e6)


def _slowdown(_seen: Seen, turn: DayTurn) -> float | None:
    without, beside = (quantile_us(each, 0.5) for each in turn.slices)
    return beside / without if without and beside else None


def _growth(seen: Seen, turn: DayTurn) -> float | None:
    rest = seen.turn("rest")
    if rest is None or not rest.memory or not turn.memory or not rest.memory.pss_mib:
        return None
    return turn.memory.pss_mib / rest.memory.pss_mib or None


_LOADED: dict[Figure, Reading] = {
    "p50_us": _quantile(0.5),
    "p99_us": _quantile(0.99),
    "answered": _answered,
}
READINGS: Mapping[Phase, Mapping[Figure, Reading]] = {
    "start": {"time_ms": lambda _seen, turn: turn.ready_ms or None},
    "first": {"time_ms": _first_ms},
    "rest": {"cpu_ms_per_s": _rest_cpu, "memory_mib": _memory},
    "peak": {"requests_per_s": lambda seen, _turn: seen.peak or None},
    "load_10": _LOADED,
    "load_70": {
        "p50_us": _quantile(0.5),
        "answered": _answered,
        "cpu_us_per_request": _cpu_per_request,
    },
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
"""The figures of each phase, and how each is read from a turn; None: it has none."""
