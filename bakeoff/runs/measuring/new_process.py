"""How long a new process takes to be as good as one that is warm: both loaded in turns.

The course of one process over time does not tell its warm-up from the machine's weather. Slices of
two processes that follow each other have the same weather: what differs is the process.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import log, pi, sqrt
from statistics import median

from bakeoff.model.cut import NewProcess, SliceLengths, Warmup
from bakeoff.model.errors import ContenderOut
from bakeoff.model.plan import Entry
from bakeoff.model.samples import Slice
from bakeoff.plan import slice_lengths
from bakeoff.runs.measuring.instances import Running
from bakeoff.runs.measuring.meter import Meter
from bakeoff.runs.measuring.session import Session
from bakeoff.runs.measuring.warmup import leave_out_held_up

WARM_UP_MS = 75
"""For new connections, and for processes that are flat: as good as 250 ms (libuv)."""
STAGE_MS = 240
"""What is compared at a time. Two stages in a row that are as good are the end of a warm-up."""
PAIRS_MIN = 3
QUICK_MS = 500
"""What needs longer isn't warmed up for a draw of about a second."""
CHANGED, UNKNOWN = 0.03, 0.2
"""A stage that is worse by more, in ln, shows a warm-up. Noise may hide more: but where it leaves
even the median of all pairs uncertain by more than the last, nothing is known."""
ERRORS = 3
"""What so many standard errors of a stage's median explain is no difference."""


def compared(
    session: Session, meter: Meter, warmup: Warmup, firsts: Sequence[Running]
) -> dict[str, NewProcess]:
    """Another process of each contender of `firsts` beside its first, by name; `meter` has these.
    Copies of one program have one comparison.

    Whose second process does not come up, or dies, and who is too slow for short slices, is not in
    it. Raises `NotAsPlanned` where one of the two stops answering.
    """
    done: list[tuple[Entry, NewProcess | None]] = []
    for each in firsts:
        if each.entry.name in meter.died:
            continue
        alike = [new for entry, new in done if program_of(entry) == program_of(each.entry)]
        new = alike[0] if alike else _compared(session, meter, warmup, each.entry)
        done.append((each.entry, new))
    return {entry.name: new for entry, new in done if new}


def warm_after_ms(new: NewProcess) -> int | None:
    """For how long a new process is worse, in whole stages; None: for longer than QUICK_MS, or
    the machine is too noisy to tell.

    Beyond what its connections take to begin (WARM_UP_MS). It asks for CPU time and for wall time,
    but not for one of which its noise leaves nothing known.
    """
    pairs = _pairs_in_stage(new.pair_ms)
    known = [
        found
        for ratios in (new.time_ln, new.cpu_ln)
        if (found := _stages_good(ratios, pairs)) is not None
    ]
    if not known:
        return None
    good = [all(at) for at in zip(*known, strict=False)]
    for stage in range(len(good) - 1):
        if stage * pairs * new.pair_ms <= QUICK_MS and good[stage] and good[stage + 1]:
            return stage * pairs * new.pair_ms
    return None


def program_of(entry: Entry) -> tuple[object, ...]:
    """What is the same for a twin and its original, and for a contender that was named twice."""
    return entry.folder, entry.contender, entry.attached, entry.fixed_port


def _compared(session: Session, meter: Meter, warmup: Warmup, entry: Entry) -> NewProcess | None:
    lengths = slice_lengths(
        warmup.level(entry.name) or 0.0,
        warmup.mean_latency_us[entry.name],
        session.plan.slice_ms_min,
    )
    pair_ms = lengths.ramp_ms + lengths.short_ms
    if pair_ms > STAGE_MS:
        return None
    session.context.check_time(f"comparing a new process of {entry.name} with a warm one")
    try:
        running = session.instances.start(entry)
    except ContenderOut:
        return None
    try:
        load = session.new_load([running])
        try:
            new = NewProcess(pair_ms=pair_ms, time_ln=(), cpu_ln=())
            for pairs in _stages(
                session, Meter(session, load, [running]), meter, entry.name, lengths
            ):
                new = _with(new, pairs)
                if warm_after_ms(new) is not None:
                    break
            return new
        finally:
            load.close()
    finally:
        session.instances.stop(running)


def _stages(
    session: Session, new: Meter, warm: Meter, name: str, lengths: SliceLengths
) -> Iterator[list[tuple[Slice, Slice]]]:
    """Stage after stage, for as long as both live and answer. Raises `NotAsPlanned`."""
    for meter in (new, warm):
        meter.slice(name, 0, ramp_ms=0, duration_ms=WARM_UP_MS)
    pair_ms = lengths.ramp_ms + lengths.short_ms
    pairs = _pairs_in_stage(pair_ms)

    def slice_of(meter: Meter) -> Slice:
        return meter.slice(name, 0, ramp_ms=lengths.ramp_ms, duration_ms=lengths.short_ms)

    for _ in range(QUICK_MS // (pairs * pair_ms) + 2):
        stage = []
        for number in range(pairs):
            # Each is first in every second pair: a trend favours neither.
            order = (new, warm) if number % 2 else (warm, new)
            slices = {meter: slice_of(meter) for meter in order}
            if name in new.died or name in warm.died:
                return
            silent = [meter for meter in order if not slices[meter].event.requests_per_s]
            for meter in silent:
                twice = [slices[meter], slice_of(meter)]
                leave_out_held_up({name: twice}, session, "a new process of it was compared")
            if silent:
                return
            stage.append((slices[new], slices[warm]))
        yield stage


def _with(so_far: NewProcess, pairs: Sequence[tuple[Slice, Slice]]) -> NewProcess:
    """ln of what a request takes, new over warm, of further pairs."""
    time_ln = [log(warm.event.requests_per_s / new.event.requests_per_s) for new, warm in pairs]
    cpu_us = [
        (new.server_cpu_us_per_request, warm.server_cpu_us_per_request) for new, warm in pairs
    ]
    cpu_ln = [log(new_us / warm_us) for new_us, warm_us in cpu_us if new_us and warm_us]
    return so_far.model_copy(
        update={"time_ln": (*so_far.time_ln, *time_ln), "cpu_ln": (*so_far.cpu_ln, *cpu_ln)}
    )


def _pairs_in_stage(pair_ms: int) -> int:
    return max(PAIRS_MIN, STAGE_MS // pair_ms)


def _stages_good(ratios: Sequence[float], pairs: int) -> list[bool] | None:
    """Stage by stage, whether the new one is as good; None where that can't be told."""
    if len(ratios) < 2 * pairs:
        return None
    # From steps: a warm-up is not noise. The standard error is that of a median.
    noise = median(abs(b - a) for a, b in pairwise(ratios))
    error_of_one = sqrt(pi / 2) * noise / (0.6745 * sqrt(2))
    if ERRORS * error_of_one / sqrt(len(ratios)) > UNKNOWN:
        return None
    limit = max(CHANGED, ERRORS * error_of_one / sqrt(pairs))
    stages = [ratios[at : at + pairs] for at in range(0, len(ratios) - pairs + 1, pairs)]
    # One that is better than the first is warm: new ones of Node are, by a fifth.
    return [median(stage) <= limit for stage in stages]
