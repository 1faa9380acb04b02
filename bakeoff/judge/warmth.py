"""What the warm-ups of a race say of an entry, long after they ended."""

from math import sqrt
from statistics import median

from bakeoff.judge.history import History
from bakeoff.model.samples import (
    WARM_UP_S_MIN,
    WARM_UP_SLICE_MS,
    WARM_UP_SLICES_PER_S,
    Warmup,
)
from bakeoff.model.verdict import WarmUp


def warm_ups(name: str, seen: History) -> tuple[WarmUp, ...]:
    """The entry's warm-up in each boot whose record says how it went."""
    return tuple(
        WarmUp(
            boot=warmup.boot,
            course=warmup.courses[name],
            lasted_s=lasted_s(name, warmup),
            requests_per_s=warmup.level(name),
        )
        for warmup in seen.warmups
        if name in warmup.courses
    )


def lasted_s(name: str, warmup: Warmup) -> float:
    """How long the entry was loaded."""
    return len(warmup.requests_per_s.get(name, ())) * WARM_UP_SLICE_MS / 1000


def unsteady_boots(name: str, seen: History) -> int:
    """In how many boots it had its time and reached no steady state all the same."""
    return sum(
        not warmup.steady.get(name, True)
        and (name not in warmup.courses or lasted_s(name, warmup) >= WARM_UP_S_MIN)
        for warmup in seen.warmups
    )


def slowdowns(name: str, seen: History) -> list[tuple[int, float, float]]:
    """(boot, requests/s at best, requests/s at the end) where it got slower and stayed slow.

    The best is that of any second. Where the boot's blocks are nearer to it than to the end, a
    neighbour on the machine was the cause, not the server.
    """
    found = []
    for warmup in seen.warmups:
        if warmup.courses.get(name) == "slowdown":
            best, end = _best_second(name, warmup), warmup.level(name) or 0.0
            if _measured(name, warmup.boot, seen) < sqrt(best * end):
                found.append((warmup.boot, best, end))
    return found


def cut_short_s(seen: History) -> float | None:
    """How long the longest warm-up of the first boot was, if the race had no 3 s for it.

    In later boots a short one may be short because nothing was left to warm.
    """
    for warmup in seen.warmups[:1]:
        longest_s = max((lasted_s(name, warmup) for name in warmup.courses), default=None)
        if longest_s is not None and longest_s < WARM_UP_S_MIN:
            return longest_s
    return None


def _measured(name: str, boot: int, seen: History) -> float:
    """The throughput of its middle slice in a boot."""
    events = [piece.event for block, piece in seen.slices(name) if block.boot == boot]
    rates = [event.requests_per_s for event in events if event.window_ns]
    return median(rates) if rates else 0.0


def _best_second(name: str, warmup: Warmup) -> float:
    rates = warmup.requests_per_s[name][: warmup.steady_from[name]]
    second = WARM_UP_SLICES_PER_S
    return max(median(rates[at : at + second]) for at in range(max(1, len(rates) - second + 1)))
